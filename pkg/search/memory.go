package search

import (
	"bytes"
	"errors"
	"os"

	"clawctl/pkg/redact"
	"clawctl/pkg/source"
)

// maxMemory is the largest memory file that is searched.
const maxMemory = 64 << 20

// ErrNotMemory says that a path is not that of a memory file that can be searched.
var ErrNotMemory = errors.New("not a readable file")

// Memory searches a memory file. A line is a hit, and the file is listed like a session. An error is ErrNotMemory or
// that of reading the file.
func (q *Query) Memory(f *redact.Finder, path string) (s *source.Session, hits []Hit, err error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxMemory {
		return nil, nil, ErrNotMemory
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	number, offset := int64(0), int64(0)
	for line := range bytes.Lines(text) {
		number++
		content := string(bytes.TrimRight(line, "\r\n"))
		if hit, ok := q.HitInLine(f, content, InMemory); ok && content != "" {
			hit.Line, hit.Offset = number, offset
			hits = append(hits, hit)
		}
		offset += int64(len(line))
	}
	return &source.Session{Key: path, Path: path, Kind: source.Live, Modified: info.ModTime()}, hits, nil
}
