package render

import (
	"strings"

	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
)

// An edit is a text that a tool call replaces by another one.
type edit struct{ before, after string }

// editNames are the arguments of tools that replace a text.
var editNames = [][2]string{{"oldText", "newText"}, {"old_string", "new_string"}, {"old_str", "new_str"}}

// editsOf returns the edits among the arguments of a call, and the arguments that they were made from.
func editsOf(arguments jsonl.Value) (edits []edit, from []string) {
	if !arguments.IsObject() {
		return nil, nil
	}
	if e, names, ok := editOf(arguments); ok {
		edits, from = append(edits, e), append(from, names[0], names[1])
	}
	list := arguments.Get("edits")
	if !list.IsArray() {
		return edits, from
	}
	for element := range list.Elements() {
		e, _, ok := editOf(element)
		if !ok {
			return edits, from // some other form: it is shown as JSON
		}
		edits = append(edits, e)
	}
	return edits, append(from, "edits")
}

func editOf(v jsonl.Value) (e edit, names [2]string, ok bool) {
	for _, names := range editNames {
		before, after := v.Get(names[0]), v.Get(names[1])
		if before.IsString() && after.IsString() {
			return edit{before.String(), after.String()}, names, true
		}
	}
	return edit{}, names, false
}

// patchNames are the arguments that hold a patch.
var patchNames = []string{"patch", "diff", "input"}

// patchOf returns the patch among the arguments of a call.
func patchOf(arguments jsonl.Value) (text, name string) {
	if !arguments.IsObject() {
		return "", ""
	}
	for _, name := range patchNames {
		if v := arguments.Get(name); v.IsString() && isPatch(v.String()) {
			return v.String(), name
		}
	}
	return "", ""
}

func isPatch(text string) bool {
	for _, start := range []string{"*** Begin Patch", "--- ", "@@", "diff "} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}

// diffsOf returns what a call changes, and the arguments that say so.
func diffsOf(arguments jsonl.Value) (diffs []string, shown map[string]bool) {
	shown = map[string]bool{}
	edits, from := editsOf(arguments)
	for _, e := range edits {
		diffs = append(diffs, diffOf(e))
	}
	if patch, name := patchOf(arguments); name != "" {
		diffs, from = append(diffs, patch), append(from, name)
	}
	for _, name := range from {
		shown[name] = true
	}
	return diffs, shown
}

// diffText prints a diff: what is removed in red, what is added in green.
func (t *Text) diffText(diff string) {
	for line := range strings.SplitSeq(strings.TrimRight(diff, "\n"), "\n") {
		t.plain(diffStyle(line), indent+indent+line)
	}
}

func diffStyle(line string) ui.Style {
	switch {
	case strings.HasPrefix(line, "+"):
		return ui.Added
	case strings.HasPrefix(line, "-"):
		return ui.Removed
	case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "***"):
		return ui.Hint
	}
	return ui.Dim
}

// diffOf writes an edit as a diff. Lines that both texts begin and end with are shown once.
func diffOf(e edit) string {
	before, after := strings.Split(e.before, "\n"), strings.Split(e.after, "\n")
	head := commonLines(before, after, func(list []string, i int) string { return list[i] })
	before, after, same := before[head:], after[head:], before[:head]
	tail := commonLines(before, after, func(list []string, i int) string { return list[len(list)-1-i] })
	end := before[len(before)-tail:]
	var b strings.Builder
	writePrefixed(&b, " ", same)
	writePrefixed(&b, "-", before[:len(before)-tail])
	writePrefixed(&b, "+", after[:len(after)-tail])
	writePrefixed(&b, " ", end)
	return b.String()
}

// commonLines counts the lines that two texts share from one end on.
func commonLines(a, b []string, at func(list []string, i int) string) (n int) {
	for n < len(a) && n < len(b) && at(a, n) == at(b, n) {
		n++
	}
	return n
}

func writePrefixed(b *strings.Builder, prefix string, lines []string) {
	for _, line := range lines {
		b.WriteString(prefix + line + "\n")
	}
}
