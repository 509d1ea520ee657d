package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A skipError is why a figure cannot be measured here, for example because a rival is not installed.
type skipError struct{ reason error }

func (e *skipError) Error() string { return e.reason.Error() }
func (e *skipError) Unwrap() error { return e.reason }

// prepare makes the folders, builds clawctl, and looks for taskset.
func (b *bench) prepare() error {
	var err error
	if b.root, err = moduleRoot(); err != nil {
		return err
	}
	if b.cache, err = filepath.Abs(b.cache); err != nil {
		return err
	}
	if err = os.MkdirAll(b.cache, 0o755); err != nil {
		return err
	}
	if b.work, err = os.MkdirTemp(b.cache, "run-"); err != nil {
		return err
	}
	b.note("the cache is %s", b.cache)
	if _, err = b.program("clawctl"); err != nil {
		return errors.Join(err, os.RemoveAll(b.work))
	}
	_, err = b.output([]string{"taskset", "-c", "0", "taskset", "--version"})
	b.canPin = err == nil
	if err != nil {
		b.note("programs are not pinned to cores: %v", err)
	}
	return nil
}

// placeholder is a part of a word that stands for a value, such as {few} for the path of a corpus. See table.txt.
var placeholder = regexp.MustCompile(`\{[a-z0-9.:%-]+\}`)

// resolve replaces the placeholders in words. The values that only some commands have come first.
func (b *bench) resolve(words []string, values map[string]string) ([]string, error) {
	var failed error
	resolved := make([]string, len(words))
	for i, word := range words {
		resolved[i] = placeholder.ReplaceAllStringFunc(word, func(found string) string {
			name := strings.Trim(found, "{}")
			if value, ok := values[name]; ok {
				return value
			}
			value, err := b.value(name)
			failed = errors.Join(failed, err)
			return value
		})
	}
	return resolved, failed
}

// value returns what a placeholder stands for.
func (b *bench) value(name string) (string, error) {
	if percent, ok := strings.CutSuffix(name, "%"); ok {
		share, err := strconv.ParseFloat(percent, 64)
		return strconv.FormatInt(int64(share/100*float64(b.size)), 10), err
	}
	if corpus, which, ok := strings.Cut(name, ":"); ok {
		return b.sessionID(corpus, which)
	}
	switch name {
	case "grow":
		if b.grow == 0 {
			return "", &skipError{errors.New("it needs -grow")}
		}
		return strconv.FormatInt(b.grow, 10), nil
	case "shared", "rivals":
		return b.folder(name)
	}
	return b.corpus(name)
}

// folder returns a folder of the repository or beside it.
func (b *bench) folder(name string) (string, error) {
	path := filepath.Join(b.root, "scripts", "bench", "rivals")
	if name == "shared" {
		path = filepath.Join(b.root, "..", "shared")
	}
	if _, err := os.Stat(path); err != nil {
		return "", &skipError{err}
	}
	return path, nil
}

// corpus returns the path of a corpus, and makes it on first use.
func (b *bench) corpus(name string) (string, error) {
	if path, ok := b.corpora[name]; ok {
		return path, nil
	}
	r := b.table.recipes[name]
	if r == nil {
		return "", fmt.Errorf("corpus %q not found in table.txt", name)
	}
	path, err := b.make(r)
	if err != nil {
		return "", fmt.Errorf("make %s: %w", name, err)
	}
	b.corpora[name] = path
	return path, nil
}

// make makes a corpus. One that clawctl writes is made in every run, because another build may write something else,
// and a large file does not stay. The others stay in the cache.
func (b *bench) make(r *recipe) (string, error) {
	if slices.ContainsFunc(r.steps, isTemporary) {
		path := filepath.Join(b.work, r.name)
		return path, b.follow(r, path)
	}
	folder := filepath.Join(b.cache, fmt.Sprintf("%s-%d", b.generatorKind(), b.size))
	path, part := filepath.Join(folder, r.name), filepath.Join(folder, "part", r.name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	err := errors.Join(os.RemoveAll(part), os.MkdirAll(filepath.Dir(part), 0o755))
	if err != nil {
		return "", err
	}
	if err = b.follow(r, part); err != nil {
		return "", err
	}
	return path, os.Rename(part, path)
}

func isTemporary(step []string) bool {
	return slices.Contains(step, "clawctl") || slices.Contains(step, "{grow}")
}

// follow runs the steps of a recipe, which write to a path.
func (b *bench) follow(r *recipe, path string) error {
	for _, step := range r.steps {
		words, err := b.resolve(step, map[string]string{"out": path})
		if err != nil {
			return err
		}
		b.note("making %s", r.name)
		if _, err := b.output(words); err != nil {
			return err
		}
	}
	return nil
}

// sessionID returns the id of the session of median size in a folder, or that of the largest.
func (b *bench) sessionID(corpus, which string) (string, error) {
	folder, err := b.corpus(corpus)
	if err != nil {
		return "", err
	}
	var files []fs.FileInfo
	if err := eachFile(folder, func(_ string, info fs.FileInfo) { files = append(files, info) }); err != nil {
		return "", err
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return int(a.Size() - b.Size()) })
	at := map[string]int{"median": len(files) / 2, "largest": len(files) - 1}[which]
	return strings.TrimSuffix(files[at].Name(), ".jsonl"), nil
}

// sizeOf returns the bytes in a file or a folder, without indexes of sessions.
func sizeOf(path string) (total int64, err error) {
	err = eachFile(path, func(path string, info fs.FileInfo) {
		if filepath.Ext(path) != ".json" {
			total += info.Size()
		}
	})
	return total, err
}

// eachFile calls do for a file, or for every file in a folder.
func eachFile(path string, do func(path string, info fs.FileInfo)) error {
	return filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		do(path, info)
		return nil
	})
}
