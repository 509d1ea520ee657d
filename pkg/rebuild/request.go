package rebuild

// EndWithUser makes the conversation end with a user message, as a request must. It adds the prompt, or a fixed line if
// there is no prompt and the model spoke last.
func (p *Conversation) EndWithUser(prompt string) {
	last := len(p.messages) - 1
	if prompt == "" {
		if last >= 0 && !p.messages[last].assistant {
			return
		}
		place := Place{}
		if last >= 0 {
			pieces := p.messages[last].pieces
			place = p.ix.placeOf(pieces[len(pieces)-1].entry)
		}
		p.Fixes = append(p.Fixes, Fix{Code: NotUserLast, Place: place})
		prompt = closingLine
	}
	line := piece{kind: pieceLine, alter: &alteration{text: prompt}}
	if last >= 0 && !p.messages[last].assistant {
		p.messages[last].pieces = append(p.messages[last].pieces, line)
		return
	}
	p.messages = append(p.messages, message{pieces: []piece{line}})
}

// Tools returns the names of the called tools, in the order of their first use.
func (p *Conversation) Tools() []string { return p.tools }
