package source

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// notTranscript is a record of another program.
const notTranscript = `{"level":"info","msg":"started"}` + "\n"

// A file that only its name makes a transcript is skipped, and a registration that names it is incomplete.
func TestUnrecognizedFiles(t *testing.T) {
	folder := t.TempDir()
	sessions := "agents/main/sessions/"
	write(t, folder, sessions+id1+".jsonl", headerOf(id1))
	write(t, folder, sessions+id2+".jsonl", notTranscript)
	write(t, folder, sessions+id1+".jsonl.bak.2026-05-01T10-00-00.000Z", notTranscript)
	write(t, folder, sessions+"sessions.json",
		`{"agent:main:main":{"sessionId":"`+id1+`"},"agent:main:log":{"sessionId":"`+id2+`"}}`)
	p := find(t, folder)
	if got, want := describe(p), "live agent:main:main\n! CL502 agent:main:log\n"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	var skipped []string
	for _, s := range p.Skipped {
		if s.Unrecognized {
			skipped = append(skipped, filepath.Base(s.Path)+" "+s.Type)
		}
	}
	want := []string{id1 + ".jsonl.bak.2026-05-01T10-00-00.000Z .jsonl", id2 + ".jsonl .jsonl"}
	slices.Sort(skipped)
	slices.Sort(want)
	if !slices.Equal(skipped, want) {
		t.Errorf("skipped %q, want %q", skipped, want)
	}
}

// A file without a line that can be read is a damaged transcript if an index lists it, and otherwise skipped.
func TestIllegibleFiles(t *testing.T) {
	folder := t.TempDir()
	sessions := "agents/main/sessions/"
	nothing := strings.Repeat("\x00", 4096)
	write(t, folder, sessions+id1+".jsonl", nothing)
	write(t, folder, sessions+id2+".jsonl", nothing)
	write(t, folder, sessions+"sessions.json", `{"agent:main:main":{"sessionId":"`+id1+`"}}`)
	p := find(t, folder)
	if got, want := describe(p), "live agent:main:main\n"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	if len(p.Skipped) != 1 || filepath.Base(p.Skipped[0].Path) != id2+".jsonl" {
		t.Errorf("skipped %+v", p.Skipped)
	}
}

// Names, beginnings of names and recency lead to transcripts only, although such a search trusts names.
func TestUnrecognizedFilesByName(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "chat-1.jsonl", headerOf(id1))
	write(t, folder, "chat-2.jsonl", notTranscript)
	write(t, folder, "other.jsonl", headerOf(id2))
	for name, age := range map[string]int{"chat-2": 0, "chat-1": 1, "other": 2} {
		at := time.Date(2026, 5, 1-age, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(filepath.Join(folder, name+".jsonl"), at, at); err != nil {
			t.Fatal(err)
		}
	}
	l := &Lookup{Keep: func(p *Listing) { t.Cleanup(func() { p.Close() }) }}
	for name, want := range map[string]string{"chat": "chat-1", "chat-2": "", "@last": "chat-1", "@2": "other", "@3": ""} {
		m, err := l.Argument(t.Context(), folder+"#"+name, Query{Kinds: Kinds})
		got := ""
		if err == nil {
			got = m.Sessions[0].ID
		}
		if got != want {
			t.Errorf("%s leads to %q, want %q (%v)", name, got, want, err)
		}
	}
}

// What comes through a pipe is looked at, and then read from its beginning.
func TestRecognizedStream(t *testing.T) {
	text := strings.Repeat("}\n", 5000) + headerOf(id1)
	for name, stream := range map[string]io.Reader{
		"plain": io.MultiReader(strings.NewReader(text)), "zstd": io.MultiReader(strings.NewReader(zstdOf(t, text))),
	} {
		l := &Lookup{Stdin: stream, StdinName: "<stdin>"}
		m, err := l.Argument(t.Context(), "-", Query{})
		if err != nil {
			t.Fatal(name, err)
		}
		if got := read(t, m.Sessions[0]); got != text {
			t.Errorf("%s: read %d bytes, want %d", name, len(got), len(text))
		}
	}
	l := &Lookup{Stdin: io.MultiReader(strings.NewReader(notTranscript)), StdinName: "<stdin>"}
	if _, err := l.Argument(t.Context(), "-", Query{}); err == nil {
		t.Error("a log is a transcript")
	}
	l.Stdin = io.MultiReader(strings.NewReader(notTranscript))
	m, err := l.Argument(t.Context(), "-", Query{AnyText: true})
	if err != nil || read(t, m.Sessions[0]) != notTranscript {
		t.Error("a text is not read", err)
	}
}
