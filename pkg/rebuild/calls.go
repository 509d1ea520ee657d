package rebuild

// A Call is a tool call in the context that a later record may have to do with.
type Call struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Answered is set if the call has a result.
	Answered bool `json:"answered,omitempty"`
	// Last is set if the call is in the last message with calls.
	Last bool `json:"last,omitempty"`
}

// Calls returns the calls that decide whether another tool result fits: those of the last message with calls, and
// earlier ones without a result. They are in the order of the conversation.
func (c *Context) Calls() (list []Call) {
	var messages []int32
	for _, it := range c.items {
		if e := c.ix.at(it.entry); e.kind == kindMessage && !e.isMirror() {
			messages = append(messages, it.entry)
		}
	}
	p := c.ix.pair(messages, isSendable, true)
	for at, f := range p.frames {
		isLast := at == len(p.frames)-1
		if c.ix.at(messages[f.message]).has(failed) && !isLast {
			continue
		}
		for _, call := range f.calls {
			if isLast || call.answer < 0 {
				list = append(list, Call{c.ix.names.text(call.id), c.ix.names.text(call.name), call.answer >= 0, isLast})
			}
		}
	}
	return list
}
