package main

import (
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"clawctl/internal/atomicfile"
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/bundle"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/migrate"
)

// mapFlag is --map.
func (o *exportOptions) mapFlag() cli.Flag {
	return cli.Flag{Name: "map", Value: "OLD=NEW", Usage: "while unpacking, replace the folder OLD by NEW in paths",
		Set: func(text string) error {
			mapping, err := bundle.ParseMapping(text)
			o.maps = append(o.maps, mapping)
			return err
		}}
}

// isBundle reports whether all of one bundle is exported as files.
func (x *exporting) isBundle() bool {
	return x.options.as == "" && len(x.arguments) == 1 && !x.options.Narrows() && bundle.Is(cli.ExpandHome(x.arguments[0]))
}

// unpack writes the files of a bundle below a folder. It writes nothing if the bundle is refused, or if it would
// replace a file with other content.
func (x *exporting) unpack(file, folder string) error {
	if folder == "" {
		return failure.Usage(x.CommandLine("-o", "state/"), "a bundle is unpacked into a folder: -o")
	}
	r, err := bundle.Open(x.Ctx, cli.ExpandHome(file))
	if x.Ctx.Err() != nil {
		return cli.Interrupted(x.App)
	}
	if err != nil {
		return cli.InputError(file, err)
	}
	defer r.Close()
	u := &unpacking{exporting: x, reader: r, folder: folder, absolute: cli.Absolute(folder)}
	u.mover = bundle.NewMover(&r.Manifest, u.absolute, x.options.maps, u.noteChange)
	if err := u.check(file); err != nil {
		return err
	}
	if err := u.reportChanges(); err != nil || x.options.dryRun {
		return err
	}
	return u.write()
}

// An unpacking is one bundle that is being unpacked.
type unpacking struct {
	*exporting
	reader   *bundle.Reader
	mover    *bundle.Mover
	folder   string
	absolute string
	changes  []bundle.Change
	isNoted  bool // the changes are complete
}

func (u *unpacking) noteChange(c bundle.Change) {
	if !u.isNoted {
		u.changes = append(u.changes, c)
	}
}

// copy writes a file of the bundle with its paths changed.
func (u *unpacking) copy(i int, w io.Writer) error {
	in, err := u.reader.Open(i)
	if err != nil {
		return err
	}
	defer in.Close()
	return u.mover.Copy(&u.reader.Files[i], w, in, jsonl.Options{BeforeRead: u.Ctx.Err})
}

// check makes every file once without writing it: to learn what changes, and which files are in the way.
func (u *unpacking) check(file string) error {
	var inTheWay []string
	for i := range u.reader.Files {
		sum := sha256.New()
		if err := u.copy(i, sum); err != nil {
			if u.Ctx.Err() != nil {
				return cli.Interrupted(u.App)
			}
			return cli.InputError(file, err)
		}
		if target := pathBelow(u.folder, u.reader.Files[i].Path); !u.isFree(target, sum) {
			inTheWay = append(inTheWay, target)
		}
	}
	u.isNoted = true
	if len(inTheWay) > 0 && !u.Output.Options.Force {
		return failure.New(failure.Exists, "%s in the folder would be replaced, so nothing is unpacked",
			ui.Count(len(inTheWay), "file")).At(u.folder).WithList(inTheWay[:min(10, len(inTheWay))]).
			WithHint(u.CommandLine("--force"))
	}
	return nil
}

// isFree reports whether a path has no file, or one with the same content.
func (u *unpacking) isFree(path string, want hash.Hash) bool {
	file, err := os.Open(path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	defer file.Close()
	have := sha256.New()
	_, err = io.Copy(have, file)
	return err == nil && string(have.Sum(nil)) == string(want.Sum(nil))
}

// A movedRow is the JSON form of a change.
type movedRow struct {
	SchemaVersion int `json:"schema_version"`
	bundle.Change
}

// reportChanges sums up the changes, or lists every one if that is asked for.
func (u *unpacking) reportChanges() error {
	switch {
	case u.Format != "" || u.Verbose || u.WantsJSON():
		return u.PrintReport(movedPaths(u.changes))
	case len(u.changes) == 0:
		return nil
	}
	return u.PrintReport(u.changeSummary())
}

func movedPaths(changes []bundle.Change) *cli.Report {
	r := cli.NewReport(ui.Column{Name: "file", Cut: ui.InMiddle, Min: 16, Rank: 1},
		ui.Column{Name: "field", Cut: ui.InMiddle, Min: 12}, ui.Column{Name: "old", Cut: ui.InMiddle, Min: 16},
		ui.Column{Name: "new", Cut: ui.InMiddle, Min: 16}, ui.Column{Name: "session", Cut: ui.InMiddle, Min: 16, Rank: 2})
	for _, c := range changes {
		r.Add(movedRow{1, c}, c.File, c.Field, c.Old, c.New, c.Key)
	}
	return r
}

// changeSummary counts the changes by field and folder. Paths of the same folder differ only in their ends, which stay.
func (u *unpacking) changeSummary() *cli.Report {
	type kind struct{ field, old, new string }
	counts := map[kind]int{}
	var kinds []kind
	for _, c := range u.changes {
		k := kind{c.Field[strings.LastIndexByte(c.Field, '.')+1:], c.Folders.Old, c.Folders.New}
		if k.new == u.absolute {
			k.new = u.folder
		}
		if counts[k] == 0 {
			kinds = append(kinds, k)
		}
		counts[k]++
	}
	r := cli.NewReport(ui.Column{Name: "changes", Right: true}, ui.Column{Name: "field"},
		ui.Column{Name: "old folder", Cut: ui.InMiddle, Min: 16}, ui.Column{Name: "new folder", Cut: ui.InMiddle, Min: 16})
	for _, k := range kinds {
		r.Add(nil, ui.Thousands(int64(counts[k])), k.field, k.old, k.new)
	}
	return r
}

// write writes the files.
func (u *unpacking) write() error {
	if err := atomicfile.MkdirAll(u.absolute); err != nil {
		return cli.OutputError(u.folder, err)
	}
	root, err := os.OpenRoot(u.absolute)
	if err != nil {
		return cli.OutputError(u.folder, err)
	}
	defer root.Close()
	written, total := 0, int64(0)
	for i := range u.reader.Files {
		f := &u.reader.Files[i]
		verdict, n, err := writing.Place(u.exporting.App, root, f.Path, f.ModTime(), func(w io.Writer) (int64, error) {
			counted := &cli.CountingWriter{Writer: w}
			err := u.copy(i, counted)
			return counted.N, err
		})
		if err != nil {
			return u.failed(&migrate.Item{Path: filepath.Join(u.folder, f.Path)}, err)
		}
		if total += n; verdict == "written" {
			written++
		}
	}
	u.Note("Unpacked %s (%s) to %s: %d written, %d already there, %s changed.", ui.Count(len(u.reader.Files), "file"),
		ui.Bytes(total), u.folder, written, len(u.reader.Files)-written, ui.Count(len(u.changes), "path"))
	return u.outcome.Err()
}
