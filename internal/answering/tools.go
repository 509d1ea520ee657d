package answering

import (
	"cmp"
	"sync"

	"clawctl/pkg/mcp"
)

// A tool is a command that answers calls.
type tool struct {
	name, title, about string
	command            string
	flags              []string // that are always given
	isOne              bool     // it answers about one session
	budget             string   // the flag that takes the room for the answer, or ""
	isLabelled         bool     // the command itself says what is data
	arguments          []argument
	output             func(mcp.Values) output
}

// An argument of a tool is a flag of its command, or with no flag an operand.
type argument struct {
	mcp.Argument
	flag string
	// with and unless name another argument: this one counts only with it, or unless it is given.
	with, unless string
}

// Arguments that several tools have.
var (
	session = text("session", "session",
		"the session: its key or id, the beginning of one, or @last for the one used last")
	agent = text("agent", "agent", "only sessions of this agent")
	since = text("since", "since",
		"only from this time on: a date, a time (RFC 3339), a duration back such as 7d, or yesterday")
	until = text("until", "until", "only before this time, as for since")
)

// text is an argument that takes a text.
func text(name, flag, about string) argument {
	return argument{Argument: mcp.Argument{Name: name, Description: about}, flag: flag}
}

// number is an argument that takes a whole number from 1 on.
func number(name, flag, usual string, most int, about string) argument {
	a := text(name, flag, about)
	a.Least, a.Most, a.Default = 1, most, usual
	return a
}

// query is an argument that every call must have. It is an operand of the command.
func query(about string) argument {
	return argument{Argument: mcp.Argument{Name: "query", Description: about, Required: true}}
}

// orLast is an argument that names the session used last if it is not given.
func orLast(a argument) argument {
	a.Default = "@last"
	return a
}

// onlyWith makes an argument count only with another one, and onlyWithout only without it. A client may fill in the
// defaults of both.
func (a argument) onlyWith(other string) argument {
	a.with = other
	return a
}

func (a argument) onlyWithout(other string) argument {
	a.unless = other
	return a
}

// tools are what a server offers, in the order of its list.
var tools = sync.OnceValue(func() []tool {
	return []tool{
		{
			name: "recall", title: "Recall messages", command: "search",
			about: "Find the messages of past sessions and notes that best answer a few words, in any order and form, the " +
				"best one first. Use it to look up what was said, decided or done before. Messages are quoted with session, " +
				"entry and time; show reads on from an entry.",
			flags: []string{"--rank", "--format=markdown"}, budget: "budget",
			arguments: []argument{
				query("a few words; rare and concrete ones find most"),
				session, agent, since, until, number("limit", "limit", "10", 50, "how many messages at most"),
			},
			output: newWhole,
		},
		{
			name: "search", title: "Search text", command: "search",
			about: "Find an exact text, such as a name, a path or an error, in everything that people, models and tools said. " +
				"Each hit has session, entry, time and the text around it. The newest session comes first.",
			flags: []string{"--format=ndjson"},
			arguments: []argument{
				query("the text; upper and lower case are the same unless it has an upper-case letter"),
				session, agent, since, until,
				text("in", "in", "where to search"), number("limit", "limit", "20", 100, "how many hits at most"),
			},
			output: newHits,
		},
		{
			name: "show", title: "Read messages", command: "show", isOne: true,
			about: "Read messages of one session: those around an entry, or its last turns. Results of tools are shortened.",
			flags: []string{"--format=ndjson"},
			arguments: []argument{
				orLast(session), text("entry", "around", "read around this entry, as recall and search name it"),
				number("messages", "context", "5", 50, "with entry: how many messages before and after it").onlyWith("entry"),
				number("last", "last", "3", 50, "without entry: how many turns at the end").onlyWithout("entry"),
			},
			output: newMessages,
		},
		{
			name: "sessions", title: "List sessions", command: "sessions",
			about: "List past sessions, the one used last first, with name, kind, number of messages, time and title.",
			flags: []string{"--format=ndjson"},
			arguments: []argument{
				agent, text("kind", "kind", "only sessions of this kind"), since, until,
				number("limit", "limit", "20", 100, "how many sessions at most"),
			},
			output: newList,
		},
		{
			name: "stats", title: "Count messages, tokens and costs", command: "stats",
			about: "Add up messages, tool calls, tokens and costs of sessions, every record once.",
			flags: []string{"--format=markdown"},
			arguments: []argument{
				text("by", "by", "list the totals by this"), session, agent, since, until,
				number("top", "top", "20", 100, "with by: how many rows at most"),
			},
			output: newLines,
		},
		{
			name: "context", title: "Measure a context window", command: "context", isOne: true,
			about: "Tell how full the context window of a session is, what fills it, and whether a checkpoint, a memory flush " +
				"or a compaction is due.",
			flags: []string{"--format=json"}, output: newFields,
			arguments: []argument{orLast(session), text("window", "window", "the size of the window in tokens, such as 200k")},
		},
		{
			name: "handoff", title: "Hand a session over", command: "handoff", isOne: true,
			about: "Sum a session up to continue its work: requests, the last summary, decisions, open tasks and calls, " +
				"files, and the last turns word for word. No model is asked.",
			flags: []string{"--format=markdown"}, budget: "fit", isLabelled: true,
			arguments: []argument{orLast(session)}, output: newWhole,
		},
	}
})

// fill returns the arguments of the command for a call: its name and flags, and its operands. A value is always a part
// of a flag, or comes after the flags, so that none can be taken for another flag.
func (t *tool) fill(values mcp.Values) (args, operands []string) {
	args = append([]string{t.command}, t.flags...)
	for _, a := range t.arguments {
		if a.with != "" && values[a.with] == "" || a.unless != "" && values[a.unless] != "" {
			continue
		}
		value := cmp.Or(values[a.Name], a.Default)
		switch {
		case a.flag == "":
			operands = append(operands, value)
		case value != "":
			args = append(args, "--"+a.flag+"="+value)
		}
	}
	return args, operands
}
