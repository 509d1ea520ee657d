package codex

import "clawctl/pkg/jsontext"

// Origin returns the working directory and the branch of git of a thread, which its first line has.
func Origin(line jsontext.Value) (folder, branch jsontext.Value) {
	payload := line.Get("payload")
	return payload.Get("cwd"), payload.Get("git").Get("branch")
}
