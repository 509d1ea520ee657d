package dialect

import (
	"path/filepath"
	"slices"

	"clawctl/pkg/jsontext"
)

// Joined is the type of the lines with which clawctl joins a session of OpenClaw and that of the program that did its
// work. Such a line has the line of the other program (row), the name of that program (program), and the place that the
// record has in OpenClaw's tree (id, parentId). A line of a subagent, which is beside the conversation, has its id
// (agent). A line that has no id in its own file has its number there (line). No file has such lines. They are written
// into private files while a command runs.
const Joined = "clawctl.joined"

// joinedProgram is the translator of joined lines. It is not in the table, because it is not a program.
var joinedProgram = &Program{
	Name: "joined", Title: "another program", Translate: translateJoined, CopyID: joinedCopyID,
	Detect: func(string, jsontext.Value) Dialect { return Unknown }, // the other lines say who wrote the transcript
}

// IsJoined reports whether the lines that it translates are those of a program that did the work for another.
func (p *Program) IsJoined() bool { return p == joinedProgram }

// translateJoined appends the form of the line inside a joined one, at its place in the other tree.
func translateJoined(dst []byte, _ string, line *jsontext.Outline) []byte {
	row, id, parent := line.Text.Get("row"), line.Text.Get("id"), line.Text.Get("parentId")
	kind := row.Get("type").String()
	for _, p := range translators()[kind] {
		if form := p.Translate(nil, kind, &jsontext.Outline{Text: row}); len(form) > 0 {
			return appendMoved(dst, form, id, parent, line.Text.Get("agent"))
		}
	}
	return dst
}

// joinedCopyID returns the id of the line inside a joined one.
func joinedCopyID(line jsontext.Value) jsontext.Value {
	row := line.Get("row")
	for _, p := range translators()[row.Get("type").String()] {
		if p.CopyID != nil {
			if id := p.CopyID(row); id.Exists() {
				return id
			}
		}
	}
	return nil
}

// appendMoved appends a record with another id and parent, beside the conversation if it is one of a subagent.
func appendMoved(dst []byte, form, id, parent, agent jsontext.Value) []byte {
	dst = append(append(dst, `{"type":`...), form.Get("type")...)
	if id.IsString() {
		dst = jsontext.AppendMember(jsontext.AppendMember(dst, "id", id), "parentId", parent)
	}
	isAgent := agent.IsString()
	if isAgent {
		dst = append(dst, `,"appendMode":"side"`...)
	}
	for key, v := range form.Fields() {
		switch name := string(key); {
		case name == "type", name == "id", name == "parentId", name == "appendMode" && isAgent:
			continue
		case name == "usage" && isAgent && v.Get("fallback").IsTrue():
			v = ofAgent(v, agent)
		}
		dst = jsontext.AppendMember(dst, string(key), v)
	}
	return append(dst, '}')
}

// ofAgent returns the running total of a subagent. All sessions of a program have the same name for theirs.
func ofAgent(usage, agent jsontext.Value) jsontext.Value {
	return usage.WithMembers(func(key string, v jsontext.Value) jsontext.Value {
		if key == "series" {
			return agent
		}
		return v
	})
}

// BackendNamed returns the program that OpenClaw means by a name, or nil.
func BackendNamed(name string) *Program {
	return find(func(p *Program) bool { return slices.Contains(p.Backends, name) })
}

// The variables that name the folders of programs, and the names of these folders in the user's home.
const (
	claudeVariable, claudeFolder = "CLAUDE_CONFIG_DIR", ".claude"
	codexVariable, codexFolder   = "CODEX_HOME", ".codex"
)

func claudeHome(get func(string) string, home string) string {
	return folderOf(VariableValue(get(claudeVariable)), home, claudeFolder)
}

func codexHome(get func(string) string, home string) string {
	return folderOf(VariableValue(get(codexVariable)), home, codexFolder)
}

// folderOf returns the folder of a program: the one that a variable states, or one in the user's home.
func folderOf(stated, home, name string) string {
	if stated != "" || home == "" {
		return stated
	}
	return filepath.Join(home, name)
}
