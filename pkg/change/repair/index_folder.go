package repair

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"clawctl/internal/openfile"
	"clawctl/internal/rooted"
	"clawctl/pkg/change"
	"clawctl/pkg/source"
	"clawctl/pkg/source/openclaw"
	"clawctl/pkg/validate"
)

// indexName is the name of OpenClaw's index of a folder.
const indexName = "sessions.json"

// ErrUnusedIndex is the error for a folder whose agent has its sessions in a database.
var ErrUnusedIndex = errors.New(
	"OpenClaw keeps the sessions of this agent in a database and does not read sessions.json")

// An IndexFolder is a folder that may have an index, and the live transcripts in it.
type IndexFolder struct {
	Path     string
	Sessions []*source.Session
}

// IndexFolders returns the folders of a place with transcripts, or with an index that has problems.
func IndexFolders(p *source.Listing) []*IndexFolder {
	var list []*IndexFolder
	byPath := map[string]*IndexFolder{}
	folderOf := func(file string) *IndexFolder {
		path := filepath.Dir(file)
		if byPath[path] == nil {
			byPath[path] = &IndexFolder{Path: path}
			list = append(list, byPath[path])
		}
		return byPath[path]
	}
	for _, s := range p.Sessions {
		if s.Kind == source.Live && s.IsFile() && s.IsTranscript() {
			f := folderOf(s.Path)
			f.Sessions = append(f.Sessions, s)
		}
	}
	for _, problem := range p.Problems {
		if filepath.Base(problem.Path) == indexName {
			folderOf(problem.Path)
		}
	}
	slices.SortFunc(list, func(a, b *IndexFolder) int { return cmp.Compare(a.Path, b.Path) })
	return list
}

// maxIndex is the largest index that is read.
const maxIndex = 256 << 20

// IndexPath is the path of the folder's index, as the folder was named.
func (f *IndexFolder) IndexPath() string { return filepath.Join(f.Path, indexName) }

// Plan plans the repair of the folder's index. It returns nil if OpenClaw keeps none there.
func (f *IndexFolder) Plan(selection validate.Selection) (*IndexPlan, error) {
	folder, err := filepath.Abs(f.Path)
	if err != nil {
		return nil, err
	}
	path, agent := filepath.Join(folder, indexName), filepath.Dir(folder)
	old, err := rooted.Of(folder, indexName).Content(maxIndex)
	isMissing := errors.Is(err, fs.ErrNotExist)
	switch {
	case isMissing && !isAgentFolder(folder), openfile.IsThere(filepath.Join(agent, indexName)):
		return nil, nil // not OpenClaw's layout, or claw0's
	case err != nil && !isMissing:
		return nil, err
	case openclaw.IndexHasDatabase(folder):
		return nil, ErrUnusedIndex
	}
	return newIndex(path, old, f.Sessions, selection, openfile.IsThere), nil
}

// isAgentFolder reports whether a folder is where OpenClaw keeps the sessions of an agent.
func isAgentFolder(path string) bool {
	return filepath.Base(path) == "sessions" && filepath.Base(filepath.Dir(filepath.Dir(path))) == "agents"
}

// StateFolder is OpenClaw's state folder if the index is in one, and otherwise the folder of the index.
func (p *IndexPlan) StateFolder() string {
	folder := filepath.Dir(p.Path)
	if isAgentFolder(folder) {
		return filepath.Dir(filepath.Dir(filepath.Dir(folder)))
	}
	return folder
}

// RunningOpenClaw returns the lock of an OpenClaw that runs on the state folder, or nil. It would write its own version
// over a repaired index.
func (p *IndexPlan) RunningOpenClaw(ctx context.Context) (*openclaw.Lock, error) {
	place, err := source.Find(ctx, p.StateFolder(), source.Options{Fast: true, NamesOnly: true})
	if err != nil {
		return nil, err
	}
	defer place.Close()
	for _, lock := range place.Locks {
		if lock.IsAlive() {
			return &lock, nil
		}
	}
	return nil, nil
}

// Write writes the index, and keeps the old one beside it. file is nil if there was none.
func (p *IndexPlan) Write(journal *change.Journal, file *change.Snapshot) (*change.Receipt, error) {
	const command = "repair --index"
	if p.Old == nil {
		return journal.Create(change.Creation{Path: p.Path, Command: command, Text: bytes.NewReader(p.New)})
	}
	text, err := io.ReadAll(io.NewSectionReader(file, 0, file.Size))
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(text, p.Old) {
		return nil, change.ErrChanged
	}
	return journal.Write(change.Change{
		Snapshot: file, Command: command, Edits: change.Edits{change.Replace(0, p.Old, p.New)},
		Beside: []change.NewFile{{Path: source.KeptIndexPath(p.Path, p.Old), Data: p.Old}}, Whole: true,
	})
}
