package rebuild

import (
	"bytes"
	"os"
	"testing"

	"clawctl/pkg/jsonl"
)

// checkSums compares the hashes that were made at the first reading with those of messages that are written.
func checkSums(t *testing.T, text []byte, jobs int) (known, read int) {
	t.Helper()
	open := func() *jsonl.Reader { return jsonl.NewReader(bytes.NewReader(text), jsonl.Options{Jobs: jobs}) }
	ix, err := Inspect(Author{}, open(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !ix.LogsRequests() {
		return 0, 0
	}
	provers := [2]*prover{}
	for at := range provers {
		p := newProver(ix)
		p.plan()
		if provers[at] = p; at == 1 {
			ix.sums = nil // everything is read again
			for i := range ix.requests {
				ix.requests[i].tail = nil
			}
		} else {
			for g := range p.groups {
				if _, ok := ix.sumOf(&p.groups[g]); ok {
					known++
				}
			}
			read = len(p.groups) - known
		}
		if err := p.read(open().All()); err != nil {
			t.Fatal(err)
		}
	}
	for at := range provers[0].groups {
		if provers[0].sums[at] != provers[1].sums[at] {
			t.Errorf("the message of the entries %v has another hash", provers[0].groups[at].entries)
		}
	}
	for at := range ix.requests {
		if len(provers[0].tails[at]) != len(provers[1].tails[at]) {
			t.Errorf("request %d has %d hashes, want %d", at, len(provers[0].tails[at]), len(provers[1].tails[at]))
		}
	}
	return known, read
}

// What is hashed at the first reading is what is written at the second.
func TestSumsOfTheFirstReading(t *testing.T) {
	t.Parallel()
	known, read := 0, 0
	for _, path := range harnessSessions(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, jobs := range []int{1, 3} {
			k, r := checkSums(t, text, jobs)
			known, read = known+k, read+r
		}
	}
	if t.Logf("%d of %d messages", known, known+read); known*3 < read {
		t.Errorf("only %d of %d messages were hashed at the first reading", known, known+read)
	}
	if _, read := checkSums(t, conversation(20), 1); read > 0 {
		t.Errorf("%d messages of a plain conversation have to be read again", read)
	}
}
