package prune

import (
	"context"
	"time"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/source"
)

// A Plan is a list of things that go or stay: files, or sessions of a store.
type Plan struct {
	Noun    string // of a thing
	Where   string // what the plan is about, at the end of a sentence
	Final   bool   // things are deleted for good
	Archive string // the archive that things move to, instead of the trash
	Items   []*Item
	Summary Summary
}

// An Item is one thing of a plan.
type Item struct {
	Row
	Name  string    // for people
	Short string    // the reason, if there is little room
	Since time.Time // when it was last used, or moved to the trash
	// Do carries it out. It is nil if the thing stays.
	Do func() *failure.Error
}

// A Row is the JSON form of an item.
type Row struct {
	SchemaVersion int         `json:"schema_version"`
	Action        string      `json:"action"` // move, delete or keep; afterwards moved, deleted or kept
	Path          string      `json:"path,omitempty"`
	Session       string      `json:"session,omitempty"`
	Kind          source.Kind `json:"kind,omitempty"`
	Bytes         int64       `json:"bytes"`
	LastUsed      string      `json:"last_used,omitempty"`
	TrashedAt     string      `json:"trashed_at,omitempty"`
	Reason        string      `json:"reason"`
	Receipt       string      `json:"receipt,omitempty"`
	Trash         string      `json:"trash,omitempty"`
	Archive       string      `json:"archive,omitempty"`
}

// A Summary adds up what goes and what stays. It is the last object of the JSON form of a plan.
type Summary struct {
	SchemaVersion int    `json:"schema_version"`
	Summary       bool   `json:"summary"`
	Written       bool   `json:"written"`
	Count         int    `json:"count"` // of what goes, or went
	Bytes         int64  `json:"bytes"`
	Kept          int    `json:"kept"`
	KeptBytes     int64  `json:"kept_bytes"`
	Against       string `json:"against,omitempty"`
	Receipt       string `json:"receipt,omitempty"`
	Archive       string `json:"archive,omitempty"`
	ArchiveBytes  int64  `json:"archive_bytes,omitempty"`
}

// verb is what happens to an item that goes, before and afterwards.
func (p *Plan) verb(isDone bool) string {
	switch {
	case p.Final && isDone:
		return "deleted"
	case p.Final:
		return "delete"
	case isDone:
		return "moved"
	}
	return "move"
}

// Add adds an item that goes for some reason, unless keep is a reason why it stays.
func (p *Plan) Add(item *Item, reason, keep ui.Cell) {
	item.Action = p.verb(false)
	if keep.Text != "" {
		item.Action, item.Do, reason = "keep", nil, keep
	}
	item.SchemaVersion, item.Reason, item.Short = 1, reason.Text, reason.Short
	if since := item.Since.UTC().Format(time.RFC3339); p.Final {
		item.TrashedAt = since
	} else {
		item.LastUsed = since
	}
	p.Items = append(p.Items, item)
}

// Count adds up what goes and what stays. written says whether the plan is carried out.
func (p *Plan) Count(written bool) {
	s := Summary{SchemaVersion: 1, Summary: true, Written: written, Against: p.Summary.Against, Receipt: p.Summary.Receipt,
		Archive: p.Archive, ArchiveBytes: p.Summary.ArchiveBytes}
	for _, item := range p.Items {
		if item.Do != nil {
			s.Count, s.Bytes = s.Count+1, s.Bytes+item.Bytes
		} else {
			s.Kept, s.KeptBytes = s.Kept+1, s.KeptBytes+item.Bytes
		}
	}
	p.Summary = s
}

// CarryOut does what the plan says, and hands on what became of each thing that was to go. What fails does not stop the
// rest, unless a store is locked: the next one would only wait as long.
func (p *Plan) CarryOut(ctx context.Context, done func(*failure.Error)) error {
	var locked *failure.Error
	for _, item := range p.Items {
		if err := ctx.Err(); err != nil {
			return err
		}
		f := locked
		if item.Do != nil && locked == nil {
			f = item.Do()
			done(f)
		}
		if f != nil && f.Status() == failure.ExitLocked {
			locked = f
		}
		p.conclude(item, f)
	}
	p.Count(true)
	return nil
}

// conclude notes what became of an item.
func (p *Plan) conclude(item *Item, f *failure.Error) {
	switch {
	case item.Do == nil:
		item.Action = "kept"
	case f != nil:
		item.Action, item.Reason, item.Do = "kept", f.Text, nil
	default:
		item.Action = p.verb(true)
	}
}

// amount is how much goes, in words.
func (p *Plan) amount() string {
	return ui.Count(p.Summary.Count, p.Noun) + " (" + ui.Bytes(p.Summary.Bytes) + ")"
}

// Question is what is asked before anything happens.
func (p *Plan) Question() string {
	if p.Final {
		return "Delete " + p.amount() + " for good?"
	}
	return "Move " + p.amount() + " to " + p.goal() + "?"
}

// goal is where things move to.
func (p *Plan) goal() string {
	if p.Archive != "" {
		return p.Archive
	}
	return "the trash"
}

// Words sum up what goes and what stays.
func (p *Plan) Words() string {
	s, where := p.Summary, p.Where
	text := "nothing can be pruned"
	switch {
	case s.Count == 0:
	case p.Archive != "":
		text, where = p.amount()+where+" can be moved to "+p.Archive, ""
	case p.Final:
		text = p.amount() + " can be deleted for good"
	default:
		text = p.amount() + " can be moved to " + p.goal()
	}
	if s.Kept > 0 {
		text += ", " + ui.Count(s.Kept, p.Noun) + " (" + ui.Bytes(s.KeptBytes) + ") must stay"
	}
	return text + where
}

// DoneWords sum up what went and what stayed.
func (p *Plan) DoneWords() string {
	s := p.Summary
	text := p.verb(true) + " " + p.amount()
	if p.Final {
		text += " for good"
	} else {
		text += " to " + p.goal()
	}
	if s.ArchiveBytes > 0 {
		text += ", which has " + ui.Bytes(s.ArchiveBytes)
	}
	if s.Kept > 0 {
		text += ", left " + ui.Count(s.Kept, p.Noun) + " alone"
	}
	if s.Receipt != "" {
		text += "; receipt " + s.Receipt
	}
	return text
}
