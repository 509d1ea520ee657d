package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// A script is a few command lines of clawctl, with " ; " between them, and " < NAME" before an input. SOURCE stands for
// the input, LAST for the transcript of its last session, COPY for an old copy that may be changed, TORN for one with
// damage in every transcript, STORE for a store that has the input, VALUES for a list of values, and OUT for an empty
// folder. Each command of a script has a row of its own. browse needs a terminal, and what tail does when it follows is
// tested by counting.

// folderScripts read or change everything.
var folderScripts = []string{
	"sessions SOURCE", "sessions --copies --json SOURCE", "sessions --findings SOURCE", "sessions STORE", "cat SOURCE",
	"cat STORE", "search zzqq SOURCE", "search --count e SOURCE", "search --in all --json user SOURCE",
	"search --rank what SOURCE", "search zzqq STORE", "stats SOURCE", "stats --by session,family,day,model --json SOURCE",
	"stats STORE", "tokens SOURCE", "du SOURCE", "du --by session,copy,content SOURCE", "du STORE", "doctor SOURCE",
	"doctor --deep SOURCE", "validate SOURCE", "validate --format sarif SOURCE", "validate STORE",
	"validate --unknown SOURCE", "flush --report SOURCE", "tail -n 2 SOURCE", "verify SOURCE --against STORE",
	"verify STORE", "redact --check SOURCE", "prune SOURCE --against STORE", "repair SOURCE", "repair --index SOURCE",
	"mcp SOURCE < sessions", "mcp SOURCE < search", "mcp SOURCE < recall", "mcp SOURCE < stats", "mcp SOURCE < show",
	"mcp STORE < recall", "overview",
	"import COPY ; import COPY ; sessions ; verify COPY ; export -o OUT/files ; prune --store --older 1d",
	"repair --write -y TORN ; undo -y", "redact COPY -o OUT/redacted ; slim COPY -o OUT/slim",
	"redact --in-place --values VALUES --write -y COPY", "prune COPY --against STORE --older 1d --write -y ; undo -y",
	"export --as bundle COPY -o OUT/b.tar.zst ; export OUT/b.tar.zst -o OUT/home",
	"export --as bundle --redact COPY -o OUT/r.tar.zst",
}

// lastScripts read one session.
var lastScripts = []string{
	"show LAST", "show --format json LAST", "show --format markdown LAST",
	"show --format html LAST -o OUT/page.html", "show --tree LAST", "show --all --raw LAST",
	"show --last 3 LAST", "rebuild LAST", "rebuild --as native LAST",
	"rebuild --request --model claude-opus-4-6 LAST -o OUT/request ; guard --budget 900 --offline OUT/request",
	"context LAST", "handoff LAST",
	"compact --offline LAST -o OUT/record", "checkpoint --offline LAST -o OUT/record",
	"diff LAST LAST", "validate LAST", "tokens LAST", "redact --check LAST",
	"new me --store STORE ; append me --role user hello --store STORE ; delete me -y --store STORE ; " +
		"restore me --store STORE ; delete me -y --purge --generations --store STORE",
}

// elsewhere are the commands that read no session, or only with a terminal.
var elsewhere = []string{"browse", "explain", "env", "completion", "version", "help"}

// inputs are what scripts give to commands.
var inputs = map[string]string{
	"sessions": call("sessions", `{}`), "search": call("search", `{"query":"the"}`),
	"recall": call("recall", `{"query":"what is the plan"}`), "stats": call("stats", `{}`),
	"show": call("show", `{"session":"@last"}`),
}

// call returns what a client of mcp says to call a tool.
func call(tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"test","version":"1"}}}` + "\n" +
		fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments) +
		"\n"
}

// scripts returns all scripts.
func scripts() []string {
	list := slices.Concat(lastScripts, folderScripts)
	for _, form := range exportForms {
		list = append(list, "export --as "+form+" COPY -o OUT/"+form)
	}
	return list
}

// exportForms are the forms of export, which the program lists.
var exportForms []string

// checkScripts asks a program for its commands, and fails if no script runs one of them.
func checkScripts(program string) error {
	help, err := exec.Command(program, "help").Output()
	if err != nil {
		return err
	}
	forms, err := exec.Command(program, "__complete", "--", "export", "--as", "").Output()
	if err != nil {
		return err
	}
	_, listed, _ := strings.Cut(string(forms), "\n") // the first line says what follows
	exportForms = words(`(?m)^([a-z-]+)$`, listed)
	all := scripts()
	_, list, _ := strings.Cut(string(help), "\nRead:\n")
	commands := words(`(?m)^  ([a-z]+)  +[A-Z]`, list)
	if len(commands) == 0 || len(exportForms) == 0 {
		return fmt.Errorf("%s lists no commands or forms", program)
	}
	for _, name := range commands {
		isRun := func(s string) bool { return slices.Contains(strings.Fields(s), name) }
		if !slices.Contains(elsewhere, name) && !slices.ContainsFunc(all, isRun) {
			return fmt.Errorf("no script runs clawctl %s", name)
		}
	}
	return nil
}

// words returns the first group of every match.
func words(pattern, text string) (list []string) {
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		list = append(list, match[1])
	}
	return list
}
