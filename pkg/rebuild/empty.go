package rebuild

import "clawctl/pkg/jsonl"

// IsEmpty reports whether nothing of the context can be sent to the API, with or without fixes.
func (c *Context) IsEmpty() bool {
	for _, it := range c.items {
		if c.hasText(it.entry) {
			return false
		}
	}
	isEmpty := true
	cm := &composer{ // it keeps nothing, because a hostile message has millions of blocks
		ix: c.ix, limits: LimitsOf(FormAnthropic), emit: func(message) { isEmpty = false }, fix: func(Fix) {},
	}
	cm.run(c.items)
	return isEmpty
}

// hasText reports whether an entry has text that is always sent. Most conversations begin with such an entry, and
// IsEmpty rarely has to do more.
func (c *Context) hasText(i int32) bool {
	e := c.ix.at(i)
	if e.isMirror() || e.role == roleToolResult || e.isSystem() {
		return false
	}
	for _, b := range c.ix.blocksOf(i) {
		if b.kind == jsonl.BlockText && b.flags&blank == 0 {
			return true
		}
	}
	return false
}
