package prune

import (
	"bytes"
	"encoding/json"
	"os"

	"clawctl/internal/openfile"
	"clawctl/pkg/change"
	"clawctl/pkg/migrate"
	"clawctl/pkg/store"
)

// A Guard knows which sessions of a store are the proof of files that were pruned, and by which of their receipts.
type Guard struct {
	byID   map[string]*change.Receipt
	byName map[string]*change.Receipt // sessions without an id
	unread []unreadReceipt
}

// An unreadReceipt is a damaged receipt. It may still name the session that it is about.
type unreadReceipt struct {
	err  *change.ReceiptError
	text []byte
}

// maxDamaged is the largest damaged receipt that is searched for names.
const maxDamaged = 256 << 20

// NewGuard reads receipts. A receipt counts until it is undone, even if its file is no longer in the trash: then the
// session is the last copy. A store that is no longer where a receipt says may be this one.
func NewGuard(receipts []*change.Receipt, unread []*change.ReceiptError, storePath string) *Guard {
	g := &Guard{byID: map[string]*change.Receipt{}, byName: map[string]*change.Receipt{}}
	for _, err := range unread {
		text, _ := openfile.Content(err.Path, maxDamaged) // what cannot be read names nothing
		g.unread = append(g.unread, unreadReceipt{err, text})
	}
	for _, r := range receipts {
		if r.Moved == nil || r.UndoneAt != nil || r.Moved.Proof.Kind != migrate.ClawctlStore.String() ||
			!mayBe(storePath, r.Moved.Proof.Path) {
			continue
		}
		for _, w := range r.Moved.Proof.Sessions {
			if w.ID != "" {
				g.byID[w.ID] = r
			} else {
				g.byName[w.Session] = r
			}
		}
	}
	return g
}

// mayBe reports whether a store is the one that a receipt names.
func mayBe(storePath, named string) bool {
	there, err := os.Stat(named)
	if err != nil {
		return true
	}
	here, err := os.Stat(storePath)
	return err != nil || os.SameFile(here, there)
}

// Receipt returns the receipt of a file whose proof a session is, or nil. A session keeps its id whatever happens to
// its key, so the id decides.
func (g *Guard) Receipt(t *store.Transcript) *change.Receipt {
	if r := g.byID[t.SessionID]; r != nil {
		return r
	}
	return g.byName[t.Key]
}

// Unread returns what is wrong with a receipt that cannot be read and mentions a session, or nil.
func (g *Guard) Unread(t *store.Transcript) *change.ReceiptError {
	name, err := json.Marshal(t.Key)
	for _, r := range g.unread {
		if t.SessionID != "" && bytes.Contains(r.text, []byte(t.SessionID)) || err == nil && bytes.Contains(r.text, name) {
			return r.err
		}
	}
	return nil
}
