package secrets

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The rules, with a description of their form.
//
//go:embed rules.txt
var rulesFile string

// table lists the rules. It is made when it is needed, because most commands start without it.
var table = sync.OnceValue(func() (rules []*Rule) {
	spoken := wordsFor()
	lists := map[string][]string{"<spoken>": slices.Concat(spoken.passwords, spoken.keys)}
	for line := range strings.Lines(rulesFile) {
		fields := strings.Split(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "<space>", " "), "\t")
		if len(fields) < 2 || strings.HasPrefix(line, "#") {
			continue
		}
		if fields[0][0] == '<' {
			lists[fields[0]] = fields[1:]
			continue
		}
		r := &Rule{Name: fields[0], Example: strings.ReplaceAll(fields[2], `\n`, "\n"), rank: len(rules)}
		r.Pattern = parts.Replace(fields[3])
		for _, keyword := range fields[4:] {
			r.Keywords = append(r.Keywords, expand(keyword, lists)...)
		}
		for option := range strings.FieldsSeq(fields[1]) {
			r.set(strings.Cut(option, "="))
		}
		r.prepare()
		rules = append(rules, r)
	}
	return rules
})

// Rules returns the rules of the table, in order.
func Rules() []*Rule { return slices.Clone(table()) }

// expand returns the keywords that a keyword of the table stands for.
func expand(keyword string, lists map[string][]string) (list []string) {
	if words := lists[keyword]; words != nil {
		return words
	}
	before, rest, isClass := strings.Cut(keyword, "{")
	if !isClass {
		return []string{keyword}
	}
	for _, c := range classes[rest[0]] {
		list = append(list, expand(before+string(c)+rest[len("d}"):], lists)...)
	}
	return list
}

// set sets what an option of the table says.
func (r *Rule) set(name, value string, _ bool) {
	switch name {
	case "key":
		r.isMarked = true
	case "assigned":
		r.Fold, r.gate = true, isLongAssignment
		r.Pattern = `[a-z_-]{0,30}` + assignment + "(" + r.Pattern + `)(?:[^A-Za-z0-9_]|\z)`
	case "name":
		r.Left, r.word = "(?i)"+value, wordOf(value)
	case "command":
		r.Entropy, r.accepts, r.reach = 1.5, isArgument, maxCommand
	case "bits":
		r.Entropy, _ = strconv.ParseFloat(value, 64)
	case "fold":
		r.Fold = true
	case "anywhere":
		r.left = anything
	case "before":
		r.Left, r.word = value, wordOf(value)
	case "begins":
		r.Left, r.left = value, partOfIt
	case "needs":
		r.needs = strings.Split(value, ",")
	case "long":
		r.long = true
	case "nests":
		r.nests = true
	case "gate":
		r.gate = gates[value]
	case "find":
		r.find = finders[value]
	case "judge":
		r.accepts = judges[value]
	}
}

// wordOf returns the word that a pattern begins with.
func wordOf(pattern string) string {
	return pattern[:len(pattern)-len(strings.TrimLeft(pattern, "-abcdefghijklmnopqrstuvwxyz"))]
}

// The functions that options of the table name: quick looks before a pattern runs, functions instead of a pattern, and
// last looks at what was found.
var (
	gates = map[string]func(text []byte, at, length int) bool{
		"cell": isCell, "long-value": isLongAssignment, "user-info": hasUserInfo,
		"variable": isVariableName,
	}
	finders = map[string]func(text []byte, at int) []span{
		"assigned": findAssigned, "codes": findCodes, "column": findColumn, "cookie": findCookie, "seed-phrase": findSeed,
		"spoken": findSpoken,
	}
	judges = map[string]func(candidate) bool{
		"alone": standsAlone, "argument": isArgument, "given": isGiven, "key-body": isKeyBody, "key-like": isKeyLike,
		"text": isNoPlaceholder, "typed": isTyped, "url-password": isURLPassword,
		"argument-or-typed": func(c candidate) bool { return isArgument(c) || isTyped(c) },
		"variable":          butNoCode(isVariable),
	}
)

const (
	// assignment is what is between the name and the value of an assignment, in a programming language, in JSON, in JSON
	// inside of JSON, or in a header.
	assignment = `[A-Za-z0-9_.-]{0,30}(?:\\{0,3}["'\x60])?[ \t]{0,3}(?:=>|:=|=|:)[ \t]{0,3}(?:\\{0,3}["'\x60])?`
	// argument is the word of a command line that is a secret.
	argument = `(?:"([^"\n$\x60]{4,200})"|'([^'\n]{4,200})'|` +
		`([^\s\x1b"'$\x60|;&<>()\\-][^\s\x1b"'\x60|;&<>()\\]{3,200}))`
)

// parts are the patterns that those of the table have in common. Words are between the name of a command and a flag.
var parts = strings.NewReplacer("<assigned>", assignment, "<argument>", argument, "<words>", `(?:[^\n|;&]{0,300}? )?`)

// maxCommand is how far the pattern of a command looks.
const maxCommand = 600
