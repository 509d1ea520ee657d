package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"iter"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
	"clawctl/pkg/trajectory"
)

// A family knows how the sessions of an export are related, and the files that they get.
type family struct {
	files     map[*source.Session]string
	subagents map[string][]*source.Session // by the key of the session that started them
	next      map[*source.Session]*source.Session
}

// newFamily relates sessions: a subagent is registered with the key of the session that started it, and a session that
// was reset goes on in the next one with its key.
func newFamily(sessions []*source.Session, nameOf func(*source.Session) string) *family {
	f := &family{
		files: map[*source.Session]string{}, subagents: map[string][]*source.Session{},
		next: map[*source.Session]*source.Session{},
	}
	generations := map[string][]*source.Session{}
	for _, s := range sessions {
		f.files[s] = nameOf(s)
		if by := s.Entry.SpawnedBy(); by != "" && s.Listed && s.Kind == source.Live {
			f.subagents[by] = append(f.subagents[by], s)
		}
		if s.Key != "" && (s.Kind == source.Live || s.Kind == source.Reset) {
			generations[s.Key] = append(generations[s.Key], s)
		}
	}
	for _, list := range generations {
		f.chain(list)
	}
	return f
}

// chain says in which session each of the generations of a key goes on. The live one comes last.
func (f *family) chain(generations []*source.Session) {
	slices.SortStableFunc(generations, func(a, b *source.Session) int {
		if live := (a.Kind == source.Live); live != (b.Kind == source.Live) {
			return map[bool]int{true: 1, false: -1}[live]
		}
		return strings.Compare(a.Generation, b.Generation)
	})
	for i, s := range generations[:len(generations)-1] {
		if s.Kind == source.Reset {
			f.next[s] = generations[i+1]
		}
	}
}

// refer returns the file of a session as that of another one refers to it.
func (f *family) refer(from, to *source.Session) string {
	name, err := filepath.Rel(filepath.Dir(filepath.FromSlash(f.files[from])), filepath.FromSlash(f.files[to]))
	if err != nil {
		return f.files[to]
	}
	return filepath.ToSlash(name)
}

// subagentsOf returns the sessions that a session started.
func (f *family) subagentsOf(s *source.Session) (list []trajectory.Subagent) {
	if s.Key == "" || s.Kind != source.Live {
		return nil
	}
	for _, other := range f.subagents[s.Key] {
		list = append(list, trajectory.Subagent{Key: other.Key, ID: other.ID, File: f.refer(s, other)})
	}
	return list
}

// A trajectoryReading is a session that becomes a trajectory or an example.
type trajectoryReading struct {
	*transcript
	context     *rebuild.Context
	header      jsonl.Header
	checkpoints int
	damaged     int
	damages     []damageFact // the first ones
}

// A damageFact is a damaged line in a trajectory.
type damageFact struct {
	Line    int64      `json:"line"`
	Code    jsonl.Code `json:"code"`
	Message string     `json:"message"`
}

// openTrajectory reads a session for the first time.
func openTrajectory(a *app, s *source.Session) (*trajectoryReading, error) {
	r := &trajectoryReading{}
	var err error
	if r.transcript, err = openWatched(a, s, programOption{}, r.visit); err != nil {
		return nil, err
	}
	r.context, err = r.contextAt("")
	return r, err
}

// visit notes what a record says about the session besides the path.
func (r *trajectoryReading) visit(rec *jsonl.Record) {
	if rec.Damage != nil && !rec.Continued {
		if r.damaged++; r.damaged <= damageShown {
			d := rec.Damage
			r.damages = append(r.damages, damageFact{d.Line, d.Code, d.Code.Words()})
		}
	}
	if !rec.Legible() {
		return
	}
	switch rec.Type() {
	case jsonl.TypeSession:
		if h, ok := rec.Header(); ok && r.header.ID == "" {
			r.header = h
		}
	case jsonl.TypeCheckpoint:
		r.checkpoints++
	}
}

// fromContext reads the records that the context is made from again.
func (r *trajectoryReading) fromContext() iter.Seq2[*jsonl.Record, error] {
	return r.againFor(r.context)
}

// describe returns what the trajectory of the session is made from.
func (r *trajectoryReading) describe(f *family) (*trajectory.Session, error) {
	prompt, err := r.context.Prompt(r.againFor(r.context))
	if err != nil {
		return nil, err
	}
	file := f.files[r.session]
	s := &trajectory.Session{
		ID: cmp.Or(r.index.HeaderID(), r.session.ID), Document: strings.TrimSuffix(file, path.Ext(file)),
		Agent:     r.agent(prompt),
		Path:      func(emit func(*jsonl.Record) error) error { return r.context.PathRecords(r.again(), emit) },
		Subagents: f.subagentsOf(r.session), LeftOut: r.leftOut(), Extra: r.facts(),
	}
	if next := f.next[r.session]; next != nil {
		s.Continued = f.refer(r.session, next)
	}
	return s, nil
}

// agent describes the program that ran the session. Transcripts do not say its version.
func (r *trajectoryReading) agent(prompt *rebuild.Prompt) trajectory.Agent {
	agent := trajectory.Agent{Name: r.index.Writer(), Version: "unknown"}
	agent.Extra = map[string]any{"transcript_format": r.index.Dialect.String()}
	if r.session.Agent != "" {
		agent.Extra["agent_id"] = r.session.Agent
	}
	for _, tool := range prompt.Tools(trajectory.ExampleForm) {
		agent.Tools = append(agent.Tools, json.RawMessage(tool))
	}
	return agent
}

// leftOut counts what the transcript has besides its path.
func (r *trajectoryReading) leftOut() map[string]int {
	branches := 0
	for _, m := range r.context.Marks() {
		if !m.OnPath && m.Line != r.index.HeaderLine() {
			branches++
		}
	}
	counts := map[string]int{"damaged_line": r.damaged, "checkpoint": r.checkpoints, "branch_record": branches}
	for name, n := range counts {
		if n == 0 {
			delete(counts, name)
		}
	}
	return counts
}

// facts returns what is known about the session as a whole.
func (r *trajectoryReading) facts() map[string]any {
	s := r.session
	facts := map[string]any{"kind": string(s.Kind)}
	for name, value := range map[string]string{
		"key": s.Key, "generation": s.Generation, "title": s.Title(), "spawned_by": s.Entry.SpawnedBy(),
		"cwd": r.header.Cwd, "forked_from": r.header.ParentSession,
	} {
		if value != "" {
			facts[name] = value
		}
	}
	if r.damages != nil {
		facts["damage"] = r.damages
	}
	return facts
}

// writeError gives the error of writing a session its code.
func (r *trajectoryReading) writeError(err error) error {
	switch {
	case errors.Is(err, trajectory.ErrNoSteps):
		return &skippedSession{r.name, failure.NoSteps}
	case errors.Is(err, trajectory.ErrNoAnswer):
		return &skippedSession{r.name, failure.NoAnswer}
	case errors.Is(err, rebuild.ErrChanged):
		return failure.New(failure.Changed, "").At(r.name).WithHint(r.commandLine())
	}
	return r.failed(err)
}
