package parts

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/longtest"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild/rebuildtest"
)

// Whatever is in a transcript, the parts of its entries are numbered and of a known kind, and each is a JSON object. A
// maker that has made other entries before makes the same ones.
func TestRandomEntries(t *testing.T) {
	for seed := range uint64(longtest.Rounds(t, "CLAWCTL_ROUNDS", 15, 5000)) {
		var used Maker
		for _, text := range [][]byte{rebuildtest.Transcript(seed), rebuildtest.PiTranscript(seed), cut(seed)} {
			for rec, err := range jsonl.Records(bytes.NewReader(text), jsonl.Options{}) {
				if err != nil {
					t.Fatal(err)
				}
				var fresh Maker
				e, again := used.Entry(rec), fresh.Entry(rec)
				if fmt.Sprint(e) != fmt.Sprint(again) {
					t.Fatalf("seed %d, line %d: %v and %v", seed, rec.Line, e, again)
				}
				if e != nil {
					checkEntry(t, e)
				}
			}
		}
		if t.Failed() {
			t.Fatal("seed", seed)
		}
	}
}

// cut returns a transcript that ends in the middle of a line.
func cut(seed uint64) []byte {
	text := rebuildtest.Transcript(seed)
	return text[:len(text)*2/3]
}

// checkEntry checks what is true for every entry.
func checkEntry(t *testing.T, e *Entry) {
	t.Helper()
	for i := range e.Parts {
		p := &e.Parts[i]
		if p.Number != i || !slices.Contains(Kinds, p.Kind) || p.Kind == Damage && e.Record.Damage == nil {
			t.Errorf("line %d: part %d is number %d, %s", e.Line, i, p.Number, p.Kind)
		}
		line := AppendJSON([]byte("before"), e, p, Position{OnPath: true, InContext: true})
		var object struct {
			Part      int
			Text      *string
			Tokens    *struct{ Total int64 }
			InContext bool `json:"in_context"`
		}
		if err := json.Unmarshal(bytes.TrimPrefix(line, []byte("before")), &object); err != nil {
			t.Errorf("line %d: %v: %s", e.Line, err, line)
		}
		start := fmt.Sprintf(`before{"schema_version":1,"kind":%q,`, p.Kind)
		if !bytes.HasPrefix(line, []byte(start)) || object.Part != i || object.InContext == p.Hidden ||
			(object.Tokens != nil) != (i == 0 && e.HasUsage) {
			t.Errorf("line %d, part %d: %s", e.Line, i, line)
		}
		if name := repeatedMember(bytes.TrimPrefix(line, []byte("before"))); name != "" {
			t.Errorf("line %d, part %d: %s is there twice: %s", e.Line, i, name, line)
		}
		if p.Body.IsString() && p.Kind != Image && (object.Text == nil || *object.Text != p.Text()) {
			t.Errorf("line %d, part %d: %q is written as %s", e.Line, i, p.Text(), line)
		}
	}
}

// repeatedMember returns the name of a member that an object has twice, or "".
func repeatedMember(object []byte) string {
	seen := map[string]bool{}
	for name := range jsonl.Value(object).Members() {
		if seen[name] {
			return name
		}
		seen[name] = true
	}
	return ""
}

// A record of paid work says what the work was, and keeps its kind.
func TestUsageRecord(t *testing.T) {
	line := `{"type":"usage","id":"w","kind":"cache_warm","provider":"p","model":"m","usage":{"input":1}}`
	for rec, err := range jsonl.Records(strings.NewReader(line), jsonl.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		var m Maker
		e := m.Entry(rec)
		checkEntry(t, e)
		got := string(AppendJSON(nil, e, &e.Parts[0], Position{Unknown: true}))
		if want := `"work":"cache_warm","provider":"p","model":"m"}`; !strings.HasSuffix(got, want) {
			t.Error(got)
		}
	}
}

// Every text in the content of a message is a part, in the order in which it was written.
func TestTextsAreParts(t *testing.T) {
	for seed := range uint64(longtest.Rounds(t, "CLAWCTL_ROUNDS", 15, 5000)) {
		var m Maker
		for rec := range jsonl.Records(bytes.NewReader(rebuildtest.Transcript(seed)), jsonl.Options{}) {
			e := m.Entry(rec)
			if e == nil || rec.Damage != nil {
				continue
			}
			rest := e.Parts
			for _, text := range textsOf(rec.Text()) {
				at := slices.IndexFunc(rest, func(p Part) bool { return p.Text() == text })
				if at < 0 {
					t.Fatalf("seed %d, line %d: %q is not a part", seed, rec.Line, text)
				}
				rest = rest[at+1:]
			}
		}
	}
}

// textsOf reads the text blocks of a message with encoding/json.
func textsOf(line []byte) (texts []string) {
	var record struct {
		Message struct {
			Role    string
			Content []struct{ Type, Text string }
		}
	}
	if json.Unmarshal(line, &record) != nil {
		return nil
	}
	for _, block := range record.Message.Content {
		if block.Type == "text" && block.Text != "" {
			texts = append(texts, block.Text)
		}
	}
	return texts
}

func TestImageSize(t *testing.T) {
	for n := range 10 {
		data := `"` + base64.StdEncoding.EncodeToString(make([]byte, n)) + `"`
		if got := ImageSize(jsonl.Value(data)); got != int64(n) {
			t.Errorf("%s: %d bytes, want %d", data, got, n)
		}
	}
	for _, none := range []string{"", "null", "7", `""`, `"="`, `"===="`} {
		if got := ImageSize(jsonl.Value(none)); got != 0 {
			t.Errorf("%s: %d bytes", none, got)
		}
	}
}
