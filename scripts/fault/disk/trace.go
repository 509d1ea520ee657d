package disk

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Snapshot begins a record with the files that a folder has now.
func Snapshot(folder string) (*Record, error) {
	r := &Record{Before: map[string]int{}, Content: map[int][]byte{}}
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		below, relErr := filepath.Rel(folder, name)
		if err = errors.Join(err, relErr); err != nil || below == "." {
			return err
		}
		if entry.IsDir() {
			r.Folders = append(r.Folders, filepath.ToSlash(below))
			return nil
		}
		file := len(r.Before) + 1
		r.Before[filepath.ToSlash(below)] = file
		r.Content[file], err = os.ReadFile(name)
		return err
	})
	return r, err
}

// TracedCalls are the system calls that a trace must have. Those that ReadTrace does not know are among them, so that
// it can refuse a program that uses them.
const TracedCalls = "open,openat,creat,close,write,pwrite64,ftruncate,fsync,fdatasync,unlink,unlinkat,rmdir,mkdir," +
	"mkdirat,rename,renameat,renameat2,mmap,writev,pwritev,pwritev2,truncate,fallocate,link,linkat,symlink,symlinkat," +
	"lseek,copy_file_range,sendfile,splice,sync_file_range,dup,dup2,dup3"

// ReadTrace adds what a program did to the files below a folder. The trace is the output of strace with the options -f,
// -y and -xx, for the TracedCalls, with strings that are not abbreviated. The folder must be an absolute path without
// links, and the program must be one process that names the folder by such paths.
func (r *Record) ReadTrace(trace io.Reader, folder string) error {
	t := &tracer{record: r, folder: filepath.Clean(folder), live: map[string]int{}, open: map[int]handle{},
		sizes: map[int]int64{}, unfinished: map[string]*call{}}
	for name, file := range r.Before {
		t.live[name] = file
		t.files = max(t.files, file)
		t.sizes[file] = int64(len(r.Content[file]))
	}
	for _, name := range append(r.Folders, ".") {
		t.live[name] = isFolder
	}
	lines := bufio.NewReaderSize(trace, 1<<20)
	for {
		line, err := lines.ReadString('\n')
		if line == "" && err == io.EOF {
			break
		}
		t.moment++
		if lineErr := t.line(strings.TrimSuffix(line, "\n")); lineErr != nil {
			return fmt.Errorf("trace line %d: %w", t.moment, lineErr)
		}
		if err != nil && err != io.EOF {
			return err
		}
	}
	r.number()
	return nil
}

// number replaces the moments of a record by small numbers without gaps.
func (r *Record) number() {
	slices.SortStableFunc(r.Ops, func(a, b Op) int { return a.Start - b.Start })
	seen := map[int]int{}
	for _, op := range r.Ops {
		seen[op.Start], seen[op.End] = 0, 0
	}
	for _, o := range r.Printed {
		seen[o.Moment] = 0
	}
	for i, moment := range sortedKeys(seen) {
		seen[moment] = i
	}
	for i := range r.Ops {
		r.Ops[i].Start, r.Ops[i].End = seen[r.Ops[i].Start], seen[r.Ops[i].End]
	}
	for i := range r.Printed {
		r.Printed[i].Moment = seen[r.Printed[i].Moment]
	}
	r.Moments = len(seen)
}

// A tracer reads a trace from its first line to its last.
type tracer struct {
	record     *Record
	folder     string
	moment     int // two for each line, so that a call that ends on its line has an end of its own
	files      int // the highest number of a file
	live       map[string]int
	open       map[int]handle
	sizes      map[int]int64
	unfinished map[string]*call // by thread
}

// A handle is what a descriptor refers to.
type handle struct {
	file    int
	path    string
	written int64 // where the next write without an offset begins
	appends bool  // every write begins at the end of the file instead
}

// A call is a system call in the trace.
type call struct {
	name  string
	args  []string
	start int
	op    *Op // the operation that its descriptor or path is about, from its begin on
}

// isUnknown reports whether strace could not see a call, because its thread ended before.
func isUnknown(name string) bool { return name == "???" || strings.HasPrefix(name, "syscall_0x") }

// line reads one line: a call, or a part of one that another thread interrupted.
func (t *tracer) line(line string) error {
	thread, text, _ := strings.Cut(line, " ")
	text = strings.TrimLeft(text, " ")
	if rest, ok := strings.CutPrefix(text, "<... "); ok {
		c := t.unfinished[thread]
		delete(t.unfinished, thread)
		_, rest, _ = strings.Cut(rest, ">")
		if c == nil {
			return nil
		}
		return t.end(c, rest)
	}
	name, rest, ok := strings.Cut(text, "(")
	if !ok || strings.HasPrefix(text, "+++") || strings.HasPrefix(text, "---") || isUnknown(name) {
		return nil
	}
	c := &call{name: name, start: t.moment}
	if begun, ok := strings.CutSuffix(rest, "<unfinished ...>"); ok {
		c.args = splitArguments(begun)
		t.unfinished[thread] = c
		return t.begin(c)
	}
	at := strings.LastIndex(rest, ") = ")
	if at < 0 {
		at = strings.LastIndex(rest, ")")
	}
	if at < 0 {
		return fmt.Errorf("%s does not end", name)
	}
	c.args = splitArguments(rest[:at])
	if err := t.begin(c); err != nil {
		return err
	}
	return t.end(c, rest[at:])
}

// splitArguments splits the arguments of a call. No string contains a comma, because its bytes are in hexadecimal.
func splitArguments(text string) []string {
	return strings.Split(strings.TrimRight(text, " ,"), ", ")
}

// descriptor parses a descriptor with its path, such as 5<\x2f\x74>.
func descriptor(text string) (number int, name string) {
	digits, rest, _ := strings.Cut(text, "<")
	number, err := strconv.Atoi(strings.TrimSpace(digits))
	if err != nil {
		number = -1 // AT_FDCWD
	}
	name, _, _ = strings.Cut(rest, ">")
	decoded, err := decodeHex(name)
	if err != nil {
		return number, name
	}
	return number, string(decoded)
}

// decodeString decodes a string of the trace, with its quotes.
func decodeString(text string) ([]byte, error) {
	inside, ok := strings.CutPrefix(text, `"`)
	if ok {
		inside, ok = strings.CutSuffix(inside, `"`)
	}
	if !ok {
		return nil, fmt.Errorf("%.40s is not a complete string", text)
	}
	return decodeHex(inside)
}

// decodeHex decodes \x41\x42.
func decodeHex(text string) ([]byte, error) {
	data := make([]byte, 0, len(text)/4)
	for i := 0; i < len(text); i += 4 {
		if i+4 > len(text) || text[i:i+2] != `\x` {
			return nil, fmt.Errorf("%.40s is not hexadecimal", text[i:])
		}
		b, err := strconv.ParseUint(text[i+2:i+4], 16, 8)
		if err != nil {
			return nil, err
		}
		data = append(data, byte(b))
	}
	return data, nil
}

// below returns the path of a name below the folder. It is false for other files.
func (t *tracer) below(name string) (string, bool) {
	rel, err := filepath.Rel(t.folder, name)
	if err != nil || rel != "." && !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// argument returns the path below the folder that a call names by its n-th argument, and by a folder in the argument
// before if it has one.
func (t *tracer) argument(c *call, n int, hasFolder bool) (string, bool, error) {
	if n >= len(c.args) {
		return "", false, fmt.Errorf("%s has %d arguments", c.name, len(c.args))
	}
	data, err := decodeString(c.args[n])
	if err != nil {
		return "", false, err
	}
	name := string(data)
	if hasFolder && !path.IsAbs(name) {
		_, folder := descriptor(c.args[n-1])
		name = path.Join(folder, name)
	}
	below, ok := t.below(name)
	return below, ok, nil
}
