package disk

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// begin reads the arguments of a call. They are complete when it begins, and its descriptor may mean another file when
// it ends.
func (t *tracer) begin(c *call) error {
	var err error
	switch c.name {
	case "open", "openat", "creat", "lseek":
		return nil // its result has what is needed
	case "write", "pwrite64", "ftruncate", "fsync", "fdatasync":
		return t.beginData(c)
	case "close":
		number, _ := descriptor(c.args[0])
		delete(t.open, number)
	case "unlink", "rmdir":
		c.op, err = t.nameOp(Remove, c, 0, false)
	case "unlinkat":
		c.op, err = t.nameOp(Remove, c, 1, true)
	case "mkdir":
		c.op, err = t.nameOp(Mkdir, c, 0, false)
	case "mkdirat":
		c.op, err = t.nameOp(Mkdir, c, 1, true)
	case "rename":
		return t.beginRename(c, 0, 1, false)
	case "renameat", "renameat2":
		return t.beginRename(c, 1, 3, true)
	case "link":
		return t.beginLink(c, 0, 1, false)
	case "linkat":
		return t.beginLink(c, 1, 3, true)
	case "mmap":
		return t.checkMapping(c)
	default:
		return t.refuse(c)
	}
	return err
}

// nameOp returns the operation that a call does to a name, or nil if it is outside the folder.
func (t *tracer) nameOp(kind Kind, c *call, n int, hasFolder bool) (*Op, error) {
	name, isBelow, err := t.argument(c, n, hasFolder)
	if err != nil || !isBelow {
		return nil, err
	}
	return &Op{Kind: kind, Path: name}, nil
}

func (t *tracer) beginRename(c *call, from, to int, hasFolder bool) error {
	var err error
	if c.op, err = t.nameOp(Rename, c, from, hasFolder); err != nil || c.op == nil {
		return err
	}
	target, err := t.nameOp(Rename, c, to, hasFolder)
	if err != nil {
		return err
	}
	if target == nil || path.Dir(target.Path) != path.Dir(c.op.Path) {
		return fmt.Errorf("%s between two folders", c.name)
	}
	c.op.To = target.Path
	return nil
}

// beginLink reads a call that gives a file another name, which may be in another folder.
func (t *tracer) beginLink(c *call, from, to int, hasFolder bool) error {
	old, isBelow, err := t.argument(c, from, hasFolder)
	if err != nil {
		return err
	}
	if c.op, err = t.nameOp(Create, c, to, hasFolder); err != nil || c.op == nil {
		return err
	}
	file, known := t.live[old]
	if !isBelow || !known || file == isFolder {
		return fmt.Errorf("%s of an unknown file", c.name)
	}
	c.op.File = file
	return nil
}

// beginData reads a call on a descriptor: of a file below the folder, of a folder, or of stdout.
func (t *tracer) beginData(c *call) error {
	number, name := descriptor(c.args[0])
	h, known := t.open[number]
	if _, isBelow := t.below(name); isBelow && !known {
		return fmt.Errorf("%s of an unknown descriptor %d", c.name, number)
	}
	isOutput := c.name == "write" && (number == 1 || number == 2)
	if !known && !isOutput {
		return nil
	}
	c.op = &Op{File: h.file, Path: h.path}
	switch c.name {
	case "ftruncate":
		c.op.Kind = Truncate
		size, err := strconv.ParseInt(c.args[1], 10, 64)
		c.op.Size = size
		return err
	case "fsync", "fdatasync":
		c.op.Kind = Sync
		if h.file == isFolder {
			c.op.Kind, c.op.File = SyncDir, 0
		}
		return nil
	}
	return t.beginWrite(c, isOutput)
}

func (t *tracer) beginWrite(c *call, isOutput bool) error {
	var err error
	c.op.Kind = Write
	if c.op.Data, err = decodeString(c.args[1]); err != nil {
		return err
	}
	switch {
	case isOutput:
		t.record.Printed = append(t.record.Printed, Output{2 * c.start, string(c.op.Data)})
		c.op = nil
	case c.name == "pwrite64":
		c.op.Offset, err = strconv.ParseInt(c.args[3], 10, 64)
	default:
		number, _ := descriptor(c.args[0])
		h := t.open[number]
		if c.op.Offset = h.written; h.appends {
			c.op.Offset = t.sizes[h.file]
		}
	}
	return err
}

// checkMapping refuses to trace writes through memory, except to the file that SQLite builds anew after a power cut.
func (t *tracer) checkMapping(c *call) error {
	if len(c.args) < 5 || !strings.Contains(c.args[2], "PROT_WRITE") || !strings.Contains(c.args[3], "MAP_SHARED") {
		return nil
	}
	_, name := descriptor(c.args[4])
	if _, isBelow := t.below(name); isBelow && !strings.HasSuffix(name, "-shm") {
		return fmt.Errorf("%s is written through memory", name)
	}
	return nil
}

// refuse returns an error if an unknown call is about the folder.
func (t *tracer) refuse(c *call) error {
	for _, argument := range c.args {
		_, name := descriptor(argument)
		if data, err := decodeString(argument); err == nil {
			name = string(data)
		}
		if _, isBelow := t.below(name); isBelow && strings.HasPrefix(name, "/") {
			return fmt.Errorf("unknown call %s", c.name)
		}
	}
	return nil
}

// end reads the result of a call and adds its operation to the record.
func (t *tracer) end(c *call, text string) error {
	_, result, _ := strings.Cut(text, " = ")
	if strings.HasPrefix(result, "-1") || strings.HasPrefix(result, "?") || result == "" {
		if c.op != nil && c.op.Kind == Write && strings.HasPrefix(result, "?") {
			return fmt.Errorf("%s has no result", c.name)
		}
		return nil
	}
	if strings.HasPrefix(c.name, "open") || c.name == "creat" {
		return t.endOpen(c, result)
	}
	if c.name == "lseek" {
		return t.endSeek(c, result)
	}
	if c.op == nil {
		return nil
	}
	if c.op.Kind == Write {
		n, err := strconv.Atoi(result)
		if err != nil || n > len(c.op.Data) {
			return fmt.Errorf("%s of %d bytes has the result %s", c.name, len(c.op.Data), result)
		}
		c.op.Data = c.op.Data[:n]
		t.advance(c)
	}
	t.resize(*c.op)
	t.applyName(*c.op)
	t.add(c, *c.op)
	return nil
}

// add adds an operation with the moments of its call.
func (t *tracer) add(c *call, op Op) {
	op.Start, op.End = 2*c.start, 2*t.moment+1
	t.record.Ops = append(t.record.Ops, op)
}

// advance moves the position of a descriptor after a write without an offset.
func (t *tracer) advance(c *call) {
	number, _ := descriptor(c.args[0])
	if h, known := t.open[number]; known && c.name == "write" {
		h.written = c.op.Offset + int64(len(c.op.Data))
		t.open[number] = h
	}
}

// endSeek moves the position of a descriptor to the result of the call.
func (t *tracer) endSeek(c *call, result string) (err error) {
	number, _ := descriptor(c.args[0])
	if h, known := t.open[number]; known {
		h.written, err = strconv.ParseInt(result, 10, 64)
		t.open[number] = h
	}
	return err
}

// resize changes the size of a file that is known.
func (t *tracer) resize(op Op) {
	switch op.Kind {
	case Write:
		t.sizes[op.File] = max(t.sizes[op.File], op.Offset+int64(len(op.Data)))
	case Truncate:
		t.sizes[op.File] = op.Size
	}
}

// applyName changes the names that are known.
func (t *tracer) applyName(op Op) {
	switch op.Kind {
	case Create:
		t.live[op.Path] = op.File
	case Remove:
		delete(t.live, op.Path)
	case Mkdir:
		t.live[op.Path] = isFolder
	case Rename:
		t.live[op.To] = t.live[op.Path]
		delete(t.live, op.Path)
	}
}

// endOpen reads the result of an open call, and adds the file if it is new or was truncated.
func (t *tracer) endOpen(c *call, result string) error {
	number, name := descriptor(result)
	below, isBelow := t.below(name)
	if !isBelow {
		delete(t.open, number)
		return nil
	}
	flags := strings.Join(c.args, " ")
	file, exists := t.live[below]
	switch {
	case strings.Contains(flags, "O_TMPFILE"):
		return fmt.Errorf("%s is opened with unknown flags", name)
	case !exists:
		t.files++
		file = t.files
		t.live[below] = file
		t.add(c, Op{Kind: Create, File: file, Path: below})
	case strings.Contains(flags, "O_TRUNC"):
		t.sizes[file] = 0
		t.add(c, Op{Kind: Truncate, File: file, Path: below})
	}
	t.open[number] = handle{file: file, path: below, appends: strings.Contains(flags, "O_APPEND")}
	return nil
}
