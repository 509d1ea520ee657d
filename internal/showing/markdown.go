package showing

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"clawctl/internal/atomicfile"
	"clawctl/internal/cli"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/read/render"
)

// PrintMarkdown prints a session as a document for GitHub.
func PrintMarkdown(s *View) error {
	s.mask(true)
	if err := s.open(s.visitFacts()); err != nil {
		return err
	}
	w := bufio.NewWriterSize(s.App.Output, 1<<16)
	images := NewImageFolder(s.App)
	options := render.MarkdownOptions{Style: s.style(), Image: images.Add, Masker: s.masker}
	document := render.NewMarkdown(w, options)
	names := strings.Join(append(s.Facts.names(s.Session), s.Facts.place()...), " · ")
	figures := strings.Join(append(s.figures(), s.state()...), " · ")
	if err := document.Head(s.Facts.titleOf(s.Session), names, figures); err != nil {
		return err
	}
	err := s.each(func(e *parts.Entry, at parts.Position, branch string) error {
		if branch != "" {
			if err := document.Rule("A branch begins after " + branch); err != nil {
				return err
			}
		}
		return document.Entry(e, at)
	})
	if err != nil {
		return s.transcript.Failed(err)
	}
	if err := document.Close(); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	s.noteDocument(document.Masked(), images)
	return s.transcript.Damage
}

// noteDocument says what a document does not show.
func (s *View) noteDocument(masked int, images *ImageFolder) {
	if masked > 0 {
		s.App.Note("masked %s; --raw shows what looks like a key or a password", ui.Count(masked, "secret"))
	}
	if images.omitted > 0 {
		s.App.Note("left out %s; -o FILE writes them beside the document", ui.Count(images.omitted, "image"))
	}
}

// An ImageFolder takes the images of a document that is written to a file.
type ImageFolder struct {
	app     *cli.App
	path    string // "" if images are left out
	omitted int
}

// NewImageFolder returns the folder beside the output of a run.
func NewImageFolder(a *cli.App) *ImageFolder {
	f := &ImageFolder{app: a}
	if !a.Output.Options.IsStdout() {
		f.path = a.Output.Options.Path + "-images"
	}
	return f
}

// imageTypes are the images that are written, with the ends of their names. Others, such as SVG, can hold scripts.
var imageTypes = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp",
}

// Add writes an image and returns its address in the document. The same image is written once.
func (f *ImageFolder) Add(mime string, data jsonl.Value) (string, error) {
	end, known := imageTypes[mime]
	content, err := base64.StdEncoding.DecodeString(data.String())
	if f.path == "" || !known || err != nil || len(content) == 0 {
		f.omitted++
		return "", nil
	}
	sum := sha256.Sum256(content)
	name := hex.EncodeToString(sum[:8]) + end
	if err := f.write(filepath.Join(f.path, name), content); err != nil {
		return "", err
	}
	return filepath.Base(f.path) + "/" + name, nil
}

func (f *ImageFolder) write(path string, content []byte) error {
	if err := os.MkdirAll(f.path, 0o700); err != nil {
		return cli.OutputError(f.path, err)
	}
	if _, err := os.Stat(path); err == nil {
		return nil // its name says what is in it
	}
	file, err := atomicfile.Create(path, atomicfile.Options{Policy: atomicfile.ReplaceNothing})
	if err != nil {
		return cli.OutputError(path, err)
	}
	if _, err := file.Write(content); err != nil {
		file.Abandon()
		return cli.OutputError(path, err)
	}
	if err := file.Commit(); err != nil {
		return cli.OutputError(path, err)
	}
	return nil
}
