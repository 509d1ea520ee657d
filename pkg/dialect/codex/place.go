package codex

import "clawctl/internal/lazy"

var rolloutFile = lazy.Regexp(`^(.+)/sessions/\d{4}/\d{2}/\d{2}/rollout-[^/]+\.jsonl(?:\.zst)?$`)

// HomeOf returns the folder with all of Codex's files, if the file of a thread is where Codex looks for it. Archived
// threads are not. The file is written with slashes.
func HomeOf(file string) (home string, ok bool) {
	m := rolloutFile().FindStringSubmatch(file)
	if m == nil {
		return "", false
	}
	return m[1], true
}
