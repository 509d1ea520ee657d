//go:build !windows

package source

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Pipes and links with unknown names are neither opened nor followed.
func TestSkippedPipesAndLinks(t *testing.T) {
	base := t.TempDir()
	write(t, base, "outside/chat", headerOf(id2))
	write(t, base, "home/agents/main/sessions/"+id1+".jsonl", headerOf(id1))
	sessions := filepath.Join(base, "home/agents/main/sessions")
	for _, err := range []error{
		syscall.Mkfifo(filepath.Join(sessions, "pipe"), 0o600),
		syscall.Mkfifo(filepath.Join(sessions, id2+".jsonl.old"), 0o600),
		syscall.Mkfifo(filepath.Join(sessions, id2+".jsonl"), 0o600),
		os.Symlink(filepath.Join(base, "outside/chat"), filepath.Join(sessions, "chat")),
		os.Symlink("/dev/zero", filepath.Join(sessions, "zero")),
		os.Symlink(filepath.Join(base, "outside"), filepath.Join(sessions, "folder")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	p := find(t, filepath.Join(base, "home"))
	total, counts := p.SkippedCounts()
	if len(p.Sessions) != 1 || total != 5 || counts[0] != (SkippedCount{skippedSpecial, 3}) ||
		counts[1] != (SkippedCount{skippedLink, 2}) || len(p.Problems) != 1 || p.Problems[0].Code != LinkOutside {
		t.Errorf("%s%v", describe(p), p.Skipped)
	}
}
