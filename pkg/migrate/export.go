package migrate

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"clawctl/internal/portable"
	"clawctl/pkg/export/bundle"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// An Item is one file of an export.
type Item struct {
	Path         string // below the export's folder, with slashes
	Session      string // the session whose text it is
	Origin       string // the path that its receipt names; "" where there is none
	Place        string // where to read the session, for reports; not set by storeItems
	ID           string
	Key          string
	Live         bool
	Whole        bool            // it has the complete session
	Entry        json.RawMessage // of its registration, or nil
	Updated      time.Time
	Modified     time.Time // of the original file; zero if unknown
	Sum          string    // of the bytes that came from its source, "" where that is not known
	MissingBytes int64     // bytes of the original that were not imported, such as a line that is too long
	Incomplete   bool      // the import of the original was interrupted
	Size         int64     // approximate size, to show progress
	SameButCase  string    // the path of another file that only differs in case, and was the reason to rename this one
	RenamedFrom  string    // the path that it would have, or "" if it has that one
	RenameReason string    // why it has another one
	Undigested   bool      // its session has no digest, and CheckRows is to be called instead

	knownBytes  int64  // the number of those bytes
	text        opener // of its text
	original    opener // of the bytes that it has instead, if it is compressed
	mayBePacked bool
	rows        func(context.Context) error // checks the rows of a session of a store; otherwise nil
}

// An opener opens the bytes of an item.
type opener func(context.Context) (io.ReadCloser, error)

// storeItems lists the files that a store can export: one for every receipt, under the name of its source, with a
// folder per root. Sessions of which no file has the complete text follow.
func storeItems(ctx context.Context, view *store.View, wanted func(key string) bool) ([]Item, error) {
	e, err := newExporter(ctx, view)
	if err != nil {
		return nil, err
	}
	var items []Item
	done := map[string]bool{}
	for _, r := range e.Receipts {
		t := e.Transcripts[r.SessionKey]
		if !wanted(t.Key) {
			continue
		}
		done[t.Key] = done[t.Key] || r.Bytes >= t.Bytes-t.Own && includesOwn(r, t)
		items = append(items, e.receiptItem(r, t))
	}
	for _, info := range e.Infos {
		if t := e.Transcripts[info.Key]; !done[t.Key] && wanted(t.Key) {
			items = append(items, e.transcriptItem(t,
				path.Join("clawctl", sessionFile(t.Agent, t.SessionID, t.Generation)), nil))
		}
	}
	return uniquePaths(items), nil
}

// ArchiveItems lists the files of an archive of a store: one for each session, with its complete text.
func ArchiveItems(ctx context.Context, view *store.View, keys []string) ([]Item, error) {
	e, err := newExporter(ctx, view)
	if err != nil {
		return nil, err
	}
	var items []Item
	for _, key := range keys {
		if t := e.Transcripts[key]; t != nil {
			items = append(items, e.transcriptItem(t, archivePath(t), nil))
		}
	}
	return uniquePaths(items), nil
}

// archivePath is the path of a session in an archive. Other programs name generations as they like, and then the file
// is a backup.
func archivePath(t *store.Transcript) string {
	name := sessionFile(t.Agent, t.SessionID, t.Generation)
	if bundle.CheckName(name, bundle.Transcript) == nil {
		return name
	}
	return path.Join(path.Dir(name), "_"+portable.Name(t.SessionID)+".jsonl.bak-"+portable.Name(t.Generation))
}

// includesOwn reports whether the exported file includes what was appended in the store. Nothing can be appended to
// compressed bytes.
func includesOwn(r *store.ImportReceipt, t *store.Transcript) bool {
	return r.PackedSum == "" || t.Own == 0
}

type exporter struct {
	*store.Contents
	view    *store.View
	infos   map[string]store.Info
	roots   folderNames
	longest map[string]*store.ImportReceipt // for each session, the receipt that covers most of it
}

// newExporter reads what a store has, without the texts.
func newExporter(ctx context.Context, view *store.View) (*exporter, error) {
	contents, err := view.Contents(ctx)
	if err != nil {
		return nil, err
	}
	e := &exporter{Contents: contents, view: view, infos: map[string]store.Info{}, roots: folderNames{},
		longest: map[string]*store.ImportReceipt{}}
	for _, info := range e.Infos {
		e.infos[info.Key] = info
		if t := e.Transcripts[info.Key]; t.Sum == "" && t.Lines == 0 && t.SessionID == t.Key {
			t.SessionID = portable.Name(t.SessionID) // another program's, which names a file
		}
	}
	for _, r := range e.Receipts {
		if best := e.longest[r.SessionKey]; best == nil || hasMore(r, best) {
			e.longest[r.SessionKey] = r
		}
	}
	return e, nil
}

// hasMore reports whether file a has more of a session than file b. If both have the same amount, a file that can be
// appended to comes first, then a current one, then a live one.
func hasMore(a, b *store.ImportReceipt) bool {
	if a.Bytes != b.Bytes {
		return a.Bytes > b.Bytes
	}
	isPlain := func(r *store.ImportReceipt) bool { return r.PackedSum == "" }
	isNow := func(r *store.ImportReceipt) bool { return !r.Replaced }
	isLive := func(r *store.ImportReceipt) bool { return r.Kind == string(source.Live) }
	for _, better := range []func(*store.ImportReceipt) bool{isPlain, isNow, isLive} {
		if better(a) != better(b) {
			return better(a)
		}
	}
	return false
}

// receiptItem returns the file of a receipt. Text that was appended in the store goes to the file that has most of the
// session. Every other file has exactly the text of its source.
func (e *exporter) receiptItem(r *store.ImportReceipt, t *store.Transcript) Item {
	name := path.Join(e.roots.of(r.Root), belowRoot(r, t))
	if r.Replaced {
		name += "." + r.Sum[:min(12, len(r.Sum))]
	}
	if r.IsPart() { // it is neither the original nor compressed
		name = packedName().ReplaceAllString(name, "$1") + ".incomplete"
	}
	item := e.transcriptItem(t, name, r)
	item.Incomplete = r.IsPart()
	if r.InDatabase || r.IsPart() {
		return item
	}
	item.Modified = time.Unix(0, r.Stamp.MTime)
	if r.PackedSum == "" {
		item.MissingBytes = max(0, r.Stamp.Size-r.Bytes) // an unfinished import leaves no stamp
	} else {
		item.Sum, item.knownBytes, item.Size = r.PackedSum, r.Stamp.Size, r.Stamp.Size
		item.mayBePacked = true
		item.original = func(ctx context.Context) (io.ReadCloser, error) { return e.view.Packed(ctx, r) }
	}
	return item
}

// transcriptItem returns the file of a transcript, with the text that the receipt covers.
func (e *exporter) transcriptItem(t *store.Transcript, name string, r *store.ImportReceipt) Item {
	info := e.infos[t.Key]
	item := Item{
		Path: name, Session: t.Key, ID: t.SessionID, Key: t.BaseKey, Sum: t.Sum,
		text: e.textOf(t, -1), rows: func(ctx context.Context) error { return checkRows(ctx, e.view, t) },
		Live:  t.Generation == "" && (r == nil || r.Kind == string(source.Live) && !r.Replaced),
		Entry: info.Metadata.Entry, Updated: info.Updated,
	}
	item.knownBytes, item.Size = t.Bytes, t.Bytes
	item.Undigested = t.Sum == "" && t.Lines > 0
	if r == nil {
		item.Whole, item.Incomplete = true, t.Incomplete
		return item
	}
	item.knownBytes, item.Size, item.Sum, item.Origin = r.Bytes, r.Bytes, r.Sum, r.Path
	if t.Sum == "" { // known to differ, and exported as it is
		item.Sum = ""
	}
	// Text that clawctl or others added in the store may follow the text of the source.
	withAdded := e.longest[t.Key] == r && r.Bytes == t.Bytes-t.Own
	item.Whole = withAdded && includesOwn(r, t)
	if !withAdded {
		item.text = e.textOf(t, r.Bytes)
	}
	return item
}

// textOf returns what opens the text of a session, or as much of it as length says.
func (e *exporter) textOf(t *store.Transcript, length int64) opener {
	return func(ctx context.Context) (io.ReadCloser, error) {
		text, err := e.view.Text(ctx, t, store.Whole)
		if err != nil || length < 0 {
			return text, err
		}
		return struct {
			io.Reader
			io.Closer
		}{io.LimitReader(text, length), text}, nil
	}
}

// folderNames are the folders for sources, by the path of each.
type folderNames map[string]string

// of returns the folder for the sources below a root: its name, with a number if two roots have the same name.
func (f folderNames) of(root string) string {
	if folder, known := f[root]; known {
		return folder
	}
	base := filepath.Base(root)
	if base == "" || base == "." || base == string(filepath.Separator) {
		base = "root"
	}
	folder := base
	taken := func() bool {
		for _, other := range f {
			if other == folder {
				return true
			}
		}
		return false
	}
	for n := 2; taken(); n++ {
		folder = fmt.Sprintf("%s-%d", base, n)
	}
	f[root] = folder
	return folder
}

// belowRoot returns the path of a source below its root. For a session in a database, it is the path that OpenClaw
// would give its file.
func belowRoot(r *store.ImportReceipt, t *store.Transcript) string {
	below, err := filepath.Rel(r.Root, r.Path)
	if err != nil || !filepath.IsLocal(below) || r.InDatabase {
		return sessionFile(t.Agent, t.SessionID, t.Generation)
	}
	return filepath.ToSlash(below)
}

// SessionFile returns the path of a live session's file in a state folder. It stays below the folder, whatever the
// names.
func SessionFile(agent, id string) string { return sessionFile(agent, id, "") }

// sessionFile returns the path of a session's file in a state folder.
func sessionFile(agent, id, generation string) string {
	name := portable.Name(id) + ".jsonl"
	if generation != "" {
		name += "." + portable.Name(generation)
	}
	return path.Join("agents", portable.Name(cmp.Or(agent, "main")), "sessions", name)
}

// Items are the files of one place.
type Items struct {
	Place string // its absolute path; "" for files that were named one by one
	List  []Item
}

// JoinItems puts the files of several places together. If there are several, each place has a folder of its own. linked
// are the files of sessions that did the work of others.
func JoinItems(groups []Items, linked []*source.Session) []Item {
	var all []Item
	folders := groupFolders(groups)
	for i, g := range groups {
		for _, item := range g.List {
			if folders[i] != "" {
				item.Path = path.Join(folders[i], item.Path)
				if item.RenamedFrom != "" {
					item.RenamedFrom = path.Join(folders[i], item.RenamedFrom)
				}
			}
			all = append(all, item)
		}
	}
	items := SourceItems(linked)
	for i, s := range linked {
		items[i].Path = cmp.Or(pathInGroup(s, groups, folders), pathInHome(s), items[i].Path)
	}
	return writableItems(uniquePaths(append(all, items...)), runtime.GOOS)
}

// groupFolders returns the folder of each group, "" if it has none of its own.
func groupFolders(groups []Items) []string {
	names, folders := folderNames{}, make([]string, len(groups))
	for i, g := range groups {
		if len(groups) > 1 && g.Place != "" {
			folders[i] = names.of(g.Place)
		}
	}
	return folders
}

// pathInGroup returns the path of a file that is inside a place, or "".
func pathInGroup(s *source.Session, groups []Items, folders []string) string {
	for i, g := range groups {
		below, err := filepath.Rel(g.Place, ReceiptPath(s))
		if err == nil && g.Place != "" && filepath.IsLocal(below) {
			return path.Join(folders[i], filepath.ToSlash(below))
		}
	}
	return ""
}

// pathInHome returns the path of a file in the folder of its program, under the usual name of that, or "".
func pathInHome(s *source.Session) string {
	owner := s.FolderOwner()
	if owner == nil || owner.HomeName == "" {
		return ""
	}
	return path.Join(owner.HomeName, s.Below)
}

// writableItems gives files other names if the system would not take one of them, which only Windows does. Elsewhere
// every name that was read can be written.
func writableItems(items []Item, system string) []Item {
	isRefused := func(it Item) bool { return portable.CheckPath(it.Path) != "" }
	if system == "windows" && slices.ContainsFunc(items, isRefused) {
		return PortableItems(items)
	}
	return items
}

// uniquePaths renames files that have the same path as an earlier one. A file whose path differs only in case or in how
// an accent is written, which is the same file on some systems, gets a folder of its own. So it keeps its name, and an
// import takes it for the same session.
func uniquePaths(items []Item) []Item {
	seen := map[string]string{}
	for i := range items {
		name := items[i].Path
		for n := 2; seen[portable.Fold(items[i].Path)] != ""; n++ {
			if other := seen[portable.Fold(name)]; other == name {
				items[i].rename(name, fmt.Sprintf("%s.%d", name, n), "another file has this name")
			} else {
				items[i].Path = path.Join(path.Dir(name), fmt.Sprintf("case-%d", n), path.Base(name))
				items[i].SameButCase = other
			}
		}
		seen[portable.Fold(items[i].Path)] = items[i].Path
	}
	return items
}

// rename gives a file another path than the one that it would have.
func (it *Item) rename(from, to, reason string) {
	it.Path = to
	if it.RenamedFrom == "" {
		it.RenamedFrom, it.RenameReason = from, reason
	}
}

// originalPath returns the path that the file had before it was renamed.
func (it *Item) originalPath() string { return cmp.Or(it.RenamedFrom, it.Path) }

// SourceItems lists the files of sessions outside the store. Files stay as they are. A session in a database becomes
// the file that OpenClaw would have written.
func SourceItems(sessions []*source.Session) []Item {
	var items []Item
	for _, s := range sessions {
		item := Item{
			Path: sessionFile(s.Agent, s.ID, s.Generation), Session: s.Name(), Place: s.Place(), ID: s.ID, Key: s.Key,
			Live: s.Kind == source.Live, Whole: true, Updated: cmp.Or(s.Entry.UpdatedAt, s.Modified), Size: s.Bytes,
			mayBePacked: !s.InDatabase,
			text:        func(context.Context) (io.ReadCloser, error) { return s.Open() },
		}
		if s.Listed {
			item.Entry = compact(s.Registration())
		}
		if !s.InDatabase {
			item.Path, item.Modified = s.Below, s.Modified
			item.original = func(context.Context) (io.ReadCloser, error) { return s.OpenRaw() }
		}
		items = append(items, item)
	}
	return uniquePaths(items)
}

// WriteTo writes the original bytes of an item and checks their digest.
func (it *Item) WriteTo(ctx context.Context, w io.Writer) (n int64, err error) {
	open := it.text
	if it.original != nil {
		open = it.original
	}
	in, err := open(ctx)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	h := sha256.New()
	if n, err = copyN(ctx, io.MultiWriter(w, h), in, it.knownBytes); err != nil {
		return n, err
	}
	if it.Sum != "" && hex.EncodeToString(h.Sum(nil)) != it.Sum {
		return n, ErrDiffers
	}
	rest, err := copyN(ctx, w, in, -1)
	return n + rest, err
}

// packedName matches the suffix of a compressed file, before the suffixes that make file names unique.
var packedName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\.(?:zst|gz)((?:\.[0-9a-f]{12})?(?:\.\d+)?)$`)
})

// ConvertNames renames items for an export as OpenClaw's records, which are not compressed.
func ConvertNames(items []Item) []Item {
	for i := range items {
		items[i].Path = packedName().ReplaceAllString(items[i].Path, "$1")
	}
	return uniquePaths(items)
}

// OpenText opens the text of an item, decompressed.
func (it *Item) OpenText(ctx context.Context) (io.ReadCloser, error) { return it.text(ctx) }

// CheckRows checks the rows of a session without a digest.
func (it *Item) CheckRows(ctx context.Context) error {
	if it.rows == nil {
		return nil
	}
	return it.rows(ctx)
}

// CheckText reads the text of a compressed file, whose bytes are written as they are. It returns why it cannot be read.
func (it *Item) CheckText(ctx context.Context) error {
	if !it.mayBePacked || !packedName().MatchString(it.originalPath()) {
		return nil
	}
	in, err := it.text(ctx)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = copyN(ctx, io.Discard, in, -1)
	return err
}

// ConvertTo writes an item as OpenClaw's records. It leaves out lines that cannot be read. seen is called with every
// line, so the caller can report them.
func (it *Item) ConvertTo(ctx context.Context, w io.Writer, seen func(*jsonl.Record)) (n int64, err error) {
	in, err := it.OpenText(ctx)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	out := &lineCounter{to: w}
	err = convertLines(ctx, in, it.ID, out, func(rec *jsonl.Record) bool {
		seen(rec)
		return rec.Legible()
	})
	return out.bytes, err
}

// An Index is a sessions.json of an export.
type Index struct {
	Path string
	Text []byte
}

// Indexes returns the sessions.json files of the live sessions, each where its program looks for it. place is the
// folder of the export. Registered paths must lead to the files in it.
func Indexes(items []Item, place string, convert bool) ([]Index, error) {
	return indexes(items, convert, func(it *Item, old string) string {
		_, name := splitPath(old)
		if convert {
			name = packedName().ReplaceAllString(name, "$1")
		}
		if name == "" || isInDatabase(old) {
			name = path.Base(it.Path)
		}
		return filepath.Join(place, filepath.FromSlash(path.Dir(it.Path)), name)
	})
}

// Registrations returns the sessions.json files of the live sessions with the paths that are registered. Only the names
// of files that were renamed follow them. A session that was in a database has the name of its file.
func Registrations(items []Item) ([]Index, error) {
	now := map[string]string{}
	for i := range items {
		if from := items[i].originalPath(); now[from] == "" {
			now[from] = path.Base(items[i].Path)
		}
	}
	return indexes(items, false, func(it *Item, old string) string {
		folder, name := splitPath(old)
		renamed := now[path.Join(path.Dir(it.originalPath()), name)]
		switch {
		case isInDatabase(old):
			return path.Base(it.Path)
		case renamed != "":
			return folder + renamed
		case !it.isNamedByID():
			return folder + path.Base(it.Path)
		}
		return old
	})
}

// splitPath splits a path of any system into its folder, with the separator, and the name of the file.
func splitPath(name string) (folder, base string) {
	at := strings.LastIndexAny(name, `/\`) + 1
	return name[:at], name[at:]
}

// isInDatabase reports whether a registered path says that the session is in a database.
func isInDatabase(registered string) bool { return strings.HasPrefix(registered, "sqlite:") }

// isNamedByID reports whether programs find the file of a live session by the id that is registered.
func (it *Item) isNamedByID() bool {
	id := cmp.Or(jsonl.Value(it.Entry).Get("sessionId").String(), it.ID)
	base := path.Base(it.Path)
	name, ok := source.ParseName(base)
	return base == id+".jsonl" || ok && name.Kind == source.Live && name.ID == id
}

// indexes returns the sessions.json files. registered returns the path that is registered for a transcript, from the
// path that was, or "".
func indexes(items []Item, convert bool, registered func(it *Item, old string) string) ([]Index, error) {
	entries := map[string]map[string]json.RawMessage{}
	for i := range items {
		it := &items[i]
		if !it.Live || len(it.Entry) == 0 {
			continue
		}
		at, key, entry, err := it.registration(convert, registered)
		if err != nil {
			return nil, err
		}
		if entries[at] == nil {
			entries[at] = map[string]json.RawMessage{}
		}
		entries[at][key] = entry
	}
	var list []Index
	for at, of := range entries {
		text, err := json.MarshalIndent(of, "", "  ")
		if err != nil {
			return nil, err
		}
		list = append(list, Index{at, append(text, '\n')})
	}
	slices.SortFunc(list, func(a, b Index) int { return cmp.Compare(a.Path, b.Path) })
	return list, nil
}

// registration returns the entry of a session, its key, and the sessions.json that it belongs in. The sessions.json of
// claw0 is above the folder of its transcripts and has no paths. Its newer form is keyed by id.
func (it *Item) registration(
	convert bool, registered func(it *Item, old string) string,
) (at, key string, entry json.RawMessage, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(it.Entry, &fields); err != nil {
		return "", "", nil, err
	}
	folder := path.Dir(it.Path)
	isClaw0 := fields["session_id"] != nil || fields["last_active"] != nil
	switch {
	case isClaw0 && convert:
		entry, err = json.Marshal(map[string]any{"sessionId": it.ID, "updatedAt": it.Updated.UnixMilli()})
		return path.Join(folder, "sessions.json"), it.Key, entry, err
	case isClaw0 && fields["session_id"] == nil:
		return path.Join(path.Dir(folder), "sessions.json"), it.ID, it.Entry, nil
	case isClaw0:
		return path.Join(path.Dir(folder), "sessions.json"), it.Key, it.Entry, nil
	}
	return path.Join(folder, "sessions.json"), it.Key, it.entryWithPath(registered), nil
}

// registeredPath matches a path in a registration, which is compact JSON. Inside a string its quotes would be escaped.
var registeredPath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"sessionFile":"(?:[^"\\]|\\.)*"`)
})

// entryWithPath returns the entry of a session with the path of its file. An entry without a path gets one only if the
// file cannot be found by the session's id.
func (it *Item) entryWithPath(registered func(it *Item, old string) string) json.RawMessage {
	field := func(old string) []byte { return []byte(`"sessionFile":` + jsonl.Quote(registered(it, old))) }
	if !jsonl.Value(it.Entry).Get("sessionFile").IsString() && !it.isNamedByID() {
		return withField(it.Entry, "sessionFile", field(""))
	}
	return registeredPath().ReplaceAllFunc(it.Entry, func(old []byte) []byte {
		return field(jsonl.Value(old[bytes.IndexByte(old, ':')+1:]).String())
	})
}

// withField returns an object with a member at its beginning, instead of any other with this name.
func withField(object json.RawMessage, name string, member []byte) json.RawMessage {
	rest := []byte(jsonl.Value(object).Without(name))
	if len(rest) > len("{}") {
		member = append(member, ',')
	}
	return slices.Concat([]byte("{"), member, rest[1:])
}

// Fullest chooses among the files of one session: the whole session before a part, the live file before a copy.
func Fullest(items []Item) *Item {
	best := &items[0]
	for i := range items {
		item := &items[i]
		if item.Whole && !best.Whole || item.Whole == best.Whole && item.Live && !best.Live {
			best = item
		}
	}
	return best
}

// PlaceItems returns the files of sessions of one place. Those of a store are in the state from which the sessions were
// listed, and faults are what is wrong with its receipts.
func PlaceItems(ctx context.Context, p *source.Listing, sessions []*source.Session) (
	items []Item, faults []store.Problem, err error,
) {
	r := p.Store()
	if r == nil {
		return SourceItems(sessions), nil, nil
	}
	if faults, err = r.SealFaults(ctx); err != nil {
		return nil, nil, err
	}
	places := map[string]string{}
	for _, s := range sessions {
		places[s.Name()] = s.Place()
	}
	items, err = storeItems(ctx, &r.View, func(key string) bool { return places[key] != "" })
	for i := range items {
		items[i].Place = places[items[i].Session]
	}
	return items, faults, err
}
