package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
)

const aRecord = `{"type":"custom","customType":"x"}`

// Nothing is written to a store with triggers of another program, which are named. It is read as ever.
func TestTriggers(t *testing.T) {
	ctx := context.Background()
	for name, change := range map[string]func(b *bench) error{
		"append": func(b *bench) error {
			_, err := b.add("live", aRecord, aRecord)
			return err
		},
		"append to a new session": func(b *bench) error {
			_, err := b.add("other", aRecord)
			return err
		},
		"append after text that was read": func(b *bench) error {
			rec := (&jsonl.Parser{}).Parse([]byte(aRecord), 1, 0)
			return b.Store.AppendAfter(ctx, "live", int64(len(b.text("live"))), rec)
		},
		"new": func(b *bench) error {
			_, err := b.Begin(ctx, "live", Options{})
			return err
		},
		"delete": func(b *bench) error {
			_, err := b.Delete(ctx, Removal{Keys: []string{"live"}})
			return err
		},
		"purge": func(b *bench) error {
			_, err := b.Delete(ctx, Removal{Keys: []string{"live"}, Purge: true})
			return err
		},
		"restore": func(b *bench) error {
			o, err := Find(ctx, &b.Store.View, "gone")
			if err == nil {
				_, err = b.Restore(ctx, o, "")
			}
			return err
		},
		"restore as a new session": func(b *bench) error {
			o, err := Find(ctx, &b.Store.View, "gone")
			if err == nil {
				_, err = b.Restore(ctx, o, "copy")
			}
			return err
		},
		"open": func(b *bench) error {
			st, err := store.Open(ctx, b.path, store.Options{})
			if err == nil {
				st.Close()
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newTriggerBench(t)
			before, text := b.dump(), b.text("live")
			var refused *store.TriggersError
			if err := change(b); !errors.As(err, &refused) || !slices.Equal(refused.Names, []string{"a", "b"}) {
				t.Error(err)
			}
			if b.dump() != before || b.text("live") != text {
				t.Error("something was changed")
			}
			b.sql(`DROP TRIGGER a; DROP TRIGGER b`)
			if err := change(b); err != nil {
				t.Error(err)
			}
		})
	}
}

// newTriggerBench returns a store with a live session, a deleted one, and two triggers.
func newTriggerBench(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	b.put("live", aRecord)
	b.put("gone", aRecord)
	if _, err := b.Delete(context.Background(), Removal{Keys: []string{"gone"}}); err != nil {
		t.Fatal(err)
	}
	b.sql("CREATE TRIGGER b AFTER INSERT ON messages BEGIN DELETE FROM messages WHERE rowid = NEW.rowid; END; " +
		"CREATE TRIGGER a AFTER INSERT ON sessions BEGIN SELECT 1; END")
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
