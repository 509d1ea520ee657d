package redact

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"clawctl/internal/longtest"
	"clawctl/pkg/change/secrets"
	"clawctl/pkg/change/secrets/secretstest"
	"clawctl/pkg/jsonl"
)

// Every way to mask a text hides the same secrets and counts them. A raw masker changes nothing.
func TestMasker(t *testing.T) {
	secret := key(7)
	line := `{"type":"message","id":"a","message":{"role":"user","content":"use ` + secret + `\nnow",` +
		`"n":[1,"` + secret + `"]}}`
	for name, mask := range map[string]func(m *Masker) string{
		"Text":  func(m *Masker) string { return m.Text(line) },
		"Value": func(m *Masker) string { return string(m.Value(jsonl.Value(line))) },
		"Record": func(m *Masker) string {
			return string(m.Record((&jsonl.Parser{}).Parse([]byte(line), 1, 0)).Value())
		},
		"damaged": func(m *Masker) string {
			rec := (&jsonl.Parser{}).Parse([]byte(line[:len(line)-2]), 1, 0)
			return string(m.Record(rec).Text()) + "}}"
		},
	} {
		masked, raw := Masker{}, Masker{Raw: true}
		got, plain := mask(&masked), mask(&raw)
		if strings.Contains(got, secret) || masked.Count != 2 || !strings.Contains(got, "use ghp_[masked]") {
			t.Errorf("%s: %d in %s", name, masked.Count, got)
		}
		if plain != line || raw.Count != 0 {
			t.Errorf("%s: the raw text became %s", name, plain)
		}
		if !json.Valid([]byte(got)) {
			t.Errorf("%s: not JSON: %s", name, got)
		}
	}
}

// A masker replaces a secret that it has found in later records too, and knows those that the user names. Ids stay if
// that is asked for.
func TestMaskerRemembers(t *testing.T) {
	m := Masker{Rules: []*secrets.Rule{secrets.Literal("value", "blue elephant")}, KeepIDs: true}
	var got []string
	for _, line := range []string{
		`{"type":"custom","data":"DB_PASSWORD=Tr0ub4dor-and-3"}`, `{"type":"custom","data":"type Tr0ub4dor-and-3 now"}`,
		`{"type":"custom","data":"a blue elephant"}`, `{"type":"custom","id":"` + key(1) + `"}`,
	} {
		got = append(got, string(m.Record((&jsonl.Parser{}).Parse([]byte(line), 1, 0)).Value()))
	}
	want := []string{
		`{"type":"custom","data":"DB_PASSWORD=[masked]"}`, `{"type":"custom","data":"type [masked] now"}`,
		`{"type":"custom","data":"a [masked]"}`, `{"type":"custom","id":"` + key(1) + `"}`,
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %s, want %s", got[i], want[i])
		}
	}
}

// A survey, a masker and a finder find the same secrets in every record.
func TestSameSecrets(t *testing.T) {
	p := secretstest.New(3, 5)
	for i, line := range p.Lines {
		rec := (&jsonl.Parser{}).Parse([]byte(line), int64(i+1), 0)
		var m Masker
		survey := NewSurvey()
		survey.Add(rec.Text())
		masked := string(m.Record(rec).Value())
		found := (*Finder)(nil).Record(rec)
		if found.len() != len(survey.secrets) {
			t.Errorf("line %d: the finder found %d, the survey %d", i+1, found.len(), len(survey.secrets))
		}
		for text := range found.marks.All() {
			if survey.secrets[text] == "" || len(text) > 8 && strings.Contains(masked, inside(text, 1)) {
				t.Errorf("line %d: %q is not in the survey, or not masked: %s", i+1, text, masked)
			}
		}
	}
}

// What a Masker remembers of a record takes as much for the thousandth as for the first.
func TestMaskerIsLinear(t *testing.T) {
	longtest.WithoutRaceDetector(t)
	allocated := func(records int) float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var m Masker
		parser := &jsonl.Parser{}
		for i := range records {
			line := fmt.Sprintf(`{"type":"message","id":"%d","message":{"role":"user","content":"api_key=%x"}}`, i,
				sha256.Sum256([]byte{byte(i), byte(i >> 8)}))
			if masked := string(m.Record(parser.Parse([]byte(line), 1, 0)).Raw); !strings.Contains(masked, "api_key=[") {
				t.Fatalf("%s", masked)
			}
		}
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	allocated(1) // compiles the patterns
	if few, many := allocated(500), allocated(2000); many > 5*few {
		t.Errorf("2,000 records take %.1f times as much as 500", many/few)
	}
}

// What several goroutines have looked at before is masked as if nobody had: also a secret that only an earlier record
// gives away.
func TestMaskerPrepares(t *testing.T) {
	var text strings.Builder
	for i := range 3000 {
		content := fmt.Sprintf("line %d has nothing in it", i)
		switch i % 500 {
		case 1:
			content = fmt.Sprintf("DB_PASSWORD=Tr0ub4dor-and-%d", i/500)
		case 2, 499:
			content = fmt.Sprintf("type Tr0ub4dor-and-%d or use %s", i/500, key(7))
		}
		fmt.Fprintf(&text, `{"type":"message","id":"%d","message":{"role":"user","content":%q}}`+"\n", i, content)
	}
	mask := func(prepares bool) (lines []string) {
		var m Masker
		opts := jsonl.Options{Jobs: 4}
		if prepares {
			opts.Prepare = m.Prepare(func(rec *jsonl.Record) bool { return rec.Offset%3 > 0 })
		}
		for rec, err := range jsonl.Records(strings.NewReader(text.String()), opts) {
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, string(m.Record(rec).Raw))
		}
		return lines
	}
	want, got := mask(false), mask(true)
	for i := range want {
		if got[i] != want[i] || strings.Contains(got[i], "Tr0ub4dor") {
			t.Errorf("line %d: got %s, want %s", i+1, got[i], want[i])
		}
	}
}
