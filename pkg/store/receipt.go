package store

import (
	"context"
	"io"
	"strings"
)

// An ImportReceipt notes that a source was read and where its text is: the first Bytes bytes of a session.
type ImportReceipt struct {
	ID         int64
	Path       string // of the file, or DATABASE#SESSION
	Root       string // the folder that was searched
	SessionKey string
	Kind       string
	Stamp      Stamp
	Sum        string // of the text
	Lines      int64
	Bytes      int64
	ImportedAt int64  // epoch milliseconds
	Replaced   bool   // the file has different text now
	InDatabase bool   // the source was a database
	PackedSum  string // of its original bytes, if it was compressed: see View.Packed
}

// A Stamp identifies a state of a file. A file with the same stamp has not changed. CTime also changes if a file was
// rewritten and got its old size and MTime back. It is 0 on systems without it.
type Stamp struct{ Size, MTime, CTime, Device, Inode int64 }

// PartStamp is the stamp of a source that was not read to its end.
var PartStamp = Stamp{Size: -1}

// IsPart reports whether the source was not read to its end.
func (r *ImportReceipt) IsPart() bool { return r.Stamp.Size == PartStamp.Size }

const receiptColumns = "path, root, session_key, kind, size, mtime, device, inode, sha256, lines, bytes, " +
	"imported_at, replaced, in_database, packed_sha256, ctime"

// columnsOfReceipts returns the columns of a store. One of version 1 that is only read has no ctime.
func columnsOfReceipts(ctx context.Context, db querier) (string, error) {
	hasTime, err := one[bool](ctx, db, "SELECT count(*) FROM pragma_table_info('receipts') WHERE name = 'ctime'")
	if !hasTime {
		return strings.Replace(receiptColumns, "ctime", "0", 1), err
	}
	return receiptColumns, err
}

// values returns the id and the values of receiptColumns.
func (r *ImportReceipt) values() []any {
	return []any{r.ID, r.Path, r.Root, r.SessionKey, r.Kind, r.Stamp.Size, r.Stamp.MTime, r.Stamp.Device, r.Stamp.Inode,
		r.Sum, r.Lines, r.Bytes, r.ImportedAt, r.Replaced, r.InDatabase, r.PackedSum, r.Stamp.CTime}
}

func (r *ImportReceipt) seal() int64 { return sealOf(r.values()...) }

func receipts(ctx context.Context, db querier, where string, args ...any) ([]*ImportReceipt, error) {
	columns, err := columnsOfReceipts(ctx, db)
	if err != nil {
		return nil, err
	}
	return collect(ctx, db, "SELECT id, "+columns+" FROM receipts "+where+" ORDER BY id", args,
		func(scan scanFunc) (*ImportReceipt, error) {
			r := &ImportReceipt{}
			return r, scan(&r.ID, &r.Path, &r.Root, &r.SessionKey, &r.Kind, &r.Stamp.Size, &r.Stamp.MTime, &r.Stamp.Device,
				&r.Stamp.Inode, &r.Sum, &r.Lines, &r.Bytes, &r.ImportedAt, &r.Replaced, &r.InDatabase, &r.PackedSum,
				&r.Stamp.CTime)
		})
}

// PutReceipt stores a receipt. It replaces the one with the same id.
func (b *Batch) PutReceipt(r *ImportReceipt) error {
	if r.ID == 0 {
		// A receipt with the path may be left of a session that another program has deleted.
		err := b.dropReceipts("path = ? AND NOT replaced", r.Path)
		if err != nil {
			return err
		}
		if r.ID, err = b.nextReceipt(); err != nil {
			return err
		}
	}
	return b.exec(`INSERT INTO receipts(id, `+receiptColumns+
		`, seal) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT(id) DO UPDATE SET root = excluded.root, session_key = excluded.session_key, kind = excluded.kind,
size = excluded.size, mtime = excluded.mtime, device = excluded.device, inode = excluded.inode,
sha256 = excluded.sha256, lines = excluded.lines, bytes = excluded.bytes, imported_at = excluded.imported_at,
replaced = excluded.replaced, in_database = excluded.in_database, packed_sha256 = excluded.packed_sha256,
ctime = excluded.ctime, seal = excluded.seal`, append(r.values(), r.seal())...)
}

// nextReceipt returns an unused id for a receipt.
func (b *Batch) nextReceipt() (id int64, err error) {
	if b.lastReceipt == 0 {
		b.lastReceipt, err = one[int64](b.ctx, b.db, "SELECT coalesce(max(id), 0) FROM receipts")
	}
	b.lastReceipt++
	return b.lastReceipt, err
}

// DropReceipt deletes the receipt of a file that is gone.
func (b *Batch) DropReceipt(r *ImportReceipt) error {
	return b.dropReceipts("id = ?", r.ID)
}

func (b *Batch) dropReceipts(where string, args ...any) error {
	if err := b.dropPacked(where, args...); err != nil {
		return err
	}
	return b.exec("DELETE FROM receipts WHERE "+where, args...)
}

// DropPacked deletes the stored bytes of a compressed source, which may have changed.
func (b *Batch) DropPacked(r *ImportReceipt) error { return b.dropPacked("id = ?", r.ID) }

// dropPacked deletes the stored bytes of the compressed sources whose receipts match a condition.
func (b *Batch) dropPacked(where string, args ...any) error {
	return b.exec("DELETE FROM packed WHERE receipt IN (SELECT id FROM receipts WHERE "+where+")", args...)
}

// PutPacked stores the original bytes of a compressed source, and notes their digest in its receipt.
func (b *Batch) PutPacked(r *ImportReceipt, bytes io.Reader) (err error) {
	if r.PackedSum, err = b.putParts(packedParts(r.ID), bytes); err != nil {
		return err
	}
	return b.PutReceipt(r)
}

// Packed opens the original bytes of a compressed source.
func (v *View) Packed(ctx context.Context, r *ImportReceipt) (io.ReadCloser, error) {
	return v.openParts(ctx, packedParts(r.ID))
}
