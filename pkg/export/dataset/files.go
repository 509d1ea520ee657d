package dataset

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"clawctl/internal/atomicfile"
	"clawctl/internal/parallel"
	"clawctl/internal/parquet"
)

// creator names the writer of the files, for engines that work around faults of writers.
const creator = "clawctl version 1.0.0 (build 1)"

// A stagedFile is a finished file that is not visible yet.
type stagedFile struct{ from, to string }

// stageName returns the private folder of a host. While its lock is held, nobody else uses it.
func (x *Export) stageName() string { return strings.TrimSuffix(".clawctl-stage-"+x.options.Host, "-") }

// stage writes a file into the private folder, unless it is in place already.
func (x *Export) stage(p partition, b *parquet.Builder) (File, error) {
	pieces := b.Finish(creator, parquet.Fact{Name: "clawctl.schema_version", Value: strconv.Itoa(schemaVersion)},
		parquet.Fact{Name: "clawctl.table", Value: p.table})
	h := sha256.New()
	size := int64(0)
	for _, piece := range pieces {
		h.Write(piece)
		size += int64(len(piece))
	}
	sum := hex.EncodeToString(h.Sum(nil))
	file := File{Table: p.table, Path: p.folder() + "/" + x.fileName(sum), Rows: int64(b.Rows()), Bytes: size, SHA256: sum}
	from, isNew := x.reserve(file)
	if !isNew {
		return file, nil
	}
	return file, x.writeStaged(from, pieces)
}

// fileName returns the name of a file with that digest.
func (x *Export) fileName(sum string) string {
	const digits = 32
	return strings.TrimPrefix(x.options.Host+"-"+sum[:digits]+".parquet", "-")
}

// reserve reserves a name in the private folder, unless the file is staged or in place.
func (x *Export) reserve(file File) (from string, isNew bool) {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	if x.present[file.Path] {
		return "", false
	}
	x.present[file.Path] = true
	if x.isInPlace(file) {
		return "", false
	}
	from = filepath.Join(x.stageName(), strconv.Itoa(len(x.staged)))
	x.staged = append(x.staged, stagedFile{from, file.Path})
	return from, true
}

// writeBuffer is the size of a buffer for pages, most of which are small.
const writeBuffer = 64 << 10

// writeStaged writes a file.
func (x *Export) writeStaged(name string, pieces [][]byte) error {
	if err := x.root.MkdirAll(x.stageName(), 0o700); err != nil {
		return err
	}
	file, err := x.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(file, writeBuffer)
	for _, piece := range pieces {
		_, _ = out.Write(piece) // Flush returns the error
	}
	return errors.Join(out.Flush(), file.Close())
}

// syncers is how many files are made durable at the same time. They wait for the disk, not for a core.
const syncers = 16

// syncStaged makes the content of the new files durable, before anybody sees them.
func (x *Export) syncStaged(ctx context.Context) error {
	none := func() struct{} { return struct{}{} }
	return parallel.Run(ctx, len(x.staged), syncers, none, func(_ context.Context, _ struct{}, i int) error {
		file, err := x.root.OpenFile(x.staged[i].from, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return errors.Join(file.Sync(), file.Close())
	})
}

// removeStage removes the private folder.
func (x *Export) removeStage() { _ = x.root.RemoveAll(x.stageName()) }

// isInPlace reports whether the folder has a file.
func (x *Export) isInPlace(f File) bool {
	info, err := x.root.Stat(filepath.FromSlash(f.Path))
	return err == nil && info.Size() == f.Bytes
}

// publish moves the new files into place, replaces the manifest, and removes the files that it does not list.
func (x *Export) publish(ctx context.Context, next *Manifest) (*Result, error) {
	if err := x.syncStaged(ctx); err != nil {
		return nil, err
	}
	folders := map[string]bool{}
	for _, f := range x.staged {
		folder := filepath.FromSlash(path.Dir(f.to))
		if err := atomicfile.MkdirAllIn(x.root, folder); err != nil {
			return nil, err
		}
		if err := x.root.Rename(f.from, filepath.FromSlash(f.to)); err != nil {
			return nil, err
		}
		folders[folder] = true
	}
	for folder := range folders {
		if err := atomicfile.SyncFolder(filepath.Join(x.root.Name(), folder)); err != nil {
			return nil, err
		}
	}
	if err := next.write(x.root); err != nil {
		return nil, err
	}
	result := x.result(next)
	result.Written = len(x.staged)
	var err error
	result.Removed, err = x.removeOthers(next)
	return result, err
}

// removeOthers removes the host's files that are not in the manifest: those that were replaced, and those that a killed
// run has left. Files of other hosts stay.
func (x *Export) removeOthers(next *Manifest) (removed int, err error) {
	listed := map[string]bool{}
	for _, f := range next.Files {
		listed[f.Path] = true
	}
	prefix := strings.TrimPrefix(x.options.Host+"-", "-")
	own := regexp.MustCompile("^" + regexp.QuoteMeta(prefix) + `[0-9a-f]{32}\.parquet$`)
	for _, t := range tables {
		names, err := fs.Glob(x.root.FS(), t.name+"/agent=*/month=*/*.parquet")
		if err != nil {
			return removed, err
		}
		for _, name := range names {
			if listed[name] || !own.MatchString(path.Base(name)) {
				continue
			}
			if err := x.root.Remove(filepath.FromSlash(name)); err != nil {
				return removed, err
			}
			removed++
			x.removeEmpty(path.Dir(name))
		}
	}
	return removed, nil
}

// removeEmpty removes the folders of a partition that have become empty.
func (x *Export) removeEmpty(folder string) {
	for folder != "." && x.root.Remove(filepath.FromSlash(folder)) == nil {
		folder = path.Dir(folder)
	}
}

// checkFolder refuses a folder that is used for something else.
func (x *Export) checkFolder() error {
	if x.options.Force {
		return nil
	}
	entries, err := fs.ReadDir(x.root.FS(), ".")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !isOurs(entry.Name()) {
			return fmt.Errorf("%w: %s", errForeign, entry.Name())
		}
	}
	return nil
}

// isOurs reports whether an entry of the folder may be part of a dataset.
func isOurs(name string) bool {
	isManifest := strings.HasPrefix(name, "manifest") && strings.Contains(name, ".json")
	isTable := slices.ContainsFunc(tables, func(t table) bool { return t.name == name })
	return isTable || isManifest || strings.HasPrefix(name, ".") // hidden files belong to systems and to ourselves
}
