package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
)

// push copies what is new in the dataset of a gateway to the bucket, as docs/fleet-scale.md says: first the files, then
// the manifest that lists them. Then it deletes what is no longer listed. A gateway keeps a copy of the manifest that
// it pushed last, so it need not list or read a folder that all gateways share.
func (f *fleet) push(i int) error {
	name := "manifest-" + host(i) + ".json"
	now, err := os.ReadFile(filepath.Join(f.dataset(i), name))
	if err != nil {
		return err
	}
	pushed := f.dataset(i) + ".pushed"
	old, err := os.ReadFile(pushed)
	if err != nil && !errors.Is(err, os.ErrNotExist) || bytes.Equal(now, old) {
		return err
	}
	have, err := filesOf(old)
	if err != nil {
		return err
	}
	want, err := filesOf(now)
	if err != nil {
		return err
	}
	if err := f.pushChange(i, name, now, have, want); err != nil {
		return err
	}
	return os.WriteFile(pushed, now, 0o600)
}

// pushChange makes the requests of a push.
func (f *fleet) pushChange(i int, name string, manifest []byte, have, want map[string]bool) error {
	for path := range want {
		if !have[path] {
			if err := f.pushFile(i, path); err != nil {
				return err
			}
		}
	}
	if err := f.bucket.write("data/"+name, manifest); err != nil {
		return err
	}
	for path := range have {
		if !want[path] {
			if err := f.bucket.remove("data/" + path); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *fleet) pushFile(i int, path string) error {
	text, err := os.ReadFile(filepath.Join(f.dataset(i), filepath.FromSlash(path)))
	if err == nil {
		err = f.bucket.write("data/"+path, text)
	}
	return err
}

// filesOf returns the paths in a manifest. An empty one has none.
func filesOf(manifest []byte) (map[string]bool, error) {
	if len(manifest) == 0 {
		return nil, nil
	}
	var m struct{ Files []struct{ Path string } }
	err := json.Unmarshal(manifest, &m)
	paths := map[string]bool{}
	for _, file := range m.Files {
		paths[file.Path] = true
	}
	return paths, err
}
