package answering

import (
	"cmp"

	"clawctl/pkg/mcp"
)

// A tool is a command that answers calls.
type tool struct {
	name, title, about string
	command            string
	flags              []string // that are always given
	isOne              bool     // it answers about one session
	budget             string   // the flag that takes the room for the answer, or ""
	arguments          []argument
	output             func(mcp.Values) output
}

// An argument of a tool is a flag of its command, or with no flag an operand.
type argument struct {
	mcp.Argument
	flag string
	// with and unless name another argument: the default holds only with it, or unless it is given.
	with, unless string
}

// Arguments that several tools have.
var (
	session = argument{Argument: mcp.Argument{Name: "session",
		Description: "the session: its key or id, the beginning of one, or @last for the one used last"}, flag: "session"}
	lastSession = argument{Argument: mcp.Argument{Name: "session", Default: "@last",
		Description: "the session: its key or id, the beginning of one, or @last for the one used last"}, flag: "session"}
	agent = argument{Argument: mcp.Argument{Name: "agent", Description: "only sessions of this agent"}, flag: "agent"}
	since = argument{Argument: mcp.Argument{Name: "since",
		Description: "only from this time on: a date, a time (RFC 3339), a duration back such as 7d, or yesterday"}, flag: "since"}
	until = argument{Argument: mcp.Argument{Name: "until", Description: "only before this time, as for since"}, flag: "until"}
)

// limit is how many things are listed.
func limit(usual string, most int) argument {
	return argument{Argument: mcp.Argument{Name: "limit", Description: "how many at most", Least: 1, Most: most, Default: usual},
		flag: "limit"}
}

// tools are what a server offers, in the order of its list.
var tools = []tool{
	{
		name: "recall", title: "Recall messages", command: "search",
		about: "Find the messages of past sessions and notes that best answer a few words, in any order and form, the best " +
			"one first. Use it to look up what was said, decided or done before. Messages are quoted with session, entry and " +
			"time; show reads on from an entry.",
		flags: []string{"--rank", "--format=markdown"}, budget: "budget",
		arguments: []argument{
			{Argument: mcp.Argument{Name: "query", Required: true, Description: "a few words; rare and concrete ones find most"}},
			session, agent, since, until, limit("10", 50),
		},
		output: newWhole,
	},
	{
		name: "search", title: "Search text", command: "search",
		about: "Find an exact text, such as a name, a path or an error, in everything that people, models and tools said. " +
			"Each hit has session, entry, time and the text around it. The newest session comes first.",
		flags: []string{"--format=ndjson"},
		arguments: []argument{
			{Argument: mcp.Argument{Name: "query", Required: true,
				Description: "the text; upper and lower case are the same unless it has an upper-case letter"}},
			session, agent, since, until,
			{Argument: mcp.Argument{Name: "in", Description: "where to search"}, flag: "in"},
			limit("20", 100),
		},
		output: newHits,
	},
	{
		name: "show", title: "Read messages", command: "show", isOne: true,
		about: "Read messages of one session: those around an entry, or its last turns. Results of tools are shortened.",
		flags: []string{"--format=ndjson"},
		arguments: []argument{
			lastSession,
			{Argument: mcp.Argument{Name: "entry", Description: "read around this entry, as recall and search name it"}, flag: "around"},
			{Argument: mcp.Argument{Name: "messages", Description: "with entry: how many messages before and after it", Least: 1,
				Most: 50, Default: "5"}, flag: "context", with: "entry"},
			{Argument: mcp.Argument{Name: "last", Description: "without entry: how many turns at the end", Least: 1, Most: 50,
				Default: "3"}, flag: "last", unless: "entry"},
		},
		output: newMessages,
	},
	{
		name: "sessions", title: "List sessions", command: "sessions",
		about: "List past sessions, the one used last first, with name, kind, number of messages, time and title.",
		flags: []string{"--format=ndjson"},
		arguments: []argument{
			agent, {Argument: mcp.Argument{Name: "kind", Description: "only sessions of this kind"}, flag: "kind"}, since, until,
			limit("20", 100),
		},
		output: newList,
	},
	{
		name: "stats", title: "Count messages, tokens and costs", command: "stats",
		about: "Add up messages, tool calls, tokens and costs of sessions, every record once.",
		flags: []string{"--format=markdown"},
		arguments: []argument{
			{Argument: mcp.Argument{Name: "by", Description: "list the totals by this"}, flag: "by"}, session, agent, since, until,
			{Argument: mcp.Argument{Name: "top", Description: "how many rows of by", Least: 1, Most: 100, Default: "20"}, flag: "top"},
		},
		output: newLines,
	},
	{
		name: "context", title: "Measure a context window", command: "context", isOne: true,
		about: "Tell how full the context window of a session is, what fills it, and whether a checkpoint, a memory flush " +
			"or a compaction is due.",
		flags: []string{"--format=json"}, arguments: []argument{lastSession}, output: newFields,
	},
	{
		name: "handoff", title: "Hand a session over", command: "handoff", isOne: true,
		about: "Sum a session up to continue its work: requests, the last summary, decisions, open tasks and calls, files, " +
			"and the last turns word for word. No model is asked.",
		flags: []string{"--format=markdown"}, budget: "fit", arguments: []argument{lastSession}, output: newWhole,
	},
}

// fill returns the arguments of the command for a call: its name and flags, and its operands. A value is always a part
// of a flag, or comes after the flags, so that none can be taken for another flag.
func (t *tool) fill(values mcp.Values) (args, operands []string) {
	args = append([]string{t.command}, t.flags...)
	for _, a := range t.arguments {
		value := values[a.Name]
		if (a.with == "" || values[a.with] != "") && (a.unless == "" || values[a.unless] == "") {
			value = cmp.Or(value, a.Default)
		}
		switch {
		case a.flag == "":
			operands = append(operands, value)
		case value != "":
			args = append(args, "--"+a.flag+"="+value)
		}
	}
	return args, operands
}
