package postgres

import (
	"context"
	"io"

	"clawctl/internal/spool"
	"clawctl/pkg/source"
)

// A Kept is a transcript that was unpacked to a private file.
type Kept struct {
	transcript *Transcript
	text       *spool.Section
}

// Keep unpacks all transcripts of a stream to one private file, because thousands of open files may be too many. It
// stops when the context ends.
func Keep(ctx context.Context, src io.Reader, file *spool.File) (kept []*Kept, err error) {
	err = Unpack(&contextReader{ctx, src}, func(t *Transcript) (io.WriteCloser, error) {
		k := &Kept{transcript: t}
		kept = append(kept, k)
		return &keptText{file, file.Size(), k}, nil
	})
	return kept, err
}

// Session returns the session of a transcript. stream is the name of what it was unpacked from. If the text cannot be
// read, the session still has its path.
func (k *Kept) Session(stream string) (*source.Session, error) {
	m := &k.transcript.Metadata
	return source.Restored(source.Session{
		Key: m.Key, Agent: m.Agent, ID: m.SessionID, Kind: source.Kind(m.Kind), Generation: m.Generation,
		Path: stream + "#" + k.transcript.Name, Below: "pgcopy/" + k.transcript.FileName(),
	}, m.Entry, k.text)
}

// A keptText is a transcript while it is written to the private file. Closing it says which part of the file it is.
type keptText struct {
	file  *spool.File
	start int64
	of    *Kept
}

func (t *keptText) Write(p []byte) (int, error) { return t.file.Write(p) }

func (t *keptText) Close() error {
	t.of.text = t.file.Section(t.start, t.file.Size()-t.start)
	return nil
}

// A contextReader ends when its context does.
type contextReader struct {
	ctx context.Context
	src io.Reader
}

func (r *contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.src.Read(p)
}
