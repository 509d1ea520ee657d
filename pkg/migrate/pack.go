package migrate

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"clawctl/pkg/export/bundle"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// A Redactor replaces secrets in what is packed.
type Redactor interface {
	Session(in io.Reader, out io.Writer, opts jsonl.Options) error
	JSON(text []byte, isIndex bool) []byte
}

// A Packer collects what goes into a bundle.
type Packer struct {
	Sources  []bundle.Source
	Redactor Redactor // nil to pack everything as it is
	Read     jsonl.Options
}

// AddTranscript adds the file of a session.
func (p *Packer) AddTranscript(item *Item) {
	p.add(item.Path, bundle.Transcript, func(ctx context.Context, w io.Writer) error {
		if p.Redactor == nil {
			_, err := item.WriteTo(ctx, w)
			return err
		}
		in, err := item.OpenText(ctx)
		if err != nil {
			return err
		}
		defer in.Close()
		return p.Redactor.Session(in, w, p.Read)
	}).Modified = item.Modified
}

// AddIndex adds the registrations of sessions.
func (p *Packer) AddIndex(index Index) {
	text := index.Text
	if p.Redactor != nil {
		text = p.Redactor.JSON(text, true)
	}
	p.add(index.Path, bundle.Index, func(_ context.Context, w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// AddMedia adds a media file below a folder. It returns an error if a bundle takes no file of that name or of that
// size.
func (p *Packer) AddMedia(folder string, m source.MediaFile) error {
	name := path.Join(folder, m.Below)
	if err := bundle.CheckName(name, bundle.Media); err != nil {
		return err
	}
	if m.Bytes > m.Limit {
		return fmt.Errorf("%s: it is larger than %d MiB", name, m.Limit>>20)
	}
	p.add(name, bundle.Media, func(_ context.Context, w io.Writer) error {
		in, err := m.Open()
		if err != nil {
			return err
		}
		defer in.Close()
		_, err = io.Copy(w, io.LimitReader(in, m.Limit))
		return err
	}).Modified = m.Modified
	return nil
}

func (p *Packer) add(name string, kind bundle.Kind, write func(context.Context, io.Writer) error) *bundle.Source {
	p.Sources = append(p.Sources, bundle.Source{Path: name, Kind: kind, WriteTo: write})
	return &p.Sources[len(p.Sources)-1]
}

// Sort puts the files in the order of the bundle.
func (p *Packer) Sort() {
	slices.SortFunc(p.Sources, func(a, b bundle.Source) int { return cmp.Compare(a.Path, b.Path) })
}

// FolderOf returns the folder that the files of a place have among the items, "." if there is one place. Files may have
// other names there, but are as deep in folders.
func FolderOf(items []Item, sessions []*source.Session) string {
	for _, s := range sessions {
		for i := range items {
			if items[i].Place == s.Place() && !s.InDatabase {
				return folderAbove(items[i].Path, strings.Count(s.Below, "/")+1)
			}
		}
	}
	return "."
}

// folderAbove returns the folder that is some levels above a path.
func folderAbove(name string, levels int) string {
	for range levels {
		name = path.Dir(name)
	}
	return name
}
