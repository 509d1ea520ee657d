package scrub

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"

	"clawctl/pkg/export/bundle"
	"clawctl/pkg/store"
)

// whyArchived is why an archive is left.
const whyArchived = "an archive is never changed; undo the prune that made it, and run this again"

// whyCopied is why an archive is left that has text which the store does not read from it any more.
const whyCopied = "an archive is never changed; delete it when no store needs it"

// addArchive notes an archive, and which of its files the visit of the store looks at.
func (v *visit) addArchive(path string, visited map[string]bool) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if v.packed == nil {
		v.packed = map[string]map[string]bool{}
	}
	if v.packed[path] == nil {
		v.packed[path] = map[string]bool{}
	}
	maps.Copy(v.packed[path], visited)
}

// noteArchives notes the archives of a store that are there.
func (v *visit) noteArchives(r *store.Reader) error {
	list, err := r.Archives(v.ctx)
	if err != nil {
		return err
	}
	for _, archive := range list {
		members, err := r.ArchivedMembers(v.ctx, archive.ID)
		if err != nil {
			return err
		}
		if path := archive.Name(v.options.Store); isThere(path) {
			v.addArchive(path, members)
		}
	}
	return nil
}

// archives visits what is in archives besides the text of stored sessions: sessions that came back to the store or were
// deleted from it, and what describes them.
func (v *visit) archives() error {
	for _, path := range slices.Sorted(maps.Keys(v.packed)) {
		if v.visited[path] { // it is in a home
			continue
		}
		if err := v.pass(path, v.archive(path, v.packed[path])); err != nil {
			return err
		}
	}
	return nil
}

func (v *visit) archive(path string, visited map[string]bool) error {
	r, err := bundle.Open(v.ctx, path)
	if err != nil {
		return err
	}
	defer r.Close()
	var list []store.ArchivedAbout
	if err := json.Unmarshal(r.Stored, &list); err != nil {
		return err
	}
	keys := map[string]string{}
	for _, about := range list {
		keys[about.Member] = about.Transcript.Key
	}
	described := &Item{Action: Leave, Kind: Archived, Path: path, Why: whyCopied}
	if err := v.look(described, bytes.NewReader(r.Stored)); err != nil {
		return err
	}
	for i := range r.Files {
		if member := r.Files[i].Path; !visited[member] {
			it := &Item{Action: Leave, Kind: Archived, Path: path, Session: keys[member], Why: whyCopied}
			if err := v.member(r, i, it); err != nil {
				return err
			}
		}
	}
	return nil
}

// member visits one file of an archive.
func (v *visit) member(r *bundle.Reader, i int, it *Item) error {
	text, err := r.Open(i)
	if err != nil {
		return err
	}
	defer text.Close()
	return v.look(it, text)
}
