package rebuild

// EndWithUser makes the conversation end with the user, as a request must: with a prompt, or with a line of our own
// where the model spoke last and there is none.
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
		p.Fixes = append(p.Fixes, Fix{NotUserLast, place})
		prompt = closingLine
	}
	line := piece{kind: pieceLine, alter: &alteration{text: prompt}}
	if last >= 0 && !p.messages[last].assistant {
		p.messages[last].pieces = append(p.messages[last].pieces, line)
		return
	}
	p.messages = append(p.messages, message{pieces: []piece{line}})
}

// Tools returns the names of the tools that are called, in the order of their first use.
func (p *Conversation) Tools() []string { return p.tools }
