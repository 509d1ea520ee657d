package main

import (
	"bytes"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/cli"
)

func TestPathEnds(t *testing.T) {
	tests := []struct {
		given map[string]string
		want  map[string]string // names by path
	}{
		{nil, map[string]string{"homes/web1": "web1", "homes/web2": "web2", "team.tar.zst": "team.tar.zst"}},
		{nil, map[string]string{
			"/srv/web1/.openclaw": "web1/.openclaw", "/srv/web2/.openclaw/": "web2/.openclaw", "/srv/web3": "web3"}},
		{nil, map[string]string{"web1": "web1", "b/web1": "b/web1", "a/b/web1": "a/b/web1", "/web1": "/web1"}},
		{nil, map[string]string{"x/a/home": "x/a/home", "y/a/home": "y/a/home", "y/b/home": "b/home"}},
		{nil, map[string]string{"/root/.openclaw": "openclaw", "/root/.pi/agent/sessions": "pi", "/x/sessions": "sessions"}},
		{nil, map[string]string{"/root/.openclaw-work": "openclaw-work", "/agent/sessions": "sessions"}},
		{nil, map[string]string{"/a/.pi/agent/sessions": "a/.pi/agent/sessions",
			"/b/.pi/agent/sessions": "b/.pi/agent/sessions", "/c/pi": "c/pi"}},
		{nil, map[string]string{"/root/.openclaw": "root/.openclaw", "/root/openclaw": "root/openclaw"}},
		{map[string]string{"x": "web1"}, map[string]string{"x": "web1", "b/web1": "b/web1", "web2": "web2"}},
		{map[string]string{"x": "web1", "y": "web1"}, map[string]string{"x": "web1", "y": "web1", "z": "z"}},
	}
	for _, test := range tests {
		ends := cli.NewPathEnds(test.given)
		for path := range test.want {
			ends.Add(path)
		}
		if got := ends.Names(); !maps.Equal(got, test.want) {
			t.Errorf("got %v, want %v", got, test.want)
		}
	}
}

// Folders without a name of their own are named after where they are.
func TestPathEndsOfDots(t *testing.T) {
	ends := cli.NewPathEnds(nil)
	ends.Add(".")
	ends.Add("..")
	if got := ends.Names(); got["."] != "clawctl" || got[".."] != "cmd" {
		t.Error(got)
	}
}

// The totals of homes that share nothing are the sums of the totals of each, and those of their hosts.
func TestHostsAddUp(t *testing.T) {
	homes := []string{"../../testdata/home", aYearLater(t, "../../testdata/home")}
	total := statsGroups(t, "total", homes...)[0]
	sum, hosts := statsGroup{}, statsGroups(t, "host", homes...)
	if len(hosts) != len(homes) {
		t.Fatalf("%d hosts", len(hosts))
	}
	for i, name := range []string{"home", "later"} {
		alone := statsGroups(t, "total", homes[i])[0]
		alone.Name = name
		for _, host := range hosts {
			if host.Name == name && host != alone {
				t.Errorf("got %+v, want %+v", host, alone)
			}
		}
		sum.add(alone)
	}
	sum.Recorded.CostUSD = math.Round(sum.Recorded.CostUSD*1e9) / 1e9
	if sum.Name = "total"; sum != total {
		t.Errorf("the hosts have %+v, the total is %+v", sum, total)
	}
}

// aYearLater returns a copy of a home in which everything happened a year later, so that no record is a copy.
func aYearLater(t *testing.T, home string) string {
	t.Helper()
	later := filepath.Join(t.TempDir(), "later")
	if err := os.CopyFS(later, os.DirFS(home)); err != nil {
		t.Fatal(err)
	}
	if err := filepath.WalkDir(later, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if strings.Contains(path, ".zst") || strings.Contains(path, ".gz") {
			return os.Remove(path)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, bytes.ReplaceAll(text, []byte("2026-"), []byte("2027-")), 0o600)
	}); err != nil {
		t.Fatal(err)
	}
	return later
}

// add adds the figures of another group.
func (g *statsGroup) add(o statsGroup) {
	g.Records += o.Records
	g.Messages += o.Messages
	g.ToolCalls += o.ToolCalls
	g.ToolErrors += o.ToolErrors
	g.Recorded.Input += o.Recorded.Input
	g.Recorded.Output += o.Recorded.Output
	g.Recorded.Total += o.Recorded.Total
	g.Recorded.CostUSD += o.Recorded.CostUSD
}
