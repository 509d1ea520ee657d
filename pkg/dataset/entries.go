package dataset

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/parts"
	"clawctl/pkg/stats"
)

// addEntry adds the message and the parts of a record.
func (r *reader) addEntry(base recordRow, e *parts.Entry, c *stats.Counted) error {
	texts := int64(0)
	for i := range e.Parts {
		row := r.partRow(base, &e.Parts[i])
		texts += textSize(&row)
		if e.Parts[i].Kind == parts.Call && e.Role == jsonl.RoleAssistant {
			row.text = nil // its arguments are in the table of calls
			if err := r.session.calls.begin(r.callRow(base, e, &e.Parts[i]), r.addCall); err != nil {
				return err
			}
		}
		if err := put(r.set, partsTable, r.session.Agent, stats.Month(base.at), len(row.text), &row); err != nil {
			return err
		}
	}
	if err := r.endCalls(base, e); err != nil {
		return err
	}
	if _, ok := e.Record.Message(); !ok {
		return nil
	}
	return put(r.set, messagesTable, r.session.Agent, stats.Month(base.at), 0, &messageRow{
		recordRow: base, parent: e.Parent, provider: e.Provider, model: e.Model, stop: e.Stop,
		isMirror: c.Status == stats.Mirror, parts: int64(len(e.Parts)), characters: texts, usage: e.Usage,
	})
}

// textSize returns the length of the text of a part. An image is no text.
func textSize(row *partRow) int64 {
	if row.kind == string(parts.Image) {
		return 0
	}
	return row.bytes
}

// partRow returns the row of a part.
func (r *reader) partRow(base recordRow, p *parts.Part) partRow {
	row := partRow{
		recordRow: base, part: int64(p.Number), kind: string(p.Kind), name: p.Name.String(), call: p.Call.String(),
		failed: p.Failed, hidden: p.Hidden,
	}
	if p.Kind == parts.Image {
		row.bytes = parts.ImageSize(p.Body)
		row.sha256 = r.digest(p.Body)
		return row
	}
	if p.Body != nil {
		row.text = bodyText(p.Body)
		row.bytes = int64(len(row.text))
	}
	row.fields = fieldsOf(p.Fields)
	if r.options.NoContent {
		row.text, row.fields = nil, nil
	}
	return row
}

// bodyText returns the text of a string, and the JSON of any other value.
func bodyText(v jsonl.Value) []byte {
	if v.IsString() {
		return v.Bytes()
	}
	return v.UTF8()
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

// digest returns the SHA-256 of an image, or "" if it is not base64.
func (r *reader) digest(body jsonl.Value) string {
	if !body.IsString() || len(body) <= len(`""`) {
		return ""
	}
	r.image = grow(r.image, base64.StdEncoding.DecodedLen(len(body)))
	text := body[1 : len(body)-1]
	n, err := base64.StdEncoding.Decode(r.image, text)
	if err != nil {
		if n, err = base64.RawStdEncoding.Decode(r.image, text); err != nil {
			return ""
		}
	}
	sum := sha256.Sum256(r.image[:n])
	return hex.EncodeToString(sum[:])
}

// grow returns a buffer with at least n bytes.
func grow(buf []byte, n int) []byte {
	if cap(buf) < n {
		return make([]byte, n)
	}
	return buf[:cap(buf)]
}

// callRow returns the row of a tool call. Its values are copies, because it waits for its result.
func (r *reader) callRow(base recordRow, e *parts.Entry, p *parts.Part) *callRow {
	row := &callRow{
		recordRow: base, part: int64(p.Number), tool: cmp.Or(p.ToolName(), "unknown"), call: p.Call.String(),
		provider: e.Provider, model: e.Model, argumentBytes: int64(len(p.Body)),
	}
	if !r.options.NoContent && p.Body != nil {
		row.arguments = append(jsonl.Value{}, p.Body...)
	}
	return row
}

// endCalls gives calls the results that a record has for them.
func (r *reader) endCalls(base recordRow, e *parts.Entry) error {
	for i := 0; i < len(e.Parts); {
		p := &e.Parts[i]
		call := p.Call.String()
		if p.Kind == parts.Call || call == "" {
			i++
			continue
		}
		result := &callResult{line: base.line, at: base.timestamp, failed: p.Failed}
		for ; i < len(e.Parts) && e.Parts[i].Kind != parts.Call && e.Parts[i].Call.String() == call; i++ {
			result.add(&e.Parts[i])
		}
		if err := r.session.calls.end(call, result, r.addCall); err != nil {
			return err
		}
	}
	return nil
}

// add adds a part of the result.
func (x *callResult) add(p *parts.Part) {
	if p.Kind != parts.Image {
		x.bytes += int64(len(bodyText(p.Body)))
	}
	if code := p.Field("exit_code"); code.IsNumber() {
		n := code.Int()
		x.exitCode = &n
	}
}

func (r *reader) addCall(row *callRow) error {
	r.counts.Calls++
	return put(r.set, callsTable, r.session.Agent, stats.Month(row.at), len(row.arguments), row)
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

// end gives a call its result. A result without a call is only a part.
func (o *openCalls) end(call string, result *callResult, done func(*callRow) error) error {
	i := slices.IndexFunc(o.rows, func(row *callRow) bool { return row.call == call })
	if i < 0 {
		return nil
	}
	row := o.take(i)
	row.result = result
	return done(row)
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
