package shell

import (
	"strconv"
	"strings"
)

// A counterpart is what a command of Unix is on Windows. {} stands for its arguments, {,} for a list of them, and {-1}
// for a number that is less by one. An empty counterpart is left out of a pipeline.
type counterpart struct{ posix, cmd, powershell string }

// counterparts are the commands that hints use. The first that fits counts.
var counterparts = []counterpart{
	{"ls -ld {}", "dir {}", "Get-Item {}"},
	{"ls -l {}", "dir {}", "Get-Item {}"},
	{"ls {}", "dir {}", "Get-ChildItem {}"},
	{"df -h {}", "dir {}", "Get-Volume -FilePath {}"}, // dir ends with the free space
	{"df -h", "dir", "Get-Volume"},
	{"mkdir -p {}", "mkdir {}", "mkdir -Force {}"},
	{"rm {}", "del {}", "Remove-Item {,}"},
	{"mv {}", "move {}", "Move-Item {}"},
	{"cat -v", "", ""}, // consoles show control characters
	{"cat {}", "type {}", "Get-Content {}"},
	{"ps -p {}", `tasklist /fi "PID eq {}"`, "Get-Process -Id {}"},
	{"head -c 200 {}", "more {}", "Get-Content -TotalCount 5 {}"},
	{"head -n {}", "more", "Select-Object -First {}"},
	{"sed -n {}p", "more +{-1}", "Select-Object -Skip {-1} -First 1"},
	{"iconv -f UTF-16 -t UTF-8 {}", "type {}", "Get-Content {}"},
}

// Local returns a command line that was written for a POSIX shell as one that works in the shell: its commands are
// those of the system, and texts in single quotes are quoted as the shell wants them. Words in double quotes stay.
func (s Shell) Local(command string) string {
	if s == POSIX {
		return command
	}
	var stages []string
	for _, stage := range splitOutside(s.requote(command), " | ") {
		if stage = s.translate(stage); stage != "" {
			stages = append(stages, stage)
		}
	}
	return strings.Join(stages, " | ")
}

// translate returns the counterpart of one command of a pipeline.
func (s Shell) translate(stage string) string {
	for _, c := range counterparts {
		begin, end, takesWords := strings.Cut(c.posix, "{}")
		rest, fits := strings.CutPrefix(stage, begin)
		words, alsoFits := strings.CutSuffix(rest, end)
		if !fits || !alsoFits || !takesWords && words != "" || takesWords && words == "" {
			continue
		}
		if s == Cmd {
			return fill(c.cmd, words)
		}
		return fill(c.powershell, words)
	}
	return stage
}

// fill puts the arguments of a command into its counterpart.
func fill(template, words string) string {
	number, _ := strconv.Atoi(words) // only numbers are put where one is less
	return strings.NewReplacer(
		"{}", words, "{,}", strings.Join(splitOutside(words, " "), ", "), "{-1}", strconv.Itoa(number-1),
	).Replace(template)
}

// requote quotes texts in single quotes as cmd does. In PowerShell single quotes mean the same.
func (s Shell) requote(command string) string {
	if s != Cmd {
		return command
	}
	var b strings.Builder
	for i := 0; i < len(command); i++ {
		end := quotedEnd(command, i)
		if end > 0 && command[i] == '\'' {
			b.WriteString(quoteForCmd(command[i+1 : end]))
		} else {
			end = max(end, i)
			b.WriteString(command[i : end+1])
		}
		i = end
	}
	return b.String()
}

// quotedEnd returns where the quotes that begin at a place end, or 0 if none begin there.
func quotedEnd(command string, at int) int {
	if quote := command[at]; quote == '\'' || quote == '"' {
		if length := strings.IndexByte(command[at+1:], quote); length >= 0 {
			return at + 1 + length
		}
	}
	return 0
}

// splitOutside splits a command line at a separator that is not in quotes.
func splitOutside(command, separator string) []string {
	var parts []string
	begin := 0
	for i := 0; i < len(command); i++ {
		if end := quotedEnd(command, i); end > 0 {
			i = end
		} else if strings.HasPrefix(command[i:], separator) {
			parts = append(parts, command[begin:i])
			begin = i + len(separator)
		}
	}
	return append(parts, command[begin:])
}
