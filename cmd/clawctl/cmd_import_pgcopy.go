package main

import (
	"cmp"
	"io"
	"os"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/spool"
	"clawctl/pkg/postgres"
	"clawctl/pkg/source"
)

// inputPgcopy is the form of --input that PostgreSQL writes.
const inputPgcopy = "pgcopy"

// unpack returns the sessions in the rows of transcript_lines. Their texts are kept in private files until the run
// ends, so that nothing is imported from a stream that is damaged or cut off.
func (im *importing) unpack(arguments []string) ([]*source.Session, error) {
	if len(arguments) != 1 {
		return nil, failure.Usage(im.app.CommandLine(), "--input pgcopy takes one SOURCE, got %d", len(arguments))
	}
	stream, name, err := im.openRows(arguments[0])
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	kept, err := im.keepRows(stream)
	if err != nil {
		return nil, im.rowsError(name, err)
	}
	if len(kept) == 0 {
		f := failure.New(failure.Nothing, "no rows; a psql that fails writes none either").At(name)
		f.Hint = "clawctl help import"
		return nil, f
	}
	return im.restore(name, kept)
}

// A keptTranscript is a transcript in a private file.
type keptTranscript struct {
	*postgres.Transcript
	text *spool.Section
}

// keepRows keeps all transcripts in one private file, because thousands of open files may be too many.
func (im *importing) keepRows(stream io.Reader) (kept []*keptTranscript, err error) {
	file, err := spool.Create(os.TempDir())
	if err != nil {
		return nil, err
	}
	im.app.AtEnd(func() { file.Close() })
	err = postgres.Unpack(&contextReader{im.app, stream}, func(t *postgres.Transcript) (io.WriteCloser, error) {
		k := &keptTranscript{Transcript: t}
		kept = append(kept, k)
		return &spooledText{file, file.Size(), k}, nil
	})
	return kept, err
}

// A spooledText is a transcript while it is written to a private file. Closing it says which part of the file it is.
type spooledText struct {
	*spool.File
	start int64
	of    *keptTranscript
}

func (t *spooledText) Close() error {
	t.of.text = t.Section(t.start, t.Size()-t.start)
	return nil
}

// openRows opens the rows, which may be compressed.
func (im *importing) openRows(argument string) (*source.Input, string, error) {
	if argument == "-" {
		in, err := source.Wrap(im.app.Stdin, cli.StdinName)
		if err != nil {
			return nil, "", cli.InputError(cli.StdinName, err)
		}
		return in, cli.StdinName, nil
	}
	in, err := source.Open(argument)
	if err != nil {
		return nil, "", cli.InputError(argument, err)
	}
	return in, argument, nil
}

// A contextReader ends when the run is interrupted.
type contextReader struct {
	app *cli.App
	src io.Reader
}

func (r *contextReader) Read(p []byte) (int, error) {
	if err := r.app.Ctx.Err(); err != nil {
		return 0, err
	}
	return r.src.Read(p)
}

// restore returns the sessions of transcripts that --session, --agent and --kind select.
func (im *importing) restore(stream string, kept []*keptTranscript) ([]*source.Session, error) {
	var sessions []*source.Session
	for _, k := range kept {
		m := &k.Metadata
		s, err := source.Restored(source.Session{
			Key: m.Key, Agent: m.Agent, ID: m.SessionID, Kind: source.Kind(m.Kind), Generation: m.Generation,
			Path: stream + "#" + k.Name, Below: "pgcopy/" + k.FileName(),
		}, m.Entry, k.text)
		if err != nil {
			return nil, cli.InputError(s.Path, err)
		}
		sessions = append(sessions, s)
	}
	o := &im.options.SourceOptions
	selected, err := source.Select(sessions,
		source.Filter{Session: o.Session, Exact: true, Agents: o.Agents, Kinds: o.Kinds}, cli.EveryKind)
	switch {
	case err != nil:
		return nil, failure.Usage("clawctl help import", "%v", err)
	case len(selected) == 0:
		return nil, failure.New(failure.Nothing, "no session in the rows matches").At(stream).WithHint("clawctl help import")
	}
	return selected, nil
}

// rowsError gives an error of the rows its code and hint.
func (im *importing) rowsError(name string, err error) error {
	if im.app.Ctx.Err() != nil {
		return cli.Interrupted(im.app)
	}
	return cmp.Or(failure.From(name, err), cli.InputError(name, err))
}
