package migrate

import (
	"bufio"
	"context"
	"errors"
	"io"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// An InheritReport is the JSON form of what was inherited.
type InheritReport struct {
	SchemaVersion int    `json:"schema_version"`
	InheritedFrom string `json:"inherited_from"`
	Session       string `json:"session"`
	Records       int64  `json:"records"`
}

// Inherit starts a session of the store with the active path of another session: its records with their ids, converted
// to version 3 of OpenClaw's format. The other session is only read. Running Inherit again adds what the path has
// gained since. It fails with store.ErrConflict if the new session has records of its own and no longer begins with the
// complete path. It asks nothing else of the store than what every SessionStore promises.
func Inherit(ctx context.Context, st store.SessionStore, from *source.Session, into string) (records int64, err error) {
	path, err := activePath(ctx, from)
	if err != nil {
		return 0, err
	}
	session := &store.Conversation{
		Info: store.Info{Key: into, Metadata: store.Metadata{Agent: from.Agent, SessionID: from.ID,
			InheritedFrom: from.Name(), Source: ReceiptPath(from), Title: from.Title()}},
		Records: func(yield func(*jsonl.Record, error) bool) {
			err := path(func(rec *jsonl.Record) error {
				records++
				if !yield(rec, nil) {
					return errStopped
				}
				return nil
			})
			if err != nil && !errors.Is(err, errStopped) {
				yield(nil, err)
			}
		},
	}
	err = st.Save(ctx, session)
	return records, err
}

// errStopped ends the path if the caller stops iterating.
var errStopped = errors.New("stopped by the caller")

// activePath returns a function that emits the header and the active path of a session.
func activePath(ctx context.Context, s *source.Session) (func(emit func(*jsonl.Record) error) error, error) {
	first, err := openConverted(ctx, s)
	if err != nil {
		return nil, err
	}
	defer first.Close()
	var header *jsonl.Record
	ix, err := rebuild.Scan(jsonl.NewReader(first, jsonl.Options{BeforeRead: ctx.Err}), func(rec *jsonl.Record) {
		if header == nil && rec.Legible() && rec.Type() == jsonl.TypeSession {
			header = rec.Clone()
		}
	})
	if err != nil {
		return nil, err
	}
	c, err := ix.Context("")
	if err != nil {
		return nil, err
	}
	return func(emit func(*jsonl.Record) error) error {
		again, err := openConverted(ctx, s)
		if err != nil {
			return err
		}
		defer again.Close()
		if header != nil {
			if err := emit(header); err != nil {
				return err
			}
		}
		return c.PathRecords(jsonl.Records(again, jsonl.Options{BeforeRead: ctx.Err}), emit)
	}, nil
}

// openConverted opens a session as OpenClaw's records.
func openConverted(ctx context.Context, s *source.Session) (io.ReadCloser, error) {
	in, err := s.Open()
	if err != nil {
		return nil, err
	}
	out, pipe := io.Pipe()
	go func() {
		defer in.Close()
		w := bufio.NewWriterSize(pipe, 64<<10)
		err := convertLines(ctx, in, s.ID, w,
			func(rec *jsonl.Record) bool { return rec.Legible() && rec.Damage == nil })
		_ = pipe.CloseWithError(errors.Join(err, w.Flush()))
	}()
	return out, nil
}

// convertLines writes the wanted lines of a session as OpenClaw's records.
func convertLines(ctx context.Context, in io.Reader, id string, out io.Writer, wants func(*jsonl.Record) bool) error {
	w := jsonl.NewWriter(out)
	for rec, err := range jsonl.ToOpenClaw(jsonl.Records(in, jsonl.Options{BeforeRead: ctx.Err}), id) {
		if err != nil {
			return err
		}
		if !wants(rec) {
			continue
		}
		if err := w.WriteRecord(rec.Text()); err != nil {
			return err
		}
	}
	return w.Flush()
}
