package main

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// Every command works without a network.
func TestNoNetwork(t *testing.T) {
	if err := exec.Command("unshare", "-rn", "true").Run(); err != nil {
		t.Skip("unshare -rn is not allowed here:", err)
	}
	home, err := filepath.Abs("../../testdata/home")
	if err != nil {
		t.Fatal(err)
	}
	session := home + "#agent:main:main"
	for _, args := range [][]string{
		{"sessions", home}, {"cat", session}, {"rebuild", session}, {"tokens", "--text", "hello"},
		{"tokens", "--encoding", "o200k_base", "--text", "hello"},
		{"stats", home, "--count"}, {"context", session}, {"compact", "--plan", session},
		{"checkpoint", "--offline", session}, {"flush", session}, {"flush", session, "--report"},
		{"guard", home + "/../config.json", "--help"}, {"explain"}, {"env"}, {"version"}, {"help"}, {"completion", "bash"},
	} {
		if out, err := exec.Command("unshare", append([]string{"-rn", "clawctl"}, args...)...).CombinedOutput(); err != nil {
			t.Errorf("%v: %v: %s", args, err, out)
		}
	}
}
