package completion

import (
	"embed"
	"os"
	"slices"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
	"clawctl/pkg/validate"
)

// Complete returns what a shell may offer for the last word.
func Complete(a *cli.App, words []string) string {
	c := &line{app: a, values: map[string]string{}}
	c.read(words[:len(words)-1], words[len(words)-1])
	c.offer()
	kind := "words"
	if c.files {
		kind = "files"
	}
	return kind + "\n" + c.list.String()
}

// A line is a command line that is being typed.
type line struct {
	app      *cli.App
	word     string // that is being typed
	command  *cli.Command
	flags    cli.FlagTable
	operands []string          // before the word
	values   map[string]string // of flags before the word
	awaiting string            // the flag whose value the word is, or ""
	literal  bool              // after --, where no word is a flag

	files bool // the shell should offer files
	list  strings.Builder
}

// read takes the words before the one that is being typed apart.
func (c *line) read(words []string, word string) {
	c.word = word
	name, rest := cli.SplitCommand(words, c.app.Commands)
	if c.command, _ = cli.FindCommand(name, c.app.Commands); c.command == nil {
		c.flags = cli.NewFlagTable((&cli.Command{}).CommonFlags())
	} else {
		c.flags = cli.NewFlagTable(c.command.AllFlags())
	}
	for i := 0; i < len(rest); i++ {
		if rest[i] == "--" {
			c.literal = true
			c.operands = append(c.operands, rest[i+1:]...)
			return
		}
		name, _, hasValue := cli.CutFlag(rest[i])
		f, known := c.flags[name]
		switch {
		case name == "":
			c.operands = append(c.operands, rest[i])
		case !known || hasValue:
		case f.Value == "":
			c.values[f.Name] = "true"
		case i+1 == len(rest):
			c.awaiting = name
		default:
			i++
			c.values[f.Name] = rest[i]
		}
	}
}

// offer lists the candidates.
func (c *line) offer() {
	name, dashes, hasValue := cli.CutFlag(c.word)
	switch {
	case c.awaiting != "":
		c.offerValues(c.flags[c.awaiting], "", c.word)
	case !c.literal && hasValue:
		head := dashes + name + "="
		c.offerValues(c.flags[name], head, c.word[len(head):])
	case !c.literal && strings.HasPrefix(c.word, "-"):
		c.offerFlags()
	case c.command != nil:
		c.offerOperands()
	default:
		c.offerCommands()
	}
}

// add offers a candidate if it begins with what was typed. A name that could do harm on a terminal is left out.
func (c *line) add(candidate, about string) {
	if strings.HasPrefix(candidate, c.word) && ui.EscapeLine(candidate) == candidate {
		if about != "" {
			candidate += "\t" + about
		}
		c.list.WriteString(candidate + "\n")
	}
}

func (c *line) addAll(head string, candidates []string) {
	for _, candidate := range candidates {
		c.add(head+candidate, "")
	}
}

func (c *line) offerCommands() {
	for _, known := range c.app.Commands {
		c.add(known.Name, known.Summary)
	}
}

func (c *line) offerFlags() {
	list := (&cli.Command{}).CommonFlags()
	if c.command != nil {
		list = append(slices.Clone(c.command.OwnFlags()), c.command.CommonFlags()...)
	}
	for _, f := range list {
		if !f.Hidden {
			c.add("--"+f.Name, f.Usage)
		}
	}
	c.add("--help", "show help")
}

// offerOperands offers what the command takes as an argument.
func (c *line) offerOperands() {
	switch {
	case strings.Contains(c.command.Operands, "SOURCE"), strings.Contains(c.command.Operands, "SESSION"):
		c.offerSources()
	case strings.Contains(c.command.Operands, "KEY"):
		c.offerKeys()
	case c.command.Name == "help":
		c.offerCommands()
		for _, topic := range c.command.Topics {
			c.add(topic.Name, topic.Summary)
		}
	case c.command.Offers != nil:
		c.addAll("", c.command.Offers())
	case c.command.Operands != "":
		c.files = true
	}
}

// offerSources offers files and the sessions of the state folder, and after PLACE# those of the place.
func (c *line) offerSources() {
	const end = "\x00" // PLACE# alone would be an error, and no path contains a NUL
	path, name, _, err := source.SplitPlace(cli.ExpandHome(c.word) + end)
	if name = strings.TrimSuffix(name, end); err == nil {
		c.offerSessions(path, c.word[:len(c.word)-len(name)])
		return
	}
	c.files = true
	if !strings.ContainsAny(c.word, `/\`) && !strings.HasPrefix(c.word, ".") && !strings.HasPrefix(c.word, "~") {
		c.offerSessions(c.home(), "")
	}
}

// offerKeys offers the sessions of clawctl's store. restore takes files too, and has the trash and earlier generations
// instead. Only the last operand of append is a text, and delete takes several keys.
func (c *line) offerKeys() {
	own, _ := c.app.StorePath(c.values["store"])
	switch {
	case c.command.Name == "restore":
		c.files = true
		c.offerTrash(own.Value)
	case len(c.operands) == 0 || c.command.Name == "delete":
		c.offerSessions(own.Value, "")
	}
}

// offerTrash offers what can be restored: what is in the trash, earlier generations, and archives of the state folder.
func (c *line) offerTrash(path string) {
	seen := map[string]bool{}
	if r, err := store.OpenReader(c.app.Ctx, path); err == nil {
		defer r.Close()
		items, _ := r.Trash(c.app.Ctx) // what cannot be read is not offered
		for _, item := range items {
			if !seen[item.Key] {
				seen[item.Key] = true
				c.add(item.Key, "")
			}
		}
	}
	state, _ := c.app.StateDir()
	isEarlier := func(s *source.Session) bool { return s.Generation != "" && !seen[s.Name()] }
	c.offerNames(slices.Concat(c.sessions(path), c.sessions(state.Path)), "", isEarlier, (*source.Session).Name)
}

// offerValues offers values of a flag. head is what stands before the value in the same word.
func (c *line) offerValues(f cli.Flag, head, typed string) {
	if f.List {
		head += typed[:strings.LastIndexByte(typed, ',')+1]
	}
	switch {
	case len(f.Choices) > 0:
		c.addAll(head, f.Choices)
	case f.Name == "session" || f.Value == "KEY":
		c.offerSessions(c.place(), head)
	case f.Value == "AGENT":
		c.addAll(head, agentsOf(c.sessions(c.place())))
	case f.Value == "TYPE":
		c.addAll(head, jsonl.Types())
	case f.Value == "RULES":
		for _, r := range validate.Rules() {
			c.add(head+string(r.Code), r.Words)
		}
	case f.Name == "since" || f.Name == "until":
		c.addAll(head, []string{"today", "yesterday", "7d", "30d"})
	case f.Name == "older":
		c.addAll(head, []string{"7d", "30d", "90d"})
	case f.Value == "FILE" || f.Value == "PATH":
		c.files = true
	}
}

// place is where the command that is being typed looks for --session and --agent.
func (c *line) place() string {
	if path := c.values["from"]; path != "" {
		return cli.ExpandHome(path)
	}
	if len(c.operands) > 0 {
		return cli.ExpandHome(c.operands[0])
	}
	return c.home()
}

// home is where the command looks for names: the state folder, or clawctl's store for commands that use that.
func (c *line) home() string {
	if c.values["append"] != "" || c.command.Name == "export" || strings.Contains(c.command.Operands, "KEY") {
		own, _ := c.app.StorePath(c.values["store"])
		return own.Value
	}
	state, _ := c.app.StateDir()
	return state.Path
}

// sessions lists the sessions of a place.
func (c *line) sessions(path string) []*source.Session {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	find := source.FindDatabase
	switch {
	case info.IsDir():
		find = source.Find
	case !info.Mode().IsRegular() || !dbfile.Is(path):
		return nil
	}
	place, err := find(c.app.Ctx, path, source.Options{Fast: true, NamesOnly: true})
	if err != nil {
		return nil
	}
	c.app.Keep(place)
	return place.Sessions
}

// offerSessions offers the sessions of a place that begin with what was typed, in the order of clawctl sessions: the
// live ones, and then the archives. If none begins with that, it offers ids.
func (c *line) offerSessions(path, head string) {
	all := c.sessions(path)
	isLive := func(s *source.Session) bool { return s.Kind == source.Live }
	isArchive := func(s *source.Session) bool { return !isLive(s) && !c.wantsLive() }
	c.offerNames(all, head, isLive, func(s *source.Session) string { return s.Key })
	c.offerNames(all, head, isArchive, (*source.Session).Name)
	if c.list.Len() == 0 {
		c.offerNames(all, head, isLive, func(s *source.Session) string { return s.ID })
		c.offerNames(all, head, isArchive, func(s *source.Session) string { return s.ID + "@" + s.Generation })
	}
}

// wantsLive reports whether the command that is being typed has no use for an archive.
func (c *line) wantsLive() bool { return c.command.Name == "append" || c.command.Name == "new" }

// offerNames offers names of some sessions, those that were used last first. Only sessions that are offered are looked
// at for that.
func (c *line) offerNames(
	all []*source.Session, head string, isMeant func(*source.Session) bool, nameOf func(*source.Session) string,
) {
	var offered []*source.Session
	seen := map[string]bool{"": true}
	for _, s := range all {
		if name := nameOf(s); isMeant(s) && !seen[name] && strings.HasPrefix(head+name, c.word) {
			seen[name] = true
			offered = append(offered, s)
		}
	}
	source.SortByRecency(offered)
	for _, s := range offered {
		c.add(head+nameOf(s), "")
	}
}

func agentsOf(sessions []*source.Session) (agents []string) {
	for _, s := range sessions {
		if s.Agent != "" && !slices.Contains(agents, s.Agent) {
			agents = append(agents, s.Agent)
		}
	}
	return agents
}

// Shells are the shells that a script can be made for.
var Shells = []string{"bash", "zsh", "fish", "powershell"}

// scripts leave everything to `clawctl __complete`. Bash splits words at colons and other characters that keys
// contain, so its script puts them together again, and removes what bash regards as earlier words from the candidates.
//
//go:embed scripts
var scripts embed.FS

// Script returns the script of a shell, or false if there is none.
func Script(shell string) (string, bool) {
	if !slices.Contains(Shells, shell) {
		return "", false
	}
	text, err := scripts.ReadFile("scripts/clawctl." + shell)
	return string(text), err == nil
}
