package harness

import (
	"bufio"
	"context"
	"fmt"
	"iter"
	"os"
	"slices"
	"strconv"
	"time"

	"clawctl/internal/spool"
	"clawctl/pkg/dialect"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
	"clawctl/pkg/source"
)

// A Joiner joins sessions with those that did their work. The texts are in private files, which end with it.
type Joiner struct {
	text, omitted *spool.File
}

// NewJoiner returns a Joiner with its files in a folder.
func NewJoiner(folder string) (*Joiner, error) {
	text, err := spool.Create(folder)
	if err != nil {
		return nil, err
	}
	omitted, err := spool.Create(folder)
	if err != nil {
		text.Close()
		return nil, err
	}
	return &Joiner{text, omitted}, nil
}

// Close deletes the texts. The sessions can no longer be read.
func (j *Joiner) Close() error {
	j.omitted.Close()
	return j.text.Close()
}

// Join joins a session with all sessions that its bindings have led to. A binding that has led to another conversation
// is marked. If a file cannot be read to its end, the session stays as it was.
func (j *Joiner) Join(ctx context.Context, s *source.Session) error {
	for i := range s.Bindings {
		b := &s.Bindings[i]
		if b.State != source.BindingFound {
			continue
		}
		if err := j.joinOne(ctx, s, b); err != nil {
			return err
		}
	}
	return nil
}

// Judge marks the bindings of a session that have led to another conversation. It reads both sessions.
func Judge(ctx context.Context, s *source.Session) error {
	for i := range s.Bindings {
		if b := &s.Bindings[i]; b.State == source.BindingFound {
			if _, err := compare(ctx, s, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare pairs the turns of a session and of another one. It returns nil, and marks the binding, if they are about
// different conversations. A session without prompts can be part of any.
func compare(ctx context.Context, s *source.Session, b *source.Binding) (*weaver, error) {
	own, err := readTurns(ctx, s)
	if err != nil {
		return nil, nil // whoever reads the session says why
	}
	other, err := readTurns(ctx, b.Session)
	if err != nil {
		return nil, &os.PathError{Op: "read", Path: b.File, Err: err}
	}
	pairs := pairTurns(own.turns, other.turns)
	if pairs.found == 0 && own.hasPrompts() && other.hasPrompts() {
		b.State = source.BindingOther
		return nil, nil
	}
	return &weaver{session: s, binding: b, own: own, other: other, pairs: pairs, redirected: map[string]string{},
		hasEnded: true, subagents: readSubagents(ctx, b)}, nil
}

// LastWorker returns the binding of the program that did the work of a session's last turn, or nil if that is not
// known: it leads to no file or to another conversation, or OpenClaw did the work itself. It marks bindings as Judge
// does.
func LastWorker(ctx context.Context, s *source.Session) (worker *source.Binding, err error) {
	var latest time.Time
	for i := range s.Bindings {
		b := &s.Bindings[i]
		if b.State != source.BindingFound {
			continue
		}
		w, err := compare(ctx, s, b)
		if err != nil {
			return nil, err
		}
		if w == nil || !w.own.endsElsewhere() {
			continue
		}
		if at := w.other.lastTime(); worker == nil || at.After(latest) {
			worker, latest = b, at
		}
	}
	return worker, nil
}

// joinOne joins a session with another one.
func (j *Joiner) joinOne(ctx context.Context, s *source.Session, b *source.Binding) error {
	w, err := compare(ctx, s, b)
	if err != nil || w == nil {
		return err
	}
	text, omitted := j.text.Size(), j.omitted.Size()
	w.text, w.omitted = bufio.NewWriterSize(j.text, 1<<18), bufio.NewWriterSize(j.omitted, 1<<16)
	if err := w.weave(ctx); err != nil {
		return err
	}
	s.Join(j.text.Section(text, j.text.Size()-text), j.omitted.Section(omitted, j.omitted.Size()-omitted),
		w.origins, s.JoinedLines()+w.lines)
	return nil
}

// hasPrompts reports whether the user says anything.
func (t *transcript) hasPrompts() bool {
	return slices.ContainsFunc(t.turns, func(turn turn) bool { return turn.prompt > 0 })
}

// A weaver writes one text of two sessions.
type weaver struct {
	ctx           context.Context // of the one run that it is made for
	session       *source.Session
	binding       *source.Binding
	own, other    transcript
	pairs         *pairing
	text, omitted *bufio.Writer

	rows      func() (*jsonl.Record, error, bool) // the next record of the other program
	row       *jsonl.Record                       // that was read and not written yet
	subagents []subagent                          // whose sessions were not written yet
	turn      int                                 // the current turn of OpenClaw
	emitted   int                                 // how many turns of the other program were written
	hasEnded  bool                                // the last line has a line end

	redirected map[string]string // the entry that follows in the place of another one
	last       string            // the id of the last entry
	origins    []source.Origin
	lines      int64
}

func (w *weaver) weave(ctx context.Context) error {
	rows, stop := iter.Pull2(w.binding.Session.Records(ctx))
	defer stop()
	w.ctx, w.rows = ctx, rows
	for rec, err := range w.session.Records(ctx) {
		if err != nil {
			return err
		}
		if err := w.take(rec); err != nil {
			return err
		}
	}
	if err := w.emitUntil(len(w.other.turns), w.last); err != nil {
		return err
	}
	if err := w.text.Flush(); err != nil {
		return err
	}
	return w.omitted.Flush()
}

// take writes a record of OpenClaw, and what belongs before and after it.
func (w *weaver) take(rec *jsonl.Record) error {
	isOwn := rec.Legible() && !rec.Continued && rec.Harness() == ""
	if !isOwn {
		return w.write(rec, rec.Raw)
	}
	if next := w.turn + 1; next < len(w.own.turns) && rec.Line >= w.own.turns[next].line {
		w.turn = next
	}
	if w.turn < len(w.own.turns) && rec.Line == w.own.turns[w.turn].prompt {
		return w.prompt(rec)
	}
	if m, ok := rec.Message(); ok && m.IsHarnessCopy() && len(w.pairs.of[w.turn]) > 0 {
		return w.copied(rec, m)
	}
	return w.entry(rec)
}

// prompt writes a prompt of OpenClaw: after the turns of the other program that were before it, and before those that
// it began.
func (w *weaver) prompt(rec *jsonl.Record) error {
	parent, _ := rec.ParentID()
	if err := w.emitUntil(w.firstFrom(w.turn), parent); err != nil {
		return err
	}
	if err := w.entry(rec); err != nil {
		return err
	}
	for _, j := range w.pairs.of[w.turn] {
		if w.pairs.prompt[j] {
			return w.emitPaired(rec.ID())
		}
	}
	return nil
}

// copied takes a message that the other program has too. One that it does not have stays, without its usage, which is
// that of the turn.
func (w *weaver) copied(rec *jsonl.Record, m jsonl.Message) error {
	parent, _ := rec.ParentID()
	if err := w.emitPaired(parent); err != nil {
		return err
	}
	if !w.isIncluded(m) {
		return w.entryAs(rec, withoutUsage)
	}
	w.redirected[rec.ID()] = w.resolve(parent)
	return w.omit(rec.Raw)
}

// isIncluded reports whether the turns of the other program have a message.
func (w *weaver) isIncluded(m jsonl.Message) bool {
	text := normal(jsonl.PlainText(m.Content()))
	if text == "" || m.Role() != jsonl.RoleAssistant {
		return true
	}
	return slices.ContainsFunc(w.pairs.of[w.turn], func(j int) bool { return w.other.turns[j].includes(text) })
}

// withoutUsage leaves the usage of a message out.
func withoutUsage(key string, v jsonl.Value) jsonl.Value {
	if key != "message" || !v.IsObject() {
		return v
	}
	return v.Without("usage")
}

// firstFrom returns the first turn of the other program that does not belong before a turn of OpenClaw: it is paired
// with that or a later one, or it is paired with none and began later.
func (w *weaver) firstFrom(turn int) int {
	at := w.own.turns[turn].at
	for j := w.emitted; j < len(w.other.turns); j++ {
		if own := w.pairs.own[j]; own >= turn || own < 0 && !w.other.turns[j].at.Before(at) {
			return j
		}
	}
	return len(w.other.turns)
}

// emitPaired writes the turns of the other program that are paired with the current one, and those between them.
func (w *weaver) emitPaired(parent string) error {
	list := w.pairs.of[w.turn]
	return w.emitUntil(max(w.emitted, list[len(list)-1]+1), parent)
}

// emitUntil writes turns of the other program, as what follows an entry.
func (w *weaver) emitUntil(end int, parent string) error {
	tip := w.resolve(parent)
	for ; w.emitted < end; w.emitted++ {
		var err error
		if tip, err = w.emitTurn(w.emitted, tip); err != nil {
			return err
		}
		if err := w.emitStarted(w.emitted, tip); err != nil {
			return err
		}
	}
	if tip != w.resolve(parent) {
		w.redirected[parent] = tip
	}
	return nil
}

// emitTurn writes a turn of the other program after an entry, and returns the last one.
func (w *weaver) emitTurn(j int, tip string) (string, error) {
	turn := &w.other.turns[j]
	end := int64(1) << 62
	if j+1 < len(w.other.turns) {
		end = w.other.turns[j+1].line
	}
	isEarlier := w.isEarlier(j)
	for {
		rec, err := w.next(end)
		if err != nil || rec == nil {
			return tip, err
		}
		id := w.idOf(rec)
		if isEarlier {
			continue
		}
		if !isWanted(rec) {
			if err := w.leave(joinedRow{rec: rec, id: id, parent: tip}); err != nil {
				return tip, err
			}
			continue
		}
		if w.pairs.prompt[j] && rec.Line == turn.prompt {
			if err := w.omit(w.joined(joinedRow{rec: rec, id: id, parent: tip})); err != nil {
				return tip, err
			}
			continue
		}
		if err := w.emit(rec, id, tip); err != nil {
			return tip, err
		}
		if !isSide(rec) {
			tip = id
		}
		if err := w.emitFinished(rec, tip); err != nil {
			return tip, err
		}
	}
}

// next returns the next record of the other program that is before a line, or nil.
func (w *weaver) next(end int64) (rec *jsonl.Record, err error) {
	if w.row == nil {
		var ok bool
		if rec, err, ok = w.rows(); err != nil || !ok {
			return nil, err
		}
		w.row = rec
	}
	if w.row.Line >= end {
		return nil, nil
	}
	rec, w.row = w.row, nil
	return rec, nil
}

// isEarlier reports whether a turn of the other program was before the session. It belongs to an earlier one: a reset
// in OpenClaw may keep the conversation of the other program.
func (w *weaver) isEarlier(j int) bool {
	last := w.other.turns[j].at
	if end := w.other.turns[j].end; end.After(last) {
		last = end
	}
	return w.pairs.own[j] < 0 && !last.IsZero() && last.Before(w.own.began.Add(-window))
}

// isWanted reports whether a record of the other program is part of the conversation, or says what it cost.
func isWanted(rec *jsonl.Record) bool {
	if !rec.Legible() || rec.Damage != nil || rec.Continued || rec.Translator() == nil {
		return false
	}
	switch rec.Type() {
	case jsonl.TypeMessage, jsonl.TypeCustomMessage, jsonl.TypeCompaction, jsonl.TypeUsage, jsonl.TypeModelChange:
		return true
	}
	return false
}

// leave keeps a record of the other program that is not part of the conversation, if its session is also read on its
// own. What is left of that would count as another session.
func (w *weaver) leave(row joinedRow) error {
	if !w.binding.IsKnown || !row.rec.Legible() || row.rec.Damage != nil || row.rec.Continued ||
		row.rec.Translator() == nil {
		return nil
	}
	return w.omit(w.joined(row))
}

// idOf returns the id of a record of the other program. Where records have none, its line names it.
func (w *weaver) idOf(rec *jsonl.Record) string {
	if id := rec.ID(); id != "" {
		return id
	}
	return lineName(w.binding.Program.Name, rec)
}

// lineName is the id of a record without one.
func lineName(transcript string, rec *jsonl.Record) string {
	return fmt.Sprintf("%s:%d", transcript, rec.Line)
}

// emit writes a record of the other program.
func (w *weaver) emit(rec *jsonl.Record, id, parent string) error {
	w.lines++
	w.last = id
	return w.line(w.joined(joinedRow{rec: rec, id: id, parent: parent}),
		source.Origin{Path: w.binding.File, Line: rec.Line, Offset: rec.Offset})
}

// A joinedRow is a record of the other program, and its place in OpenClaw's tree. agent is the id of the subagent that
// it is from, or "".
type joinedRow struct {
	rec               *jsonl.Record
	id, parent, agent string
}

// joined returns the line of a record of the other program.
func (w *weaver) joined(row joinedRow) []byte {
	line := fmt.Appendf(nil, `{"type":%q,"program":%s`, dialect.Joined, jsontext.Quote(w.binding.Program.Title))
	if w.own.hasTree {
		line = append(append(line, `,"id":`...), jsontext.Quote(row.id)...)
		line = append(append(line, `,"parentId":`...), quotedOrNull(row.parent)...)
	}
	if row.agent != "" {
		line = append(append(line, `,"agent":`...), jsontext.Quote(row.agent)...)
	}
	if row.rec.ID() == "" {
		line = strconv.AppendInt(append(line, `,"line":`...), row.rec.Line, 10)
	}
	return append(append(append(line, `,"row":`...), row.rec.Stated()...), "}\n"...)
}

// quotedOrNull returns an id as JSON.
func quotedOrNull(id string) string {
	if id == "" {
		return "null"
	}
	return jsontext.Quote(id)
}

// resolve returns the entry that now follows in the place of another one.
func (w *weaver) resolve(id string) string {
	if other, ok := w.redirected[id]; ok {
		return other
	}
	return id
}

// entry writes a record of OpenClaw, after the entry that is now before it.
func (w *weaver) entry(rec *jsonl.Record) error { return w.entryAs(rec, nil) }

// entryMembers are the members of a record that name other entries.
var entryMembers = map[string]bool{"parentId": true, "targetId": true, "firstKeptEntryId": true, "fromId": true}

// entryAs writes a record of OpenClaw with other members. A record that needs no change stays as it is, byte by byte.
func (w *weaver) entryAs(rec *jsonl.Record, change func(key string, v jsonl.Value) jsonl.Value) error {
	if rec.Type() != jsonl.TypeSession && rec.ID() != "" {
		w.last = rec.ID()
	}
	if change == nil && !w.mayMove(rec) {
		return w.write(rec, rec.Raw)
	}
	isSame := true
	text := rec.Stated().WithMembers(func(key string, v jsonl.Value) jsonl.Value {
		moved := w.moved(key, v)
		if change != nil {
			moved = change(key, moved)
		}
		isSame = isSame && string(moved) == string(v)
		return moved
	})
	if isSame {
		return w.write(rec, rec.Raw)
	}
	return w.write(rec, append(text, '\n'))
}

// mayMove reports whether a record names an entry that another one has replaced. Of a message that is its parent.
func (w *weaver) mayMove(rec *jsonl.Record) bool {
	if len(w.redirected) == 0 || rec.Type() == jsonl.TypeSession {
		return false
	}
	parent, _ := rec.ParentID()
	_, ok := w.redirected[parent]
	return ok || rec.Type() != jsonl.TypeMessage
}

// moved returns the value of a member that names an entry.
func (w *weaver) moved(key string, v jsonl.Value) jsonl.Value {
	if !entryMembers[key] {
		return v
	}
	if other, ok := w.redirected[v.String()]; ok && (v.IsString() || v.IsNull() && key == "parentId") {
		return jsonl.Value(quotedOrNull(other))
	}
	return v
}

// write writes a line of OpenClaw, or a part of one.
func (w *weaver) write(rec *jsonl.Record, text []byte) error {
	if rec.Continued {
		w.hasEnded = text[len(text)-1] == '\n'
		_, err := w.text.Write(text)
		return err
	}
	return w.line(text, w.session.Origin(rec.Line, rec.Offset))
}

// line writes a line. If the line before it has no end, it gets one.
func (w *weaver) line(text []byte, at source.Origin) error {
	if !w.hasEnded {
		if err := w.text.WriteByte('\n'); err != nil {
			return err
		}
	}
	w.hasEnded = len(text) > 0 && text[len(text)-1] == '\n'
	w.origins = append(w.origins, at)
	_, err := w.text.Write(text)
	return err
}

// omit keeps a line that is not part of the text.
func (w *weaver) omit(line []byte) error {
	if _, err := w.omitted.Write(line); err != nil || line[len(line)-1] == '\n' {
		return err
	}
	return w.omitted.WriteByte('\n')
}
