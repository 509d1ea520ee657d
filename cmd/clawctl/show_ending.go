package main

import (
	"os"

	"clawctl/internal/cli"
	"clawctl/pkg/parts"
	"clawctl/pkg/rebuild"
)

// largeFile is the size from which on a file is read from its end.
const largeFile = 1 << 20

// printEnding prints the last turns from the end of a large file. done is false if all of it must be read.
func (s *showing) printEnding() (done bool, err error) {
	ending, err := s.readEnding()
	if err != nil || ending == nil {
		return false, nil // a complete reading reports the error
	}
	if err := s.printHead(); err != nil {
		return true, err
	}
	out := newTextOutput(s)
	marks := ending.Marks()
	var m parts.Maker
	for rec, err := range ending.Records() {
		if err != nil {
			return true, cli.ReadError(s.app, s.session.Place(), err)
		}
		mark := marks[rec.Line-1]
		if !mark.OnPath {
			continue
		}
		at := parts.Position{OnPath: true, InContext: mark.Shown}
		if err := out.entry(m.Entry(rec), at, ""); err != nil {
			return true, cli.WriteError(s.app, err)
		}
	}
	if err := out.text.Close(); err != nil {
		return true, cli.WriteError(s.app, err)
	}
	return true, nil
}

// readEnding returns the last turns, or nil if all of the session must be read.
func (s *showing) readEnding() (*rebuild.Ending, error) {
	o := s.options
	if o.last == 0 || o.leaf != "" || o.Program != "" || !s.span.IsAll() || !s.session.IsFile() {
		return nil, nil
	}
	raw, err := s.session.OpenRaw()
	if err != nil {
		return nil, err
	}
	defer raw.Close()
	file, ok := raw.(*os.File)
	if !ok {
		return nil, nil
	}
	info, err := file.Stat()
	if err != nil || info.Size() < largeFile {
		return nil, err
	}
	return rebuild.ReadEnding(file, info.Size(), o.last, parts.StartsTurn)
}
