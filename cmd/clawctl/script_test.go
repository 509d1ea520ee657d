package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"clawctl": main})
}

// TestScripts runs every script in testdata/script; -update writes their expected output anew.
func TestScripts(t *testing.T) {
	testdata, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join(testdata, "script"),
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("T", filepath.Join(testdata, "transcripts"))
			env.Setenv("H", filepath.Join(testdata, "home"))
			env.Setenv("S", filepath.Join(testdata, "..", "scripts"))
			env.Setenv("TZ", "UTC")
			return nil
		},
	})
}
