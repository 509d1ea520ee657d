package trajectory

import (
	"cmp"
	"encoding/json"
	"iter"
	"path"
	"strings"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
)

// A Transcript is a session that becomes a trajectory or an example. Visit must see all its records, before the other
// fields are set.
type Transcript struct {
	Session *source.Session
	Index   *rebuild.Index
	Context *rebuild.Context
	All     func() iter.Seq2[*jsonl.Record, error] // reads the transcript again
	Reached func() iter.Seq2[*jsonl.Record, error] // reads again what the context is made from

	header      jsonl.Header
	naming      source.Naming
	origin      jsonl.Origin
	hasLoose    bool // there are records with usage that are in no branch
	checkpoints int
	damaged     int
	damages     []damageFact // the first ones
}

// A damageFact is a damaged line in a trajectory.
type damageFact struct {
	Line    int64        `json:"line"`
	Code    failure.Code `json:"code"`
	Message string       `json:"message"`
}

// maxDamages is how many damaged lines a trajectory lists.
const maxDamages = 10

// Visit notes what a record says about the session besides the path.
func (t *Transcript) Visit(rec *jsonl.Record) {
	if rec.Damage != nil && !rec.Continued {
		if t.damaged++; t.damaged <= maxDamages {
			d := rec.Damage
			t.damages = append(t.damages, damageFact{d.Line, d.Code, d.Code.Words()})
		}
	}
	if !rec.Legible() {
		return
	}
	t.naming.Take(rec)
	if !t.origin.IsKnown() {
		t.origin = rec.Origin()
	}
	t.hasLoose = t.hasLoose || isLoose(rec)
	switch rec.Type() {
	case jsonl.TypeSession:
		if h, ok := rec.Header(); ok && t.header.ID == "" {
			t.header = h
		}
	case jsonl.TypeCheckpoint:
		t.checkpoints++
	}
}

// describe returns what the trajectory of the session is made from.
func (t *Transcript) describe(f *Family) (*input, error) {
	prompt, err := t.Context.Prompt(t.Reached())
	if err != nil {
		return nil, err
	}
	file := f.files[t.Session]
	s := &input{
		ID: cmp.Or(t.Index.HeaderID(), t.Session.ID), Document: strings.TrimSuffix(file, path.Ext(file)),
		Agent:     t.agent(prompt),
		Path:      func(emit func(*jsonl.Record) error) error { return t.Context.PathRecords(t.All(), emit) },
		Subagents: f.subagentsOf(t.Session), LeftOut: t.leftOut(), Extra: t.facts(),
	}
	if t.hasLoose {
		s.Loose = t.eachLoose
	}
	if next := f.next[t.Session]; next != nil {
		s.Continued = f.refer(t.Session, next)
	}
	return s, nil
}

// isLoose reports whether a record has usage and is in no branch, because its program gives such records no id.
func isLoose(rec *jsonl.Record) bool { return rec.Type() == jsonl.TypeUsage && rec.ID() == "" }

// eachLoose reads the transcript again for the records with usage that are in no branch.
func (t *Transcript) eachLoose(emit func(*jsonl.Record) error) error {
	for rec, err := range t.All() {
		if err != nil {
			return err
		}
		if !rec.Legible() || !isLoose(rec) {
			continue
		}
		if err := emit(rec); err != nil {
			return err
		}
	}
	return nil
}

// agent describes the program that ran the session. Transcripts do not say its version.
func (t *Transcript) agent(prompt *rebuild.Prompt) Agent {
	agent := Agent{Name: t.Index.Writer(), Version: "unknown"}
	agent.Extra = map[string]any{"transcript_format": t.Index.Dialect.String()}
	if t.Session.Agent != "" {
		agent.Extra["agent_id"] = t.Session.Agent
	}
	for _, tool := range prompt.Tools(ExampleForm) {
		agent.Tools = append(agent.Tools, json.RawMessage(tool))
	}
	return agent
}

// leftOut counts what the transcript has besides its path.
func (t *Transcript) leftOut() map[string]int {
	branches := 0
	for _, m := range t.Context.Marks() {
		if !m.OnPath && !m.Loose && m.Line != t.Index.HeaderLine() {
			branches++
		}
	}
	counts := map[string]int{"damaged_line": t.damaged, "checkpoint": t.checkpoints, "branch_record": branches}
	for name, n := range counts {
		if n == 0 {
			delete(counts, name)
		}
	}
	return counts
}

// facts returns what is known about the session as a whole.
func (t *Transcript) facts() map[string]any {
	s := t.Session
	facts := map[string]any{"kind": string(s.Kind)}
	for name, value := range map[string]string{
		"key": s.Key, "generation": s.Generation, "title": cmp.Or(t.naming.Name(), s.Title()), "spawned_by": s.SpawnedBy(),
		"cwd": t.origin.Folder, "git_branch": t.origin.Branch, "forked_from": t.header.ParentSession,
	} {
		if value != "" {
			facts[name] = value
		}
	}
	if t.damages != nil {
		facts["damage"] = t.damages
	}
	return facts
}
