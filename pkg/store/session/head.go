package session

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/store"
)

// A head is the state in which a session ends.
type head struct {
	Leaf    string         `json:"leaf,omitempty"` // the entry that the next one follows, or ""
	Calls   []rebuild.Call `json:"calls,omitempty"`
	Program string         `json:"program,omitempty"` // whose rules apply
	Last    store.LastRow  `json:"last,omitzero"`     // of all sessions when this was stored
}

func headOf(ix *rebuild.Index) (*head, error) {
	if !ix.HasTree() || ix.HasMadeUpIDs() {
		return nil, ErrNoIDs
	}
	c, err := ix.Context("")
	if err != nil {
		return nil, err
	}
	return &head{Leaf: c.Leaf, Calls: c.Calls(), Program: ix.Program.Name}, nil
}

// readHead returns the head of a session: the stored one, or that of its text.
func readHead(b *store.Batch, t *store.Transcript, text func() (io.ReadCloser, error)) (*head, error) {
	state, err := b.Head(t)
	if err != nil {
		return nil, err
	}
	h := &head{}
	if state != "" && json.Unmarshal([]byte(state), h) == nil {
		return h, nil
	}
	in, err := text()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	ix, err := rebuild.Scan(jsonl.NewReader(in, jsonl.Options{}), nil)
	if err != nil {
		return nil, err
	}
	return headOf(ix)
}

// open returns the calls without a result.
func (h *head) open() (calls []rebuild.Call) {
	for _, c := range h.Calls {
		if !c.Answered {
			calls = append(calls, c)
		}
	}
	return calls
}

func (h *head) toolName(callID string) string {
	for i := len(h.Calls) - 1; i >= 0; i-- {
		if h.Calls[i].ID == callID {
			return h.Calls[i].Name
		}
	}
	return ""
}

// state returns the head as it is stored.
func (h *head) state() string {
	text, err := json.Marshal(h)
	if err != nil {
		panic(err) // its fields always encode
	}
	return string(text)
}

// transcript returns a short transcript that ends in the same state as the session, and the number of its lines: the
// calls, their results, and an entry with the id of the leaf.
func (h *head) transcript() (text []byte, lines int64) {
	x := &skeleton{parent: "null"}
	x.line(`{"type":"session","version":3,"id":"head","timestamp":` + oldTime + `,"cwd":""}`)
	var earlier, last []rebuild.Call
	for _, c := range h.Calls {
		if c.Last {
			last = append(last, c)
		} else {
			earlier = append(earlier, c)
		}
	}
	x.calls(earlier)
	x.calls(last)
	if h.Leaf != "" {
		x.entry(h.Leaf, `"type":"custom","customType":"clawctl"`)
	}
	return x.text.Bytes(), x.lines
}

// oldTime is the time of the lines of a short transcript.
const oldTime = `"1970-01-01T00:00:00.000Z"`

// A skeleton is a short transcript in the making.
type skeleton struct {
	text   bytes.Buffer
	lines  int64
	parent string // as JSON
}

func (x *skeleton) line(text string) {
	x.text.WriteString(text + "\n")
	x.lines++
}

func (x *skeleton) entry(id, fields string) {
	x.line(`{` + fields + `,"id":` + jsonl.Quote(id) + `,"parentId":` + x.parent + `,"timestamp":` + oldTime + "}")
	x.parent = jsonl.Quote(id)
}

// calls adds an answer with calls and the results of those that have one.
func (x *skeleton) calls(calls []rebuild.Call) {
	if len(calls) == 0 {
		return
	}
	blocks := []byte{}
	for i, c := range calls {
		if i > 0 {
			blocks = append(blocks, ',')
		}
		blocks = append(blocks, `{"type":"toolCall","id":`+jsonl.Quote(c.ID)+`,"name":`+jsonl.Quote(c.Name)+
			`,"arguments":{}}`...)
	}
	x.message(`"role":"assistant","stopReason":"toolUse","content":[` + string(blocks) + "]")
	for _, c := range calls {
		if c.Answered {
			x.message(`"role":"toolResult","isError":false,"content":[],"toolCallId":` + jsonl.Quote(c.ID) +
				`,"toolName":` + jsonl.Quote(c.Name))
		}
	}
}

func (x *skeleton) message(fields string) {
	x.entry("\x00"+strconv.FormatInt(x.lines, 10), `"type":"message","message":{`+fields+"}")
}
