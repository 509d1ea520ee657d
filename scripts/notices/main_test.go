package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The notices have the licence of everything that is linked in, and of nothing else.
func TestNotices(t *testing.T) {
	out := filepath.Join(t.TempDir(), "new", "NOTICES")
	if err := run(out, []string{"clawctl/cmd/clawctl"}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, module := range []string{
		"Go go", "modernc.org/sqlite v", "github.com/klauspost/compress v", "golang.org/x/sys v",
		"clawctl/pkg/models (embedded): NOTICE", "clawctl/pkg/tokens (embedded): NOTICE",
	} {
		if !strings.Contains(string(text), "\n"+module) {
			t.Errorf("%s is missing", module)
		}
	}
	if strings.Contains(string(text), "honnef.co") {
		t.Error("a tool of development is listed")
	}
}

// A module without a licence is an error.
func TestNoLicence(t *testing.T) {
	if err := (module{"x", "v1", t.TempDir()}).write(nil); err == nil {
		t.Error("no error")
	}
}
