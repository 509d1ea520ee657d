package main

import (
	"runtime/debug"
	"strings"
)

// nextRelease is the release that this source becomes. Builds that know no tag of a release show it with "-dev".
const nextRelease = "0.2.0"

// version returns the version of this program, from what the Go tool noted in it: the tag of a release, or the
// version of the module that was installed.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nextRelease + "-dev"
	}
	return versionOf(info)
}

// versionOf returns the version in build information. Without a tag, the Go tool notes nothing, "(devel)", or a
// pseudo-version that begins with v0.0.0.
func versionOf(info *debug.BuildInfo) string {
	noted, isVersion := strings.CutPrefix(info.Main.Version, "v")
	if !isVersion || strings.HasPrefix(noted, "0.0.0-") {
		return nextRelease + "-dev"
	}
	return noted
}

// buildCommit returns the commit that the Go tool noted in the binary, or "".
func buildCommit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return commitOf(info)
}

// commitOf returns the first 12 digits of the commit in build information, with "+dirty" if files were changed.
func commitOf(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	commit := settings["vcs.revision"]
	commit = commit[:min(12, len(commit))]
	if settings["vcs.modified"] == "true" {
		commit += "+dirty"
	}
	return commit
}
