package rebuild

// EndWithUser makes the conversation end with the user, as a request must: with a prompt, or with a line of our own
// where the model spoke last and there is none.
func (p *Plan) EndWithUser(prompt string) {
	last := len(p.messages) - 1
	if prompt == "" {
		if last >= 0 && !p.messages[last].assistant {
			return
		}
		place := Place{}
		if last >= 0 {
			parts := p.messages[last].parts
			place = p.ix.placeOf(parts[len(parts)-1].entry)
		}
		p.Fixes = append(p.Fixes, Fix{NotUserLast, place})
		prompt = closingLine
	}
	line := part{what: partLine, alter: &alteration{text: prompt}}
	if last >= 0 && !p.messages[last].assistant {
		p.messages[last].parts = append(p.messages[last].parts, line)
		return
	}
	p.messages = append(p.messages, message{parts: []part{line}})
}

// Tools returns the names of the tools that are called, in the order of their first use.
func (p *Plan) Tools() []string { return p.tools }
