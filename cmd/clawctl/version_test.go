package main

import (
	"runtime/debug"
	"strings"
	"testing"
)

// The version comes from the tag that the Go tool noted. Without a tag it is that of the next release.
func TestVersionOf(t *testing.T) {
	for noted, want := range map[string]string{
		"":                                   nextRelease + "-dev",
		"(devel)":                            nextRelease + "-dev",
		"v0.0.0-20261116055736-faef9e3d3b5a": nextRelease + "-dev",
		"v0.0.0-20261116055736-faef9e3d3b5a+dirty": nextRelease + "-dev",
		"v0.2.0":                               "0.2.0",
		"v0.2.0+dirty":                         "0.2.0+dirty",
		"v0.2.1-0.20261116055736-faef9e3d3b5a": "0.2.1-0.20261116055736-faef9e3d3b5a",
		"v1.0.0-rc.1":                          "1.0.0-rc.1",
	} {
		if got := versionOf(&debug.BuildInfo{Main: debug.Module{Version: noted}}); got != want {
			t.Errorf("%q: %s instead of %s", noted, got, want)
		}
	}
}

func TestCommitOf(t *testing.T) {
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "faef9e3d3b5a6c1d"}
	changed := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	clean := debug.BuildSetting{Key: "vcs.modified", Value: "false"}
	for want, settings := range map[string][]debug.BuildSetting{
		"":                   nil,
		"faef9e3d3b5a":       {revision, clean},
		"faef9e3d3b5a+dirty": {revision, changed},
	} {
		if got := commitOf(&debug.BuildInfo{Settings: settings}); got != want {
			t.Errorf("%q instead of %q", got, want)
		}
	}
}

// The changelog has a section for the release that this source becomes, or still collects changes for it.
func TestChangelogNamesRelease(t *testing.T) {
	text := readDoc(t, "CHANGELOG.md")
	if !strings.Contains(text, "\n## ["+nextRelease+"]") && !strings.Contains(text, "\n## [Unreleased]") {
		t.Errorf("CHANGELOG.md has neither %s nor unreleased changes", nextRelease)
	}
}
