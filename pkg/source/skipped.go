package source

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/atomicfile"
	"clawctl/internal/failure"
)

// A SkippedFile is a file or folder that was found and not read, because it holds no transcript.
type SkippedFile struct {
	Path string
	Type string // an extension such as ".md", or one of the types below
	// Expected is set for folders in which OpenClaw keeps other things. Reports need not mention them.
	Expected bool
	// Unrecognized is set for a file that is named like a transcript.
	Unrecognized bool
}

// Types of skipped files that have no extension to name them.
const (
	skippedImage      = "image"
	skippedRollout    = "Codex rollout"
	skippedDatabase   = "SQLite database"
	SkippedBareDB     = "database without transcripts"
	skippedEmpty      = "empty file"
	skippedLink       = "link"
	skippedSpecial    = "special file"
	skippedFolder     = "folder"
	skippedUnreadable = "unreadable file"
	skippedOther      = "other file"
)

// A SkippedCount says how many files of a type were skipped.
type SkippedCount struct {
	Type  string `json:"type"`
	Files int    `json:"files"`
}

// SkippedCounts counts the unexpected skipped files of a place by type, the most frequent type first.
func (p *Listing) SkippedCounts() (total int, counts []SkippedCount) {
	byType := map[string]int{}
	for _, s := range p.Skipped {
		if !s.Expected {
			byType[s.Type]++
			total++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byType)) {
		counts = append(counts, SkippedCount{name, byType[name]})
	}
	slices.SortStableFunc(counts, func(a, b SkippedCount) int { return cmp.Compare(b.Files, a.Files) })
	return total, counts
}

func (w *walker) skip(path, what string) {
	w.place.Skipped = append(w.place.Skipped, SkippedFile{Path: w.displayPath(path), Type: what})
}

// imageExtensions and otherExtensions end the names of files that are never opened to see what they are: files that
// people and programs keep beside transcripts, often by the thousand.
var (
	imageExtensions = []string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".heic", ".bmp", ".svg", ".ico"}
	otherExtensions = []string{".md", ".html", ".css", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".py", ".go", ".rs",
		".c", ".h", ".cpp", ".java", ".rb", ".sh", ".yaml", ".yml", ".toml", ".pdf", ".mp3", ".mp4", ".wav", ".ogg", ".zip",
		".tar", ".so", ".exe", ".wasm", ".map", ".pem", ".key", ".tmp", ".sum", ".mod"}
)

// longestExtension is the length of the longest ending that counts as an extension.
const longestExtension = 10

// typeOf returns the type of a skipped file according to its name.
func typeOf(base string) string {
	ext := strings.ToLower(filepath.Ext(base))
	switch {
	case slices.Contains(imageExtensions, ext):
		return skippedImage
	case len(ext) < 2 || len(ext) > longestExtension || ext == base || strings.Trim(ext[1:], "0123456789") == "":
		return skippedOther
	}
	return ext
}

// isOpened reports whether a file with an unknown name is opened to see whether it is a transcript.
func isOpened(base string) bool {
	ext := strings.ToLower(filepath.Ext(base))
	return !slices.Contains(imageExtensions, ext) && !slices.Contains(otherExtensions, ext)
}

// isExpected reports whether a file is one that OpenClaw, SQLite, clawctl, the system or a careful person keeps beside
// transcripts.
func isExpected(base string) bool {
	return slices.Contains(systemFiles, base) || isQuarantine(base) || atomicfile.IsTemp(base) ||
		slices.ContainsFunc(expectedPrefixes, func(prefix string) bool { return strings.HasPrefix(base, prefix) }) ||
		slices.ContainsFunc(expectedParts, func(part string) bool { return strings.Contains(base, part) }) ||
		slices.ContainsFunc(expectedSuffixes, func(suffix string) bool { return strings.HasSuffix(base, suffix) })
}

var (
	systemFiles = []string{".DS_Store", "Thumbs.db", "desktop.ini", ".localized", ".gitignore", ".gitattributes",
		"CACHEDIR.TAG", "README", "README.md", "README.txt", "LICENSE"}
	expectedPrefixes = []string{"sessions.json", "openclaw.json", ".usage-cost-cache", "._"}
	expectedParts    = []string{".trajectory.jsonl", ".trajectory-path.json", ".sessions.json."}
	expectedSuffixes = []string{".jsonl.lock", ".sqlite-wal", ".sqlite-shm", ".sqlite-journal", ".db-wal", ".db-shm",
		".slim.json"}
)

// isMovedContent reports whether a file is content that slim moved out of a transcript. Its SHA-256 is its name.
func isMovedContent(folder, base string) bool {
	folder = filepath.Base(folder)
	digest, _, _ := strings.Cut(base, ".")
	return (folder == "slim" || strings.HasSuffix(folder, ".slim")) && len(digest) == 2*sha256.Size &&
		strings.Trim(digest, "0123456789abcdef") == ""
}

// isSettings reports whether a file is one of OpenClaw's settings, which are at the top of the state folder and in the
// agent's folder agent. They may hold credentials, and are not opened.
func isSettings(folder *folder, base string) bool {
	return folder.hasSettings && !strings.Contains(base, suffix) &&
		(base[0] == '.' || strings.Contains(base, ".json") || strings.Contains(base, "auth"))
}

// addUnknown adds a file whose name says nothing, if it is a transcript by its content.
func (w *walker) addUnknown(f *folder, entry fs.DirEntry) {
	base, path := entry.Name(), filepath.Join(f.path, entry.Name())
	switch {
	case w.opts.NamesOnly && entry.Type().IsRegular() && w.mayBeDatabase(f, base) && w.hasEvents(path):
		w.databases = append(w.databases, w.displayPath(path))
	case w.opts.NamesOnly || isExpected(base) || isMovedContent(f.path, base) || isSettings(f, base):
	case entry.Type()&fs.ModeSymlink != 0:
		w.skip(path, skippedLink)
	case !entry.Type().IsRegular():
		w.skip(path, skippedSpecial)
	case !isOpened(base):
		w.skip(path, typeOf(base))
	default:
		w.addByContent(f, path)
	}
}

// addByContent adds a file if it is a transcript by its content.
func (w *walker) addByContent(f *folder, path string) {
	info, err := w.root.Stat(path)
	if err != nil {
		w.skipUnreadable(path, err)
		return
	}
	if info.Size() == 0 {
		w.skip(path, skippedEmpty)
		return
	}
	head, err := w.head(path)
	switch {
	case err != nil:
		w.skipUnreadable(path, err)
	case head.isDatabase && w.mayBeDatabase(f, filepath.Base(path)):
		w.addStoreDatabase(path)
	case head.isDatabase:
		w.skip(path, skippedDatabase)
	case !head.isTranscript:
		w.skip(path, typeOf(filepath.Base(path)))
	default:
		base := filepath.Base(path)
		name, ok := ParseName(base)
		if !ok {
			name = guessName(base, head.id)
		}
		s := w.addSession(f, path, name.nameByHeader(head), info)
		s.byContent = true
		f.files[base] = s
	}
}

// skipUnreadable notes a file with an unknown name that cannot be opened. It is a problem only if its name suggests a
// transcript. A file that is gone was a temporary one.
func (w *walker) skipUnreadable(path string, err error) {
	switch {
	case errors.Is(err, fs.ErrNotExist): // renamed or removed meanwhile
	case strings.Contains(filepath.Base(path), suffix):
		w.place.problem(Unreadable, w.displayPath(path), failure.Reason(err))
	default:
		w.skip(path, skippedUnreadable)
	}
}
