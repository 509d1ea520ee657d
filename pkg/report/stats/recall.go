package stats

import (
	"context"
	"time"

	"clawctl/internal/parallel"
	"clawctl/internal/textid"
	"clawctl/pkg/jsonl"
)

// isCopy reports whether a record occurred before. If too little was remembered to tell, the session is read again.
func (c *collector) isCopy(ctx context.Context, rec *jsonl.Record, e *contribution) (bool, error) {
	isReplay := c.seen.repeats(e.said)
	if c.seen.contents == nil {
		isKnown, isSure := c.seen.before(&e.content, e.id)
		if isSure {
			return isKnown, nil
		}
		if err := c.recall(ctx, rec.Line); err != nil {
			return false, err
		}
	}
	if e.content.isBrief {
		e.content = c.keys.content(rec)
	}
	isKnown, _ := c.seen.before(&e.content, e.id)
	return isKnown || isReplay, nil
}

// recall reads the records of the session before a line again, and remembers all of them. From then on every record of
// the session is remembered, so this happens at most once.
func (c *collector) recall(ctx context.Context, line int64) error {
	in, err := c.state.session.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	var reader jsonl.Reader
	jobs := parallel.Share(c.opts.Jobs, c.state.session.Bytes, c.bytes)
	reader.Reset(in.Reader, jsonl.Options{BeforeRead: ctx.Err, Jobs: jobs})
	c.seen.rememberAll()
	var last time.Time
	for rec, err := range reader.All() {
		if err != nil {
			return err
		}
		if rec.Line >= line {
			break
		}
		if !counts(rec) {
			continue
		}
		if at, isDated := rec.Time(); isDated {
			last = at
		}
		if c.opts.includes(last) || mayChangeLater(rec) {
			content := c.keys.content(rec)
			c.seen.before(&content, textid.ID{})
		}
	}
	return nil
}
