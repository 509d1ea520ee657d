package dataset

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/report/stats"
)

// addEntry adds the message and the parts of a record.
func (r *reader) addEntry(base recordRow, e *parts.Entry, c *stats.CountedRecord) error {
	message := newMessageRow(base, e)
	message.isMirror = c.Status == stats.Mirror
	for i := range e.Parts {
		p := &e.Parts[i]
		row := r.partRow(base, p)
		if err := r.put("parts", base.at, len(row.text), row); err != nil {
			return err
		}
		if p.Kind != parts.Image {
			message.textBytes += row.bytes
		}
		if err := r.addCallPart(row, e, p); err != nil {
			return err
		}
	}
	if _, ok := e.Record.Message(); !ok {
		return nil
	}
	return r.put("messages", base.at, 0, message)
}

// newMessageRow returns the row of a message, except for what its parts and the session say about it.
func newMessageRow(base recordRow, e *parts.Entry) *messageRow {
	return &messageRow{
		recordRow: base, parent: e.Parent, provider: e.Provider, model: e.Model, stop: e.Stop,
		parts: int64(len(e.Parts)), recorded: e.Usage,
	}
}

// addCallPart begins a tool call of an answer, or gives one its result.
func (r *reader) addCallPart(row *partRow, e *parts.Entry, p *parts.Part) error {
	switch {
	case p.Kind == parts.Call && e.Role == jsonl.RoleAssistant:
		return r.session.calls.begin(r.callRow(row.recordRow, e, p), r.addCall)
	case p.Kind == parts.Call || row.call == "":
		return nil
	}
	isLast := p.Number+1 == len(e.Parts) || e.Parts[p.Number+1].Call.String() != row.call
	return r.session.calls.addResult(row, p, isLast, r.addCall)
}

func (r *reader) partRow(base recordRow, p *parts.Part) *partRow {
	row := &partRow{
		recordRow: base, part: int64(p.Number), kind: string(p.Kind), name: p.Name.String(), call: p.Call.String(),
		failed: p.Failed, hidden: p.Hidden,
	}
	if p.Kind == parts.Image {
		row.bytes = parts.ImageSize(p.Body)
		row.sha256 = digestOfImage(p.Body)
		return row
	}
	if p.Body != nil {
		row.text = appendBody(make([]byte, 0, len(p.Body)), p.Body)
		row.bytes = int64(len(row.text))
	}
	if row.fields = fieldsOf(p.Fields); r.export.options.NoContent {
		row.text, row.fields = nil, nil
	}
	return row
}

// appendBody appends the text of a string, or the JSON of any other value.
func appendBody(dst []byte, v jsonl.Value) []byte {
	if !v.IsString() {
		return append(dst, v...)
	}
	return jsontext.Decode(dst, v[1:len(v)-1])
}

// fieldsOf returns the facts of a part as a JSON object, or nil if there are none.
func fieldsOf(fields []parts.Field) jsonl.Value {
	if len(fields) == 0 {
		return nil
	}
	object := jsonl.Value{'{'}
	for i, f := range fields {
		if i > 0 {
			object = append(object, ',')
		}
		object = append(append(append(append(object, '"'), f.Name...), '"', ':'), f.Value...)
	}
	return append(object, '}')
}

// digestOfImage returns the SHA-256 of an image, or "" if it is not base64.
func digestOfImage(body jsonl.Value) string {
	if !body.IsString() || len(body) <= len(`""`) {
		return ""
	}
	text := body[1 : len(body)-1]
	image, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		if image, err = base64.RawStdEncoding.AppendDecode(nil, text); err != nil {
			return ""
		}
	}
	sum := sha256.Sum256(image)
	return hex.EncodeToString(sum[:])
}

// callRow returns the row of a tool call. Its values are copies, because it waits for its result.
func (r *reader) callRow(base recordRow, e *parts.Entry, p *parts.Part) *callRow {
	row := &callRow{
		recordRow: base, part: int64(p.Number), tool: cmp.Or(p.ToolName(), "unknown"), call: p.Call.String(),
		provider: e.Provider, model: e.Model, argumentBytes: int64(len(p.Body)),
	}
	if !r.export.options.NoContent {
		row.arguments = slices.Clone(p.Body)
	}
	return row
}

func (r *reader) addCall(row *callRow) error {
	r.counts.Calls++
	return r.put("tool_calls", row.at, len(row.arguments), row)
}

// So many calls, and bytes of their arguments, wait for results.
const (
	maxCalls     = 256
	maxCallBytes = 4 << 20
)

// openCalls are the calls of a session that wait for their results, in order.
type openCalls struct {
	rows  []*callRow
	bytes int
}

// begin adds a call. The oldest ones no longer wait if there are too many.
func (o *openCalls) begin(row *callRow, done func(*callRow) error) error {
	o.rows = append(o.rows, row)
	o.bytes += len(row.arguments)
	for len(o.rows) > maxCalls || o.bytes > maxCallBytes {
		if err := done(o.take(0)); err != nil {
			return err
		}
	}
	return nil
}

// take returns a call that no longer waits.
func (o *openCalls) take(i int) *callRow {
	row := o.rows[i]
	o.rows = slices.Delete(o.rows, i, i+1)
	o.bytes -= len(row.arguments)
	return row
}

// addResult adds a part of a result to its call, which no longer waits after the last one. A result without a call is
// only a part.
func (o *openCalls) addResult(row *partRow, p *parts.Part, isLast bool, done func(*callRow) error) error {
	i := slices.IndexFunc(o.rows, func(call *callRow) bool { return call.call == row.call })
	if i < 0 {
		return nil
	}
	o.rows[i].addResult(row, p)
	if !isLast {
		return nil
	}
	return done(o.take(i))
}

func (r *callRow) addResult(row *partRow, p *parts.Part) {
	if r.result == nil {
		r.result = &callResult{line: row.line, at: row.timestamp, failed: row.failed}
	}
	if p.Kind != parts.Image {
		r.result.bytes += row.bytes
	}
	if code := p.Field("exit_code"); code.IsNumber() {
		r.result.exitCode, r.result.hasExited = code.Int(), true
	}
}

// flush ends the calls that have no result.
func (o *openCalls) flush(done func(*callRow) error) error {
	for len(o.rows) > 0 {
		if err := done(o.take(0)); err != nil {
			return err
		}
	}
	return nil
}
