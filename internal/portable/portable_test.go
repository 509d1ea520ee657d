package portable

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNames(t *testing.T) {
	long := strings.Repeat("é", 200)
	for name, want := range map[string]string{
		"a.jsonl": "a.jsonl", "agent:main": "agent_main", "": "_", ".": "_", "..": "_", "...": ".._", "a ": "a_",
		"CON": "_CON", "con.jsonl": "_con.jsonl", "com1": "_com1", "LPT³.x": "_LPT³.x", "com10": "com10",
		"console":  "console",
		"a\u202eb": "a_b", "a\u200bb": "a_b", "\u2066": "_", "a\x00b": "a_b", "\u3164": "_", "a\xff": "a_",
		"日本": "日本", long: long[:usualName], "x" + long: "x" + long[:usualName-2],
	} {
		got := Name(name)
		if got != want {
			t.Errorf("Name(%q) = %q, want %q", name, got, want)
		}
		if reason := Check(got); reason != "" {
			t.Errorf("%q: %s", got, reason)
		}
		if isGood := Check(name) == ""; isGood != (got == name) && len(name) <= usualName {
			t.Errorf("Check(%q) = %q, but Name gives %q", name, Check(name), got)
		}
	}
}

func TestSlug(t *testing.T) {
	for name, want := range map[string]string{
		"con": "_con", "NUL": "_NUL", "com1.x": "_com1.x", "console": "console", "agent:main:main": "agent-main-main",
		"": "session", "...": "session", "a.": "a", "-con-": "_con", "日本": "session", "a@b_c.d": "a@b_c.d",
		strings.Repeat("x", 200): strings.Repeat("x", maxSlug), strings.Repeat("x", maxSlug-1) + "..y": strings.Repeat("x",
			maxSlug-1),
	} {
		if got := Slug(name); got != want || Check(got) != "" || Check(got+".html") != "" {
			t.Errorf("Slug(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestExpandHome(t *testing.T) {
	home := filepath.Join("home", "ada")
	for path, want := range map[string]string{
		"~": home, "~/x": filepath.Join(home, "x"), "~ada/x": "~ada/x", "a/~": "a/~", "": "",
	} {
		if got := ExpandHome(path, home); got != want {
			t.Errorf("%q is %q", path, got)
		}
	}
	if got := ExpandHome("~/x", ""); got != "~/x" {
		t.Errorf("without a home it is %q", got)
	}
}

func TestFold(t *testing.T) {
	for _, same := range [][2]string{
		{"A/b", "a/B"}, {"e\u0301.jsonl", "\u00e9.jsonl"}, {"E\u0301", "\u00e9"}, {"ΣΑΣ", "σας"}, {"ſ", "s"}, {"K", "k"},
	} {
		if Fold(same[0]) != Fold(same[1]) {
			t.Errorf("%q and %q are not one file", same[0], same[1])
		}
	}
	if Fold("a") == Fold("ä") {
		t.Error("a and ä are one file")
	}
}

func FuzzName(f *testing.F) {
	f.Add("con.\u202e")
	f.Add(strings.Repeat("\u3164", 100))
	f.Fuzz(func(t *testing.T, name string) {
		got := Name(name)
		if reason := Check(got); reason != "" || !utf8.ValidString(got) {
			t.Errorf("Name(%q) = %q: %s", name, got, reason)
		}
		if slug := Slug(name); Check(slug) != "" || Check(slug+".html") != "" || Slug(slug) != slug {
			t.Errorf("Slug(%q) = %q, and Slug of that is %q", name, slug, Slug(slug))
		}
		if Name(got) != got {
			t.Errorf("Name(%q) = %q, and Name of that is %q", name, got, Name(got))
		}
		if Fold(Fold(name)) != Fold(name) {
			t.Errorf("Fold(%q) folds to %q", Fold(name), Fold(Fold(name)))
		}
	})
}
