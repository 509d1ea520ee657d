package bundle

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"clawctl/pkg/jsonl"
)

const sessions = "agents/main/sessions/"

// text is a Source with a fixed content.
func text(path string, kind Kind, content string) Source {
	return Source{Path: path, Kind: kind, Modified: time.Unix(1_777_000_000, 0),
		WriteTo: func(_ context.Context, w io.Writer) error {
			_, err := io.WriteString(w, content)
			return err
		}}
}

func examples() []Source {
	return []Source{
		text(sessions+"a.jsonl", Transcript, `{"type":"session","version":3,"id":"a","cwd":"/home/ann/x"}`+"\n{\"no\": end"),
		text(sessions+"empty.jsonl", Transcript, ""),
		text(sessions+"sessions.json", Index, `{"agent:main:main":{"sessionId":"a","sessionFile":"/home/ann/s/a.jsonl"}}`),
		text("media/inbound/"+strings.Repeat("long", 40)+".png", Media, strings.Repeat("\x00\xff", 300_000)),
	}
}

func pack(t testing.TB, sources []Source) []byte {
	t.Helper()
	m, err := Measure(t.Context(), sources, false)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := Write(t.Context(), &out, m, sources); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func open(data []byte) (*Reader, error) {
	return newReader(context.Background(), bytes.NewReader(data), int64(len(data)))
}

func contentOf(t testing.TB, r *Reader, i int) string {
	t.Helper()
	in, err := r.Open(i)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	content, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestRoundTrip(t *testing.T) {
	data := pack(t, examples())
	if !bytes.Equal(data, pack(t, examples())) {
		t.Error("two bundles of the same files differ")
	}
	r, err := open(data)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range slices.Backward(examples()) {
		var want strings.Builder
		if err := s.WriteTo(t.Context(), &want); err != nil {
			t.Fatal(err)
		}
		if got := contentOf(t, r, i); got != want.String() || r.Files[i].Path != s.Path || r.Files[i].Kind != s.Kind ||
			!r.Files[i].ModTime().Equal(s.Modified) {
			t.Errorf("%+v has %d bytes", r.Files[i], len(got))
		}
	}
}

// A file that grows keeps the beginning that was measured. One that changes is an error.
func TestChangingSource(t *testing.T) {
	for second, want := range map[string]error{"abcdef": nil, "abX": ErrChanged, "ab": ErrChanged} {
		calls := 0
		sources := []Source{{Path: "a.jsonl", Kind: Transcript, WriteTo: func(_ context.Context, w io.Writer) error {
			calls++
			_, err := io.WriteString(w, map[bool]string{true: "abc", false: second}[calls == 1])
			return err
		}}}
		m, err := Measure(t.Context(), sources, false)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if _, err := Write(t.Context(), &out, m, sources); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", second, err, want)
		}
		if r, err := open(out.Bytes()); want == nil && (err != nil || contentOf(t, r, 0) != "abc") {
			t.Errorf("%q: %v", second, err)
		}
	}
}

// A member of a hostile bundle.
type member struct {
	header  tar.Header
	content string
}

func plain(name, content string) member {
	return member{tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content))}, content}
}

func listed(path string, kind Kind, content string) File {
	sum := sha256.Sum256([]byte(content))
	return File{Path: path, Kind: kind, Size: int64(len(content)), SHA256: fmt.Sprintf("%x", sum)}
}

// forge writes members without checking anything.
func forge(t testing.TB, files []File, members ...member) []byte {
	t.Helper()
	manifest, err := json.Marshal(Manifest{Format: format, Version: version, Files: files})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	encoder, err := zstd.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewWriter(encoder)
	for _, m := range slices.Concat([]member{plain(manifestName, string(manifest))}, members) {
		encoder.Reset(&out)
		if err := archive.WriteHeader(&m.header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(archive, m.content); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(archive.Flush(), encoder.Close()); err != nil {
			t.Fatal(err)
		}
	}
	encoder.Reset(&out)
	if err := errors.Join(archive.Close(), encoder.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// one is a bundle with one file.
func one(t testing.TB, path string, kind Kind) []byte {
	return forge(t, []File{listed(path, kind, "x")}, plain(path, "x"))
}

func TestHostile(t *testing.T) {
	a, x := listed("a.jsonl", Transcript, "x"), plain("a.jsonl", "x")
	link := member{tar.Header{Typeflag: tar.TypeSymlink, Name: "a.jsonl", Linkname: "/etc/passwd"}, ""}
	hard := member{tar.Header{Typeflag: tar.TypeLink, Name: "a.jsonl", Linkname: "/etc/passwd"}, ""}
	sized := a
	sized.Size = 1 << 50
	upper := listed("A.jsonl", Transcript, "x")
	good := one(t, "a.jsonl", Transcript)
	if _, err := open(good); err != nil {
		t.Fatal("the forger makes no good bundle either:", err)
	}
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"absolute":       {one(t, "/a.jsonl", Transcript), "absolute"},
		"drive":          {one(t, "C:a.jsonl", Transcript), "absolute"},
		"parent":         {one(t, "x/../../a.jsonl", Transcript), "leads out"},
		"backslash":      {one(t, `..\a.jsonl`, Transcript), "backslash"},
		"dot":            {one(t, "./a.jsonl", Transcript), "not valid"},
		"control":        {one(t, "a\n.jsonl", Transcript), "not valid"},
		"right to left":  {one(t, "a\u202elnosj.jsonl", Transcript), "invisible"},
		"zero width":     {one(t, "a\u200b.jsonl", Transcript), "invisible"},
		"device":         {one(t, "agents/NUL/sessions/a.jsonl", Transcript), "Windows"},
		"device, file":   {one(t, "com1.jsonl", Transcript), "Windows"},
		"dot at the end": {one(t, "a./a.jsonl", Transcript), "Windows"},
		"stream":         {one(t, "agents/a:b/a.jsonl", Transcript), "Windows"},
		"settings":       {one(t, "openclaw.json", Transcript), "credentials"},
		"credentials":    {one(t, "agents/main/agent/auth-profiles.json", Transcript), "credentials"},
		"environment":    {one(t, "media/.env", Media), "credentials"},
		"program":        {one(t, "extensions/x/index.js", Transcript), "not named like"},
		"program, media": {one(t, "extensions/media/index.js", Media), "not named like"},
		"hidden":         {one(t, "media/.ssh/authorized_keys", Media), "not named like"},
		"unknown kind":   {one(t, "a.jsonl", "program"), "not named like"},
		"symlink":        {forge(t, []File{a}, link), "not a plain file"},
		"hard link":      {forge(t, []File{a}, hard), "not a plain file"},
		"size":           {forge(t, []File{sized}, x), "bytes"},
		"short":          {forge(t, []File{a}, plain("a.jsonl", "")), "bytes"},
		"digest":         {forge(t, []File{a}, plain("a.jsonl", "y")), "SHA-256"},
		"twice":          {forge(t, []File{a, a}, x, x), "two files"},
		"twice in tar":   {forge(t, []File{a}, x, x), "no such file"},
		"same but case":  {forge(t, []File{a, upper}, x, plain("A.jsonl", "x")), "two files"},
		"same but accent": {forge(t, []File{
			listed("\u00e9.jsonl", Transcript, "x"), listed("e\u0301.jsonl", Transcript, "x")},
			plain("\u00e9.jsonl", "x"), plain("e\u0301.jsonl", "x")), "two files"},
		"file as folder": {forge(t, []File{listed("a.jsonl/b.jsonl", Transcript, "x"), a},
			plain("a.jsonl/b.jsonl", "x"), x), "two files"},
		"folder as file": {forge(t, []File{a, listed("a.jsonl/b.jsonl", Transcript, "x")}, x,
			plain("a.jsonl/b.jsonl", "x")), "a part of its path"},
		"unlisted":   {forge(t, []File{a}, x, plain("b.jsonl", "x")), "no such file"},
		"missing":    {forge(t, []File{a}), "missing"},
		"cut":        {good[:len(good)-8], ""},
		"cut member": {good[:len(good)/2], ""},
		"tail":       {append(slices.Clone(good), 'x'), "follows"},
		"two":        {append(slices.Clone(good), good...), "follows"},
		"empty":      {nil, "cut off"},
		"text":       {[]byte("hello, this is no bundle at all"), "zstd frame"},
	} {
		r, err := open(test.data)
		var refused *RefusedError
		if r != nil || !errors.As(err, &refused) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
}

// A bomb is stopped before it is read to its end, in bounded memory.
func TestBomb(t *testing.T) {
	const size = 320 << 20
	path := filepath.Join(t.TempDir(), "bomb.tar.zst")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	f := File{Path: "a.jsonl", Kind: Transcript, Size: size, SHA256: strings.Repeat("0", 64)}
	sources := []Source{{Path: f.Path, Kind: f.Kind, WriteTo: func(_ context.Context, w io.Writer) error {
		zeros := make([]byte, 1<<20)
		for range size / len(zeros) {
			if _, err := w.Write(zeros); err != nil {
				return err
			}
		}
		return nil
	}}}
	m := &Manifest{Format: format, Version: version, Files: []File{f}}
	if _, err := Write(t.Context(), out, m, sources); !errors.Is(err, ErrChanged) {
		t.Fatal(err) // the digest is not true, which is noticed after the data
	}
	if _, err := Open(t.Context(), path); !errors.Is(err, errBomb) {
		t.Error(err)
	}
}

func TestNewer(t *testing.T) {
	if _, err := parseManifest([]byte(`{"format":"clawctl-bundle","version":3,"other":1}`)); !errors.Is(err, errNewer) {
		t.Error(err)
	}
}

func TestMove(t *testing.T) {
	m := &Manifest{Files: []File{{Path: "s/a.jsonl", Kind: Transcript}, {Path: "s/sessions.json", Kind: Index}}}
	mappings := []Mapping{{"/home/ann", "/Users/ann"}, {"/home/ann/work", "/work"}, {`C:\ann`, "/c"}}
	for _, test := range []struct{ file, in, want string }{
		{"s/a.jsonl", `{"type":"session","cwd":"/home/ann/x","id":"a"}` + "\r\n" + `{"cwd":"/home/ann"}`,
			`{"type":"session","cwd":"/Users/ann/x","id":"a"}` + "\r\n" + `{"cwd":"/home/ann"}`},
		{"s/a.jsonl", `{"type":"session", "cwd":"/home/anna"}`, `{"type":"session", "cwd":"/home/anna"}`},
		{"s/a.jsonl", `{"type":"session","cwd":"C:\\ann\\x","parentSession":"D:\\old\\a.jsonl"}`,
			`{"type":"session","cwd":"/c/x","parentSession":` + jsonl.Quote(filepath.Join("/new", "s", "a.jsonl")) + `}`},
		{"s/sessions.json", `{"k":{"n":1.0,"list":["/home/ann/work/y", 2],"text":"see /home/ann"}}`,
			"{\n  \"k\": {\n    \"n\": 1.0,\n    \"list\": [\n      \"/work/y\",\n      2\n    ],\n" +
				"    \"text\": \"see /home/ann\"\n  }\n}\n"},
		{"s/sessions.json", `{"k":{"sessionFile":"/gone/b.jsonl"}}`, `{"k":{"sessionFile":"/gone/b.jsonl"}}`},
	} {
		changes := 0
		mover := newMover(m, "/new", mappings, func(Change) { changes++ })
		f := &m.Files[slices.IndexFunc(m.Files, func(f File) bool { return f.Path == test.file })]
		var out strings.Builder
		if err := mover.copy(f, &out, strings.NewReader(test.in), jsonl.Options{}); err != nil || out.String() != test.want {
			t.Errorf("%s\n got %s\nwant %s %v", test.in, out.String(), test.want, err)
		}
		if (changes > 0) != (test.in != test.want) {
			t.Errorf("%s: %d changes", test.in, changes)
		}
	}
}

func TestMentions(t *testing.T) {
	names := map[string]bool{"inbound/a b.png": true, "inbound/a": true, "c.png": true, "inbound/no.png": true}
	long := strings.Repeat("x", pieceSize-10)
	for in, want := range map[string]string{
		`"[media attached: /h/.openclaw/media/inbound/a b.png (image/png)]"`: "inbound/a b.png",
		`"C:\\u\\media\\inbound\\a"`:                                         "inbound/a",
		`"media://c.png"`:                                                    "c.png",
		`"media/inbound/no.png.txt"`:                                         "",
		`"mediac.png"`:                                                       "",
		long + `"media/inbound/a b.png"` + long:                              "inbound/a b.png",
	} {
		got := ""
		if err := Mentions(strings.NewReader(in), names, func(name string) { got += name }); err != nil || got != want {
			t.Errorf("%.40s: got %q, want %q, %v", in, got, want, err)
		}
	}
}

// FuzzOpen checks that a bundle that is accepted is exactly the one that Write makes of its files, up to compression:
// nothing is hidden in it, and every file can be opened and has its digest.
func FuzzOpen(f *testing.F) {
	f.Add(pack(f, examples()))
	f.Add(one(f, "a.jsonl", Transcript))
	f.Add(one(f, "../a.jsonl", Transcript))
	f.Add([]byte("\x28\xb5\x2f\xfd"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := open(data)
		if err != nil {
			if !errors.As(err, new(*RefusedError)) && !errors.Is(err, errNewer) {
				t.Fatalf("%v is no refusal", err)
			}
			return
		}
		var sources []Source
		for i := range r.Files {
			file := &r.Files[i]
			content := contentOf(t, r, i)
			if listed(file.Path, file.Kind, content).SHA256 != file.SHA256 || !filepath.IsLocal(file.Path) {
				t.Fatalf("%+v was accepted", file)
			}
			sources = append(sources, text(file.Path, file.Kind, content))
		}
		again, err := open(pack(t, sources))
		if err != nil || len(again.Files) != len(r.Files) {
			t.Fatal("what was accepted cannot be packed:", err)
		}
	})
}

func TestFolderOf(t *testing.T) {
	const below = "agents/main/sessions/a.jsonl"
	for old, want := range map[string]string{
		"/home/ada/.openclaw/agents/main/sessions/a.jsonl": "/home/ada/.openclaw",
		`C:\ada\agents\main\sessions\a.jsonl`:              `C:\ada`,
		"/other/sessions/a.jsonl":                          "/other",
		"/other/a.jsonl":                                   "/other",
		"/a.jsonl":                                         "/",
		"a.jsonl":                                          "",
	} {
		if got := folderOf(old, below); got != want {
			t.Errorf("folderOf(%s) = %q, want %q", old, got, want)
		}
	}
}

// FuzzMember checks bundles with one file that the manifest and the archive may describe differently. FuzzOpen seldom
// gets that far, because what it changes is compressed. What is accepted is a plain file with the name and the content
// of the manifest, in a place where it belongs.
func FuzzMember(f *testing.F) {
	f.Add("a.jsonl", string(Transcript), "a.jsonl", byte(tar.TypeReg), "x")
	f.Add("sessions.json", string(Index), "sessions.json", byte(tar.TypeReg), "{}")
	f.Add("media/inbound/a.png", string(Media), "media/inbound/a.png", byte(tar.TypeReg), "")
	f.Add("media/../a.png", string(Media), "media/../a.png", byte(tar.TypeSymlink), "")
	f.Fuzz(func(t *testing.T, path, kind, name string, flag byte, content string) {
		m := plain(name, content)
		m.header.Typeflag = flag
		if tar.NewWriter(io.Discard).WriteHeader(&m.header) != nil {
			t.Skip("no tar archive can have this member")
		}
		if flag != tar.TypeReg {
			m.header.Size, m.content = 0, ""
		}
		r, err := open(forge(t, []File{listed(path, Kind(kind), m.content)}, m))
		if err != nil {
			if !errors.As(err, new(*RefusedError)) {
				t.Fatalf("%v is no refusal", err)
			}
			return
		}
		file := &r.Files[0]
		if file.Path != name || !filepath.IsLocal(name) ||
			contentOf(t, r, 0) != m.content {
			t.Fatalf("%+v was accepted as %q", file, name)
		}
		if again, err := open(pack(t, []Source{text(file.Path, file.Kind, m.content)})); err != nil || len(again.Files) != 1 {
			t.Fatal("what was accepted cannot be packed:", err)
		}
	})
}
