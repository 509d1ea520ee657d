package reading

import (
	"fmt"
	"path/filepath"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/ui"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
	"clawctl/pkg/source/hold"
)

// HomesOf returns the folders whose indexes may name a transcript: the places that were searched, and the user's state
// folders.
func HomesOf(a *cli.App, places []*source.Listing) []string {
	var homes []string
	for _, p := range places {
		homes = append(homes, p.Path)
	}
	current, others := a.StateDir()
	for _, dir := range append(others, current) {
		homes = append(homes, dir.Path)
	}
	return homes
}

// ProofError says why a source could not be compared.
func ProofError(p *migrate.Proof) string {
	if p.Err == nil {
		return ""
	}
	return cli.InputError(p.Session.Place(), p.Err).Text
}

// ProofMeaning says what a proof means to somebody who wants to delete the source, in full and in short.
func ProofMeaning(p *migrate.Proof) ui.Cell {
	switch {
	case p.Err != nil:
		return ui.Cell{Text: "not compared: " + ProofError(p), Short: "not compared"}
	case !p.Complete():
		return ui.Cell{
			Text:  "only here: " + lineList(p.OnlyHere, p.Missing, 5),
			Short: "only here: " + lineList(p.OnlyHere, p.Missing, 3),
		}
	case p.Safe() && p.Lines == 0:
		return ui.Cell{Text: "safe to delete: it is empty", Short: "safe to delete"}
	case p.Safe():
		return ui.Cell{Text: "safe to delete: every record is in the database", Short: "safe to delete"}
	}
	return keepMeanings[string(p.Keep.Reason)].cell(shortBy(p))
}

// shortBy is what a file is kept for, seen from the folder of the file or from the one that was searched.
func shortBy(p *migrate.Proof) string {
	below := filepath.Dir(filepath.FromSlash(p.Session.Below))
	for _, folder := range []string{filepath.Join(p.Session.Root, below), p.Session.Root} {
		if short, err := filepath.Rel(folder, p.Keep.By); err == nil && !strings.HasPrefix(short, "..") {
			return short
		}
	}
	return p.Keep.By
}

// A keepMeaning says why a complete file is kept. A %s in the text stands for what the reason is about.
type keepMeaning struct{ text, short string }

func (m keepMeaning) cell(by string) ui.Cell {
	return ui.Cell{Text: strings.ReplaceAll(m.text, "%s", by), Short: m.short}
}

// keepMeanings has the words for every reason to keep a file.
var keepMeanings = map[string]keepMeaning{
	string(hold.Registered):   {"in use: listed in %s", "in use"},
	string(hold.Locked):       {"in use: locked by %s", "in use"},
	string(hold.IndexMissing): {"keep: no sessions.json says whether it is in use", "keep: no index"},
	string(hold.BadIndex):     {"keep: the sessions.json beside it is damaged", "keep: bad index"},
	string(hold.HomeUnread):   {"keep: %s may name it, but cannot be read", "keep: unreadable index"},
	string(migrate.NotAFile):  {"every record is in the database", "complete"},
	string(migrate.NoRecords): {"keep: no record in it is known", "keep: no known record"},
	string(migrate.NotRead):   {"keep: it has bytes that were not read: %s", "keep: not all was read"},
	string(migrate.Owned):     {"keep: it belongs to %s, which may need it", "keep: it has an owner"},
	string(migrate.Changed):   {"keep: it changed while it was compared", "keep: it changed"},
}

// lineList names lines in at most so many parts: lines 3, 7-9 and 12 more.
func lineList(lines []int64, total int64, most int) string {
	var parts []string
	shown := int64(0)
	for i := 0; i < len(lines) && len(parts) < most; {
		j := i
		for j+1 < len(lines) && lines[j+1] == lines[j]+1 {
			j++
		}
		part := fmt.Sprint(lines[i])
		if j > i {
			part = fmt.Sprintf("%d-%d", lines[i], lines[j])
		}
		parts = append(parts, part)
		shown += int64(j - i + 1)
		i = j + 1
	}
	text := "line " + strings.Join(parts, ", ")
	if total > 1 {
		text = "lines " + strings.Join(parts, ", ")
	}
	if total > shown {
		text += fmt.Sprintf(" and %d more", total-shown)
	}
	return text
}
