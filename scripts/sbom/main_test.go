package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"

	"clawctl/internal/testkit"
)

// The list names the modules of a binary, here of the test itself, and is the same twice.
func TestBillOfBinary(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	first, again := listOf(t, program), listOf(t, program)
	if string(first) != string(again) {
		t.Error("two lists differ")
	}
	var list bill
	if err := json.Unmarshal(first, &list); err != nil {
		t.Fatal(err)
	}
	if list.Format != "CycloneDX" || list.Components[0].URL != "pkg:golang/std@"+runtime.Version() {
		t.Errorf("%+v", list)
	}
}

func listOf(t *testing.T, program string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "list.json")
	if err := run(out, []string{program}); err != nil {
		t.Fatal(err)
	}
	text := testkit.Read(t, out)
	return text
}

// A replaced module is listed as its replacement, and a module without a checksum is an error.
func TestModules(t *testing.T) {
	const sum = "h1:YgXvpYBQOnQqjwj3tMjkUFXHHiuGSKqbRy0Vs4K9tGE="
	fork := &debug.Module{Path: "example.org/fork", Version: "v2.0.0+incompatible", Sum: sum}
	info := &debug.BuildInfo{GoVersion: "go1.26.0", Deps: []*debug.Module{{Path: "example.org/a", Replace: fork}}}
	list, err := newBill(info)
	if err != nil || list.Components[1].URL != "pkg:golang/example.org/fork@v2.0.0%2Bincompatible" {
		t.Errorf("%+v, %v", list, err)
	}
	fork.Sum = ""
	if _, err := newBill(info); err == nil {
		t.Error("no error without a checksum")
	}
}

func TestNotABinary(t *testing.T) {
	if err := run(filepath.Join(t.TempDir(), "x"), []string{"main.go"}); err == nil {
		t.Error("no error")
	}
}
