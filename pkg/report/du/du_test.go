package du

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/source"
)

// measure collects all views of a folder.
func measure(t *testing.T, folder string) *Report {
	t.Helper()
	lookup := &source.Lookup{State: folder}
	m, err := lookup.Argument(context.Background(), folder, source.Query{Kinds: source.Kinds})
	if err != nil {
		t.Fatal(folder, err)
	}
	t.Cleanup(func() {
		for _, p := range m.Places {
			p.Close()
		}
	})
	r, err := Collect(context.Background(), m.Places, m.Sessions, Options{Views: Views, Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// bytesOnDisk adds up the files of a folder in the plainest way.
func bytesOnDisk(t *testing.T, folder string) (bytes int64) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		bytes += info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

// checkTotals checks that every view adds up to the bytes on disk.
func checkTotals(t *testing.T, folder string, r *Report) {
	t.Helper()
	want := bytesOnDisk(t, folder)
	if r.Bytes != want {
		t.Errorf("%s: %d bytes, on disk are %d", folder, r.Bytes, want)
	}
	for _, view := range Views {
		var sum int64
		for _, s := range r.By[view] {
			sum += s.Bytes
			if s.Bytes < 0 || s.Name == "" {
				t.Errorf("%s by %s: %+v", folder, view, s)
			}
		}
		if sum != want {
			t.Errorf("%s by %s: the shares add up to %d, not %d", folder, view, sum, want)
		}
	}
}

func (r *Report) share(view View, name string) Share {
	if i := slices.IndexFunc(r.By[view], func(s Share) bool { return s.Name == name }); i >= 0 {
		return r.By[view][i]
	}
	return Share{}
}

func TestTotalsOfExamples(t *testing.T) {
	const home = "../../../testdata/home"
	r := measure(t, home)
	checkTotals(t, home, r)
	if s := r.share(Kind, "checkpoint"); s.Count != 1 || s.Bytes == 0 {
		t.Errorf("checkpoint: %+v", s)
	}
	if s := r.share(Content, "text"); s.Count == 0 {
		t.Errorf("text: %+v", s)
	}
}

func TestTotalsOfRealHomes(t *testing.T) {
	const shared = "../../../../shared/transcripts"
	if _, err := os.Stat(shared); err != nil {
		t.Skip("the shared transcripts are not here: ", err)
	}
	homes := 0
	for _, pattern := range []string{"*", "*/*", "*/*/*"} {
		folders, _ := filepath.Glob(filepath.Join(shared, pattern))
		for _, folder := range folders {
			if agents, err := os.Stat(filepath.Join(folder, "agents")); err == nil && agents.IsDir() {
				homes++
				checkTotals(t, folder, measure(t, folder))
			}
		}
	}
	if homes == 0 {
		t.Error("no home was found")
	}
	t.Log(homes, "homes")
}

const header = `{"type":"session","version":3,"id":"11111111-2222-4333-8444-555555555555",` +
	`"timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}` + "\n"

func message(id, role, content, more string) string {
	return `{"type":"message","id":"` + id + `","parentId":null,"timestamp":"2026-05-01T10:00:00.000Z",` +
		`"message":{"role":"` + role + `","content":` + content + more + "}}\n"
}

func TestDivision(t *testing.T) {
	folder := t.TempDir()
	image := `{"type":"image","mimeType":"image/png","data":"` + strings.Repeat("A", 4000) + `"}`
	call := `{"type":"toolCall","id":"c1","name":"exec","arguments":{"x":1}}`
	result := message("c", "toolResult", "["+image+"]", `,"toolCallId":"c1","toolName":"exec"`)
	text := header + message("a", "user", `"hello"`, "") + message("b", "assistant", "["+call+"]", "") + result +
		"{broken\n\n"
	write := func(name, text string) {
		testkit.Write(t, filepath.Join(folder, name), text)
	}
	write("11111111-2222-4333-8444-555555555555.jsonl", text)
	write("11111111-2222-4333-8444-555555555555.jsonl.reset.2026-05-02T10-00-00.000Z", text)
	write("picture.png", "not read")
	r := measure(t, folder)
	checkTotals(t, folder, r)
	for _, want := range []struct {
		view View
		Share
	}{
		{Content, Share{"images", 2 * int64(len(image)), 2}},
		{Content, Share{"tool calls", 2 * int64(len(call)), 2}},
		{Content, Share{"text", 2 * int64(len(`"hello"`)), 2}},
		{Tool, Share{"exec", 2 * int64(len(call)+len(result)), 4}},
		{Type, Share{"damaged line", 2 * int64(len("{broken\n")), 2}},
		{Type, Share{"blank line", 2, 2}},
		{Copy, Share{"again", int64(len(text) - len("{broken\n\n")), 4}},
		{Kind, Share{"image", 8, 1}},
		{Storage, Share{"plain", 2*int64(len(text)) + 8, 3}},
	} {
		if got := r.share(want.view, want.Name); got != want.Share {
			t.Errorf("by %s: %+v, want %+v", want.view, got, want.Share)
		}
	}
}

func TestLinksCountOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links are not recognized here")
	}
	folder := t.TempDir()
	one := filepath.Join(folder, "11111111-2222-4333-8444-555555555555.jsonl")
	testkit.Write(t, one, header)
	if err := os.Link(one, one+".bak"); err != nil {
		t.Skip("no hard links here: ", err)
	}
	if r := measure(t, folder); r.Bytes != int64(len(header)) {
		t.Errorf("%d bytes, want %d", r.Bytes, len(header))
	}
}

// Text that is larger than its file shrinks to it, and the shares still add up.
func TestDivideShrinks(t *testing.T) {
	text := map[string]*Share{"a": {"a", 10, 1}, "b": {"b", 10, 1}, "c": {"c", 13, 1}}
	for bytes := range int64(40) {
		l := ledger{}
		l.divide(Type, bytes, text, "rest")
		var sum int64
		for _, s := range l[Type] {
			sum += s.Bytes
		}
		if sum != bytes {
			t.Errorf("%d of %d bytes", sum, bytes)
		}
	}
}
