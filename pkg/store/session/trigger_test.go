package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
)

// triggers are what other programs may have put into a store: they remove or change what is written, and SQLite reports
// success.
var triggers = map[string]string{
	"records vanish":    "AFTER INSERT ON messages BEGIN DELETE FROM messages WHERE rowid = NEW.rowid",
	"records ignored":   "BEFORE INSERT ON messages BEGIN SELECT RAISE(IGNORE)",
	"records change":    "AFTER INSERT ON messages BEGIN UPDATE messages SET data = '{}' WHERE rowid = NEW.rowid",
	"columns change":    "AFTER INSERT ON messages BEGIN UPDATE messages SET type = 'x' WHERE rowid = NEW.rowid",
	"records move":      "AFTER INSERT ON messages BEGIN UPDATE messages SET session_key = 'x' WHERE rowid = NEW.rowid",
	"later they vanish": "AFTER INSERT ON heads BEGIN DELETE FROM messages WHERE session_key = NEW.session_key",
	"no transcripts":    "AFTER INSERT ON transcripts BEGIN DELETE FROM transcripts WHERE session_key = NEW.session_key",
	"no trash":          "AFTER UPDATE ON trash BEGIN DELETE FROM trash WHERE id = NEW.id",
	"no parts":          "BEFORE INSERT ON trash_parts BEGIN SELECT RAISE(IGNORE)",
	"parts change":      "AFTER INSERT ON trash_parts BEGIN UPDATE trash_parts SET bytes = x'00' WHERE trash = NEW.trash",
	"sessions stay":     "BEFORE DELETE ON sessions BEGIN SELECT RAISE(IGNORE)",
	"records stay":      "BEFORE DELETE ON messages BEGIN SELECT RAISE(IGNORE)",
	"trash stays":       "BEFORE DELETE ON trash BEGIN SELECT RAISE(IGNORE)",
	"does no harm":      "AFTER INSERT ON messages BEGIN SELECT 1",
	"renames vanish":    "AFTER UPDATE OF session_key ON messages BEGIN DELETE FROM messages WHERE rowid = NEW.rowid",
}

const aRecord = `{"type":"custom","customType":"x"}`

// A change that a trigger undoes is refused, and nothing is changed. A trigger that does no harm is let be.
func TestTriggers(t *testing.T) {
	ctx := context.Background()
	added := []string{"records vanish", "records ignored", "records change", "columns change", "records move",
		"no transcripts"}
	for _, c := range []struct {
		name    string
		refused []string
		change  func(b *bench) error
	}{
		{"append", append([]string{"later they vanish"}, added...), func(b *bench) error {
			_, err := b.add("live", aRecord, aRecord)
			return err
		}},
		{"append to a new session", append([]string{"later they vanish"}, added...), func(b *bench) error {
			_, err := b.add("other", aRecord)
			return err
		}},
		{"append after text that was read", added, func(b *bench) error {
			rec := (&jsonl.Parser{}).Parse([]byte(aRecord), 1, 0)
			return b.Store.AppendAfter(ctx, "live", int64(len(b.text("live"))), rec)
		}},
		{"new", append([]string{"later they vanish", "renames vanish"}, added...), func(b *bench) error {
			_, err := b.Begin(ctx, "live", Options{})
			return err
		}},
		{"delete", []string{"no trash", "no parts", "parts change", "sessions stay", "records stay"},
			func(b *bench) error {
				_, err := b.Delete(ctx, Removal{Keys: []string{"live"}})
				return err
			}},
		{"purge", []string{"sessions stay", "records stay", "trash stays"}, func(b *bench) error {
			_, err := b.Delete(ctx, Removal{Keys: []string{"live"}, Purge: true})
			return err
		}},
		{"restore", append([]string{"trash stays"}, added...), func(b *bench) error {
			o, err := Find(ctx, &b.Store.View, "gone")
			if err == nil {
				_, err = b.Restore(ctx, o, "")
			}
			return err
		}},
		{"restore as a new session", added, func(b *bench) error {
			o, err := Find(ctx, &b.Store.View, "gone")
			if err == nil {
				_, err = b.Restore(ctx, o, "copy")
			}
			return err
		}},
	} {
		for _, trigger := range append(c.refused, "does no harm") {
			t.Run(c.name+"/"+trigger, func(t *testing.T) {
				t.Parallel()
				b := newTriggerBench(t, triggers[trigger])
				before := b.dump()
				err := c.change(b)
				isUnchanged := b.dump() == before
				if isRefused := errors.Is(err, store.ErrNotKept); isRefused != isUnchanged ||
					isRefused != (trigger != "does no harm") {
					t.Errorf("%v, unchanged: %v", err, isUnchanged)
				}
			})
		}
	}
}

// newTriggerBench returns a store with a live session and a deleted one, and then a trigger.
func newTriggerBench(t *testing.T, does string) *bench {
	t.Helper()
	b := newBench(t)
	b.put("live", aRecord)
	b.put("gone", aRecord)
	if _, err := b.Delete(context.Background(), Removal{Keys: []string{"gone"}}); err != nil {
		t.Fatal(err)
	}
	b.sql("CREATE TRIGGER foreign_one " + does + "; END")
	return b
}

// dump returns all rows of a store.
func (b *bench) dump() string {
	var all strings.Builder
	for _, table := range []string{"sessions", "messages", "transcripts", "trash", "trash_parts"} {
		fmt.Fprintln(&all, table, b.sql("SELECT quote(json_group_array(hex(row))) FROM (SELECT concat_ws('|', "+
			columnsOf[table]+") AS row FROM "+table+" ORDER BY rowid)"))
	}
	return all.String()
}

var columnsOf = map[string]string{
	"sessions": "key, created_at, updated_at, metadata", "messages": "id, session_key, parent_id, type, timestamp, data",
	"transcripts": "session_key, lines, bytes, sha256, own, seal", "trash": "id, session_key, about, seal",
	"trash_parts": "trash, receipt, part, hex(bytes)",
}

// sql runs a statement as another program, and returns the text of its last row.
func (b *bench) sql(statement string) (text string) {
	b.t.Helper()
	db, err := dbfile.OpenOwn(b.path, "_pragma=busy_timeout(5000)")
	if err != nil {
		b.t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(statement)
	if err != nil {
		b.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(&text); err != nil {
			b.t.Fatal(err)
		}
	}
	return text
}
