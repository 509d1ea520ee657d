package diff

// How differences are shown to people:
//
//	- line 12  2026-05-04 14:53  user  1a2b3c4d       only in A, with its text on lines that begin with -
//	+ line 14  2026-05-04 14:54  assistant  9f8e7d6c  only in B
//	~ line 15  2026-05-04 14:55  assistant  0a1b2c3d  changed, with a line for each path
//	> line 3 to 20  …                                 moved
//	= line 4  …                                       renumbered
//
// Words that were deleted and inserted are coloured, or are written as [-old-] and {+new+} if there is no colour.

import (
	"fmt"
	"strings"

	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
)

// Limits of what is shown without --full.
const (
	shownLines  = 8   // of a text that only one side has
	shownFields = 12  // of a record
	shownValue  = 160 // columns of a value
	shownAround = 60  // bytes of unchanged text before and after a change
	shownEdit   = 600 // bytes of a deletion or insertion
)

// A mark is how a kind of difference is drawn.
type mark struct {
	sign  string
	style ui.Style
}

var marks = map[Kind]mark{
	Removed: {"-", ui.Error}, Added: {"+", ui.Good}, Changed: {"~", ui.Warning}, Moved: {">", ui.Hint},
	Renumbered: {"=", ui.Dim},
}

// A Text writes differences for people.
type Text struct {
	Term ui.Terminal
	Full bool // leave nothing out
	out  strings.Builder
}

// Change returns a difference as lines. e is the entry of its record.
func (t *Text) Change(c *Change, e *parts.Entry) string {
	t.out.Reset()
	m := marks[c.Kind]
	head := ui.EscapeLine(m.sign + " " + strings.Join(headWords(c, e), "  "))
	if t.Term.Is {
		head = ui.CutEnd(head, t.Term.Columns)
	}
	t.out.WriteString(t.Term.Paint(m.style, head) + "\n")
	switch {
	case c.Kind == Removed || c.Kind == Added:
		t.body(e, m)
	case c.Kind == Moved:
		t.body(e, mark{" ", ui.Plain})
	case c.Unread:
		t.line(mark{" ", ui.Plain}, "too many records were changed and moved to compare the text of this one")
	}
	t.fields(c.Fields)
	return t.out.String()
}

// headWords say which record it is.
func headWords(c *Change, e *parts.Entry) []string {
	var words []string
	switch {
	case c.LineA == 0 || c.LineA == c.LineB:
		words = append(words, fmt.Sprintf("line %d", c.LineB))
	case c.LineB == 0:
		words = append(words, fmt.Sprintf("line %d", c.LineA))
	default:
		words = append(words, fmt.Sprintf("line %d to %d", c.LineA, c.LineB))
	}
	if !e.Time.IsZero() {
		words = append(words, ui.Minute(e.Time.UTC()))
	}
	var kinds []string
	for _, k := range kindsOf(e) {
		kinds = append(kinds, string(k))
	}
	if list := strings.Join(kinds, ", "); e.Role == "" || list == e.Role {
		words = append(words, list)
	} else {
		words = append(words, e.Role+": "+list)
	}
	if e.ID != "" {
		words = append(words, e.ID)
	}
	if c.Kind == Moved || c.Moved {
		words = append(words, "moved")
	}
	return words
}

// body writes the texts of a record that only one side has.
func (t *Text) body(e *parts.Entry, m mark) {
	f := t.flow(m.sign+"   ", m.style, shownLines)
	for i := range e.Parts {
		p := &e.Parts[i]
		text := partText(e, p)
		if len(e.Parts) > 1 {
			text = string(p.Kind) + ": " + text
		}
		if strings.TrimSpace(text) != "" {
			f.write(m.style, text)
			f.end()
		}
	}
	f.finish()
}

func partText(e *parts.Entry, p *parts.Part) string {
	switch {
	case p.Kind == parts.Damage:
		return string(e.Record.Text())
	case p.Kind == parts.Image:
		return strings.TrimSpace(p.ToolName() + " " + ui.Bytes(parts.ImageSize(p.Body)))
	case p.Kind == parts.Call:
		return p.ToolName() + " " + p.Text()
	case p.Body.Exists():
		return p.Text()
	}
	var facts []string
	for _, f := range p.Fields {
		facts = append(facts, f.Name+": "+plainValue(f.Value))
	}
	return strings.Join(facts, ", ")
}

// plainValue returns a string as its text and any other value as JSON.
func plainValue(v jsonl.Value) string {
	if v.IsString() {
		return v.String()
	}
	return string(v)
}

func (t *Text) line(m mark, text string) {
	f := t.flow(m.sign+"   ", m.style, 0)
	f.write(m.style, text)
	f.end()
	f.finish()
}

// fields writes the differences of a record.
func (t *Text) fields(list []Field) {
	for i := range list {
		if i == shownFields && !t.Full {
			t.line(mark{" ", ui.Dim}, fmt.Sprintf("… %d more (--full shows all)", len(list)-i))
			return
		}
		t.field(&list[i])
	}
}

func (t *Text) field(f *Field) {
	removed, added := marks[Removed], marks[Added]
	switch {
	case f.Path == "":
		t.line(removed, t.short(string(f.Old)))
		t.line(added, t.short(string(f.New)))
	case !f.Old.Exists():
		t.line(added, f.Path+": "+t.short(string(f.New)))
	case !f.New.Exists():
		t.line(removed, f.Path+": "+t.short(string(f.Old)))
	case f.isText():
		t.words(f)
	default:
		text := f.Path + ": " + t.short(string(f.Old)) + " → " + t.short(string(f.New))
		if f.isRounded() {
			text += " (rounded)"
		}
		t.line(mark{" ", ui.Plain}, text)
	}
}

// short shortens a value.
func (t *Text) short(value string) string {
	if t.Full || len(value) <= shownValue {
		return value
	}
	return ui.CutEnd(strings.ToValidUTF8(value[:min(len(value), 4*shownValue)], "\ufffd"), shownValue)
}

// words writes a text with the words that were deleted and inserted.
func (t *Text) words(f *Field) {
	flow := t.flow("    ", ui.Plain, 0)
	flow.write(ui.Plain, f.Path+": ")
	list := words(f.Old.String(), f.New.String())
	for i, e := range list {
		switch e.Op {
		case keep:
			flow.write(ui.Plain, t.around(e.Text, i > 0, i < len(list)-1))
		case Delete:
			flow.write(marks[Removed].style, t.edit("[-", e.Text, "-]"))
		case insert:
			flow.write(marks[Added].style, t.edit("{+", e.Text, "+}"))
		}
	}
	flow.end()
	flow.finish()
}

// edit returns a deletion or an insertion, between brackets if there is no colour.
func (t *Text) edit(open, text, end string) string {
	if !t.Full && len(text) > shownEdit {
		text = strings.ToValidUTF8(text[:shownEdit], "") + "… (" + ui.Bytes(int64(len(text)-shownEdit)) + " more)"
	}
	if t.Term.Color {
		return text
	}
	return open + text + end
}

// around returns the unchanged text near changes.
func (t *Text) around(text string, after, before bool) string {
	if t.Full || len(text) <= 3*shownAround {
		return text
	}
	var start, end string
	if after {
		start = strings.ToValidUTF8(text[:shownAround], "")
	}
	if before {
		end = strings.ToValidUTF8(text[len(text)-shownAround:], "")
	}
	return start + "…" + end
}
