package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// quickRead is how many bytes of transcripts a quick check may read for one question. Tests make it smaller.
var quickRead int64 = 24 << 20

// copies says which files have records that are in no database. A file is in a database if its receipt says that it has
// not changed since it was imported, or if its records were compared. Whatever else is known about it is no proof.
type copies struct {
	only    []*source.Session        // files with such a record
	unknown []*source.Session        // files that were not compared, because they are too many
	lacking map[*source.Session]bool // files with a record that clawctl's store has not
	targets []*migrate.Target        // what was compared with: clawctl's store, OpenClaw's databases
	err     error                    // why nothing could be compared
}

// onlyInFiles returns the number of files with a record in no database, or nil if that is not known.
func (c *copies) onlyInFiles() *int {
	if c.err != nil || len(c.unknown) > 0 {
		return nil
	}
	return new(len(c.only))
}

// compareFiles finds the files with records that are in no database.
func (e *exam) compareFiles() *copies {
	c := &copies{lacking: map[*source.Session]bool{}}
	c.open(e)
	if len(c.targets) == 0 {
		c.only = e.withText(e.files)
		return c
	}
	rest := e.files
	if !e.Deep {
		rest = slices.DeleteFunc(slices.Clone(rest), c.hasReceipt)
		if source.TotalBytes(rest) > quickRead {
			rest = c.takeUnnamed(e, rest)
		}
		if source.TotalBytes(rest) > quickRead {
			c.unknown = rest
			return c
		}
	}
	c.compare(e, rest)
	return c
}

// withText returns the files that have more than blank lines.
func (e *exam) withText(files []*source.Session) []*source.Session {
	return slices.DeleteFunc(slices.Clone(files), func(s *source.Session) bool {
		empty, err := s.IsEmpty(e.ctx)
		return s.Bytes == 0 || err == nil && empty
	})
}

// open opens what the files are compared with.
func (c *copies) open(e *exam) {
	if e.home.Store != nil {
		if e.ours, e.home.StoreErr = migrate.TargetAt(e.ctx, migrate.ClawctlStore, e.home.Store); e.home.StoreErr == nil {
			c.add(e.ours, nil)
		}
	}
	if len(e.home.Place.Databases) > 0 {
		c.add(migrate.TargetAt(e.ctx, migrate.StateFolder, e.home.Place))
	}
}

func (c *copies) add(t *migrate.Target, err error) {
	if err == nil && len(t.Sessions) > 0 {
		c.targets = append(c.targets, t)
	}
}

// hasReceipt reports whether the store has the current text of a file, according to its receipt.
func (c *copies) hasReceipt(s *source.Session) bool {
	for _, t := range c.targets {
		stamp, err := s.Stamp()
		if r := t.Receipt(s); r != nil && err == nil && r.Stamp == stamp && stamp != (store.Stamp{}) {
			return true
		}
	}
	return false
}

// takeUnnamed finds files of which records are only here without reading them: those that no database has under any
// name, and those that have grown since they were imported. It returns the others.
func (c *copies) takeUnnamed(e *exam, files []*source.Session) []*source.Session {
	var rest []*source.Session
	for _, s := range files {
		var expected []*source.Session
		for _, t := range c.targets {
			expected = append(expected, t.Expected(s)...)
		}
		if len(expected) > 0 && !e.hasGrown(s, expected) {
			rest = append(rest, s)
			continue
		}
		c.lacking[s] = true
		c.only = append(c.only, e.withText([]*source.Session{s})...)
	}
	return rest
}

// hasGrown reports whether a file is larger than when it was imported, and larger than everything that databases have
// under its name, all of which is in clawctl's store. The store keeps every byte, so some are missing there.
func (e *exam) hasGrown(s *source.Session, expected []*source.Session) bool {
	if e.ours == nil || e.ours.Receipt(s) == nil || !isPlain(s) {
		return false
	}
	return !slices.ContainsFunc(expected, func(t *source.Session) bool { return !t.InStore() || t.Bytes >= s.Bytes })
}

// isPlain reports whether a file is not compressed, by its name.
func isPlain(s *source.Session) bool {
	return !s.InDatabase && !strings.HasSuffix(s.Path, ".zst") && !strings.HasSuffix(s.Path, ".gz")
}

// compare reads files and looks for their records in all targets.
func (c *copies) compare(e *exam, files []*source.Session) {
	files = e.withText(files)
	missing := map[*source.Session]map[int64]bool{} // lines that no target has so far
	isUnknown := func(s *source.Session) bool { return !s.IsMeasured() }
	for _, t := range c.targets {
		isLarge := source.TotalBytes(t.Sessions) > quickRead || slices.ContainsFunc(t.Sessions, isUnknown)
		opts := migrate.VerifyOptions{Jobs: e.Jobs, ContentOnly: true, EveryLine: true, ExpectedOnly: !e.Deep && isLarge}
		e.reading("Comparing", files)
		proofs, err := migrate.Verify(e.ctx, files, t, opts)
		if err != nil {
			c.err = err
			return
		}
		files = files[:0:0]
		for i := range proofs {
			p := &proofs[i]
			c.lacking[p.Session] = c.lacking[p.Session] || t == e.ours && !p.Complete()
			if !p.Complete() && isLeft(missing, p) {
				files = append(files, p.Session)
			}
		}
	}
	c.only = append(c.only, files...)
}

// isLeft reports whether a file has a line that neither this target nor an earlier one has.
func isLeft(missing map[*source.Session]map[int64]bool, p *migrate.Proof) bool {
	if p.Missing == 0 { // it cannot be read
		return true
	}
	before, known := missing[p.Session]
	now := map[int64]bool{}
	for _, line := range p.OnlyHere {
		if !known || before[line] {
			now[line] = true
		}
	}
	missing[p.Session] = now
	return len(now) > 0
}

// reading announces that sessions are read.
func (e *exam) reading(task string, sessions []*source.Session) {
	if e.Reading != nil {
		e.Reading(task, sessions)
	}
}

func (e *exam) onlyInFiles() Result {
	c := e.copies
	r := Result{Status: OK, Command: e.clawctl("verify")}
	n, files := len(c.only), ui.Count(len(e.files), "file")
	switch {
	case c.err != nil:
		r.Status, r.Message = Warn, "The files could not be compared with a database: "+failure.Reason(c.err)+"."
	case len(c.unknown) > 0:
		r.Status, r.Command = Warn, e.clawctl("doctor", "--deep")
		r.Message = fmt.Sprintf("%s not compared with a database, because that takes longer (%s).",
			ui.Are(len(c.unknown), "file"), ui.Bytes(source.TotalBytes(c.unknown)))
	case len(e.files) == 0:
		r.Message, r.Command = "Nothing is only in files.", e.clawctl("sessions")
	case n == 0:
		r.Message = "Every record of " + files + " is in " + e.copies.where() + "."
	default:
		r.Command = e.clawctl("import")
		r.Status, r.Message = e.describeOnly(n, files)
	}
	return r
}

// describeOnly describes files whose records are in no database. That is how it should be if the gateway uses files.
func (e *exam) describeOnly(n int, files string) (Status, string) {
	subject := ui.Thousands(int64(n)) + " of " + files
	if n == len(e.files) {
		subject = ui.Count(n, "file")
	}
	subject += map[bool]string{true: " has", false: " have"}[n == 1]
	cold := 0
	for _, s := range e.copies.only {
		if isCold(s) {
			cold++
		}
	}
	switch {
	case len(e.copies.targets) == 0:
		return Info, subject + " the only copy of " + map[bool]string{true: "its", false: "their"}[n == 1] + " records."
	case e.usesFiles():
		return Info, subject + " records that are in no database yet."
	case cold == n:
		return Info, subject + " records that OpenClaw has moved out of its database."
	}
	reads := map[bool]string{true: "does not read " + map[bool]string{true: "it", false: "them"}[n == 1],
		false: fmt.Sprintf("reads only %d of them", cold)}[cold == 0]
	return Warn, subject + " records that are in no database. OpenClaw " + reads + "."
}

// where names what was compared with.
func (c *copies) where() string {
	var names []string
	for _, t := range c.targets {
		if t.Kind == migrate.ClawctlStore {
			names = append(names, "clawctl's store")
		} else {
			names = append(names, "OpenClaw's databases")
		}
	}
	return strings.Join(names, " or ")
}

// isCovered reports whether the store has all of a session, as far as that was looked at: the records of a file, or the
// time of a session in a database. A file that was not compared counts if the store knows it. It is named elsewhere.
func (e *exam) isCovered(s *source.Session) bool {
	r := e.ours.Receipt(s)
	switch {
	case s.InDatabase:
		return r != nil && s.Modified.UnixMilli() <= r.ImportedAt
	case e.copies.lacking[s]:
		return false
	}
	return r != nil || len(e.ours.Expected(s)) > 0
}

// behind returns the sessions of which the store lacks something, and when the first of them was written.
func (e *exam) behind() (list []*source.Session, since time.Time) {
	for _, s := range e.home.Place.Sessions {
		if s.Bytes == 0 && s.IsMeasured() || e.isCovered(s) {
			continue
		}
		list = append(list, s)
		if since.IsZero() || s.Modified.Before(since) {
			since = s.Modified
		}
	}
	return list, since
}
