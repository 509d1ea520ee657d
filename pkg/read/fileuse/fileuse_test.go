package fileuse

import (
	"encoding/json"
	"slices"
	"testing"

	"clawctl/pkg/jsonl"
)

func TestOf(t *testing.T) {
	for _, test := range []struct {
		tool, arguments string
		want            Use
		ok              bool
	}{
		{"read", `{"path":"a.go"}`, Use{"a.go", false}, true},
		{"Write", `{"file_path":"/w/a.go","content":"x"}`, Use{"/w/a.go", true}, true},
		{"mcp__disk__edit", `{"filePath":"ä.go"}`, Use{"ä.go", true}, true},
		{"read", `{"path":7,"file_path":"second"}`, Use{"second", false}, true},
		{"read", `{"path":"first","filePath":"third"}`, Use{"first", false}, true},
		{"read", `{}`, Use{}, false},
		{"read", `{"path":""}`, Use{}, false},
		{"read", `"path"`, Use{}, false},
		{"bash", `{"path":"a.go"}`, Use{}, false},
		{"", ``, Use{}, false},
	} {
		got, ok := Of(jsonl.ToolCall{Name: test.tool, Arguments: test.arguments})
		if ok != test.ok || ok && got != test.want {
			t.Errorf("%s %s: %v, %v", test.tool, test.arguments, got, ok)
		}
	}
}

func TestToolName(t *testing.T) {
	for name, want := range map[string]string{
		"read": "read", "Read": "read", "mcp__files__read": "read", "files__read": "read", "mcp__read": "mcp__read",
		"mcp__files__read__all": "read__all", "write_file": "write_file", "": "", "mcp__": "mcp__", "__x": "x",
	} {
		if got := ToolName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// A tool that changes the file of a call is one that writes.
func TestWrites(t *testing.T) {
	for tool := range fileTools {
		use, ok := Of(jsonl.ToolCall{Name: tool, Arguments: `{"path":"p"}`})
		if !ok || use.Modifies != Writes(tool) || use.Modifies != Writes("mcp__disk__"+tool) {
			t.Errorf("%s: %v, but Writes says %v", tool, use, Writes(tool))
		}
	}
	for _, tool := range []string{"grep", "reading", "", "mcp__write__read"} {
		if Writes(tool) {
			t.Errorf("%q writes", tool)
		}
	}
}

func TestPaths(t *testing.T) {
	const patch = "*** Begin Patch\n*** Update File: a.go\n@@\n+see *** Add File: no.go\n*** Add File: b c.go\r\n" +
		"*** End Patch"
	quoted, _ := json.Marshal(map[string]string{"input": patch})
	twice, _ := json.Marshal(string(quoted))
	for _, test := range []struct {
		arguments string
		want      []string
	}{
		{`{"path":"a","file_path":"b","filePath":"c","file":"d","filename":"e"}`, []string{"a", "b", "c", "d", "e"}},
		{`"{\"path\":\"a\"}"`, []string{"a"}},
		{string(quoted), []string{"a.go", "b c.go"}},
		{string(twice), []string{"a.go", "b c.go"}},
		{`{"path":["a"],"input":3}`, nil},
		{`["a"]`, nil}, {`{"path":`, nil}, {``, nil},
	} {
		if got := Paths(test.arguments); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.arguments, got, test.want)
		}
	}
}

// Every file is in one of the lists, which are sorted and are lists in JSON even if they are empty.
func TestDetails(t *testing.T) {
	for _, set := range []Set{nil, {}, {"b": true, "a": false, "c": true, "d": false}} {
		d := set.Details()
		if len(d.ReadFiles)+len(d.ModifiedFiles) != len(set) || !slices.IsSorted(d.ReadFiles) ||
			!slices.IsSorted(d.ModifiedFiles) {
			t.Errorf("%v: %v", set, d)
		}
		for _, path := range d.ModifiedFiles {
			if !set[path] {
				t.Errorf("%s was only read", path)
			}
		}
		text, err := json.Marshal(d)
		var back struct{ ReadFiles, ModifiedFiles *[]string }
		if err != nil || json.Unmarshal(text, &back) != nil || back.ReadFiles == nil || back.ModifiedFiles == nil {
			t.Errorf("%v: %s, %v", set, text, err)
		}
	}
}
