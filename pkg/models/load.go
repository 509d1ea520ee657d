package models

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"clawctl/internal/openfile"
)

// maxFile is how many bytes a file of a catalogue may have. All of pi-ai's together have 1 MB.
const maxFile = 64 << 20

// Load reads a catalogue from a file, or from the JSON files of a folder, as pi-ai has them. Errors of its text are of
// type *Error.
func Load(path string) (*Catalogue, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return loadFile(path, parse)
	}
	files, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for _, file := range files {
		if filepath.Ext(file.Name()) != ".json" {
			continue
		}
		c, err := loadFile(filepath.Join(path, file.Name()), ParseFile)
		if err != nil {
			return nil, err
		}
		entries = append(entries, c.entries...)
	}
	if len(entries) == 0 {
		return nil, &Error{Path: path, Line: 1, Column: 1, Text: "the folder has no .json files with models"}
	}
	return New(entries), nil
}

func loadFile(path string, parse func([]byte) (*Catalogue, error)) (*Catalogue, error) {
	file, err := openfile.Regular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() // it is only read
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFile {
		return nil, &Error{Path: path, Line: 1, Column: 1, Text: fmt.Sprintf("the file has more than %d MiB", maxFile>>20)}
	}
	c, err := parse(text)
	var e *Error
	if errors.As(err, &e) {
		e.Path = path
	}
	return c, err
}
