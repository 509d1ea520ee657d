package jsonl

import "strings"

// A Projection says what a prompt became before OpenClaw sent it.
type Projection struct {
	State ProjectionState
	// Text is what was sent instead of the text of the prompt, a JSON string, if the state is Projected.
	Text Value
}

// A ProjectionState says whether the projection of a prompt can be used.
type ProjectionState uint8

// The states of a projection. OpenClaw refuses to send a session with one of an unknown version or a wrong shape.
const (
	NoProjection      ProjectionState = iota
	Projected                         // the text was sent
	UnknownProjection                 // of a version that is not known
	OddProjection                     // without a version or a text
)

// projectionVersion is the version of projections that is known.
const projectionVersion = 1

// Projection returns what is recorded about the text that a prompt became: with what hooks added before and after it,
// or with another text in its place. Only messages of the user have one.
func (m Message) Projection() Projection {
	var p Projection
	private := m.rec.value(FieldOpenClaw)
	if len(private) == 0 || m.Role() != RoleUser {
		return p
	}
	v := private.Get("modelPromptProjection")
	version, text := v.Get("version"), v.Get("text")
	switch {
	case !v.Exists():
	case !version.IsNumber():
		p.State = OddProjection
	case version.Float() != projectionVersion:
		p.State = UnknownProjection
	case !text.IsString():
		p.State = OddProjection
	default:
		p.State, p.Text = Projected, text
	}
	return p
}

// SentContent returns the content as the model received it. That is Content, unless there is a projection that can be
// used: then its text stands for the texts of the content, and everything else, such as images, stays.
func (m Message) SentContent() Value {
	p, content := m.Projection(), m.Content()
	switch {
	case p.State != Projected:
		return content
	case !content.IsArray():
		return p.Text
	}
	return withText(content, p.Text)
}

// withText returns a list of blocks with one text in the place of the first text, or at its beginning.
func withText(content, text Value) Value {
	block := `{"type":"text","text":` + string(text) + `}`
	var blocks []string
	isPlaced := false
	for b := range BlocksOf(content) {
		switch {
		case b.Kind != BlockText:
			blocks = append(blocks, string(b.Value))
		case !isPlaced:
			blocks = append(blocks, block)
			isPlaced = true
		}
	}
	if !isPlaced {
		blocks = append([]string{block}, blocks...)
	}
	return Value("[" + strings.Join(blocks, ",") + "]")
}
