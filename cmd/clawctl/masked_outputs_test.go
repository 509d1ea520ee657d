package main

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"clawctl/internal/longtest"
	"clawctl/internal/parquet/parquettest"
	"clawctl/internal/testkit"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/change/secrets/secretstest"
	"clawctl/pkg/jsonl"
)

// A secret that one entry gives away is masked in all later ones, whichever goroutine makes their JSON.
func TestLaterSecretsAreMaskedInJSON(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file, masking := filepath.Join(folder, "s.jsonl"), filepath.Join(folder, "config.json")
	var text strings.Builder
	text.WriteString(`{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T00:00:00.000Z","cwd":"/"}` + "\n")
	for i := range 4000 {
		content := "type Tr0ub4dor-and-3 again"
		if i == 0 {
			content = "DB_PASSWORD=Tr0ub4dor-and-3"
		}
		fmt.Fprintf(&text, `{"type":"message","id":"m%d","parentId":"m%d","timestamp":"2026-05-01T00:00:01.000Z",`+
			`"message":{"role":"user","content":%q}}`+"\n", i, i-1, content)
	}
	for path, text := range map[string]string{file: text.String(), masking: `{"privacy": {"mask": true}}`} {
		testkit.Write(t, path, text)
	}
	exit, out, stderr := inProcess("", "show", "--all", "--config", masking, "--format", "ndjson", file)
	if left := strings.Count(out, "Tr0ub4dor"); exit != 0 || left > 0 || strings.Count(out, "[masked]") != 4000 {
		t.Errorf("exit %d, %d places are left: %s", exit, left, stderr)
	}
}

// No output that masks shows a planted secret, and none shows anything that another one masks.
func TestNoSecretIsLeft(t *testing.T) {
	t.Parallel()
	p := secretstest.New(11, longtest.Rounds(t, "CLAWCTL_ONE_IN", 18, 1))
	if len(p.Secrets) < 200 {
		t.Fatalf("only %d secrets", len(p.Secrets))
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "s.jsonl")
	masking := filepath.Join(folder, "config.json")
	for path, text := range map[string]string{file: p.Text(), masking: `{"privacy": {"mask": true}}`} {
		testkit.Write(t, path, text)
	}
	found := foundValues(p.Lines)
	for name, args := range map[string][]string{
		"redact":          {"redact", file, "-o", "OUT"},
		"HTML":            {"export", "--as", "html", file, "-o", "OUT/"},
		"plain HTML":      {"show", "--format", "html", "--plain", file, "-o", "OUT"},
		"Markdown":        {"export", "--as", "markdown", file, "-o", "OUT/"},
		"show":            {"show", "--config", masking, "--tools", "full", "--thinking", "--width", "4000", file},
		"show as JSON":    {"show", "--config", masking, "--format", "ndjson", file},
		"tree":            {"show", "--config", masking, "--tree", file},
		"handoff":         {"handoff", "--fit", "10M", file},
		"tail":            {"tail", "--config", masking, "-n", "100000", "--format", "ndjson", file},
		"search":          {"search", "--format", "ndjson", "-e", "[a-z]", file},
		"show as CSV":     {"show", "--format", "csv", file},
		"cat as CSV":      {"cat", "--format", "csv", file},
		"search as CSV":   {"search", "--format", "csv", "-e", "[a-z]", file},
		"search around":   {"search", "-C", "2", "-e", "[a-z]", file},
		"ATIF":            {"export", "--as", "atif", file},
		"openai-finetune": {"export", "--as", "openai-finetune", file},
		"bundle":          {"export", "--as", "bundle", "--redact", file, "-o", "OUT.tar.zst"},
		"parquet":         {"export", "--as", "parquet", "--redact", file, "-o", "OUT/"},
	} {
		if name == "plain HTML" && longtest.IsLong() {
			continue // such a page has at most 2,000 entries
		}
		t.Run(name, func(t *testing.T) {
			text := outputOf(t, args)
			if len(text) < 20_000 && name != "tree" {
				t.Errorf("only %d bytes: %.500s", len(text), text)
			}
			for _, s := range p.Left(text) {
				t.Errorf("%s in %s: %q", s.Form, s.Container, s.Values)
			}
			for print, value := range found {
				if strings.Contains(text, value) {
					t.Errorf("%s shows a value that others mask: %s %q", name, print, value)
				}
			}
		})
	}
	if exit, _, stderr := inProcess("", "redact", "--check", file); exit != 1 {
		t.Errorf("redact --check: exit status %d, %s", exit, stderr)
	}
	t.Logf("%d secrets, %d values masked", len(p.Secrets), len(found))
}

// foundValues returns what is found in the lines, by fingerprint. Short values stand in other words too.
func foundValues(lines []string) map[string]string {
	values := map[string]string{}
	for i, line := range lines {
		for _, value := range redact.NewFinder().Record((&jsonl.Parser{}).Parse([]byte(line), int64(i+1), 0)).Values() {
			if len(value) >= 12 {
				sum := sha256.Sum256([]byte(value))
				values[hex.EncodeToString(sum[:6])] = value
			}
		}
	}
	return values
}

// outputOf runs a command and returns all that it wrote, unpacked.
func outputOf(t *testing.T, args []string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	args = append([]string{}, args...)
	for i := range args {
		args[i] = strings.Replace(args[i], "OUT", out, 1)
	}
	exit, stdout, stderr := inProcess("", args...)
	if exit != 0 {
		t.Fatalf("%v: exit status %d, %s", args, exit, stderr)
	}
	text := stdout + stderr
	if strings.HasSuffix(args[len(args)-1], ".tar.zst") {
		_, unpacked, _ := inProcess("", "cat", args[len(args)-1])
		return text + unpacked
	}
	_ = filepath.WalkDir(filepath.Dir(out), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			text += path + "\n" + readUnpacked(t, path)
		}
		return nil
	})
	return text
}

var pageChunk = regexp.MustCompile(`id="chunk-[0-9]+">([^<]*)<`)

// readUnpacked returns the text of a file, with the chunks of a page and the columns of a table unpacked.
func readUnpacked(t *testing.T, path string) string {
	t.Helper()
	data := testkit.Read(t, path)
	if strings.HasSuffix(path, ".parquet") {
		rows, err := parquettest.Rows(data)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(rows)
	}
	text := string(data)
	for _, chunk := range pageChunk.FindAllStringSubmatch(text, -1) {
		packed, err := base64.StdEncoding.DecodeString(chunk[1])
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
		if err != nil {
			t.Fatal(err)
		}
		text += string(unpacked)
	}
	return text
}
