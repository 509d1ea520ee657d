package main

import (
	"bytes"
	"os"

	"clawctl/internal/cli"
	finder "clawctl/pkg/search"
	"clawctl/pkg/source"
)

// maxMemory is the largest memory file that is searched.
const maxMemory = 64 << 20

// searchMemory searches the memory files of the places. A line is a hit.
func (p *hitPrinter) searchMemory(query *finder.Query, places []*source.Place) error {
	for _, place := range places {
		for _, file := range source.Memories(place.Path, cli.ExpandHome("~")) {
			if err := p.searchMemoryFile(query, file); err != nil {
				return err
			}
		}
	}
	return nil
}

// searchMemoryFile searches one file, which is listed like a session.
func (p *hitPrinter) searchMemoryFile(query *finder.Query, path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxMemory {
		p.app.Note("%s is not a readable file", path)
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		p.app.Blame(p.outcome, cli.InputError(path, err))
		return nil
	}
	p.sessions = append(p.sessions, &source.Session{Key: path, Path: path, Kind: source.Live, Modified: info.ModTime()})
	at := len(p.sessions) - 1
	offset := int64(0)
	for i, line := range bytes.SplitAfter(text, []byte{'\n'}) {
		if err := p.memoryLine(query, at, int64(i)+1, offset, string(bytes.TrimRight(line, "\r\n"))); err != nil {
			return err
		}
		offset += int64(len(line))
	}
	return p.end(at, finder.Tally{}, nil)
}

func (p *hitPrinter) memoryLine(query *finder.Query, session int, number, offset int64, line string) error {
	if line == "" {
		return nil
	}
	hit, ok := query.HitInLine(line, finder.InMemory)
	if !ok {
		return nil
	}
	hit.Line, hit.Offset = number, offset
	return p.hit(session, hit)
}
