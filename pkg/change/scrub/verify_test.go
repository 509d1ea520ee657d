package scrub

import (
	"encoding/json"
	"strings"
	"testing"
)

// verify refuses every text that is not the old one without the values.
func TestVerifyRefuses(t *testing.T) {
	values := []Value{{Text: "SECRET-KEY", Rule: "value"}}
	old := `{"type":"session","version":3,"id":"s"}` + "\n" +
		`{"type":"message","id":"a","n":1.50,"message":{"role":"user","content":"my SECRET-KEY"}}` + "\n" +
		`damaged SECRET-KEY` + "\n"
	good := strings.ReplaceAll(old, "SECRET-KEY", "[redacted:value:1]")
	if err := verify(strings.NewReader(old), strings.NewReader(good), values, 0); err != nil {
		t.Fatal(err)
	}
	for what, bad := range map[string]string{
		"a value is left":      strings.Replace(good, "[redacted:value:1]", "SECRET-KEY", 1),
		"an escaped one":       strings.Replace(good, "[redacted:value:1]", `SECRET\u002dKEY`, 1),
		"a line is missing":    good[:strings.Index(good, "damaged")],
		"a line is new":        good + "{}\n",
		"another line changed": strings.Replace(good, `"version":3`, `"version":4`, 1),
		"another text":         strings.Replace(good, "my ", "your ", 1),
		"another number":       strings.Replace(good, "1.50", "1.51", 1),
		"a member is missing":  strings.Replace(good, `"n":1.50,`, "", 1),
		"a member is new":      strings.Replace(good, `"n":1.50,`, `"n":1.50,"m":2,`, 1),
		"another id":           strings.Replace(good, `"id":"a"`, `"id":"b"`, 1),
		"no JSON any more":     strings.Replace(good, `"role":"user"`, `"role":user`, 1),
		"another line end":     strings.Replace(good, "}}\n", "}}\r\n", 1),
	} {
		if verify(strings.NewReader(old), strings.NewReader(bad), values, 0) == nil {
			t.Errorf("%s: not refused", what)
		}
	}
}

// Signed thinking may be dropped, and nothing else.
func TestVerifyThinking(t *testing.T) {
	values := []Value{{Text: "SECRET-KEY", Rule: "value"}}
	e := newEditor(values)
	for _, content := range []string{
		`[{"type":"thinking","thinking":"SECRET-KEY","thinkingSignature":"abc"}]`,
		`[{"type":"thinking","thinking":"SECRET-KEY","thinkingSignature":"abc"},{"type":"text","text":"x"}]`,
		`[{"type":"text","text":"SECRET-KEY","textSignature":"abc"},{"type":"toolCall","arguments":{"SECRET-KEY":"x"}}]`,
	} {
		old := `{"type":"message","id":"a","message":{"role":"assistant","content":` + content + `}}` + "\n"
		new := string(e.Line([]byte(old)))
		if err := verify(strings.NewReader(old), strings.NewReader(new), values, 0); err != nil || e.Err() != nil {
			t.Errorf("%s became %s: %v, %v", old, new, err, e.Err())
		}
	}
	old := `{"type":"message","id":"a","message":{"content":[{"type":"text","text":"SECRET-KEY"},{"type":"text"}]}}`
	new := strings.Replace(strings.Replace(old, "SECRET-KEY", "[redacted:value:1]", 1), `,{"type":"text"}`, "", 1)
	if verify(strings.NewReader(old), strings.NewReader(new), values, 0) == nil {
		t.Error("a dropped text was not refused")
	}
}

// FuzzEditor checks that what becomes of a line depends on the line only, that a line without the value stays, and that
// JSON stays JSON.
func FuzzEditor(f *testing.F) {
	f.Add(`{"type":"message","id":"a","message":{"content":"my SECRET-KEY"}}`, "SECRET-KEY")
	f.Add(`{"a":["x\\SECRET\\nKEY",{"SECRET":"\u0053ECRET"}]}`, "SECRET")
	f.Add(`no JSON SECRET`, "SECRET")
	for _, value := range hardValues {
		f.Add(`{"type":"message","text":"`+quoted(quoted(value))+`"}`, value)
	}
	f.Fuzz(func(t *testing.T, line, value string) {
		if len(value) < shortestEncoded || len(line) > 1<<16 || strings.ContainsAny(line, "\n\r") {
			return
		}
		values := []Value{{Text: value, Rule: "value"}}
		e := newEditor(values)
		edited := string(e.Line([]byte(line + "\n")))
		if again := string(newEditor(values).Line([]byte(line + "\n"))); again != edited {
			t.Fatalf("%q became %q and %q", line, edited, again)
		}
		if !e.Has([]byte(line)) && edited != line+"\n" {
			t.Fatalf("%q became %q without a value in it", line, edited)
		}
		if json.Valid([]byte(line)) && !json.Valid([]byte(edited)) {
			t.Fatalf("%q became %q", line, edited)
		}
	})
}

// A checkpoint goes if a value is up to it in the text, and with nothing else.
func TestCheckpointsAfterValues(t *testing.T) {
	values := []Value{{Text: "SECRET-KEY", Rule: "value"}}
	const (
		plain  = `{"type":"message","id":"a","message":{"role":"user","content":"hello"}}` + "\n"
		secret = `{"type":"message","id":"a","message":{"role":"user","content":"SECRET-KEY"}}` + "\n"
		answer = `{"type":"message","id":"b","message":{"role":"assistant","providerReplay":{"data":"x"},"content":[]}}` +
			"\n"
		dropped = `{"type":"message","id":"b","message":{"role":"assistant","content":[]}}` + "\n"
		masked  = `{"type":"message","id":"a","message":{"role":"user","content":"[redacted:value:1]"}}` + "\n"
	)
	inside := strings.Replace(answer, `"x"`, `"SECRET-KEY"`, 1)
	for _, c := range []struct{ old, want string }{
		{plain + answer, plain + answer},
		{answer + secret, answer + masked},
		{secret + plain + answer, masked + plain + dropped},
		{"damaged SECRET-KEY\n" + answer, "damaged [redacted:value:1]\n" + dropped},
		{plain + inside + plain, plain + dropped + plain},
	} {
		var edited strings.Builder
		e := newEditor(values)
		if err := e.Text(&edited, strings.NewReader(c.old)); err != nil || e.Err() != nil || edited.String() != c.want {
			t.Errorf("%s became %s: %v, %v", c.old, edited.String(), err, e.Err())
		}
		if err := verify(strings.NewReader(c.old), strings.NewReader(c.want), values, 0); err != nil {
			t.Errorf("%s: %v", c.old, err)
		}
	}
	if verify(strings.NewReader(answer+secret), strings.NewReader(dropped+masked), values, 0) == nil {
		t.Error("a checkpoint before the value may not go")
	}
}
