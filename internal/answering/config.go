package answering

import (
	"encoding/json"
	"slices"
	"strconv"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
)

// A client is a program that starts servers, with the form of its configuration.
type client struct {
	name  string
	file  string // its configuration
	add   string // the command of the program that changes it, up to ours
	arg   string // what that wants before each argument instead of ours, or ""
	write func(args []string) string
}

// clients are the programs whose configuration is known.
var clients = []client{
	{"claude", ".mcp.json", "claude mcp add --scope user clawctl --", "", func(args []string) string {
		return indented(map[string]any{"mcpServers": map[string]any{"clawctl": launch{"stdio", "clawctl", args}}})
	}},
	{"codex", "~/.codex/config.toml", "codex mcp add clawctl --", "", func(args []string) string {
		list, _ := json.Marshal(args) // texts are written as in TOML
		return "[mcp_servers.clawctl]\ncommand = \"clawctl\"\nargs = " + string(list) + "\n"
	}},
	{"openclaw", "~/.openclaw/openclaw.json", addToOpenClaw, "--arg=", func(args []string) string {
		servers := map[string]any{"servers": map[string]any{"clawctl": launch{"", "clawctl", args}}}
		return indented(map[string]any{"mcp": servers})
	}},
	{"pi", "~/.pi/agent/mcp.json", "pi mcp add clawctl --", "", func(args []string) string {
		return indented(map[string]any{"mcpServers": map[string]any{"clawctl": launch{"", "clawctl", args}}})
	}},
}

const addToOpenClaw = "openclaw mcp add clawctl --command clawctl"

// A launch is how a client starts a server.
type launch struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

func indented(v any) string {
	text, _ := json.MarshalIndent(v, "", "  ") // it has nothing but texts
	return string(text) + "\n"
}

// Clients returns the names of the programs whose configuration is known.
func Clients() (names []string) {
	for _, c := range clients {
		names = append(names, c.name)
	}
	return names
}

// printConfig prints the lines that make a program start this server, and says where they belong.
func (s *Service) printConfig(name string) error {
	c := clients[slices.IndexFunc(clients, func(c client) bool { return c.name == name })]
	args := s.args()
	if err := s.app.Print(c.write(args)); err != nil {
		return err
	}
	s.app.Note("add this to %s, or run %s", c.file, c.command(args))
	return nil
}

// command is the command that changes the configuration.
func (c *client) command(args []string) string {
	if c.arg == "" {
		return c.add + " " + failure.Command(append([]string{"clawctl"}, args...)...)
	}
	flags := slices.Clone(args)
	for i := range flags {
		flags[i] = c.arg + flags[i]
	}
	return c.add + " " + failure.Command(flags...)
}

// args are the arguments of the server. Paths are absolute, because a client starts it in any folder.
func (s *Service) args() []string {
	args := []string{"mcp"}
	if s.Most != MostBudget {
		args = append(args, "--budget="+strconv.Itoa(s.Most))
	}
	if s.Raw {
		args = append(args, "--raw")
	}
	if s.values.File != "" {
		args = append(args, "--values="+cli.Absolute(cli.ExpandHome(s.values.File)))
	}
	for _, place := range s.sources {
		if cli.IsPath(place) {
			place = cli.Absolute(place)
		}
		args = append(args, place)
	}
	return args
}
