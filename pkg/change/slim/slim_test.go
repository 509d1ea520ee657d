package slim

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild/rebuildtest"
)

// files are content files in memory.
type files map[string][]byte

func (f files) keep(name string, content []byte) error {
	f[name] = bytes.Clone(content)
	return nil
}

func (f files) open(name string) ([]byte, error) {
	if content, ok := f[name]; ok {
		return content, nil
	}
	return nil, fs.ErrNotExist
}

// slimmed returns the small copy of a transcript.
func slimmed(t testing.TB, text string, o Options) (string, *Manifest, files, Tally) {
	t.Helper()
	kept := files{}
	o.Keep = kept.keep
	c := &Copier{Options: o}
	var out bytes.Buffer
	m, err := c.Copy(strings.NewReader(text), &out, "slim", jsonl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), m, kept, c.Tally
}

// wantRestored checks that a copy gives back the original.
func wantRestored(t testing.TB, text, small string, m *Manifest, kept files) {
	t.Helper()
	var back bytes.Buffer
	added, err := m.Restore(strings.NewReader(small+"more\n"), &back, kept.open)
	if err != nil || back.String() != text+"more\n" || added != 5 {
		t.Fatalf("%v, %d bytes added\n got %q\nwant %q", err, added, back.String(), text)
	}
}

func message(role, content string) string {
	const form = `{"type":"message","id":"a","parentId":null,"message":{"role":"%s","content":%s}}` + "\n"
	return fmt.Sprintf(form, role, content)
}

// What is moved, and what stands there instead.
func TestMove(t *testing.T) {
	image := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0x89, 'P', 'N', 'G'}, 300))
	long := strings.Repeat("row\n", 500)
	quoted := jsonl.Quote(long)
	escaped := `"\u0041` + strings.Repeat(`\/`, 900) + `"`
	text := message("user", `[{"type":"text","text":"see"},{"type":"image","data":"`+image+`","mimeType":"image/png"}]`) +
		message("user", `[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"`+image+`"}}]`) +
		message("toolResult", `[{"type":"text","text":`+quoted+`}]`) + message("toolResult", escaped) +
		message("user", quoted) + "no JSON\n" +
		message("toolResult", `[],"details":{"diff":`+quoted+`}`) +
		message("assistant", `[{"type":"thinking","thinking":`+quoted+`}]`)
	small, m, kept, tally := slimmed(t, text, Options{Over: 1000})
	wantRestored(t, text, small, m, kept)
	if len(m.Cuts) != 5 || len(kept) != 4 {
		t.Errorf("%d cuts, %d files", len(m.Cuts), len(kept))
	}
	for _, want := range []string{
		`{"type":"text","text":"[clawctl slim: 1649 bytes of image/png moved to slim/`, `"details":{}`,
		`row\n\n[clawctl slim: 2502 bytes of this result moved to slim/`,
	} {
		if !strings.Contains(small, want) {
			t.Errorf("%s is missing in\n%s", want, small)
		}
	}
	before, after := int64(0), int64(0)
	for _, sizes := range tally {
		before, after = before+sizes.Before, after+sizes.After
	}
	if before != int64(len(text)) || after != int64(len(small)) {
		t.Errorf("the sizes are %d and %d instead of %d and %d", before, after, len(text), len(small))
	}
}

// What is dropped.
func TestDrop(t *testing.T) {
	thought := `{"type":"thinking","thinking":"t","thinkingSignature":"s"}`
	say := `{"type":"text","text":"x"}`
	gone := `{"type":"text","text":"[clawctl slim: thinking dropped]"}`
	for _, test := range []struct{ content, want string }{
		{`[` + thought + `,` + say + `]`, `[` + say + `]`},
		{`[` + say + ` , ` + thought + ` ]`, `[` + say + ` ]`},
		{`[` + say + `,` + thought + `,` + thought + `]`, `[` + say + `]`},
		{`[` + thought + `,` + say + `,` + thought + `]`, `[` + say + `]`},
		{`[` + thought + `, ` + thought + `]`, `[` + gone + `]`},
		{`[` + thought + `]`, `[` + gone + `]`}, {`[]`, `[]`}, {`"x"`, `"x"`},
	} {
		small, _, _, tally := slimmed(t, message("assistant", test.content), Options{Drop: map[Kind]bool{Thinking: true}})
		if small != message("assistant", test.want) {
			t.Errorf("%s: got %s", test.content, small)
		}
		if left := tally[Other].After + sizeOf(tally, Thinking); left != int64(len(small)) {
			t.Errorf("%s: %d bytes are reported, %d are there", test.content, left, len(small))
		}
	}
	for _, details := range []string{
		`"details":{"a":1},`, `"details":[],"details":{"a":1},`, `"details":{}, "details":[] ,`,
	} {
		small, _, _, _ := slimmed(t, `{"type":"message","message":{`+details+`"role":"toolResult","content":[]}}`,
			Options{Drop: map[Kind]bool{Details: true}})
		if small != `{"type":"message","message":{"role":"toolResult","content":[]}}` {
			t.Error(small)
		}
	}
}

func sizeOf(tally Tally, kind Kind) int64 {
	if tally[kind] == nil {
		return 0
	}
	return tally[kind].After
}

// Bad copies are refused, and nothing of them counts as restored.
func TestRestoreRefuses(t *testing.T) {
	text := message("toolResult", `[{"type":"text","text":`+jsonl.Quote(strings.Repeat("row\n", 500))+`}]`)
	small, m, kept, _ := slimmed(t, text, Options{Over: 1000})
	restore := func(m *Manifest, small string, kept files) error {
		_, err := m.Restore(strings.NewReader(small), &bytes.Buffer{}, kept.open)
		return err
	}
	if err := restore(m, small[:len(small)-3], kept); !errors.Is(err, errChanged) {
		t.Error("cut off:", err)
	}
	if err := restore(m, strings.Replace(small, "message", "massage", 1), kept); !errors.Is(err, errChanged) {
		t.Error("changed:", err)
	}
	if err := restore(m, small, files{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error("no content:", err)
	}
	if err := restore(m, small, files{m.Cuts[0].File: []byte("other")}); !errors.Is(err, errContent) {
		t.Error("other content:", err)
	}
	if err := restore(&Manifest{}, small, kept); !errors.Is(err, errManifest) {
		t.Error("no manifest:", err)
	}
	outside := *m
	outside.Cuts = []Cut{{File: "../x", At: 1, Length: 1}}
	if err := restore(&outside, small, kept); !errors.Is(err, errManifest) {
		t.Error("a path outside:", err)
	}
}

// Random transcripts come back byte for byte, and without pieces that go they stay JSON.
func TestRoundTrip(t *testing.T) {
	cuts := 0
	for seed := range uint64(500) {
		text := string(rebuildtest.Transcript(seed))
		small, m, kept, _ := slimmed(t, text, Options{Over: 1 + int64(rand.New(rand.NewPCG(seed, 1)).IntN(60))})
		wantRestored(t, text, small, m, kept)
		cuts += len(m.Cuts)
		all := map[Kind]bool{Images: true, Results: true, Thinking: true, Details: true}
		dropped, _, _, _ := slimmed(t, text, Options{Over: 10, Drop: all})
		before, after := strings.Split(text, "\n"), strings.Split(dropped, "\n")
		for i := range before {
			if json.Valid([]byte(before[i])) && !json.Valid([]byte(after[i])) {
				t.Fatalf("seed %d, line %d: %s", seed, i+1, after[i])
			}
		}
	}
	if cuts < 50 {
		t.Errorf("only %d cuts", cuts)
	}
}

// FuzzSlim checks that any text comes back, and that JSON stays JSON.
func FuzzSlim(f *testing.F) {
	f.Add(message("toolResult", `[{"type":"text","text":"0123456789"}],"details":{"a":[1]}`))
	f.Add(message("assistant", `[{"type":"thinking"},{"type":"image","data":"AAAA"},{"type":"thinking"}]`))
	f.Fuzz(func(t *testing.T, text string) {
		small, m, kept, _ := slimmed(t, text, Options{Over: 1})
		wantRestored(t, text, small, m, kept)
		drop := map[Kind]bool{Images: true, Thinking: true, Details: true}
		dropped, _, _, _ := slimmed(t, text, Options{Over: 1, Drop: drop})
		for _, got := range []string{small, dropped} {
			before, after := strings.Split(text, "\n"), strings.Split(got, "\n")
			for i := range before {
				if json.Valid([]byte(before[i])) && !json.Valid([]byte(after[i])) {
					t.Fatalf("%q became %q", before[i], after[i])
				}
			}
		}
	})
}
