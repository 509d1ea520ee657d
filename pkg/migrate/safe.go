package migrate

import (
	"clawctl/pkg/source"
	"clawctl/pkg/source/hold"
)

// A source is safe to delete if every byte of it is accounted for by records that the target holds with equal content,
// and nothing needs the file itself. docs/guarantees.md has the definition in full. This file is the only place that
// decides it.

// A Keep says why a complete source is not safe to delete. The zero Keep says nothing against it.
type Keep struct {
	Reason KeepReason
	By     string // what the reason is about: an index, a lock, the part that was not read
}

// A KeepReason is a kind of reason to keep a source. Besides these there are those of [hold.Reason].
type KeepReason string

// The reasons to keep a source whose records are all in the target.
const (
	NotAFile  KeepReason = "not-a-file" // it is part of a database or came through a pipe
	NoRecords KeepReason = "no-records" // it has bytes, but no record that clawctl understands
	NotRead   KeepReason = "not-read"   // it has bytes besides its text
	Changed   KeepReason = "changed"    // it changed while it was compared
	Owned     KeepReason = "owned"      // only the program that wrote it knows whether it still needs it
)

// inUse reports whether a program may still use the source.
func (k Keep) inUse() bool {
	return k.Reason == KeepReason(hold.Registered) || k.Reason == KeepReason(hold.Locked)
}

// Complete reports whether the target has the content of every line of the source.
func (p *Proof) Complete() bool { return p.Err == nil && p.Relation != Unreadable && p.Missing == 0 }

// Safe reports whether the source is safe to delete.
func (p *Proof) Safe() bool { return p.Complete() && p.Keep == Keep{} }

// decideSafety finds the reasons to keep complete sources. It looks at the files last, after everything was compared.
func (v *verifier) decideSafety() error {
	var files []*source.Session
	for i := range v.proofs {
		p := &v.proofs[i]
		if !p.Complete() {
			continue
		}
		if p.Keep = v.examine(p); p.Safe() {
			files = append(files, p.Session)
		}
	}
	holds, err := v.findHolds(files)
	if err != nil {
		return err
	}
	for i := range v.proofs {
		p := &v.proofs[i]
		if hold, held := holds[p.Session]; held {
			p.Keep = Keep{KeepReason(hold.Reason), hold.By}
		}
		if p.Safe() {
			p.Keep = compareStamp(p)
		}
	}
	return v.ctx.Err()
}

// findHolds finds out which files somebody needs. Nobody needs a file in the trash: it was safe to delete when it went
// there, and only its bytes must still be accounted for.
func (v *verifier) findHolds(files []*source.Session) (map[*source.Session]hold.Hold, error) {
	if v.opts.InTrash {
		return nil, nil
	}
	return hold.Find(v.ctx, files, v.opts.Holds)
}

// Unchanged reports whether the source is still what was compared.
func (p *Proof) Unchanged() bool { return compareStamp(p) == Keep{} }

// examine looks for reasons in the source itself.
func (v *verifier) examine(p *Proof) Keep {
	s := p.Session
	switch {
	case !s.IsFile():
		return Keep{Reason: NotAFile}
	case !p.Dialect.IsKnown() && s.Bytes > 0 && !v.opts.InTrash:
		return Keep{Reason: NoRecords} // one in the trash was a transcript by the rules of its time
	}
	if p.Dialect.CheckOwner() != nil && !v.opts.InTrash {
		return Keep{Owned, p.Dialect.Program().Title}
	}
	unread, err := s.Unread(v.ctx)
	if err == nil && unread != "" {
		if holder, heldErr := v.target.holderOf(v.ctx, s); holder != nil && heldErr == nil {
			p.addHolder(holder)
			return Keep{}
		}
		return Keep{NotRead, unread}
	}
	if err != nil {
		p.Err = err
	}
	return Keep{}
}

// compareStamp compares the source with what it was before it was read.
func compareStamp(p *Proof) Keep {
	now, err := p.Session.Stamp()
	if err != nil || now != p.stamp {
		return Keep{Reason: Changed}
	}
	return Keep{}
}
