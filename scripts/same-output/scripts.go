package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// A script is a few command lines of clawctl, with " ; " between them. In a line, " | " gives the output of a command
// to the next one, and " < NAME" gives it an input. SOURCE stands for a transcript or folder, COPY for a copy of
// it that may be changed, and OUT for a folder of the script's own.
type script string

// inputs are what scripts give to commands.
var inputs = map[string]string{
	"nothing":  "",
	"values":   "the\n",
	"summary":  "They talked about a garden.\n",
	"list":     call(`"method":"tools/list"`),
	"sessions": call(`"method":"tools/call","params":{"name":"sessions","arguments":{}}`),
	"search":   call(`"method":"tools/call","params":{"name":"search","arguments":{"query":"the"}}`),
	"recall":   call(`"method":"tools/call","params":{"name":"recall","arguments":{"query":"what is the plan"}}`),
	"stats":    call(`"method":"tools/call","params":{"name":"stats","arguments":{}}`),
	"show":     call(`"method":"tools/call","params":{"name":"show","arguments":{"session":"@last"}}`),
}

// call returns what a client of mcp says to make one call. Answers to several calls may come in any order.
func call(what string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"test","version":"1"}}}` + "\n" + `{"jsonrpc":"2.0","id":2,` + what + "}\n"
}

// fileScripts read one transcript.
var fileScripts = []script{
	"cat SOURCE", "cat --as openclaw SOURCE", "cat --type message,tool_use SOURCE", "show SOURCE", "show --all SOURCE",
	"show --raw --thinking --tools full SOURCE", "show --last 3 SOURCE", "show --format json SOURCE",
	"show --format markdown SOURCE", "show --tree SOURCE", "rebuild --as native SOURCE",
	"rebuild SOURCE", "rebuild --as openai SOURCE", "rebuild --request SOURCE",
	"rebuild --request SOURCE | guard --budget 900 --offline", "validate SOURCE", "validate --format ndjson SOURCE",
	"validate --format sarif SOURCE", "validate --unknown SOURCE", "stats --json SOURCE", "stats SOURCE",
	"stats --by tool,model,role --json SOURCE", "stats --compactions --json SOURCE", "tokens --json SOURCE",
	"tokens SOURCE",
	"context --json SOURCE", "context SOURCE", "search --json e SOURCE", "search --in all --count e SOURCE",
	"search the SOURCE",
	"search --rank what SOURCE", "tail SOURCE", "tail --format ndjson SOURCE",
	"sessions --json SOURCE",
	"sessions SOURCE", "du --json SOURCE", "du --by type,content SOURCE",
	"repair --dry-run SOURCE", "repair --format ndjson SOURCE",
	"compact --plan SOURCE", "flush --report SOURCE",
	"handoff SOURCE", "handoff --format json SOURCE", "diff SOURCE SOURCE", "redact --check SOURCE",
	"redact --check --json --emails --phones --ips --paths SOURCE",
	"cat SOURCE | validate -", "cat SOURCE | stats --json -",
	"export --as atif SOURCE", "export --as openai-finetune SOURCE", "export --as openclaw SOURCE",
}

// fileWriters change a copy of a transcript, or write others.
var fileWriters = []script{
	"repair --write -y COPY ; undo --list ; undo -y",
	"redact COPY -o OUT/redacted",
	"redact --in-place --values INPUT/values --write -y COPY ; undo --list",
	"slim --over 1k COPY -o OUT/slim ; slim --restore OUT/slim -o OUT/whole",
	"import COPY ; sessions --json ; verify COPY --json ; stats --json ; export -o OUT/files ; import COPY ; du",
	"import COPY --to OUT/new.db ; validate OUT/new.db ; diff COPY OUT/new.db ; export OUT/new.db -o OUT/files",
	"restore COPY --store OUT/restored.db", "compact --offline SOURCE -o OUT/record",
	"checkpoint --offline SOURCE -o OUT/record", "compact --summary INPUT/summary SOURCE -o OUT/record",
}

// folderScripts read everything in a folder.
var folderScripts = []script{
	"sessions --json SOURCE", "sessions SOURCE", "sessions --fast --json SOURCE", "stats --json SOURCE",
	"stats --by day,agent,model --json SOURCE", "validate --summary SOURCE", "validate --format github SOURCE",
	"search --json --count e SOURCE", "search --rank what SOURCE", "doctor --json SOURCE", "doctor SOURCE", "du SOURCE",
	"du --json SOURCE", "tokens --json SOURCE", "redact --check SOURCE", "flush --report SOURCE", "mcp SOURCE < list",
	"mcp SOURCE < sessions",
	"mcp SOURCE < search", "mcp SOURCE < recall", "mcp SOURCE < stats", "mcp SOURCE < show",
	"prune SOURCE --against SOURCE", "repair --index SOURCE", "tail -n 2 SOURCE", "export --as postgres SOURCE",
}

// folderWriters change a copy of a folder, or write others. Every form of export is among them (exportScripts).
var folderWriters = []script{
	"import COPY ; sessions --json ; stats --json ; verify COPY ; import COPY ; validate --summary ; doctor COPY --json",
	"import COPY --to OUT/s.db ; prune COPY --against OUT/s.db --older 1d --write -y ; undo --list ; undo -y",
	"repair --write -y COPY ; undo -y", "repair --index --write -y COPY ; undo -y",
	"export --as bundle COPY -o OUT/b.tar.zst ; export --as bundle --redact COPY -o OUT/r.tar.zst ; " +
		"export OUT/b.tar.zst -o OUT/home",
	"redact COPY -o OUT/redacted ; slim COPY -o OUT/slim",
	"redact --in-place --values INPUT/values --write -y COPY",
}

// loneScripts need no source.
var loneScripts = []script{
	"", "help", "version", "version --json", "env", "env --json", "explain CL001", "explain --json", "explain nothing",
	"new me --model claude-sonnet-4-5 --title Garden ; append me --role user Hello ; append me --role assistant Hi ; " +
		"show me ; context me ; compact me --offline --append ; checkpoint me --offline --append ; flush me --record ; " +
		"rebuild me ; delete me -y ; restore --list ; restore me ; new me ; sessions --json ; restore me --as-new you ; " +
		"prune --store --older 1d --write -y ; delete me you --purge --generations -y ; sessions",
	"mcp --print-config claude", "mcp --print-config codex", "browse", "undo --list", "restore --list", "import < nothing",
	"completion bash", "completion zsh", "completion fish", "completion powershell", "__complete -- ", "__complete -- se",
	"__complete -- export --as ", "__complete -- stats --by ", "__complete -- validate --sel",
	"help sources", "help config", "help numbers", "help models", "help codes",
	"show", "cat /nonexistent/file", "stats --by nothing", "export --as nothing",
}

// helpScripts ask for the help of every command that a program lists, and fail if no script runs one of them.
func helpScripts(program string) (scripts []script, err error) {
	help, err := exec.Command(program, "help").Output()
	if err != nil {
		return nil, err
	}
	all := slices.Concat(fileScripts, fileWriters, folderScripts, folderWriters, loneScripts)
	_, list, _ := strings.Cut(string(help), "\nRead:\n")
	for _, name := range words(`(?m)^  ([a-z]+)  +[A-Z]`, list) {
		isRun := func(s script) bool { return slices.Contains(strings.Fields(string(s)), name) }
		if !slices.ContainsFunc(all, isRun) && name != "help" {
			return nil, fmt.Errorf("no script runs clawctl %s", name)
		}
		scripts = append(scripts, script("help "+name), script(name+" -h"), script("__complete -- "+name+" --"))
	}
	if len(scripts) == 0 {
		return nil, fmt.Errorf("%s help lists no commands", program)
	}
	return scripts, nil
}

// exportScripts write every form that a program completes.
func exportScripts(program string) (scripts []script, err error) {
	forms, err := exec.Command(program, "__complete", "--", "export", "--as", "").Output()
	if err != nil {
		return nil, err
	}
	for _, form := range words(`(?m)^([a-z-]+)(?:\t|$)`, string(forms)) {
		scripts = append(scripts, script("export --as "+form+" COPY -o OUT/"+form))
	}
	if len(scripts) < 2 {
		return nil, fmt.Errorf("%s completes no forms of export", program)
	}
	return scripts, nil
}

// words returns the first group of every match.
func words(pattern, text string) (list []string) {
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		list = append(list, match[1])
	}
	return list
}
