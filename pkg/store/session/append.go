package session

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/store"
)

// A Draft makes the entries of one input: it gets the composer of the session and returns records without ids, parents
// and times, which are filled in.
type Draft func(*jsonl.Composer) ([]string, error)

// An Entry is one record that was appended.
type Entry struct {
	ID     string `json:"id"`
	Parent string `json:"parent_id,omitempty"`
	Type   string `json:"type"`
	Role   string `json:"role,omitempty"`
}

// An Addition is a session with new records.
type Addition struct {
	Key     string
	ID      string // of the session
	Created bool
	Entries []Entry
	Open    []rebuild.Call // tool calls that wait for their results
}

// Append adds records at the end of a session, all of them or none. It creates the session if there is none.
func (k *Keeper) Append(ctx context.Context, key string, o Options, drafts []Draft) (done *Addition, err error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	err = k.write(ctx, func(b *store.Batch) error {
		t, err := b.Transcript(key)
		if err != nil {
			return err
		}
		var w *appender
		if t == nil {
			w, err = k.create(ctx, b, key, o)
		} else {
			w, err = k.extend(ctx, b, t)
		}
		if err != nil {
			return err
		}
		if err = w.commit(drafts); err != nil {
			return err
		}
		done = &Addition{Key: key, ID: w.t.SessionID, Created: t == nil, Entries: w.entries, Open: w.head.open()}
		return nil
	})
	return done, err
}

// An appender is a session that gets new records.
type appender struct {
	ctx     context.Context
	batch   *store.Batch
	t       *store.Transcript
	stamp   jsonl.Stamp
	head    *head
	options *Options // of a new session that has no header yet
	refers  bool     // a new record refers to other entries than the leaf

	ids     map[string]bool
	parent  string // of the next entry, as JSON
	records []*jsonl.Record
	entries []Entry
}

// create creates a session.
func (k *Keeper) create(ctx context.Context, b *store.Batch, key string, o Options) (*appender, error) {
	t := &store.Transcript{Key: key, BaseKey: key, Agent: agentOf(key), Kind: "live", LineEnd: "\n"}
	w := &appender{ctx: ctx, batch: b, t: t, stamp: k.stamp(t), head: &head{}, options: &o, ids: map[string]bool{}}
	var err error
	t.SessionID, err = w.stamp.SessionID()
	return w, err
}

// extend opens a session that exists.
func (k *Keeper) extend(ctx context.Context, b *store.Batch, t *store.Transcript) (w *appender, err error) {
	switch {
	case t.Generation != "":
		return nil, &generationError{t.Key}
	case t.Incomplete:
		return nil, ErrUnfinished
	}
	w = &appender{ctx: ctx, batch: b, t: t, stamp: k.stamp(t), ids: map[string]bool{}}
	if w.head, err = readHead(b, t, w.text); err != nil {
		return nil, err
	}
	return w, b.MustBeWhole(t, w.head.Last)
}

// text opens the text that the session has so far.
func (w *appender) text() (io.ReadCloser, error) {
	return w.batch.View().Text(w.ctx, w.t, store.Whole)
}

// commit composes the records of drafts, checks them and inserts them.
func (w *appender) commit(drafts []Draft) error {
	if err := w.compose(drafts); err != nil {
		return err
	}
	head, err := w.check()
	if err != nil {
		return err
	}
	if w.options != nil {
		if err := w.batch.Create(w.t, store.Metadata{Title: w.options.Title}); err != nil {
			return err
		}
	}
	if err := w.batch.AddRecords(w.t, w.records); err != nil {
		return err
	}
	if n := len(w.entries); n > 0 {
		if head.Last, err = w.batch.LastRow(w.entries[n-1].ID); err != nil {
			return err
		}
	}
	w.head = head
	return w.batch.PutHead(w.t, head.state())
}

// compose makes the records of drafts.
func (w *appender) compose(drafts []Draft) error {
	w.parent = "null"
	if w.head.Leaf != "" {
		w.parent = jsonl.Quote(w.head.Leaf)
	}
	open := w.head.open()
	c := &jsonl.Composer{Millis: w.stamp.Now.UnixMilli(), ToolName: w.toolName}
	for _, draft := range drafts {
		if len(open) == 1 {
			c.OnlyCall = open[0].ID
		}
		lines, err := draft(c)
		if err != nil {
			return err
		}
		for _, line := range lines {
			if err := w.add(line); err != nil {
				return err
			}
		}
	}
	if w.options != nil && len(w.records) == 0 {
		return w.addHeader()
	}
	return nil
}

// add completes one record.
func (w *appender) add(line string) error {
	rec := (&jsonl.Parser{Verbatim: true}).Parse([]byte(line), int64(len(w.records)+1), 0)
	if rec.Damage != nil || rec.Blank {
		return &Refusal{damageCode(rec), len(w.entries) + 1, damageText(rec)}
	}
	if w.options != nil && len(w.records) == 0 {
		if rec.Type() == jsonl.TypeSession && rec.ID() != "" {
			w.t.SessionID = rec.ID()
		} else if err := w.addHeader(); err != nil {
			return err
		}
	}
	id := rec.ID()
	if id == "" {
		var err error
		if id, err = w.newID(); err != nil {
			return err
		}
	}
	w.refers = w.refers || w.hasReferences(rec)
	text := rec.Completed(id, w.parent, w.stamp.Time())
	w.put(text)
	return nil
}

// hasReferences reports whether a record refers to other entries than the leaf, or has an id of its own.
func (w *appender) hasReferences(rec *jsonl.Record) bool {
	if parent, has := rec.ParentID(); rec.ID() != "" || has && jsonl.Quote(parent) != w.parent {
		return true
	}
	return !plainTypes[rec.Type()]
}

// plainTypes are the records that refer to nothing but their parent.
var plainTypes = map[string]bool{
	jsonl.TypeMessage: true, jsonl.TypeModelChange: true, jsonl.TypeThinkingLevelChange: true, jsonl.TypeCustom: true,
	jsonl.TypeCustomMessage: true, jsonl.TypeSessionInfo: true,
}

// put adds a complete record.
func (w *appender) put(text []byte) {
	rec := (&jsonl.Parser{Verbatim: true}).Parse(text, int64(len(w.records)+1), 0)
	w.records = append(w.records, rec)
	parent, _ := rec.ParentID()
	w.entries = append(w.entries, Entry{rec.ID(), parent, rec.Type(), rec.Role()})
	if rec.Type() != jsonl.TypeSession {
		w.parent = jsonl.Quote(rec.ID())
	}
}

// addHeader adds the header of a new session, its title and its model.
func (w *appender) addHeader() error {
	o, at := w.options, w.stamp.Time()
	w.put([]byte(`{"type":"session","version":3,"id":` + jsonl.Quote(w.t.SessionID) + `,"timestamp":` + jsonl.Quote(at) +
		`,"cwd":` + jsonl.Quote(o.CWD) + "}"))
	return nil
}

// drafts returns the first entries of a session.
func (o Options) drafts() []Draft {
	var list []Draft
	add := func(record string) {
		list = append(list, func(*jsonl.Composer) ([]string, error) { return []string{record}, nil })
	}
	if o.Title != "" {
		add(`{"type":"session_info","name":` + jsonl.Quote(o.Title) + "}")
	}
	if provider, model := splitModel(o.Model); model != "" {
		add(`{"type":"model_change","provider":` + jsonl.Quote(provider) + `,"modelId":` + jsonl.Quote(model) + "}")
	}
	return list
}

// splitModel splits PROVIDER/MODEL. Models without a provider are those of the provider that their name suggests.
func splitModel(text string) (provider, model string) {
	if provider, model, ok := strings.Cut(text, "/"); ok {
		return provider, model
	}
	for _, prefix := range []string{"gpt", "o1", "o3", "o4", "chatgpt"} {
		if strings.HasPrefix(text, prefix) {
			return "openai", text
		}
	}
	return "anthropic", text
}

// newID returns an id that the session does not have. A millisecond has 65,536 ids, so the next one follows if they
// become rare.
func (w *appender) newID() (string, error) {
	for stamp := w.stamp; ; stamp.Now = stamp.Now.Add(time.Millisecond) {
		id, err := stamp.ID()
		if err != nil {
			return "", err
		}
		taken, err := w.batch.HasID(w.t.Key, id, w.stamp.Now.UnixMilli())
		if err != nil {
			return "", err
		}
		if !taken && !w.ids[id] {
			w.ids[id] = true
			return id, nil
		}
	}
}

// toolName returns the tool of a call: one of the session, or of the new records.
func (w *appender) toolName(callID string) string {
	for _, rec := range slices.Backward(w.records) {
		m, ok := rec.Message()
		if !ok {
			continue
		}
		for b := range m.Blocks() {
			if call, ok := b.ToolCall(); ok && call.ID == callID {
				return call.Name
			}
		}
	}
	return w.head.toolName(callID)
}

// check checks the new records, and returns where the session ends with them.
func (w *appender) check() (*head, error) {
	var news []byte
	for _, rec := range w.records {
		news = append(append(news, rec.Text()...), '\n')
	}
	if w.options != nil {
		return check(strings.NewReader(""), 0, news, "")
	}
	if !w.refers {
		text, lines := w.head.transcript()
		head, err := check(strings.NewReader(string(text)), lines, news, w.head.Program)
		if refused := new(Refusal); !errors.As(err, &refused) {
			return head, err
		}
	}
	text, err := w.text()
	if err != nil {
		return nil, err
	}
	defer text.Close()
	ended := io.Reader(text)
	if w.t.Tail > 0 {
		ended = io.MultiReader(text, strings.NewReader(w.t.LineEnd))
	}
	return check(ended, w.t.Lines, news, w.head.Program)
}

// damageCode returns the code of a line that is not a record.
func damageCode(rec *jsonl.Record) failure.Code {
	if rec.Damage == nil {
		return jsonl.NotObject
	}
	return rec.Damage.Code
}

func damageText(rec *jsonl.Record) string {
	if rec.Damage == nil {
		return jsonl.NotObject.Words()
	}
	return rec.Damage.Code.Words()
}
