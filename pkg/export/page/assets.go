package page

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html"
	"strings"
	"sync"
)

//go:embed assets
var assets embed.FS

// A kind of page is a frame with its script and style. All of it is in the assets folder.
type kind struct {
	frame   string   // the name of a file that follows the head of all pages
	scripts []string // the names of files that become one script
	style   string   // the name of a file that follows the style of all pages, or ""
	loads   bool     // the script loads others from the folder of the page
	lock    string   // the name of a file that is shown instead of the page until it is unlocked, or ""
}

var (
	sessionPage = kind{frame: "session.html", scripts: sessionScripts}.assembly()
	lockedPage  = kind{frame: "session.html", scripts: sessionScripts, lock: "lock.html"}.assembly()
	listPage    = kind{frame: "list.html", scripts: listScripts, loads: true}.assembly()
	plainPage   = kind{frame: "plain.html"}.assembly()
	reportPage  = kind{frame: "report.html", scripts: reportScripts, style: "report.css"}.assembly()
)

// The scripts of the pages.
var (
	sessionScripts = []string{"dom.js", "markdown.js", "highlight.js", "diff.js", "inflate.js", "bodies.js", "tree.js",
		"rows.js", "parts.js", "search.js", "session.js"}
	listScripts   = []string{"dom.js", "words.js", "list.js"}
	reportScripts = []string{"dom.js", "report.js"}
)

// An assembly returns a frame with everything that does not depend on the session. The script is an element.
type assembly func() (head, script string)

// assembly assembles the page when it is first needed.
func (k kind) assembly() assembly {
	return sync.OnceValues(func() (string, string) {
		head, script := k.assemble()
		return head, "<script>" + script + "</script>\n"
	})
}

func (a assembly) scriptElement() string {
	_, script := a()
	return script
}

// assemble returns the beginning of the file, with a place for the title, and the script.
func (k kind) assemble() (head, script string) {
	for i, name := range k.scripts {
		if i == 1 && k.lock != "" {
			script += read("unlock.js") // the others do not begin before the password is known
		}
		script += read(name)
	}
	switch {
	case k.lock != "":
		script = "(async () => {\n'use strict';\n" + script + "})();\n" // it waits for the password
	case script != "":
		script = "(() => {\n'use strict';\n" + script + "})();\n"
	}
	style := read("page.css")
	if k.style != "" {
		style += read(k.style)
	}
	frame := read("head.html") + read(k.frame)
	if k.lock != "" {
		frame = strings.Replace(frame, `<body class="session">`, `<body class="session locked">`+"\n"+read(k.lock), 1)
	}
	head = strings.NewReplacer("{{policy}}", k.policy(script, style), "{{style}}", style).Replace(frame)
	return head, script
}

func read(name string) string {
	text, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return string(text)
}

// policy is the Content-Security-Policy of a page with one style and one script. It allows no request at all, and no
// text to become HTML. A script that loads others may do so from its own place only, and under names that it checks.
func (k kind) policy(script, style string) string {
	allowed, types := "'none'", "'none'"
	if script != "" {
		allowed = digest(script)
	}
	if k.loads {
		allowed, types = allowed+" 'self'", "clawctl"
	}
	return "default-src 'none'; script-src " + allowed + "; style-src " + digest(style) + "; img-src data: blob:; " +
		"base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types " + types
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// writeHead writes everything before the data of a page.
func writeHead(out *bufio.Writer, a assembly, title string) {
	head, _ := a()
	before, after, _ := strings.Cut(head, "{{title}}")
	for _, text := range []string{before, html.EscapeString(title), after} {
		_, _ = out.WriteString(text) // a buffered writer keeps its error
	}
}
