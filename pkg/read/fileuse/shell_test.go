package fileuse

import (
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
)

func TestNamed(t *testing.T) {
	for _, test := range []struct{ tool, arguments, want string }{
		{"bash", `{"command":"sed -n 1,5p notes/a.txt | grep x > ./out.md"}`, "notes/a.txt ./out.md"},
		{"Bash", `{"command":"cat 'prices.csv' prices.csv; ls -la"}`, "prices.csv"},
		{"exec_command", `{"cmd":"go test ./pkg/store && cat /etc/hosts.bak"}`, "./pkg/store /etc/hosts.bak"},
		{"shell", `{"command":["bash","-lc","head -1 LICENSE.md"]}`, "LICENSE.md"},
		{"exec", `"{\"command\":\"cat src/main.go\"}"`, "src/main.go"},
		{"bash", `{"command":"curl https://example.org/a.txt --out=x.txt *.go $HOME/a.go 2>/dev/null 3.14 v1.2"}`, ""},
		{"bash", `{"command":7}`, ""},
		{"read", `{"path":"a.txt"}`, ""},
	} {
		call := jsonl.ToolCall{Name: test.tool, Arguments: test.arguments}
		if got := strings.Join(Named(call), " "); got != test.want {
			t.Errorf("%s: got %q, want %q", test.arguments, got, test.want)
		}
	}
}
