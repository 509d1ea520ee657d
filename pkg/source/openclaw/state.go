package openclaw

import (
	"time"

	"clawctl/pkg/jsonl"
)

// A State is what an entry says about the life of a session. Empty fields mean that it says nothing.
type State struct {
	Status        string     `json:"status,omitempty"` // of the last run, such as interrupted
	ArchivedAt    *time.Time `json:"archived_at,omitempty"`
	ArchiveReason string     `json:"archive_reason,omitempty"` // why it was archived, such as age-retention
	SnoozedUntil  *time.Time `json:"snoozed_until,omitempty"`
}

// read reads a field of an entry if it is about the state.
func (s *State) read(name string, v jsonl.Value) {
	switch name {
	case "status":
		s.Status = v.String()
	case "archivedAt":
		s.ArchivedAt = optionalTime(v)
	case "archiveReason":
		s.ArchiveReason = v.String()
	case "snoozedUntil":
		s.SnoozedUntil = optionalTime(v)
	}
}

// optionalTime returns the time of a value, or nil.
func optionalTime(v jsonl.Value) *time.Time {
	t, ok := jsonl.ParseTime(v)
	if !ok || t.IsZero() {
		return nil
	}
	return new(t.UTC())
}

// statusDone is the status of a session whose last run ended as it should.
const statusDone = "done"

// Words returns the state for people. format writes a time.
func (s *State) Words(format func(time.Time) string) []string {
	var words []string
	if s.ArchivedAt != nil {
		text := "archived " + format(*s.ArchivedAt)
		if s.ArchiveReason != "" {
			text += " (" + s.ArchiveReason + ")"
		}
		words = append(words, text)
	}
	if s.SnoozedUntil != nil {
		words = append(words, "snoozed until "+format(*s.SnoozedUntil))
	}
	if s.Status != "" && s.Status != statusDone {
		words = append(words, s.Status)
	}
	return words
}
