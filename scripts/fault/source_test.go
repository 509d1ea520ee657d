//go:build linux

package fault

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// changes replaces or truncates a large session while an import reads it. The import must refuse that session and store
// all others, and the next import must complete the store.
func (f *fault) changes(folder string) (string, error) {
	for name, change := range map[string]func(path string) error{
		"replaced": func(path string) error {
			other, text := path+".tmp", `{"type":"session","version":3,"id":"other"}`+"\n"
			return errors.Join(os.WriteFile(other, []byte(text), 0o600), os.Rename(other, path))
		},
		"truncated": truncateToFirstLine,
	} {
		if err := f.changeWhileRead(filepath.Join(folder, name), change); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
	}
	return "a session of 120 MB replaced and truncated during an import: refused, the others stored, " +
		"completed by the next import", nil
}

// truncateToFirstLine keeps a complete line, so that the next import finds no damage.
func truncateToFirstLine(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	line, err := bufio.NewReader(file).ReadSlice('\n')
	return errors.Join(err, os.Truncate(path, int64(len(line))))
}

func (f *fault) changeWhileRead(folder string, change func(path string) error) error {
	defer os.RemoveAll(folder)
	tree := filepath.Join(folder, "tree")
	if err := os.CopyFS(tree, os.DirFS(f.small.path)); err != nil {
		return err
	}
	big := filepath.Join(tree, "agents", "agent0", "sessions", "11111111-1111-4111-8111-111111111111.jsonl")
	if err := command(f.corpus, "-out", big, "-size", "120000000"); err != nil {
		return err
	}
	db := filepath.Join(folder, "store.db")
	cmd := exec.Command(f.clawctl, "import", tree, "--to", db, "--json")
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	if err := cmd.Start(); err != nil {
		return err
	}
	waitForLog(db)
	if err := change(big); err != nil {
		return err
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 3 {
		return fmt.Errorf("exit %d: %s", code, stdout.String())
	}
	if err := oneRefused(stdout.Bytes(), filepath.Base(big)); err != nil {
		return err
	}
	if err := command(f.clawctl, "import", tree, "--to", db); err != nil {
		return err
	}
	return command(f.clawctl, "verify", tree, "--against", db)
}

// waitForLog waits until an import is in the middle of a large session.
func waitForLog(db string) {
	for begun := time.Now(); time.Since(begun) < deadline; time.Sleep(time.Millisecond) {
		if info, err := os.Stat(db + "-wal"); err == nil && info.Size() > 8<<20 {
			return
		}
	}
}

// oneRefused checks a report in which this source must be refused, and no other.
func oneRefused(report []byte, name string) error {
	refused, done := 0, 0
	for decoder := json.NewDecoder(bytes.NewReader(report)); decoder.More(); {
		var row struct{ Verdict, Source string }
		if err := decoder.Decode(&row); err != nil {
			return err
		}
		switch {
		case row.Verdict == "refused" && strings.HasSuffix(row.Source, name):
			refused++
		case row.Verdict == "refused" || strings.HasSuffix(row.Source, name):
			return fmt.Errorf("%s is %s", row.Source, row.Verdict)
		case row.Verdict != "":
			done++
		}
	}
	if refused != 1 || done == 0 {
		return fmt.Errorf("%d refused, %d done: %s", refused, done, report)
	}
	return nil
}

// untouched checks that an import opens nothing below its source for writing, and that the source may be read-only.
func (f *fault) untouched(folder string) (string, error) {
	summary, err := f.tracedOpens(folder)
	if err != nil {
		return "", err
	}
	err = f.readOnlyMount(filepath.Join(folder, "readonly.db"))
	var skipped skip
	if errors.As(err, &skipped) {
		return summary + "; read-only mount skipped: " + skipped.Error(), nil
	}
	return summary + "; digest equal from a read-only mount", err
}

// changing are the system calls that can change a folder.
const changing = "open,openat,openat2,creat,truncate,ftruncate,rename,renameat,renameat2,unlink,unlinkat,mkdir," +
	"mkdirat,rmdir,link,linkat,symlink,symlinkat,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,utimensat," +
	"setxattr,flock"

func (f *fault) tracedOpens(work string) (string, error) {
	if err := canTrace(); err != nil {
		return "", err
	}
	sources := []string{f.small.path, filepath.Join(f.root, "testdata", "home")}
	if shared := filepath.Join(f.root, "..", "shared", "transcripts"); exists(shared) {
		sources = append(sources, shared) // includes OpenClaw's databases
	}
	opens := 0
	for _, folder := range sources {
		trace, db := filepath.Join(work, "trace"), filepath.Join(work, storeName)
		ended := execute("strace", "-f", "-qq", "-y", "-o", trace, "-e", "trace="+changing,
			f.clawctl, "import", folder, "--to", db)
		if ended.code != 0 && ended.code != 3 {
			return "", fmt.Errorf("%s: %v", folder, ended)
		}
		os.Remove(db)
		n, err := readOnlyBelow(trace, folder)
		if err != nil {
			return "", err
		}
		opens += n
	}
	return fmt.Sprintf("%d opens below %d sources, 0 for writing, 0 other changes", opens, len(sources)), nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// readOnlyBelow checks that no call in a trace changes anything below a folder, and counts the calls that open a file.
func readOnlyBelow(trace, folder string) (opens int, err error) {
	text, err := os.ReadFile(trace)
	if err != nil {
		return 0, err
	}
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if !strings.Contains(line, real) && !strings.Contains(line, folder) {
			continue
		}
		isOpen := strings.Contains(line, " open")
		if !isOpen || strings.Contains(line, "O_WRONLY") || strings.Contains(line, "O_RDWR") ||
			strings.Contains(line, "O_CREAT") || strings.Contains(line, "O_TRUNC") {
			return 0, fmt.Errorf("the import may change its source: %s", strings.TrimSpace(line))
		}
		opens++
	}
	if opens == 0 {
		return 0, errors.New("the trace has no call below the source")
	}
	return opens, nil
}

// readOnlyMount imports from a read-only mount.
func (f *fault) readOnlyMount(db string) error {
	if err := canMount(); err != nil {
		return err
	}
	path := f.small.path
	if err := command("mount", "--bind", path, path); err != nil {
		return skip(err.Error())
	}
	defer func() { _ = unmount(path) }()
	if err := command("mount", "-o", "remount,bind,ro", path); err != nil {
		return err
	}
	if os.WriteFile(filepath.Join(path, "x"), nil, 0o600) == nil {
		return errors.New("the mount is not read-only")
	}
	return f.complete(db, f.small)
}
