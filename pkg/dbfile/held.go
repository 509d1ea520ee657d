package dbfile

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
)

// POSIX gives up every lock of a process on a file when any descriptor of it is closed, those of SQLite included. Another
// program that closes the database then takes itself for the last, and removes the log that is in use here. So of every
// database that is open one descriptor stays open, through which its first bytes are read.
var held struct {
	sync.Mutex
	files []*heldFile
}

type heldFile struct {
	*os.File
	info  fs.FileInfo
	users int
}

// hold keeps a file open until it is released as often as it was held. What cannot be opened is left to SQLite to tell.
func hold(path string) *heldFile {
	held.Lock()
	defer held.Unlock()
	if h := findHeld(path); h != nil {
		h.users++
		return h
	}
	file, err := os.OpenFile(path, os.O_RDONLY|NonBlocking, 0)
	if err != nil {
		return nil
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil
	}
	h := &heldFile{file, info, 1}
	held.files = append(held.files, h)
	return h
}

func findHeld(path string) *heldFile {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	if i := slices.IndexFunc(held.files, func(h *heldFile) bool { return os.SameFile(h.info, info) }); i >= 0 {
		return held.files[i]
	}
	return nil
}

func (h *heldFile) release() error {
	held.Lock()
	defer held.Unlock()
	if h.users--; h.users > 0 {
		return nil
	}
	held.files = slices.DeleteFunc(held.files, func(other *heldFile) bool { return other == h })
	return h.Close()
}

// readHead reads the first bytes of a file.
func readHead(path string, head []byte) (int, error) {
	held.Lock()
	defer held.Unlock()
	if h := findHeld(path); h != nil {
		return io.ReadFull(io.NewSectionReader(h, 0, int64(len(head))), head)
	}
	file, err := os.OpenFile(path, os.O_RDONLY|NonBlocking, 0)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	return io.ReadFull(file, head)
}

// open opens connections to a database file, which is held until they are closed.
func open(path, source string) *sql.DB { return sql.OpenDB(&connector{source, hold(path)}) }

// A connector makes connections, and lets go of their file when database/sql closes it.
type connector struct {
	source string
	held   *heldFile
}

func (c *connector) Connect(context.Context) (driver.Conn, error) { return c.Driver().Open(c.source) }

func (c *connector) Driver() driver.Driver { return registered() }

func (c *connector) Close() error {
	if c.held == nil {
		return nil
	}
	return c.held.release()
}

// registered is the driver that modernc.org/sqlite has registered.
var registered = sync.OnceValue(func() driver.Driver {
	db, err := sql.Open("sqlite", "")
	if err != nil {
		panic(err) // it is linked in
	}
	defer db.Close()
	return db.Driver()
})
