package postgres

import (
	"clawctl/internal/portable"
	"clawctl/internal/spool"
	"clawctl/pkg/source"
)

// A Kept is a transcript that a stream gives back. Its text is part of a private file.
type Kept struct {
	host, name  string // its name in the database
	metadata    Metadata
	lines, seen int64
	start       int64 // of the text in the file
	text        *spool.Section
}

// fileName returns a name for the transcript that every file system takes, below a folder of its host.
func (k *Kept) fileName() string {
	safe := portable.ASCII(k.name)
	return k.host + "/" + safe[:min(len(safe), 120)] + "-" + digest(k.name) + ".jsonl"
}

// Session returns the session of a transcript. stream is the name of what it was unpacked from. If the text cannot be
// read, the session still has its path.
func (k *Kept) Session(stream string) (*source.Session, error) {
	m := &k.metadata
	return source.Restored(source.Session{
		Key: m.Key, Agent: m.Agent, ID: m.SessionID, Kind: source.Kind(m.Kind), Generation: m.Generation,
		Path: stream + "#" + k.name, Below: "pgcopy/" + k.fileName(),
	}, m.Entry, k.text)
}
