package stats

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"clawctl/internal/calendar"
	"clawctl/pkg/source"
)

// A dimension is a way to group totals. One of its functions says to which groups a record belongs.
type dimension struct {
	name    string
	session func(*source.Session) string                          // the name of all records of a session, or ""
	record  func(c carrier, at moment) string                     // the name of one record, or ""
	add     func(c *collector, g *groupSet, of carrier, t *Tally) // adds a record that may belong to several groups
	order   groupOrder
	turns   turnRule
	// hasNoUsage is set if usage is not recorded for its groups.
	hasNoUsage bool
	// listsAll is set if a session's group is listed even if all its records are copies.
	listsAll bool
}

// A groupOrder is the order in which the groups of a dimension are listed.
type groupOrder uint8

const (
	bySize groupOrder = iota // of recorded tokens, then of messages
	byTime
)

// A turnRule says to which group of a dimension a turn belongs.
type turnRule uint8

const (
	turnsOfRecord turnRule = iota // the one of its message
	turnsOfAnswer                 // the one of the first answer
	noTurns                       // none: a turn may use several tools or none, and it is not paid work of any kind
)

// dimensions are the ways to group totals, in the order in which help lists them.
var dimensions = []dimension{
	{name: "day", record: period(func(m moment) string { return m.day().Name }), order: byTime},
	{name: "week", record: period(func(m moment) string { return m.day().Week }), order: byTime},
	{name: "month", record: period(func(m moment) string { return m.day().Month }), order: byTime},
	{name: "model", record: func(c carrier, _ moment) string { return c.modelName() }, turns: turnsOfAnswer},
	{name: "provider", record: func(c carrier, _ moment) string { return c.providerName() }, turns: turnsOfAnswer},
	{name: "agent", session: func(s *source.Session) string { return s.Agent }},
	{name: "channel", session: func(s *source.Session) string { return Channel(s.Key) }},
	{name: "tool", add: (*collector).addToTools, turns: noTurns, hasNoUsage: true},
	{name: "kind", record: func(c carrier, _ moment) string { return c.kind }, turns: noTurns},
	{name: "session", session: func(s *source.Session) string { return s.Key }},
	{name: "host", session: func(s *source.Session) string { return orUnknown(s.Host) }, listsAll: true},
}

// Dimensions lists the names of the ways to group totals.
func Dimensions() []string {
	names := make([]string, len(dimensions))
	for i := range dimensions {
		names[i] = dimensions[i].name
	}
	return names
}

// dimensionNamed returns the dimension with a name, or nil.
func dimensionNamed(name string) *dimension {
	if i := slices.IndexFunc(dimensions, func(d dimension) bool { return d.name == name }); i >= 0 {
		return &dimensions[i]
	}
	return nil
}

// HasTurns reports whether turns can be counted by a dimension.
func HasTurns(name string) bool {
	d := dimensionNamed(name)
	return d == nil || d.turns != noTurns
}

// A moment is the time of a record, and the days in the zone of the report.
type moment struct {
	at   time.Time
	days *calendar.Days
}

func (m moment) day() *calendar.Day { return m.days.Of(m.at) }

// period returns the function of a dimension whose groups are periods.
func period(name func(moment) string) func(carrier, moment) string {
	return func(_ carrier, m moment) string {
		if m.at.IsZero() {
			return "undated"
		}
		return name(m)
	}
}

// Month returns the month of a time in UTC, as groups by month name it.
func Month(at time.Time) string {
	if at.IsZero() {
		return "undated"
	}
	return at.UTC().Format("2006-01")
}

// Channel returns where the messages of a session come from, according to its key: telegram, cron, main, and so on.
func Channel(key string) string {
	parts := strings.Split(key, ":")
	if len(parts) >= 3 && (parts[0] == "agent" || parts[0] == "goclaw") {
		parts = parts[2:]
	} else if len(parts) >= 3 {
		parts = parts[1:] // claw0: agent, channel, peer
	}
	channel := parts[0]
	for _, prefix := range []string{"tui-", "dashboard-"} {
		if strings.HasPrefix(channel, prefix) {
			return strings.TrimSuffix(prefix, "-")
		}
	}
	return orUnknown(channel)
}

func orUnknown(name string) string { return cmp.Or(name, "unknown") }
