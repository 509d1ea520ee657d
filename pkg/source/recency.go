package source

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"clawctl/internal/failure"
	"clawctl/internal/regex"
)

// ParseRecency reads the name of a session by recency: @last and @1 are the session that was used last, @2 to @9 those
// before it.
func ParseRecency(name string) (rank int, ok bool) {
	if name == "@last" {
		return 1, true
	}
	if len(name) == 2 && name[0] == '@' && name[1] >= '1' && name[1] <= '9' {
		return int(name[1] - '0'), true
	}
	return 0, false
}

// LastUsed is when a session was used last: the time of its last record that has one, as in Facts.LastRecord. Only the
// end of the text is read for it. Of an archive that must be decompressed for that, or a session without times, it is
// the time of its registration, its archive or its file.
func (s *Session) LastUsed() time.Time {
	if s.lastUsed == nil {
		ReadEnds([]*Session{s})
	}
	return *s.lastUsed
}

// UsedAt is LastUsed for a session of which the time of the last record is known, or zero if no record has a time.
func (s *Session) UsedAt(last time.Time) time.Time {
	return cmp.Or(last, s.Entry.UpdatedAt, s.ArchivedAt(), s.Modified)
}

var (
	archiveTime  = regex.Lazy(`\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}(?:\.\d{3})?Z`)
	importedTime = regex.Lazy(`^imported-(\d{13})$`)
)

// ArchivedAt returns when a session became an archive, according to the name of its generation, or a zero time.
func (s *Session) ArchivedAt() time.Time {
	if m := importedTime().FindStringSubmatch(s.Generation); m != nil {
		millis, _ := strconv.ParseInt(m[1], 10, 64) // 13 digits always fit
		return time.UnixMilli(millis)
	}
	t, _ := time.Parse("2006-01-02T15-04-05Z", archiveTime().FindString(s.Generation)) // zero if there is none
	return t
}

// SortByRecency puts the sessions that were used last first. It is the order of every list of sessions that does not
// have another one.
func SortByRecency(sessions []*Session) {
	ReadEnds(sessions)
	slices.SortStableFunc(sessions, func(a, b *Session) int { return b.LastUsed().Compare(a.LastUsed()) })
}

// byRecency returns the session of a rank, the newest being 1; none if there are fewer.
func byRecency(sessions []*Session, rank int) []*Session {
	sorted := slices.Clone(sessions)
	SortByRecency(sorted)
	for i, s := range sorted {
		if !s.IsTranscript() {
			continue
		}
		if rank--; rank == 0 {
			return sorted[i : i+1]
		}
	}
	return nil
}

// An InexactError says that a name leads to a session, but is not the whole key or id that is needed to change it.
type InexactError struct {
	Session string // as it was given
	Name    string // the whole name
}

func (e *InexactError) Error() string {
	return fmt.Sprintf("%q is not a whole key or id", e.Session)
}

// FailureAt is the failure of a command that changes the session.
func (e *InexactError) FailureAt(string) *failure.Error {
	return failure.Usage("", "the session must be named by its whole key or id, got %q", e.Session)
}
