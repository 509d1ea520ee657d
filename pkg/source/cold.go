package source

import (
	"path/filepath"

	"clawctl/pkg/source/openclaw"
)

// isColdArchive reports whether a file is cold/<sha256>.jsonl.zst, to which OpenClaw moves complete database rows.
func isColdArchive(path string) bool {
	if filepath.Base(filepath.Dir(path)) != "cold" {
		return false
	}
	name, ok := ParseName(filepath.Base(path))
	return ok && name.Kind == Archive && len(name.ID) == coldNameLen
}

// unwrapCold reads the transcript from a cold archive.
func unwrapCold(in *Input) *Input {
	out := *in
	out.unwrapped = true
	out.Reader = openclaw.NewColdReader(in.Reader)
	return &out
}
