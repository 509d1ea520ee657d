package search

import (
	"bytes"
	"errors"

	"clawctl/internal/rooted"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/source"
	"clawctl/pkg/source/openclaw"
)

// maxMemory is the largest memory file that is searched.
const maxMemory = 64 << 20

// ErrNotMemory says that a path is not that of a memory file that can be searched.
var ErrNotMemory = errors.New("not a readable file")

// A PlainFile is a text that is searched beside transcripts.
type PlainFile struct {
	rooted.File
	Place string
}

// PlainFiles returns the files that are searched beside the sessions of a match: long results that programs keep there,
// and memory files. home is what ~ means. Workspaces outside of the places of the match are not searched.
func (s *Scope) PlainFiles(m *source.Match, home string) (list []PlainFile, outside []string) {
	if s.Places[inResult] && s.takesUndated() { // results in files
		for _, session := range m.Sessions {
			for _, file := range session.StoredResults() {
				list = append(list, PlainFile{file, inResult})
			}
		}
	}
	if s.Places[inMemory] {
		for _, place := range m.Places {
			files, elsewhere := openclaw.Memories(place.Path, home)
			outside = append(outside, elsewhere...)
			for _, file := range files {
				list = append(list, PlainFile{file, inMemory})
			}
		}
	}
	return list, outside
}

// PlainFile searches a file. A line is a hit, and the file is listed like a session. An error is ErrNotMemory or that
// of reading the file.
func (q *Query) PlainFile(f *redact.Finder, file PlainFile) (s *source.Session, hits []Hit, err error) {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxMemory {
		return nil, nil, ErrNotMemory
	}
	text, err := file.Content(maxMemory)
	if err != nil {
		return nil, nil, err
	}
	number, offset := int64(0), int64(0)
	for line := range bytes.Lines(text) {
		number++
		content := string(bytes.TrimRight(line, "\r\n"))
		if hit, ok := q.hitInLine(f, content, file.Place); ok && content != "" {
			hit.Line, hit.Offset = number, offset
			hits = append(hits, hit)
		}
		offset += int64(len(line))
	}
	return &source.Session{Key: file.Shown, Path: file.Shown, Kind: source.Live, Modified: info.ModTime()}, hits, nil
}
