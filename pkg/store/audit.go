package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"clawctl/pkg/export/bundle"
	"clawctl/pkg/store/dbfile"
)

// A ProblemKind says what is wrong with a part of a store.
type ProblemKind string

// The kinds of faults.
const (
	// Damaged is what is not as clawctl wrote it. Another program may have changed it, or the disk.
	Damaged ProblemKind = "damaged"
	// Foreign is what another program has added. It is no damage.
	Foreign ProblemKind = "foreign"
	// Incomplete is a session of which an interrupted import has stored only the beginning, or an index that it has not
	// built.
	Incomplete ProblemKind = "incomplete"
	// Undigested is a session that once differed from its source and has no digest since.
	Undigested ProblemKind = "undigested"
	// Unreachable is a session whose text lies in an archive that is not there.
	Unreachable ProblemKind = "unreachable"
	// Unsealed is a store of an earlier version, whose rows have no checksums yet.
	Unsealed ProblemKind = "unsealed"
)

// A Problem is something about a store that its owner should know.
type Problem struct {
	Kind    ProblemKind
	Table   string
	Session string // the session's key, or "" if it is about no session
	Text    string
}

// An Auditor checks everything in a store. All of it is read in one state.
type Auditor struct {
	ctx    context.Context
	view   *View
	faults []Problem
	// isAltered is set if the schema has anything that clawctl did not create.
	isAltered bool

	// Skip, if set, leaves out the text of a session that was compared with its source in the same state.
	Skip func(key string) bool
	// Progress, if set, is called with the number of bytes that were read.
	Progress func(bytes int64)
}

// NewAuditor returns an auditor for a store.
func NewAuditor(ctx context.Context, r *Reader) *Auditor { return &Auditor{ctx: ctx, view: &r.View} }

// Audit checks every table: the structure of the database, the checksums of rows, and the text of every session.
func (a *Auditor) Audit() ([]Problem, error) {
	whole := *a.view
	defer func() { a.view = &whole }()
	err := whole.InOneState(a.ctx, func(v *View) error {
		a.view = v
		for _, check := range []func() error{
			a.checkSchema, a.checkStructure, a.checkSeals, a.checkOwners, a.checkPacked, a.checkTexts, a.checkArchives,
			a.checkTrash,
		} {
			if err := check(); err != nil {
				return dbfile.Classify(err)
			}
		}
		return nil
	})
	return a.faults, err
}

// SealFaults checks the rows that are neither records nor packed bytes. That takes little time.
func (v *View) SealFaults(ctx context.Context) ([]Problem, error) {
	a := &Auditor{ctx: ctx}
	err := v.InOneState(ctx, func(v *View) error {
		a.view = v
		return errors.Join(a.checkSeals(), a.checkOwners())
	})
	return a.faults, dbfile.Classify(err)
}

func (a *Auditor) add(kind ProblemKind, table, session, format string, args ...any) {
	a.faults = append(a.faults, Problem{kind, table, session, fmt.Sprintf(format, args...)})
}

func (a *Auditor) each(query string, row func(scan scanFunc) error) error {
	return each(a.ctx, a.view.db, query, nil, row)
}

// checkSchema compares the tables and indexes with those that clawctl creates.
func (a *Auditor) checkSchema() error {
	have, err := version(a.ctx, a.view.db)
	if err != nil {
		return err
	}
	want, err := expectedSchema(a.ctx, have)
	if err != nil {
		return err
	}
	err = a.each(schemaQuery, func(scan scanFunc) error {
		var name, text string
		if err := scan(&name, &text); err != nil {
			return err
		}
		switch expected, known := want[name]; {
		case !known:
			a.isAltered = true
			a.add(Foreign, name, "", "created by another program")
		case expected != text:
			a.isAltered = true
			a.add(Damaged, name, "", "the schema is not the one that clawctl created")
		}
		delete(want, name)
		return nil
	})
	for name := range want {
		kind, text := Damaged, "missing from the schema"
		if name == parentIndexName {
			kind, text = Incomplete, "the index of parents is missing until an import has ended"
		}
		a.add(kind, name, "", "%s", text)
	}
	return err
}

const schemaQuery = "SELECT name, type || ' ' || tbl_name || ' ' || coalesce(sql, '') FROM sqlite_schema WHERE name " +
	"NOT LIKE 'sqlite\\_%' ESCAPE '\\'"

// expectedSchema returns the tables and indexes of a new store, by name.
func expectedSchema(ctx context.Context, version int) (map[string]string, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, m := range migrations[:version] {
		if _, err := db.ExecContext(ctx, m.statements); err != nil {
			return nil, err
		}
	}
	schema := map[string]string{}
	err = each(ctx, db, schemaQuery, nil, func(scan scanFunc) error {
		var name, text string
		err := scan(&name, &text)
		schema[name] = text
		return err
	})
	return schema, err
}

// checkStructure runs SQLite's own checks: of the pages and indexes, and for rows that belong to nothing.
func (a *Auditor) checkStructure() error {
	if err := a.checkPages(); err != nil {
		return err
	}
	for _, table := range slices.Concat(tables, newerTables, archiveTables) {
		if err := a.checkForeignKeys(table); err != nil {
			return err
		}
	}
	return nil
}

// checkPages checks pages and indexes. The full check evaluates the expressions of the schema, which may run for ever
// if somebody else has written them.
func (a *Auditor) checkPages() error {
	if a.isAltered {
		err := dbfile.QuickCheck(a.ctx, a.view.db)
		if errors.Is(err, dbfile.ErrCorrupt) {
			a.add(Damaged, "", "", "SQLite: %v", err)
			err = nil
		}
		return err
	}
	return a.each("PRAGMA integrity_check(10)", func(scan scanFunc) error {
		var text string
		err := scan(&text)
		if err != nil {
			return err
		}
		if text != "ok" {
			a.add(Damaged, "", "", "SQLite: %s", strings.Join(strings.Fields(text), " "))
		}
		return nil
	})
}

// checkForeignKeys finds the rows of a table, if there is one, that belong to nothing.
func (a *Auditor) checkForeignKeys(table string) error {
	query := "SELECT c.parent, count(*) FROM sqlite_schema m JOIN pragma_foreign_key_check(m.name) c WHERE m.name = '" +
		table + "' GROUP BY 1"
	return a.each(query, func(scan scanFunc) error {
		var parent string
		var n int64
		err := scan(&parent, &n)
		a.add(Damaged, table, "", "rows that belong to no row of %s: %d", parent, n)
		return err
	})
}

// checkSeals checks the checksums of rows.
func (a *Auditor) checkSeals() error {
	have, err := version(a.ctx, a.view.db)
	if err != nil {
		return err
	}
	if have < sealedVersion {
		a.add(Unsealed, "", "", "written by an earlier version of clawctl, without checksums of rows")
		return nil
	}
	for _, table := range sealedTables {
		if table.since > have {
			continue
		}
		if err := a.checkSealsOf(table); err != nil {
			return err
		}
	}
	return a.checkSessions()
}

// sealedVersion is the first version of the schema with seals.
const sealedVersion = 2

func (a *Auditor) checkSealsOf(table sealedTable) error {
	values := make([]any, strings.Count(table.columns, ",")+3)
	into := make([]any, len(values))
	for i := range values {
		into[i] = &values[i]
	}
	query := "SELECT " + table.session + ", seal, " + table.columns + " FROM " + table.name
	return a.each(query, func(scan scanFunc) error {
		if err := scan(into...); err != nil {
			return err
		}
		session, _ := values[0].(string)
		switch {
		case values[1] == nil:
			a.add(Foreign, table.name, session, "a row was written by another program")
		case values[1] != sealOf(values[2:]...):
			a.add(Damaged, table.name, session, "a row of %s is not as clawctl wrote it", table.name)
		}
		return nil
	})
}

// checkSessions checks the rows of sessions, and names those of other programs.
func (a *Auditor) checkSessions() error {
	const query = "SELECT " + sessionColumns + ", session_seal, session_key FROM sessions LEFT JOIN transcripts ON " +
		"session_key = key"
	values := make([]any, 6)
	return a.each(query, func(scan scanFunc) error {
		if err := scan(&values[0], &values[1], &values[2], &values[3], &values[4], &values[5]); err != nil {
			return err
		}
		session, _ := values[0].(string)
		switch {
		case values[5] == nil:
			a.add(Foreign, "sessions", session, "the session was written by another program")
		case values[4] != nil && values[4] != sealOf(values[:4]...):
			a.add(Damaged, "sessions", session, "the row of sessions is not as clawctl wrote it")
		}
		return nil
	})
}

// checkOwners finds receipts and marks of sessions that do not exist.
func (a *Auditor) checkOwners() error {
	for _, table := range []string{"receipts", "transcripts", "uncompared"} {
		err := a.each("SELECT session_key FROM "+table+" WHERE session_key NOT IN (SELECT key FROM sessions)",
			func(scan scanFunc) error {
				var key string
				err := scan(&key)
				a.add(Damaged, table, key, "a row of %s belongs to a session that does not exist", table)
				return err
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// checkPacked checks the original bytes of compressed sources.
func (a *Auditor) checkPacked() error {
	list, err := a.view.Receipts(a.ctx)
	if err != nil {
		return err
	}
	gaps, err := a.gaps("packed", "receipt, 0")
	if err != nil {
		return err
	}
	for _, r := range list {
		key := partsKey{r.ID, 0}
		if _, has := gaps[key]; r.PackedSum == "" && has {
			a.add(Damaged, "packed", r.SessionKey, "packed bytes of a file that was not compressed")
		}
		err := a.checkParts(packedParts(r.ID), r.PackedSum, gaps[key], r.SessionKey,
			"the bytes of a compressed file do not have their digest")
		if err != nil {
			return err
		}
	}
	return nil
}

// checkTrash checks the texts of deleted sessions, and the compressed bytes of their sources.
func (a *Auditor) checkTrash() error {
	list, err := a.view.Trash(a.ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	stray, err := a.gaps("trash_parts", "trash, receipt")
	if err != nil {
		return err
	}
	for _, item := range list {
		sums := []string{item.TextSum}
		for _, r := range item.Receipts {
			sums = append(sums, r.PackedSum)
		}
		for number, sum := range sums {
			key := partsKey{item.ID, int64(number)}
			err := a.checkParts(trashParts(item, number), sum, stray[key], item.Key,
				"the text of a deleted session does not have its digest")
			if err != nil {
				return err
			}
			if sum != "" {
				delete(stray, key)
			}
		}
	}
	for range stray {
		a.add(Damaged, "trash_parts", "", "a part of no deleted session")
	}
	return nil
}

// A partsKey names what parts belong to.
type partsKey struct{ owner, number int64 }

// gaps returns, for all parts of a table, whether any is missing between the first and the last.
func (a *Auditor) gaps(table, owner string) (map[partsKey]bool, error) {
	gaps := map[partsKey]bool{}
	err := a.each("SELECT "+owner+", count(*), max(part) FROM "+table+" WHERE part >= 0 GROUP BY 1, 2 UNION ALL SELECT "+
		owner+", 0, part FROM "+table+" WHERE part < 0", func(scan scanFunc) error {
		var key partsKey
		var count, last int64
		err := scan(&key.owner, &key.number, &count, &last)
		gaps[key] = gaps[key] || count != last+1
		return err
	})
	return gaps, err
}

// checkParts checks the digest of parts, if they have one.
func (a *Auditor) checkParts(p parts, sum string, hasGaps bool, session, fault string) error {
	if sum == "" {
		return nil
	}
	in, err := a.view.openChecked(a.ctx, p, sum)
	if err != nil {
		return err
	}
	defer in.Close()
	n, err := io.Copy(io.Discard, in)
	a.advance(n)
	if errors.Is(err, dbfile.ErrCorrupt) || hasGaps {
		a.add(Damaged, p.table, session, "%s", fault)
		err = nil
	}
	return err
}

func (a *Auditor) advance(bytes int64) {
	if a.Progress != nil {
		a.Progress(bytes)
	}
}

// checkTexts checks the text of every session, and the columns of its records.
func (a *Auditor) checkTexts() error {
	list, err := a.view.Transcripts(a.ctx)
	for _, t := range list {
		if err == nil && (a.Skip == nil || !a.Skip(t.Key)) {
			err = a.checkText(t)
		}
		var archive *ArchiveError
		switch {
		case errors.As(err, &archive):
			kind := Damaged
			if errors.Is(err, ErrArchiveGone) {
				kind = Unreachable
			}
			a.add(kind, "archived", t.Key, "%v", err)
			err = nil
		case errors.Is(err, dbfile.ErrCorrupt):
			a.add(Damaged, "messages", t.Key, "cannot be read: %v", err)
			err = nil
		}
	}
	return err
}

// checkArchives checks what archives have besides the text of sessions: without it, no other store could adopt them.
func (a *Auditor) checkArchives() error {
	isKnown := slices.ContainsFunc(a.faults, func(p Problem) bool { return p.Table == "archived" })
	if a.Skip != nil || isKnown {
		return nil
	}
	list, err := a.view.Archives(a.ctx)
	for _, archive := range list {
		if archive.Sessions == 0 {
			continue
		}
		path := archive.Name(storePath(a.ctx, a.view.db))
		r, err := bundle.Open(a.ctx, path)
		if a.ctx.Err() != nil {
			return a.ctx.Err()
		}
		if err != nil {
			a.add(Damaged, "archives", "", "%v", &ArchiveError{path, err})
			continue
		}
		r.Close()
	}
	return err
}

func (a *Auditor) checkText(t *Transcript) error {
	if t.Incomplete {
		a.add(Incomplete, "transcripts", t.Key, "%s", ErrIncomplete)
	}
	if t.Sum == "" {
		a.add(Undigested, "transcripts", t.Key, "the text once differed from its source and has no digest")
	}
	m, err := a.measure(t)
	if err != nil {
		return err
	}
	switch {
	case t.Sum != "" && m.sum != t.Sum || m.bytes < t.Bytes || m.lines < t.Lines:
		a.add(Damaged, "messages", t.Key, "the text does not have its digest")
	case m.lines > t.Lines:
		a.add(Foreign, "messages", t.Key, "rows that were written by another program: %d", m.lines-t.Lines)
	}
	wrong, err := a.view.CheckRows(a.ctx, t)
	if wrong != 0 {
		a.add(Damaged, "messages", t.Key, "the columns of record %d do not match it", wrong)
	}
	return err
}

// A measurement is the size of a stored text, and the digest of the part that its transcript describes.
type measurement struct {
	lines, bytes int64
	sum          string
}

func (a *Auditor) measure(t *Transcript) (m measurement, err error) {
	text, err := a.view.Text(a.ctx, t, Whole)
	if err != nil {
		return m, err
	}
	defer text.Close()
	h := sha256.New()
	if m.bytes, err = text.WriteLines(h, t.Lines); err != nil {
		return m, err
	}
	m.sum = hex.EncodeToString(h.Sum(nil))
	more, err := text.WriteLines(io.Discard, 1<<62)
	m.lines, m.bytes = text.line, m.bytes+more
	a.advance(cmp.Or(m.bytes, t.Bytes))
	return m, err
}
