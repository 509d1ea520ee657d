package migrate

import (
	"errors"
	"io"

	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// reclaim stores the text of a session again if its archive is lost and a source begins with it. If the source begins
// with another text, reclaim returns errOtherText.
func (run *importRun) reclaim(s *source.Session, t *storedTranscript, outcome *Outcome) error {
	if !t.isLost {
		return nil
	}
	outcome.Verdict, outcome.Key = Grown, t.Key
	if run.commits.isRehearsal() {
		outcome.Lines, outcome.Records, outcome.Bytes = t.Lines, t.Records, t.Bytes
		return nil
	}
	if err := run.beginWithCatalog(); err != nil {
		return err
	}
	in, err := s.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	before, text := *t.Transcript, &notingReader{in: io.LimitReader(in, t.Bytes)}
	err = run.commits.undoOnError(func() error { return run.commits.batch.Reclaim(t.Transcript, text) })
	switch {
	case err == nil:
		run.commits.changesExisting = true
		run.commits.batchBytes += t.Bytes
		outcome.Lines, outcome.Records, outcome.Bytes, outcome.sum = t.Lines, t.Records, t.Bytes, t.Sum
		outcome.IsReclaimed = true
		t.isLost = false
		return nil
	case text.err != nil:
		err = text.err
	case errors.Is(err, store.ErrOtherText):
		err = errOtherText
	default:
		err = asStoreError(err)
	}
	run.revertCatalog(t, before)
	return err
}

// A notingReader notes why a text cannot be read.
type notingReader struct {
	in  io.Reader
	err error
}

// Read reads the text.
func (r *notingReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}
