package store

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"slices"
)

// A seal is a checksum of the columns of one row. It covers what the digest of a session's text does not: whose text it
// is, where it came from, and how it is framed. Any changed bit changes the seal. A row without a seal was written by
// another program.

// sealOf returns the seal of a row's values, which are integers, truth values, strings or bytes.
func sealOf(values ...any) int64 {
	h := fnv.New64a()
	var buf [8]byte
	number := func(n int64) {
		binary.LittleEndian.PutUint64(buf[:], uint64(n))
		h.Write(buf[:])
	}
	for _, value := range values {
		switch v := value.(type) {
		case int64:
			number(v)
		case bool:
			number(map[bool]int64{true: 1}[v])
		case string:
			number(int64(len(v)))
			h.Write([]byte(v))
		case []byte:
			number(int64(len(v)))
			h.Write(v)
		default:
			number(-1) // NULL, which clawctl writes into none of these columns
		}
	}
	return int64(h.Sum64())
}

// A sealedTable is a table whose rows have seals: the columns that one covers, the column that names the session, and
// the first version of the schema that has it.
type sealedTable struct {
	name, columns, session string
	since                  int
}

// sealedTables are checked by SealFaults. The session's key is not covered where every rename would have to write all
// rows; a wrong key there changes the text of the session.
var sealedTables = []sealedTable{
	{"transcripts", transcriptColumns + ", session_seal", "session_key", sealedVersion},
	{"receipts", "id, " + receiptColumns, "session_key", sealedVersion},
	{"quarantine", "line, code, bytes", "session_key", sealedVersion},
	{"framing", "line, before, after", "session_key", sealedVersion},
	{"heads", "bytes, state", "session_key", lifeVersion},
	{"trash", trashColumns, "session_key", lifeVersion},
	{"archives", archiveColumns, "''", archiveVersion},
	{"archived", archivedColumns, "session_key", archiveVersion},
}

// sessionColumns are the columns of sessions. Their seal is in transcripts, because sessions is an interface for other
// programs and keeps its columns.
const sessionColumns = "key, created_at, updated_at, metadata"

// reseal computes the seals of a session's transcript and of its row in sessions again, after an update of either.
func (b *Batch) reseal(key string) error {
	t, err := b.View().Transcript(b.ctx, key)
	if t == nil || err != nil {
		return err
	}
	row, err := b.sessionRow(key)
	if err != nil {
		return err
	}
	seal := sealOf(row...)
	return b.exec("UPDATE transcripts SET session_seal = ?, seal = ? WHERE session_key = ?", seal,
		sealOf(append(t.values(), seal)...), t.Key)
}

// sessionRow returns the values of a session's row, which are all nil if another program has deleted it.
func (b *Batch) sessionRow(key string) ([]any, error) {
	row := make([]any, 4)
	err := each(b.ctx, b.db, "SELECT "+sessionColumns+" FROM sessions WHERE key = ?", []any{key},
		func(scan scanFunc) error { return scan(&row[0], &row[1], &row[2], &row[3]) })
	return row, err
}

// resealReceipts computes the seals of a session's receipts again.
func (b *Batch) resealReceipts(key string) error {
	list, err := b.View().ReceiptsOf(b.ctx, key)
	if err != nil {
		return err
	}
	for _, r := range list {
		if err := b.exec("UPDATE receipts SET seal = ? WHERE id = ?", r.seal(), r.ID); err != nil {
			return err
		}
	}
	return nil
}

// resealLines computes the seals of a session's odd lines again.
func (b *Batch) resealLines(key string) error {
	for _, table := range []string{"quarantine", "framing"} {
		seals := map[int64]int64{}
		err := each(b.ctx, b.db, "SELECT rowid, "+columnsOf(table)+" FROM "+table+" WHERE session_key = ?",
			[]any{key}, func(scan scanFunc) error {
				row := make([]any, 4)
				err := scan(&row[0], &row[1], &row[2], &row[3])
				seals[row[0].(int64)] = sealOf(row[1:]...)
				return err
			})
		if err != nil {
			return err
		}
		for id, seal := range seals {
			if err := b.exec("UPDATE "+table+" SET seal = ? WHERE rowid = ?", seal, id); err != nil {
				return err
			}
		}
	}
	return nil
}

func columnsOf(table string) string {
	return sealedTables[slices.IndexFunc(sealedTables, func(s sealedTable) bool { return s.name == table })].columns
}

// sealAll seals everything in a store that was written before there were seals.
func (s *SQLite) sealAll(ctx context.Context) error {
	b := &Batch{ctx: ctx, store: s, db: s.writer}
	list, err := b.View().Transcripts(ctx)
	if err != nil {
		return err
	}
	for _, t := range list {
		for _, reseal := range []func(string) error{b.reseal, b.resealReceipts, b.resealLines} {
			if err := reseal(t.Key); err != nil {
				return err
			}
		}
	}
	return nil
}
