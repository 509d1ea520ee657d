package source

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"clawctl/pkg/source/openclaw"
	"clawctl/pkg/store/dbfile"
)

// mayBeDatabase reports whether a file is looked at as a database of a store, although no configuration names it: the
// user may have named the folder of a store. A copy that somebody made beside a database is none.
func (w *walker) mayBeDatabase(f *folder, base string) bool {
	absolute := filepath.Join(w.absolute, f.path)
	isOther := w.family.HasNames() || w.inBundle || f.archive != "" || openclaw.IsUnderAgents(absolute)
	return strings.HasSuffix(base, openclaw.DatabaseSuffix) && !isOther &&
		(!f.hasDatabase || strings.HasPrefix(base, strings.TrimSuffix(openclaw.DatabaseName, openclaw.DatabaseSuffix)+"."))
}

// addStoreDatabase adds a database with an unknown name if it is OpenClaw's, and has transcripts. Others are not opened
// as databases, because that may copy them.
func (w *walker) addStoreDatabase(path string) {
	if !w.hasEvents(path) {
		w.skip(path, skippedDatabase)
		return
	}
	db, err := openclaw.OpenDatabase(w.ctx, w.displayPath(path), openclaw.DatabaseOptions{Fast: true})
	if err != nil && !errors.Is(err, dbfile.ErrNewer) {
		w.skip(path, skippedDatabase)
		return
	}
	if err == nil {
		db.Close()
	}
	w.databases = append(w.databases, w.displayPath(path))
}

// schemaBytes is how much of a file is searched for the name of a table. OpenClaw creates its tables first.
const schemaBytes = 8 << 20

// mentionsEvents reports whether the beginning of a file has the name of the table with transcripts.
func (w *walker) mentionsEvents(path string) bool {
	file, err := w.openAny(path)
	if err != nil {
		return false
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, schemaBytes))
	return err == nil && bytes.Contains(text, []byte("transcript_events"))
}
