package dbfile

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"clawctl/internal/openfile"
)

// openFiles keeps one descriptor of every open database. POSIX releases all locks of a process on a file when any
// descriptor of it is closed, including those of SQLite. Another program that closes the database would then believe
// that it is the last one and remove the log that is in use here. So the header is read through a descriptor that stays
// open.
var openFiles struct {
	sync.Mutex
	files   []*openFile
	reading []*ReadOnlyDB // SQLite opens these by itself
}

// IsInUse reports whether a file is a database that this process has open, or one of the files beside it. Such a file
// must not be opened in any other way, because closing it would release the locks of SQLite.
func IsInUse(file fs.FileInfo) bool {
	openFiles.Lock()
	defer openFiles.Unlock()
	for _, h := range openFiles.files {
		if belongsTo(file, h.file.Name()) {
			return true
		}
	}
	return slices.ContainsFunc(openFiles.reading, func(u *ReadOnlyDB) bool { return belongsTo(file, u.path) })
}

// AnyInUse reports whether this process has a database open.
func AnyInUse() bool {
	openFiles.Lock()
	defer openFiles.Unlock()
	return len(openFiles.files)+len(openFiles.reading) > 0
}

// belongsTo reports whether a file is the database at path, or one of the files beside it.
func belongsTo(file fs.FileInfo, path string) bool {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // the other files are beside the database itself
	}
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if info, err := os.Stat(path + suffix); err == nil && os.SameFile(info, file) {
			return true
		}
	}
	return false
}

// An openFile is a descriptor with the number of its users.
type openFile struct {
	file  *os.File
	info  fs.FileInfo
	users int
}

// keepOpen keeps a file open until release has been called as often as keepOpen. It returns nil if the file cannot be
// opened, and SQLite will report the error.
func keepOpen(path string) *openFile {
	openFiles.Lock()
	defer openFiles.Unlock()
	if h := findOpenFile(path); h != nil {
		h.users++
		return h
	}
	file, err := openfile.Regular(path)
	if err != nil {
		return nil
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil
	}
	h := &openFile{file, info, 1}
	openFiles.files = append(openFiles.files, h)
	return h
}

func findOpenFile(path string) *openFile {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	if i := slices.IndexFunc(openFiles.files, func(h *openFile) bool { return os.SameFile(h.info, info) }); i >= 0 {
		return openFiles.files[i]
	}
	return nil
}

func (h *openFile) release() error {
	openFiles.Lock()
	defer openFiles.Unlock()
	if h.users--; h.users > 0 {
		return nil
	}
	openFiles.files = slices.DeleteFunc(openFiles.files, func(other *openFile) bool { return other == h })
	return h.file.Close()
}

// readHead reads the first bytes of a file.
func readHead(path string, head []byte) (int, error) {
	openFiles.Lock()
	defer openFiles.Unlock()
	if h := findOpenFile(path); h != nil {
		return io.ReadFull(io.NewSectionReader(h.file, 0, int64(len(head))), head)
	}
	file, err := openfile.Regular(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	return io.ReadFull(file, head)
}

// open opens connections to a database file, which stays open until they are closed.
func open(path, source string) *sql.DB { return sql.OpenDB(&connector{source, keepOpen(path)}) }

// A connector makes connections and releases their file when database/sql closes it.
type connector struct {
	source string
	file   *openFile
}

func (c *connector) Connect(context.Context) (driver.Conn, error) { return c.Driver().Open(c.source) }

func (c *connector) Driver() driver.Driver { return sqliteDriver() }

func (c *connector) Close() error {
	if c.file == nil {
		return nil
	}
	return c.file.release()
}

// sqliteDriver returns the driver that modernc.org/sqlite has registered.
var sqliteDriver = sync.OnceValue(func() driver.Driver {
	db, err := sql.Open("sqlite", "")
	if err != nil {
		panic(err) // cannot happen: the driver is linked in
	}
	defer db.Close()
	return db.Driver()
})
