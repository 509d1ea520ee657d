package stats

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"clawctl/internal/calendar"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// A dimension is a way to group totals. One of its functions says to which groups a record belongs.
type dimension struct {
	name    string
	session func(*source.Session) string                          // the name of all records of a session, or ""
	record  func(c carrier, at moment) string                     // the name of one record, or ""
	root    bool                                                  // the name is that of the session's root
	wake    func(s *source.Session, wake string) string           // the name of the records of a turn that no user began
	split   func(c *collector, of carrier, t *Tally, add addPart) // divides a record that may belong to several groups
	order   groupOrder
	turns   turnRule
	// hasNoUsage is set if usage is not recorded for its groups.
	hasNoUsage bool
	// listsAll is set if a session's group is listed even if all its records are copies.
	listsAll bool
}

// addPart adds a part of a record to a group.
type addPart func(name string, part *Tally)

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
	{name: "tool", split: (*collector).splitByTool, turns: noTurns, hasNoUsage: true},
	{name: "kind", record: func(c carrier, _ moment) string { return c.kind }, turns: noTurns},
	{name: "session", session: func(s *source.Session) string { return s.Key }},
	{name: "hour", record: period(func(m moment) string { return m.hour() }), order: byTime},
	{name: "weekday", record: period(func(m moment) string { return m.weekday() }), order: byTime},
	{name: "trigger", session: func(s *source.Session) string { return Trigger(s.Key) }, wake: wakeTrigger},
	{name: "job", session: Job, wake: wakeJob},
	{name: "family", root: true},
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

// dimensionNamed returns the dimension with a name, or one without groups.
func dimensionNamed(name string) *dimension {
	if i := slices.IndexFunc(dimensions, func(d dimension) bool { return d.name == name }); i >= 0 {
		return &dimensions[i]
	}
	return &dimension{}
}

// hasTurns reports whether turns can be counted by a dimension.
func hasTurns(name string) bool {
	return dimensionNamed(name).turns != noTurns
}

// A moment is the time of a record, and the days in the zone of the report.
type moment struct {
	at   time.Time
	days *calendar.Days
}

func (m moment) day() *calendar.Day { return m.days.Of(m.at) }

// hour names an hour of the day, as in 09:00.
func (m moment) hour() string { return m.days.In(m.at).Format("15:00") }

// weekday names a day of the week, with a number that puts Monday first.
func (m moment) weekday() string {
	day := m.day().Weekday
	return fmt.Sprintf("%d %s", (day+6)%7+1, day)
}

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

// triggers are the parts of keys that say what started a session other than a person.
var triggers = []string{"cron", "heartbeat", "subagent", "hook", "acp", "boot"}

// Trigger returns what started the runs of a session, according to its key: cron, heartbeat, subagent, hook, acp, boot,
// or user for everything else.
func Trigger(key string) string {
	parts := strings.Split(key, ":")
	for _, trigger := range triggers {
		if slices.Contains(parts, trigger) {
			return trigger
		}
	}
	return "user"
}

// Job returns the name of the cron job or heartbeat that a session belongs to, or "" if it belongs to none. The name of
// a cron job is that in OpenClaw's list of jobs, or else the label in the index, or else the id in the key.
func Job(s *source.Session) string {
	switch Trigger(s.Key) {
	case "cron":
		label := strings.TrimSpace(strings.TrimPrefix(s.Entry.Label, "Cron:"))
		return orUnknown(cmp.Or(s.JobName, label, source.CronJob(s.Key)))
	case "heartbeat":
		return heartbeatOf(s)
	}
	return ""
}

func heartbeatOf(s *source.Session) string { return "heartbeat of " + orUnknown(s.Agent) }

// The kinds of turns that OpenClaw begins in the session of a user.
const (
	heartbeatWake = "heartbeat"
	cronWake      = "cron"
)

// wakeTexts are the beginnings of the messages with which OpenClaw begins a turn itself. It writes the first two into
// transcripts. Before that it wrote the prompt of a heartbeat, which the others are the usual ones of.
var wakeTexts = []struct{ text, wake string }{
	{"[OpenClaw heartbeat poll]", heartbeatWake},
	{"[OpenClaw cron wake]", cronWake},
	{"Read HEARTBEAT.md if it exists", heartbeatWake},
	{"Follow the heartbeat monitor scratch context when provided.", heartbeatWake},
}

// wakeOf returns which kind of turn a user message begins, "" if somebody has written it.
func wakeOf(m jsonl.Message) string {
	for b := range m.Blocks() {
		text := b.Text().String()
		for _, known := range wakeTexts {
			if strings.HasPrefix(text, known.text) {
				return known.wake
			}
		}
	}
	return ""
}

// wakeTrigger is the trigger of a turn that OpenClaw began.
func wakeTrigger(s *source.Session, wake string) string {
	if trigger := Trigger(s.Key); trigger != "user" {
		return trigger
	}
	return wake
}

// wakeJob is the job of a turn that OpenClaw began. The transcript does not say which cron job it was.
func wakeJob(s *source.Session, wake string) string {
	switch job := Job(s); {
	case job != "":
		return job
	case wake == heartbeatWake:
		return heartbeatOf(s)
	}
	return "cron job in the session of " + orUnknown(s.Agent)
}

func orUnknown(name string) string { return cmp.Or(name, "unknown") }
