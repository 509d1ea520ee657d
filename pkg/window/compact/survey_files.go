package compact

import (
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/fileuse"
)

// A stepUse is a file that a step of the survey read or changed.
type stepUse struct {
	step int
	fileuse.Use
}

// appendUses adds the files of a message.
func appendUses(uses []stepUse, step int, m jsonl.Message) []stepUse {
	for use := range fileuse.OfMessage(m) {
		uses = append(uses, stepUse{step, use})
	}
	return uses
}

// details lists the files of everything before a step, including those that the last compaction listed.
func (s *Survey) details(first int) fileuse.Details {
	files := fileuse.Set{}
	if s.Previous != nil && !s.Previous.FromHook {
		before := jsonl.Value(s.Previous.Details)
		for _, path := range before.Get("readFiles").Strings() {
			files[path] = false
		}
		for _, path := range before.Get("modifiedFiles").Strings() {
			files[path] = true
		}
	}
	for _, use := range s.uses {
		if use.step < first {
			files[use.Path] = files[use.Path] || use.Modifies
		}
	}
	return files.Details()
}
