package rebuild

import (
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
)

// Which messages of extensions without a proper type OpenClaw shows its model, by the version of the transcript. The
// answers are those of OpenClaw 2026.9.6.
func TestCustomWithoutType(t *testing.T) {
	const (
		headerless = ""
		version1   = `{"type":"session","id":"n1","timestamp":"2026-03-03T04:05:00.000Z","cwd":"/w"}` + "\n"
		version2   = `{"type":"session","version":2,"id":"n1","timestamp":"2026-03-03T04:05:00.000Z","cwd":"/w"}` + "\n"
		version3   = `{"type":"session","version":3,"id":"n1","timestamp":"2026-03-03T04:05:00.000Z","cwd":"/w"}` + "\n"
	)
	const at = `"timestamp":"2026-03-03T04:05:10.000Z","message":`
	for _, test := range []struct {
		role, customType string
		shown            [4]bool // in headerless, version 1, 2, 3
	}{
		{"custom", ``, [4]bool{true, false, true, true}},
		{"custom", `"customType":"",`, [4]bool{true, true, true, true}},
		{"custom", `"customType":"x",`, [4]bool{true, true, true, true}},
		{"custom", `"customType":null,`, [4]bool{}},
		{"custom", `"customType":7,`, [4]bool{}},
		{"hookMessage", ``, [4]bool{true, true, true, false}},
		{"hookMessage", `"customType":"x",`, [4]bool{true, true, true, false}},
		{"hookMessage", `"customType":0,`, [4]bool{true, true, true, false}},
		{"hookMessage", `"customType":7,`, [4]bool{}},
		{"hookMessage", `"customType":{},`, [4]bool{}},
	} {
		for version, header := range []string{headerless, version1, version2, version3} {
			row := func(id, parent, message string) string {
				if version < 2 {
					id, parent = "", ""
				} else {
					id, parent = `"id":"`+id+`",`, `"parentId":`+parent+`,`
				}
				return `{"type":"message",` + id + parent + at + message + "}\n"
			}
			text := header + row("a", `null`, `{"role":"user","content":"first","timestamp":1}`) +
				row("b", `"a"`, `{"role":"`+test.role+`",`+test.customType+
					`"content":"hello","display":true,"timestamp":2}`) +
				row("c", `"b"`, `{"role":"user","content":"after","timestamp":3}`)
			_, c := read(t, []byte(text), "")
			out := string(gather(t, []byte(text), func(r *jsonl.Reader, emit func([]byte) error) error {
				return c.Native(r.All(), emit)
			}))
			if !strings.Contains(out, "first") || !strings.Contains(out, "after") {
				t.Errorf("%s %s in version %d: %s", test.role, test.customType, version, out)
			}
			if got := strings.Contains(out, "hello"); got != test.shown[version] {
				t.Errorf("%s %s in version %d: shown: %v", test.role, test.customType, version, got)
			}
		}
	}
}
