package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"clawctl/internal/openfile"
	"clawctl/pkg/source/packed"
	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
)

// errIsDirectory is the error of opening a folder as a file.
var errIsDirectory = errors.New("is a directory")

// An Input is an open transcript.
type Input struct {
	io.Reader        // the transcript itself, decompressed
	Name      string // the name in reports
	Size      int64  // size of the file as stored, 0 if unknown

	file     fs.File
	packed   *packed.Reader // nil unless it is compressed
	finishes func()

	histories []*historyReader // what comes before the text, the nearest first

	unwrapped bool // the text was extracted from an archive of rows
	isRegular bool // it is a file that gives the same text when it is opened again
}

// Open opens a file that the user has named, plain or compressed.
func Open(path string) (*Input, error) {
	file, err := openUnused(path, openfile.Named)
	if err != nil {
		return nil, err
	}
	return fileInput(file, path, true)
}

// OpenRegular is Open for a file that was found. It refuses what is not a regular file.
func OpenRegular(path string) (*Input, error) {
	file, err := openUnused(path, openfile.Regular)
	if err != nil {
		return nil, err
	}
	return fileInput(file, path, false)
}

// fileInput returns an Input for an open file, which it closes if there is an error. Only a file that the user has
// named may be irregular, such as a pipe.
func fileInput(file fs.File, name string, isNamed bool) (in *Input, err error) {
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case isNamed && info.IsDir():
		return nil, &fs.PathError{Op: "read", Path: name, Err: errIsDirectory}
	case !isNamed && !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "open", Path: name, Err: openfile.ErrNotRegular}
	}
	if in, err = Wrap(file, name); err != nil {
		return nil, err
	}
	if in.file = file; info.Mode().IsRegular() {
		in.Size, in.isRegular = info.Size(), true
	}
	return in, nil
}

// openUnused opens a file, unless it is a database that is open as such.
func openUnused(path string, open func(string) (*os.File, error)) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && dbfile.IsInUse(info) {
		return nil, &os.PathError{Op: "open", Path: path, Err: dbfile.ErrInUse}
	}
	return open(path)
}

// Wrap returns an Input for an open stream, such as standard input. Closing the Input does not close the stream.
func Wrap(stream io.Reader, name string) (*Input, error) {
	in := &Input{Reader: stream, Name: name}
	magic, stream, err := peek(stream)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	in.Reader = stream
	if in.packed, err = packed.NewReader(stream, magic); err != nil {
		return nil, err
	}
	if in.packed != nil {
		in.Reader, in.finishes = in.packed, in.packed.Close
	}
	return in, nil
}

// Stamp returns the current stamp of the open file. A stream has none.
func (in *Input) Stamp() (store.Stamp, error) {
	if in.file == nil {
		return store.Stamp{}, nil
	}
	info, err := in.file.Stat()
	if err != nil {
		return store.Stamp{}, err
	}
	return stampOf(info), nil
}

// IsPlain reports whether the text is exactly the bytes of a file, neither compressed nor extracted.
func (in *Input) IsPlain() bool {
	return in.file != nil && in.packed == nil && !in.unwrapped && in.histories == nil
}

// ReadAt and Seek let a reader look ahead in an input that is a file. Other inputs do not support them.
func (in *Input) ReadAt(p []byte, offset int64) (int, error) {
	if file, ok := in.Reader.(io.ReaderAt); ok {
		return file.ReadAt(p, offset)
	}
	return 0, errors.ErrUnsupported
}

// Seek is described at ReadAt.
func (in *Input) Seek(offset int64, whence int) (int64, error) {
	if file, ok := in.Reader.(io.Seeker); ok {
		return file.Seek(offset, whence)
	}
	return 0, errors.ErrUnsupported
}

// Map returns a view of an input that is a plain file, so that it can be looked at without a copy.
func (in *Input) Map(offset int64, length int) (*openfile.View, error) {
	file, ok := in.file.(*os.File)
	if !ok || !in.isRegular || !in.IsPlain() {
		return nil, errors.ErrUnsupported
	}
	view, err := openfile.Map(file, offset, length)
	if watched, ok := in.Reader.(*watchedFile); ok && err == nil {
		watched.reach(offset + int64(len(view.Bytes)))
	}
	return view, err
}

// First returns a reader of the first bytes of an input that has not been read.
func (in *Input) First(size int64) io.Reader {
	if file, ok := in.Reader.(io.ReaderAt); ok {
		return io.NewSectionReader(file, 0, size)
	}
	return io.LimitReader(in, size)
}

// Skip moves an input that has not been read to a place in its text, and reports whether it could. Only a plain file
// can do that.
func (in *Input) Skip(offset int64) bool {
	if !in.IsPlain() {
		return false
	}
	_, err := in.Seek(offset, io.SeekStart)
	return err == nil
}

// Close closes everything that Open or Wrap opened.
func (in *Input) Close() error {
	if in.finishes != nil {
		in.finishes()
	}
	for _, history := range in.histories {
		history.close()
	}
	if in.file != nil {
		return in.file.Close()
	}
	return nil
}

// peek returns the first bytes of a stream, and the stream from its start. A file stays a file, because its reader may
// look ahead.
func peek(stream io.Reader) ([]byte, io.Reader, error) {
	magic := make([]byte, packed.MagicSize)
	if file, ok := stream.(seekableFile); ok {
		if at, err := file.Seek(0, io.SeekCurrent); err == nil {
			if n, err := file.ReadAt(magic, at); notEOF(err) == nil { // otherwise it is a device with a place
				return magic[:n], stream, nil
			}
		}
	}
	n, err := io.ReadFull(stream, magic)
	return magic[:n], io.MultiReader(bytes.NewReader(magic[:n]), stream), notEOF(err)
}

func notEOF(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil
	}
	return err
}
