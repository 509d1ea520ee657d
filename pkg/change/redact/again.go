package redact

import (
	"io"

	"clawctl/pkg/jsonl"
)

// An Again searches what is written to it for secrets, as the Redactor does.
type Again struct {
	*io.PipeWriter
	done chan result
}

type result struct {
	places int
	err    error
}

// Again returns a writer that searches a copy once more. Finish must be called at its end.
func (r *Redactor) Again(opts jsonl.Options) *Again {
	in, out := io.Pipe()
	a := &Again{out, make(chan result, 1)}
	survey := &Survey{detector: r.detector, secrets: map[string]string{}, places: map[string]int{}}
	go func() {
		places, err := survey.Session(in, opts)
		in.CloseWithError(err)
		a.done <- result{places, err}
	}()
	return a
}

// Finish returns how many places have secrets.
func (a *Again) Finish() (places int, err error) {
	a.Close()
	r := <-a.done
	return r.places, r.err
}
