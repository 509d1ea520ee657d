package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/config"
	"clawctl/pkg/dialect"
	"clawctl/pkg/dialect/shape"
)

// docs/commands.md is made from the table of commands. `make docs` writes it.
func TestGeneratedDocs(t *testing.T) {
	compareFile(t, "../../docs/commands.md", commandsDoc(), "UPDATE_DOCS")
}

// manMacros are what man pages may begin a line with.
var manMacros = []string{`.\"`, ".TH", ".nh", ".ad", ".SH", ".PP", ".in", ".nf", ".fi", ".TP", ".B", ".BR"}

// The man pages are made from the table of commands for each release (`make release-files`), in CLAWCTL_MAN. Their
// lines begin with macros or text, and each flag of a command is in its page.
func TestManPages(t *testing.T) {
	pages := map[string]string{"clawctl.1": overallManPage()}
	for _, c := range wholeCommands() {
		page := manPage(c)
		pages["clawctl-"+c.Name+".1"] = page
		for _, f := range append(c.OwnFlags(), c.CommonFlags()...) {
			if !f.Hidden && !strings.Contains(page, roff("--"+f.Name)) {
				t.Errorf("the page of %s lacks --%s", c.Name, f.Name)
			}
		}
	}
	for name, page := range pages {
		for line := range strings.Lines(page) {
			macro, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			if isText := !strings.ContainsAny(line[:1], ".'"); !isText && !slices.Contains(manMacros, macro) {
				t.Errorf("%s: the line %q is neither text nor a macro of man pages", name, line)
			}
		}
		if folder := os.Getenv("CLAWCTL_MAN"); folder != "" {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// docParts are the parts of documents that are made from tables of the program. In a document, such a part stands
// between two comments, of which the first has its name.
var docParts = map[string]func() string{
	"commands":      commandTableDoc,
	"exit statuses": func() string { return exitTableDoc(failure.ExitStatuses) },
	"findings": func() string {
		_, table, _ := inProcess("", "explain", "--format", "markdown")
		return table
	},
	"errors":           errorTableDoc,
	"settings":         settingTableDoc,
	"everything known": knownTableDoc,
}

var docPart = regexp.MustCompile(`(?s)(<!-- made by make docs: ([a-z ]+) -->\n).*?(<!-- end -->\n)`)

// Every part is in a document, and up to date. `make docs` writes them.
func TestGeneratedParts(t *testing.T) {
	found := map[string]bool{}
	for _, path := range []string{"README.md", "docs/findings.md", "docs/config.md", "docs/formats.md"} {
		text := docPart.ReplaceAllStringFunc(readDoc(t, path), func(part string) string {
			match := docPart.FindStringSubmatch(part)
			table := docParts[match[2]]
			if table == nil {
				t.Fatalf("%s: nothing makes %q", path, match[2])
			}
			found[match[2]] = true
			return match[1] + table() + match[3]
		})
		compareFile(t, filepath.Join("../..", path), text, "UPDATE_DOCS")
	}
	if len(found) != len(docParts) {
		t.Errorf("the documents only have %v", found)
	}
}

// compareFile compares a generated file with the text that it should have. It writes the file instead if the
// environment variable is set.
func compareFile(t *testing.T, path, want, variable string) {
	t.Helper()
	if os.Getenv(variable) != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s is out of date: run the test with %s=1 and look at the difference (%v)", path, variable, err)
	}
}

// firstCommands are those that a reader of the README needs first.
var firstCommands = []string{"sessions", "show", "search", "stats", "doctor", "validate", "import", "export"}

// commandTableDoc lists the first commands. A command with a page of its own leads there.
func commandTableDoc() string {
	var b strings.Builder
	b.WriteString("| command | what it does |\n|---|---|\n")
	for _, c := range wholeCommands() {
		if !slices.Contains(firstCommands, c.Name) {
			continue
		}
		name := "`" + strings.ReplaceAll(strings.TrimSpace(c.Name+" "+c.Operands), "|", `\|`) + "`"
		if page := "docs/" + c.Name + ".md"; isFile("../../" + page) {
			name = "[" + name + "](" + page + ")"
		}
		fmt.Fprintf(&b, "| %s | %s |\n", name, c.Summary)
	}
	return b.String()
}

func isFile(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// errorTableDoc lists the codes of clawctl's own failures.
func errorTableDoc() string {
	var b strings.Builder
	b.WriteString("| code | exit status | what is wrong |\n| --- | --- | --- |\n")
	for _, e := range failure.Table()[len(failure.Rules()):] {
		fmt.Fprintf(&b, "| %s | %d | %s |\n", e.Code, e.Exit, e.Words)
	}
	return b.String()
}

// settingMeanings say what each setting of the configuration is for.
var settingMeanings = []struct{ name, meaning string }{
	{"session.store", "what `session.path` is: a database, or a folder of JSONL files"},
	{"session.path", "where the store is"},
	{"session.defaultKey", "the session of commands that take one and name none"},
	{"session.ttl", "how long a session may be unused until `prune --store` takes it"},
	{"session.inherit.enabled", "whether `import` without SOURCE reads anything"},
	{"session.inherit.source", "what `import` and `verify` read without SOURCE"},
	{"session.inherit.format", "what that source consists of"},
	{"session.checkpoint.enabled", "whether checkpoints are due at all"},
	{"session.checkpoint.model", "the model that the summarizer of a checkpoint is asked for"},
	{"session.checkpoint.fallbackToMain", "whether it is asked again without a model if that fails"},
	{"session.checkpoint.tokenThresholdPercents", "how full the window is when a checkpoint is due"},
	{"session.checkpoint.turnThreshold", "after how many messages of the user one is due"},
	{"session.checkpoint.minTokensForGen", "how many tokens a context has at least before one is due"},
	{"session.memoryFlush.enabled", "whether `flush` prints prompts at all"},
	{"session.memoryFlush.showInSystemPrompt", "whether the model is told how full its context is"},
	{"session.memoryFlush.thresholds", "the prompts of `flush`, and how full the window is for each"},
	{"session.compaction.reserveTokens", "how many tokens of the window stay free"},
	{"session.compaction.preferCheckpoint", "whether a compaction takes the summary of a recent checkpoint"},
	{"privacy.mask", "whether `show` and `tail` mask what looks like a key or a password"},
	{"sources.harness", "whether folders of Claude Code and Codex are read, as with `--harness`"},
	{"sources.archives", "files of `prune --archive` that the next import adds to the store"},
	{"models.file", "a newer catalogue of models: a file, or a folder of pi-ai's JSON files"},
	{"models.NAME", "what holds for a model: an object with `window`, `answer` and prices"},
}

// settingTableDoc lists the settings of the configuration.
func settingTableDoc() string {
	defaults := map[string]string{}
	for _, s := range config.Default().Settings() {
		defaults[s.Name] = s.Value
	}
	var b strings.Builder
	b.WriteString("| setting | meaning |\n|---|---|\n")
	for _, s := range settingMeanings {
		if defaults[s.name] != "" {
			s.meaning += " (default " + defaults[s.name] + ")"
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", s.name, s.meaning)
	}
	return b.String()
}

// Every setting has a meaning, and every meaning belongs to a setting. Only models have no settings by default.
func TestSettingMeanings(t *testing.T) {
	missing := map[string]bool{"models.NAME": true}
	for _, s := range config.Default().Settings() {
		name, _, _ := strings.Cut(s.Name, "[")
		missing[name] = true
	}
	for _, s := range settingMeanings {
		if !missing[s.name] {
			t.Errorf("%s is no setting, or has two meanings", s.name)
		}
		delete(missing, s.name)
	}
	for name := range missing {
		t.Errorf("%s has no meaning", name)
	}
}

// knownTableDoc lists everything that clawctl has seen in transcripts and indexes.
func knownTableDoc() string {
	var b strings.Builder
	b.WriteString("| written by | place | fields |\n|---|---|---|\n")
	for _, p := range dialect.Table {
		for _, o := range mergePlaces(p.Known()) {
			if len(o.Fields) > 0 {
				fields := knownFieldsDoc(o.Fields)
				if o.Open {
					fields += ", and others"
				}
				fmt.Fprintf(&b, "| %s | %s | %s |\n", p.Title, o.Place, fields)
			}
		}
	}
	return b.String()
}

// mergePlaces joins objects in the same place.
func mergePlaces(objects []shape.Object) (merged []shape.Object) {
	for _, o := range objects {
		at := slices.IndexFunc(merged, func(m shape.Object) bool { return m.Place == o.Place })
		if at < 0 {
			merged = append(merged, o)
			continue
		}
		merged[at].Fields = slices.Concat(merged[at].Fields, o.Fields)
	}
	return merged
}

func knownFieldsDoc(fields []shape.Field) string {
	var list []string
	for _, f := range fields {
		text := "`" + f.Name + "`"
		switch {
		case f.Values != nil:
			text += " (" + strings.Join(f.Values, ", ") + ")"
		case f.Holds != "" && f.Holds != f.Name:
			text += " → " + f.Holds
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// docWidth is the width of lines in documents.
const docWidth = 120

// commandsDoc is docs/commands.md.
func commandsDoc() string {
	var b strings.Builder
	b.WriteString("# Commands\n\n<!-- Made from the table of commands by `make docs`. Do not edit it. -->\n")
	b.WriteString("\nEvery command has the [flags of every command](#flags-of-every-command). " +
		"A [SOURCE](#sources) says what to read.\n")
	for _, group := range cli.Groups {
		heading := "\n| " + group + " | |\n|---|---|\n"
		for _, c := range wholeCommands() {
			if c.Group == group {
				fmt.Fprintf(&b, "%s| [%s](#%s) | %s |\n", heading, c.Name, c.Name, c.Summary)
				heading = ""
			}
		}
	}
	for _, c := range wholeCommands() {
		b.WriteString(doc(c))
	}
	b.WriteString("\n## Flags of every command\n\n" + flagTableDoc((&cli.Command{}).CommonFlags()))
	b.WriteString("\n## Sources\n\n```\n" + sourcesHelp(80) + "```\n")
	b.WriteString("\n## Exit status\n\n" + exitTableDoc(failure.ExitStatuses))
	return b.String()
}

// doc is the section of a command.
func doc(c *cli.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n```\n%s\n```\n\n```sh\n", c.Name, c.Summary, c.UsageLine())
	for _, e := range c.Examples {
		fmt.Fprintf(&b, "# %s\n%s\n", e.Comment(), e.Command())
	}
	b.WriteString("```\n")
	if table := flagTableDoc(ownFlags(c)); table != "" {
		b.WriteString("\n" + table)
	}
	for paragraph := range strings.SplitSeq(c.Details(), "\n\n") {
		b.WriteString("\n" + ui.Wrap(strings.ReplaceAll(paragraph, "*", `\*`), docWidth, "") + "\n")
	}
	b.WriteString("\n" + exitTableDoc(c.Exits))
	return b.String()
}

// ownFlags returns the flags that differ from those of other commands: its own, and --format with its choices.
func ownFlags(c *cli.Command) []cli.Flag {
	list := c.OwnFlags()
	for _, f := range c.CommonFlags() {
		if f.Name == "format" {
			list = append(list[:len(list):len(list)], f)
		}
	}
	return list
}

func flagTableDoc(flags []cli.Flag) string {
	var b strings.Builder
	for _, f := range flags {
		if !f.Hidden {
			names := strings.TrimSpace(cli.FlagNames(f))
			fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(names, "|", `\|`), cli.FlagUsage(f))
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "| Flag | Meaning |\n|---|---|\n" + b.String()
}

func exitTableDoc(statuses []failure.ExitStatus) string {
	var b strings.Builder
	b.WriteString("| Exit status | Meaning |\n|---|---|\n")
	for _, e := range statuses {
		fmt.Fprintf(&b, "| %d | %s |\n", e.Status, e.Words)
	}
	return b.String()
}

// A manWriter writes a man page with the man macros of roff.
type manWriter struct{ strings.Builder }

// roff escapes text: dashes are typed ones, and no line begins with a control character.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "`", "").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

func newManPage(name, summary string) *manWriter {
	m := &manWriter{}
	m.WriteString(".\\\" Made from the table of commands for a release.\n")
	fmt.Fprintf(m, ".TH %s 1 \"\" clawctl \"clawctl manual\"\n.nh\n.ad l\n", roff(strings.ToUpper(name)))
	fmt.Fprintf(m, ".SH NAME\n%s \\- %s\n", roff(name), roff(strings.ToLower(summary[:1])+summary[1:]))
	return m
}

func (m *manWriter) section(title string) { m.WriteString(".SH " + title + "\n") }

func (m *manWriter) paragraphs(text string) {
	var list []string
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		list = append(list, roff(paragraph)+"\n")
	}
	m.WriteString(strings.Join(list, ".PP\n"))
}

func (m *manWriter) item(term, text string) {
	m.WriteString(".TP\n.B " + roff(term) + "\n" + roff(text) + "\n")
}

func (m *manWriter) flags(title string, flags []cli.Flag) {
	heading := ".SH " + title + "\n"
	for _, f := range flags {
		if !f.Hidden {
			m.WriteString(heading)
			m.item(strings.TrimSpace(cli.FlagNames(f)), cli.FlagUsage(f))
			heading = ""
		}
	}
}

func (m *manWriter) examples(list []cli.Example) {
	m.section("EXAMPLES")
	for _, e := range list {
		m.WriteString(".PP\n" + roff(e.Comment()) + ":\n.PP\n.in +4\n.nf\n" + roff(e.Command()) + "\n.fi\n.in\n")
	}
}

func (m *manWriter) exits(statuses []failure.ExitStatus) {
	m.section("EXIT STATUS")
	for _, e := range statuses {
		m.item(fmt.Sprint(e.Status), e.Words)
	}
}

func manPage(c *cli.Command) string {
	m := newManPage("clawctl-"+c.Name, c.Summary)
	m.section("SYNOPSIS")
	m.WriteString(".B clawctl " + c.Name + "\n" + roff(strings.TrimSpace("[flags] "+c.Operands)) + "\n")
	m.section("DESCRIPTION")
	m.paragraphs(c.Details())
	m.flags("OPTIONS", c.OwnFlags())
	m.flags("OPTIONS OF EVERY COMMAND", c.CommonFlags())
	m.examples(c.Examples)
	m.exits(c.Exits)
	m.section("SEE ALSO")
	m.WriteString(".BR clawctl (1)\n")
	return m.String()
}

// overallManPage is the man page of clawctl itself.
func overallManPage() string {
	m := newManPage("clawctl", "Toolkit for the transcripts of OpenClaw and its relatives")
	m.section("SYNOPSIS")
	m.WriteString(".B clawctl\nCOMMAND [flags] [SOURCE]...\n")
	m.section("DESCRIPTION")
	purpose, _, _ := strings.Cut(overview(nil, "", docWidth), "\n\n")
	m.paragraphs(strings.ReplaceAll(purpose, "\n", " "))
	m.section("COMMANDS")
	for _, c := range wholeCommands() {
		m.item("clawctl-"+c.Name+"(1)", c.Summary)
	}
	m.flags("OPTIONS", (&cli.Command{}).CommonFlags())
	m.section("SOURCES")
	m.WriteString(".nf\n")
	for line := range strings.Lines(sourcesHelp(70)) {
		m.WriteString(roff(line))
	}
	m.WriteString(".fi\n")
	m.exits(failure.ExitStatuses)
	return m.String()
}
