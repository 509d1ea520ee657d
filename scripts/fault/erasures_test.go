//go:build linux

package fault

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// leaked is the value that redact --in-place removes from a scene, and leakedFile the file that names it.
const (
	leaked     = "hunter1"
	leakedFile = "leaked.txt"
)

var eraseArgs = []string{"redact", "--in-place", inFolder + "home", "--values", inFolder + leakedFile, "--write", "-y"}

// checkErased checks an interrupted redact --in-place: every transcript is the old one or the new one, and a run that
// has reported success left the value nowhere. Then the command is run again, which leaves it nowhere in any case.
func (f *fault) checkErased(s *scene, at interruption) error {
	if _, err := s.look(at.folder); err != nil {
		return err
	}
	if at.isDone {
		if err := leaksNothing(at.folder); err != nil {
			return fmt.Errorf("after success was reported: %w", err)
		}
	}
	for _, args := range [][]string{{"undo", "--finish"}, s.writer.args, {"verify", inFolder + storeName}} {
		if err := f.mustRun(at.folder, args...); err != nil {
			return err
		}
	}
	v, err := s.look(at.folder)
	if err == nil && !v.isAfter {
		err = errors.New("running it again does not complete it")
	}
	return errors.Join(err, leaksNothing(at.folder), tidy(at.folder, isPart))
}

// leaksNothing reads the raw bytes of all files.
func leaksNothing(folder string) error {
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == leakedFile {
			return err
		}
		data, err := os.ReadFile(path)
		for shift := range 3 { // a receipt holds texts in base64
			code := base64.RawStdEncoding.EncodeToString([]byte("=======word="[7-shift:7] + "word=" + leaked))
			if bytes.Contains(data, []byte(leaked)) || bytes.Contains(data, []byte(code[2:len(code)-2])) {
				return fmt.Errorf("%s has the value", path)
			}
		}
		return err
	})
}
