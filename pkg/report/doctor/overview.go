package doctor

import (
	"clawctl/internal/failure"
	"clawctl/pkg/source"
	"clawctl/pkg/source/openclaw"
)

// An Overview is what was found on a machine, in JSON.
type Overview struct {
	SchemaVersion int                  `json:"schema_version"`
	State         StateRow             `json:"state"`
	OtherStates   []StateRow           `json:"other_states"`
	Transcripts   int                  `json:"transcripts"`
	Agents        int                  `json:"agents"`
	Bytes         int64                `json:"bytes"`
	Kinds         map[source.Kind]int  `json:"kinds"`
	Databases     int                  `json:"databases"`
	InDatabase    int                  `json:"in_database"`
	Unlisted      int                  `json:"unlisted"`
	Problems      map[failure.Code]int `json:"problems"`
	NowhereElse   *int                 `json:"nowhere_else"` // files with records in no database; null: not compared
}

// A StateRow is the JSON form of a state folder.
type StateRow struct {
	Path   string `json:"path"`
	From   string `json:"from"`
	Exists bool   `json:"exists"`
}

// NewOverview returns an overview of state folders without what they hold.
func NewOverview(state openclaw.StateDir, others []openclaw.StateDir) *Overview {
	o := &Overview{
		SchemaVersion: 1, State: StateRow(state), OtherStates: []StateRow{},
		Kinds: map[source.Kind]int{}, Problems: map[failure.Code]int{},
	}
	for _, dir := range others {
		o.OtherStates = append(o.OtherStates, StateRow(dir))
	}
	return o
}

// Count counts what a place holds.
func (o *Overview) Count(p *source.Listing) {
	agents := map[string]bool{}
	for _, s := range p.Sessions {
		o.Kinds[s.Kind]++
		agents[s.Agent] = true
		o.Bytes += s.Bytes
		if s.InDatabase {
			o.InDatabase++
		}
		for _, problem := range s.Problems {
			if problem.Code == source.Unlisted {
				o.Unlisted++
			}
		}
	}
	o.Transcripts, o.Agents, o.Databases = len(p.Sessions), len(agents), len(p.Databases)
	for _, problem := range p.Problems {
		o.Problems[problem.Code] += 1 + problem.More
	}
}

// FilesOf returns the sessions of a place that are files.
func FilesOf(place *source.Listing) (files []*source.Session) {
	for _, s := range place.Sessions {
		if !s.InDatabase {
			files = append(files, s)
		}
	}
	return files
}
