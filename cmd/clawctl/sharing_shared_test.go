package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"clawctl/internal/longtest"
	"clawctl/internal/testkit"
	"clawctl/pkg/change/secrets"
	"clawctl/pkg/rebuild/apicheck"
)

// copiesOf makes the copies that are made to be shared: without secrets, without large pieces, and with the least left.
// Secrets are planted first, in every second line with a text.
func copiesOf(t *testing.T, file string) (original string, copies map[string]string) {
	t.Helper()
	folder := t.TempDir()
	data := testkit.Read(t, file)
	source := filepath.Join(folder, "source.jsonl")
	testkit.Write(t, source, planted(string(data)))
	copies = map[string]string{}
	for name, args := range map[string][]string{
		"redact": {"redact", "-q", "--paths", "--emails", "--ips", "--phones"},
		"slim":   {"slim", "-q", "--over", "1k"},
		"drop":   {"slim", "-q", "--drop", "images,results>1k,thinking,details"},
	} {
		out := filepath.Join(folder, name+".jsonl")
		exit, _, stderr := inProcess("", append(args, source, "-o", out)...)
		if _, err := os.Stat(out); err != nil {
			if exit != 4 {
				t.Errorf("%s %s: exit %d, %s", name, file, exit, stderr)
			}
			continue // not a transcript
		}
		copies[name] = out
	}
	return source, copies
}

// planted puts made-up keys into the texts and the thoughts of a transcript.
func planted(text string) string {
	rules := secrets.Rules()
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		for _, field := range []string{`"text":"`, `"thinking":"`} {
			if at := strings.Index(line, field); at >= 0 && json.Valid([]byte(line)) {
				n++
				if n%2 == 0 {
					continue
				}
				example, _ := rules[n%len(rules)].Generate(uint64(n))
				quoted, _ := json.Marshal(example + " ")
				line = line[:at+len(field)] + string(quoted[1:len(quoted)-1]) + line[at+len(field):]
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

// errorsOf counts the errors that validate reports, by code.
func errorsOf(file string) map[string]int {
	_, stdout, _ := inProcess("", "validate", "--format", "ndjson", file)
	counts := map[string]int{}
	for line := range strings.Lines(stdout) {
		var finding struct{ Code, Severity string }
		if json.Unmarshal([]byte(line), &finding) == nil && finding.Severity == "error" {
			counts[finding.Code]++
		}
	}
	return counts
}

// Copies of transcripts have no error that the original does not have, make requests that the API accepts, have no
// secret, and give back the original. CLAWCTL_LONG checks all transcripts, and not only some.
func TestCopiesOfSharedTranscripts(t *testing.T) {
	t.Parallel()
	checked, least := 0, 3
	every := 60
	if longtest.IsLong() {
		every, least = 1, 240
	}
	for i, file := range realTranscripts(t) {
		if i%every > 0 {
			continue
		}
		original, copies := copiesOf(t, file)
		before := errorsOf(original)
		for name, path := range copies {
			checked++
			for code, n := range errorsOf(path) {
				if n > before[code] {
					t.Errorf("%s of %s: %d times %s instead of %d", name, file, n, code, before[code])
				}
			}
			if exit, request, _ := inProcess("", "rebuild", "-q", "--as", "anthropic", path); exit == 0 {
				if err := apicheck.Anthropic([]byte(request)); err != nil {
					t.Errorf("%s of %s: %v", name, file, err)
				}
			}
		}
		if path := copies["redact"]; path != "" {
			if exit, stdout, stderr := inProcess("", "redact", "--check", path); exit != 0 && exit != 3 {
				t.Errorf("%s: exit %d\n%s%s", file, exit, stdout, stderr)
			}
		}
		if path := copies["slim"]; path != "" {
			wantOriginal(t, original, path)
		}
	}
	if checked < least {
		t.Errorf("only %d copies", checked)
	}
	t.Logf("%d copies", checked)
}

// wantOriginal checks that a small copy gives back the original.
func wantOriginal(t *testing.T, original, small string) {
	t.Helper()
	back := filepath.Join(t.TempDir(), "back.jsonl")
	exit, _, stderr := inProcess("", "slim", "-q", "--restore", small, "-o", back)
	want, _ := os.ReadFile(original)
	got, err := os.ReadFile(back)
	if err != nil || string(got) != string(want) {
		t.Errorf("%s: exit %d, %v, %d bytes instead of %d: %s", original, exit, err, len(got), len(want), stderr)
	}
}

// The real OpenClaw opens the copies and reads the same messages from them as clawctl.
func TestOpenClawReadsCopies(t *testing.T) {
	real := newOracle(t)
	compared := 0
	for _, file := range realTranscripts(t) {
		original, copies := copiesOf(t, file)
		data, _ := os.ReadFile(original)
		before, accepted := real.ask(string(data))
		for name, path := range copies {
			text, _ := os.ReadFile(path)
			after, acceptedCopy := real.ask(string(text))
			if accepted != acceptedCopy || len(before) != len(after) {
				t.Errorf("%s of %s: %d messages (%v) instead of %d (%v)", name, file,
					len(after), acceptedCopy, len(before), accepted)
			}
			_, native, _ := inProcess(string(text), "rebuild", "-q", "--as", "native", "-")
			var got []any
			if err := json.Unmarshal([]byte(native), &got); accepted && len(after) > 0 &&
				(err != nil || !reflect.DeepEqual(got, after)) {
				t.Errorf("%s of %s: clawctl reads other messages than OpenClaw", name, file)
			}
			compared++
		}
	}
	if compared < 240 {
		t.Errorf("only %d copies", compared)
	}
	t.Logf("%d copies", compared)
}
