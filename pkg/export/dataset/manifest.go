package dataset

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"clawctl/internal/atomicfile"
	"clawctl/internal/failure"
	"clawctl/pkg/change/redact"
)

// A Manifest lists the files of a dataset, or of one host's part of it. It is replaced after all files are in place.
type Manifest struct {
	SchemaVersion int     `json:"schema_version"`
	Program       string  `json:"program"` // the version of clawctl
	Host          string  `json:"host"`
	RawLines      bool    `json:"raw_lines"`
	NoContent     bool    `json:"no_content"`
	Redacted      bool    `json:"redacted"`
	Values        bool    `json:"values,omitempty"` // what the user named was redacted too
	Sources       string  `json:"sources"`          // a digest of the folders that were read
	State         string  `json:"state"`            // a digest of the sessions that were read
	Files         []File  `json:"files"`
	Batches       []Batch `json:"batches"`
}

// A File is one file of a dataset.
type File struct {
	Table  string `json:"table"`
	Path   string `json:"path"` // below the folder of the dataset, with slashes
	Rows   int64  `json:"rows"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Batch  string `json:"batch"`
}

// A Batch is a group of sessions that are read and written together.
type Batch struct {
	Name       string `json:"name"`
	State      string `json:"state"`
	Incomplete bool   `json:"incomplete,omitempty"` // a session could not be read to its end
	Counts
	Left []redact.LeftName `json:"left,omitempty"` // names that still have a secret, with placeholders
	// Checkpoints of providers that were dropped, because something before them was replaced.
	Checkpoints int `json:"dropped_checkpoints,omitempty"`
}

// Counts say what a dataset contains.
type Counts struct {
	Sessions int64 `json:"sessions"`
	Records  int64 `json:"records"` // that stats counts
	Calls    int64 `json:"tool_calls"`
	Copies   int64 `json:"copied_records"`
	Damaged  int64 `json:"damaged_lines"`
	Findings int64 `json:"findings"`
}

func (c *Counts) add(o Counts) {
	c.Sessions += o.Sessions
	c.Records += o.Records
	c.Calls += o.Calls
	c.Copies += o.Copies
	c.Damaged += o.Damaged
	c.Findings += o.Findings
}

// A TableSize says how large a table of a dataset is.
type TableSize struct {
	SchemaVersion int    `json:"schema_version"`
	Table         string `json:"table"`
	Files         int64  `json:"files"`
	Rows          int64  `json:"rows"`
	Bytes         int64  `json:"bytes"`
}

// TableSizes lists the tables that have files.
func (m *Manifest) TableSizes() []TableSize {
	var list []TableSize
	for _, table := range Tables() {
		size := TableSize{SchemaVersion: 1, Table: table.Name}
		for _, f := range m.Files {
			if f.Table == table.Name {
				size.Files, size.Rows, size.Bytes = size.Files+1, size.Rows+f.Rows, size.Bytes+f.Bytes
			}
		}
		if size.Files > 0 {
			list = append(list, size)
		}
	}
	return list
}

// Errors about the folder of a dataset.
var (
	errOtherSources error = &failure.Sentinel{Code: failure.OtherDataset, Again: []string{"--host", "NAME"}}
	errBadManifest  error = &failure.Sentinel{
		Code: failure.BadManifest, Text: "the manifest is damaged", Again: []string{"--force"},
	}
	errNewer   error = &failure.Sentinel{Code: failure.Newer, Text: "the dataset was written by a newer version"}
	errForeign error = &failure.Sentinel{
		Code: failure.UsageCode, Text: "the folder has other files and no dataset", Again: []string{"--force"},
	}
)

func manifestName(host string) string {
	if host == "" {
		return "manifest.json"
	}
	return "manifest-" + host + ".json"
}

// readManifest reads a manifest. If there is none, it returns an empty one.
func readManifest(root *os.Root, host string) (*Manifest, error) {
	text, err := root.ReadFile(manifestName(host))
	if errors.Is(err, fs.ErrNotExist) {
		return &Manifest{}, nil
	}
	if err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err := json.Unmarshal(text, m); err != nil || m.SchemaVersion < 1 {
		return nil, fmt.Errorf("%w: %s", errBadManifest, manifestName(host))
	}
	if m.SchemaVersion > schemaVersion {
		return nil, fmt.Errorf("%w: schema %d", errNewer, m.SchemaVersion)
	}
	return m, nil
}

// write replaces the manifest.
func (m *Manifest) write(root *os.Root) error {
	slices.SortFunc(m.Files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortFunc(m.Batches, func(a, b Batch) int { return cmp.Compare(a.Name, b.Name) })
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	file, err := atomicfile.CreateIn(root, manifestName(m.Host), atomicfile.Options{})
	if err != nil {
		return err
	}
	defer file.Abandon()
	if _, err := file.Write(append(text, '\n')); err != nil {
		return err
	}
	return file.Commit()
}

// sameOptions reports whether the dataset was written with the same options, by the same version, which makes the same
// rows from the same records. Which values the user named is not noted, because a digest of a password gives it away.
func (m *Manifest) sameOptions(o Options) bool {
	return m.SchemaVersion == schemaVersion && m.Program == o.Program && m.RawLines == o.RawLines &&
		m.NoContent == o.NoContent && m.Redacted == o.Redact && !m.Values && len(o.Rules) == 0
}

// isComplete reports whether every session could be read.
func (m *Manifest) isComplete() bool {
	return !slices.ContainsFunc(m.Batches, func(b Batch) bool { return b.Incomplete })
}
