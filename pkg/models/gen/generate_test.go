package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"clawctl/internal/testkit"
)

// file is a file of a package.
type file struct{ name, text string }

// writePackage writes a package as npm does.
func writePackage(t *testing.T, name string, files []file) string {
	t.Helper()
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zipped)
	for _, f := range files {
		header := &tar.Header{Name: "package/" + f.name, Mode: 0o600, Size: int64(len(f.text))}
		if err := archive.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(f.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	testkit.Write(t, path, packed.Bytes())
	return path
}

var (
	newest = []file{
		{"package.json", `{"version": "2.0.0"}`},
		{"dist/models.generated.js", "import { P } from \"./p.js\";\nexport const MODELS = {\n    \"p\": P,\n};\n"},
		{"dist/providers/data/p.json", `{"api": {
			"chat:b": {"id": "b-1", "provider": "p", "type": "chat", "contextWindow": 2000, "maxTokens": 100,
				"cost": {"input": 1, "output": 2.0000000000000004, "cacheRead": 0.5, "cacheWrite": 0}},
			"image:i": {"id": "i-1", "provider": "p", "type": "image"}}}`},
		{"dist/providers/data/a.json", `{"api": {"chat:a": {"id": "a-1", "provider": "a", "contextWindow": 1000}}}`},
	}
	oldest = []file{
		{"package.json", `{"version": "1.0.0"}`},
		{"dist/models.generated.js", "// made\nexport const MODELS = {\n    \"p\": {\n        \"b-1\": {\n" +
			"            id: \"b-1\",\n            provider: \"p\",\n            contextWindow: 1,\n        },\n" +
			"        \"b-0\": {\n            id: \"b-0\",\n            provider: \"p\",\n            contextWindow: 500,\n" +
			"        },\n    },\n};\n//# sourceMappingURL=x\n"},
	}
)

const want = `#clawctl-models 1
#source @earendil-works/pi-ai 2.0.0
#date 2026-01-02
# Made by make catalogue. See NOTICE.
# model, window, largest answer; dollars per million tokens: input, output, cache read, cache write; tiers
# Retired models are those of the releases 1.0.0.
[a]
a-1	1000	-	-	-	-	-
[p]
b-0	500	-	-	-	-	-
b-1	2000	100	1	2	0.5	0
`

// The same packages give the same bytes, whatever the order of their files. A retired model stays, and a model of today
// has the facts of today.
func TestGenerate(t *testing.T) {
	for range 2 {
		packages := []string{writePackage(t, "new.tgz", newest), writePackage(t, "old.tgz", oldest)}
		out := filepath.Join(t.TempDir(), "out.tsv")
		if err := run(out, "2026-01-02", packages); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(out); err != nil || string(got) != want {
			t.Errorf("%v, got:\n%s", err, got)
		}
		slices.Reverse(newest)
	}
}

func TestGenerateMistakes(t *testing.T) {
	for name, files := range map[string][]file{
		"no version": newest[2:3],
		"no models":  {{"package.json", `{"version": "2.0.0"}`}},
		"not JSON":   {{"package.json", `{"version": "2.0.0"}`}, {"dist/providers/data/p.json", "{"}},
	} {
		if _, err := generate([]string{writePackage(t, "p.tgz", files)}, ""); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := generate([]string{"none.tgz"}, ""); err == nil {
		t.Error("a missing package is no error")
	}
}
