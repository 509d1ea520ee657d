package handoff

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/tokens"
	"clawctl/pkg/window/summary"
)

// A Prompt is a prompt that continues a session. Its JSON form has fields that are added, never renamed.
type Prompt struct {
	SchemaVersion int          `json:"schema_version"`
	Session       string       `json:"session"`
	Program       string       `json:"program,omitempty"`
	Cwd           string       `json:"cwd,omitempty"`
	Tokens        int          `json:"tokens"`
	Limit         int          `json:"limit"`
	Encoding      string       `json:"encoding,omitempty"`
	Parts         []Part       `json:"parts"`
	LeftOut       map[Kind]int `json:"left_out"` // how many parts of each kind did not fit
	Text          string       `json:"prompt"`
}

// errEmpty means that a session has nothing to hand over.
var errEmpty = &failure.Sentinel{Code: failure.Nothing, Text: "no messages to hand over"}

// A tooSmallError means that not even the smallest prompt fits.
type tooSmallError struct{ Limit, Least int }

func (e *tooSmallError) Error() string {
	return fmt.Sprintf("--fit must be at least %s for this session, got %s",
		ui.Thousands(int64(e.Least)), ui.Thousands(int64(e.Limit)))
}

// FailureAt advises to allow as much as the smallest prompt takes.
func (e *tooSmallError) FailureAt(place string) *failure.Error {
	return failure.Usage("", "%v", e).At(place).WithAgain("--fit", strconv.Itoa(e.Least))
}

// Fit returns a prompt of at most limit tokens. Requests, open ends, summaries, decisions and files each get a share of
// the limit, the last turns get the rest, and what they leave goes to the others again. A part is cut only if it does
// not fit as a whole.
func (m *Material) Fit(limit int, c tokens.Counter) (*Prompt, error) {
	if len(m.parts) == 0 {
		return nil, errEmpty
	}
	f := &fitter{m: m, limit: limit, counter: c, picked: map[int]Part{}, filled: map[Kind]int{}}
	if f.used = c.Count(f.text()); f.used > limit {
		return nil, &tooSmallError{limit, f.used}
	}
	for _, kind := range priorities {
		f.fill(kind, limit/shareOf(kind))
	}
	f.fillTurns()
	for _, kind := range priorities {
		f.fill(kind, limit)
	}
	f.shrink()
	f.complete()
	return f.prompt(), nil
}

// priorities are the sections in the order in which they are filled.
var priorities = []Kind{Request, Goal, Task, OpenCall, Summary, ChangedFile, Decision, ReadFile, NamedFile}

func shareOf(kind Kind) int {
	at := slices.IndexFunc(sections, func(s section) bool { return s.kind == kind })
	return sections[at].share
}

// A fitter chooses the parts of one prompt.
type fitter struct {
	m       *Material
	limit   int
	counter tokens.Counter
	picked  map[int]Part // by their index in the material
	order   []int        // of picking
	filled  map[Kind]int // tokens by section, estimated
	used    int          // tokens, estimated: those of a text are not always the sum of its pieces
}

// costOf returns how much longer a part makes the prompt, about.
func (f *fitter) costOf(p *Part) int {
	cost := f.counter.Count(f.m.write(p)) + 1
	if f.filled[p.Kind] == 0 {
		cost += 12 // its heading
	}
	return cost
}

// pick adds a part if it fits.
func (f *fitter) pick(i int, p Part, room int) bool {
	cost := f.costOf(&p)
	if cost > room || f.used+cost > f.limit {
		return false
	}
	f.picked[i] = p
	f.order = append(f.order, i)
	f.filled[p.Kind] += cost
	f.used += cost
	return true
}

// fill adds parts of a kind, the newest first, until they take room. The only part of a kind may be cut.
func (f *fitter) fill(kind Kind, room int) {
	for i, p := range slices.Backward(f.m.parts) {
		if _, done := f.picked[i]; done || p.Kind != kind {
			continue
		}
		if !f.pick(i, p, room-f.filled[kind]) && p.isBlock() {
			f.pickCut(i, p, room-f.filled[kind])
		}
	}
}

// leastCut is how many tokens a cut part must at least have.
const leastCut = 40

// pickCut adds the beginning of a part that does not fit.
func (f *fitter) pickCut(i int, p Part, room int) bool {
	room = min(room, f.limit-f.used)
	for inner := room; inner >= leastCut; {
		short, _ := tokens.Truncate([]string{p.Text}, f.counter, inner)
		cut := p
		cut.Text, cut.Cut = short[0], true
		if f.pick(i, cut, room) {
			return true
		}
		inner -= max(1, f.costOf(&cut)-room)
	}
	return false
}

// fillTurns adds pieces of the last turns, the newest first, until one does not fit. A result is not the first of them,
// because its call is missing there.
func (f *fitter) fillTurns() {
	first := len(f.m.parts)
	for i, p := range slices.Backward(f.m.parts) {
		if p.Kind != Turn || !f.pick(i, p, f.limit) {
			break
		}
		first = i
	}
	if last := len(f.m.parts) - 1; first > last {
		if p := f.m.parts[last]; p.Kind == Turn && p.Role != roleResult {
			f.pickCut(last, p, f.limit)
		}
		return
	}
	for ; first < len(f.m.parts) && f.m.parts[first].Role == roleResult; first++ {
		f.drop(first)
	}
}

// drop removes a part.
func (f *fitter) drop(i int) {
	p := f.picked[i]
	delete(f.picked, i)
	f.order = slices.DeleteFunc(f.order, func(at int) bool { return at == i })
	f.used -= f.costOf(&p)
}

// shrink removes what was added last until the text fits, as it is counted as a whole.
func (f *fitter) shrink() {
	for f.used = f.counter.Count(f.text()); f.used > f.limit; f.used = f.counter.Count(f.text()) {
		f.drop(f.order[len(f.order)-1])
	}
}

// complete replaces cut parts with whole ones that fit after all.
func (f *fitter) complete() {
	for i, p := range f.m.parts {
		before, isPicked := f.picked[i]
		if p.Cut || !before.Cut && (isPicked || p.Kind != Request) {
			continue
		}
		f.picked[i] = p
		if f.counter.Count(f.text()) <= f.limit {
			continue
		}
		if delete(f.picked, i); isPicked {
			f.picked[i] = before
		}
	}
}

// chosen returns the parts of the prompt, in order. The latest request is always among them, if only its beginning.
func (f *fitter) chosen() []Part {
	var list []Part
	for i, p := range f.m.parts {
		if picked, ok := f.picked[i]; ok {
			list = append(list, picked)
		} else if p.Kind == Request {
			p.Text = summary.Excerpt(p.Text, requestLength)
			p.Cut = p.Text != f.m.parts[i].Text
			list = append(list, p)
		}
	}
	return list
}

// leftOut counts the parts that are not in the prompt.
func (f *fitter) leftOut(chosen []Part) map[Kind]int {
	left := map[Kind]int{}
	for _, p := range f.m.parts {
		left[p.Kind]++
	}
	for _, p := range chosen {
		left[p.Kind]--
	}
	left[Turn] += f.m.forgotten
	maps.DeleteFunc(left, func(_ Kind, n int) bool { return n == 0 })
	return left
}

// text returns the prompt as Markdown.
func (f *fitter) text() string {
	chosen := f.chosen()
	var b strings.Builder
	b.WriteString(f.m.head())
	for _, s := range sections {
		isFirst := true
		for i := range chosen {
			if chosen[i].Kind != s.kind {
				continue
			}
			if isFirst {
				b.WriteString(s.heading())
				isFirst = false
			} else if chosen[i].isBlock() {
				b.WriteByte('\n')
			}
			b.WriteString(f.m.write(&chosen[i]))
		}
	}
	return b.String() + f.m.tail(f.leftOut(chosen))
}

func (f *fitter) prompt() *Prompt {
	text := f.text()
	chosen := f.chosen()
	return &Prompt{
		SchemaVersion: 1, Session: f.m.Session, Program: f.m.Program, Cwd: f.m.Cwd, Tokens: f.counter.Count(text),
		Limit: f.limit, Parts: chosen, LeftOut: f.leftOut(chosen), Text: text,
	}
}
