package openfile

import (
	"errors"
	"io"
	"os"
	"runtime/debug"
	"unsafe"
)

// A View has bytes of a file where the system keeps them, without a copy. Somebody may write to the file meanwhile, so
// bytes may change while they are looked at, and whoever needs the same bytes twice copies them first.
type View struct {
	Bytes []byte
	pages []byte // what is mapped, from the start of a page
}

// Map returns a view of a regular file from an offset on. It ends with the file if that is shorter. A view must be
// closed, and its bytes are read in [View.Look] only.
func Map(file *os.File, offset int64, length int) (*View, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.ErrUnsupported
	}
	if length = int(min(int64(length), info.Size()-offset)); length <= 0 {
		return nil, io.EOF
	}
	before := int(offset % int64(os.Getpagesize()))
	pages, err := mapPages(file, offset-int64(before), before+length)
	if err != nil {
		return nil, err
	}
	return &View{Bytes: pages[before:], pages: pages}, nil
}

// Look calls look, which may read the bytes of the view. It reports false if look had to stop, because the file has
// become shorter or a disk failed. Reading a copy of the bytes then says what is the matter.
func (v *View) Look(look func()) bool {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if reason := recover(); reason != nil && !v.isLost(reason) {
			panic(reason)
		}
	}()
	look()
	return true
}

// isLost reports whether a panic says that a page of the view is gone.
func (v *View) isLost(reason any) bool {
	fault, ok := reason.(interface{ Addr() uintptr })
	start := uintptr(unsafe.Pointer(unsafe.SliceData(v.pages)))
	return ok && fault.Addr() >= start && fault.Addr()-start < uintptr(len(v.pages)+os.Getpagesize())
}

// Close ends the view. Nobody may use its bytes after that.
func (v *View) Close() error { return unmapPages(v.pages) }
