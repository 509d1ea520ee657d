package migrate

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"clawctl/pkg/source"
	"clawctl/pkg/source/hold"
	"clawctl/pkg/store/dbfile"
)

// A hostileHome is a random state folder, with a model of what is safe to delete. The model knows what was written and
// why. It reads nothing back and shares no code with verify.
type hostileHome struct {
	*testing.T
	*rand.Rand
	folder   string
	agents   []*hostileAgent
	files    []*hostileFile
	toStore  bool // compare with a store instead of OpenClaw's databases
	whole    bool // the store was made from the home itself
	serial   int
	excluded bool // some index or database is damaged, so nothing may be listed
}

type hostileAgent struct {
	name    string
	entries map[string]any // of its index
	index   string         // healthy, missing, torn or empty
	events  [][]string     // the sessions in its database
	rows    []string       // SQL that names files
	cold    [][2]string    // archive names and digests
}

// A hostileFile is a file and everything that is known about it.
type hostileFile struct {
	path    string
	agent   *hostileAgent
	id      string
	isLive  bool
	lines   []hostileLine
	reasons []string // why it is not safe
	unsure  bool     // the model has no opinion
	change  bool     // it changes while it is compared
}

// A hostileLine is a line of a file, and what the target has in its place.
type hostileLine struct {
	text   string
	target string // "" if the target does not have it
	kept   bool   // the target has the same content
}

func (f *hostileFile) unsafe(reason string) { f.reasons = append(f.reasons, reason) }

// chance reports true with a probability of one in n.
func (h *hostileHome) chance(n int) bool { return h.IntN(n) == 0 }

func (h *hostileHome) pick(list ...string) string { return list[h.IntN(len(list))] }

func newHostileHome(t *testing.T, folder string, seed uint64) *hostileHome {
	h := &hostileHome{T: t, Rand: rand.New(rand.NewPCG(seed, 15)), folder: filepath.Join(folder, "home")}
	h.toStore = h.chance(2)
	h.whole = h.toStore && h.chance(3)
	for _, name := range []string{"main", "other", "ops"}[:1+h.IntN(3)] {
		h.agents = append(h.agents, &hostileAgent{name: name, entries: map[string]any{},
			index: h.pick("healthy", "healthy", "healthy", "missing", "torn", "empty")})
	}
	for range 1 + h.IntN(5) {
		h.addFile()
	}
	h.writeIndexes()
	h.writeDatabases()
	return h
}

func (h *hostileHome) sessions(a *hostileAgent) string {
	return filepath.Join(h.folder, "agents", a.name, "sessions")
}

func (h *hostileHome) addFile() {
	h.serial++
	f := &hostileFile{agent: h.agents[h.IntN(len(h.agents))]}
	f.id = fmt.Sprintf("%08x-0000-4000-8000-%012x", h.Uint32(), h.serial)
	base := h.nameFile(f)
	f.path = filepath.Join(h.sessions(f.agent), base)
	isCold := strings.HasPrefix(base, "cold")
	h.addLines(f)
	text := ""
	for _, l := range f.lines {
		text += l.text
	}
	if isCold {
		text = h.wrapRows(f)
	}
	h.write(f.path, h.compress(f, text))
	h.addTarget(f, isCold)
	h.registerFile(f, base)
	h.lock(f)
	if f.change = h.chance(25); f.change {
		f.unsafe("it changes")
	}
	h.files = append(h.files, f)
}

// nameFile returns a name below the folder of sessions.
func (h *hostileHome) nameFile(f *hostileFile) string {
	const when = "2026-05-02T00-00-00.000Z"
	kind := h.pick("live", "live", "topic", "checkpoint", "reset", "deleted", "bak", "reset.zst", "bak.gz", "cold")
	switch kind {
	case "live":
		f.isLive = true
		return f.id + ".jsonl"
	case "topic":
		f.isLive = true
		return f.id + "-topic-7.jsonl"
	case "checkpoint":
		f.isLive = true
		return f.id + ".checkpoint." + f.id[:35] + "9.jsonl"
	case "reset", "deleted":
		return f.id + ".jsonl." + kind + "." + when
	case "bak":
		return f.id + ".jsonl.bak"
	case "reset.zst":
		return f.id + ".jsonl.reset." + when + ".zst"
	case "bak.gz":
		return f.id + ".jsonl.bak.gz"
	}
	return filepath.Join("cold", strings.Repeat(fmt.Sprintf("%08x", h.Uint32()), 8)+".jsonl.zst")
}

// addLines writes the lines of a file, and decides for each what the target has.
func (h *hostileHome) addLines(f *hostileFile) {
	if h.chance(20) {
		f.unsafe("no record is known")
		text := h.pick(`{"kind":"header"}`, "\x00\x01 binary", " ", `{}`) + "\n"
		f.lines = []hostileLine{{text, text, true}}
		return
	}
	end := h.pick("\n", "\n", "\r\n")
	header := fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}`, f.id)
	f.lines = []hostileLine{{header + end, header, true}}
	lost := h.chance(4)
	for i := range 1 + h.IntN(5) {
		line := h.line(f, i)
		if lost && h.chance(3) {
			line.target, line.kept = h.pick("", h.changed(line.target)), false
		}
		line.text += end
		f.lines = append(f.lines, line)
		if h.chance(8) {
			f.lines = append(f.lines, hostileLine{end, "", true})
		}
	}
	last := &f.lines[len(f.lines)-1]
	if h.chance(6) && strings.TrimSpace(last.text) != "" {
		last.text = strings.TrimRight(last.text, "\r\n")
	}
	if h.chance(10) {
		f.lines[0].text = "\ufeff" + f.lines[0].text
	}
	for _, l := range f.lines {
		if !l.kept && !h.whole {
			f.unsafe("a line is not in the target")
			break
		}
	}
}

// line returns a line and an equal or a different one for the target.
func (h *hostileHome) line(f *hostileFile, i int) hostileLine {
	record := func(value string) string {
		return fmt.Sprintf(`{"type":"message","id":"%s-%d","parentId":null,"message":{"role":"user","content":%s}}`,
			f.id[:8], i, value)
	}
	pairs := []struct {
		here, there string
		kept        bool
	}{
		{`"plain"`, `"plain"`, true}, {`"plain"`, `"plain"`, true}, {`"plain"`, `"plain"`, true},
		{`[1.50]`, `[1.5]`, true},
		{`"\u00e9"`, `"é"`, true},
		{`[1e3]`, `[1000]`, true},
		{`["\ud800"]`, `["\uD800"]`, true},
		{`[12345678901234567890]`, `[12345678901234567000]`, false},
		{`[1e999]`, `[null]`, false},
		{`["\ud800"]`, `["\ud801"]`, false},
		{`["\ud800"]`, `["\ufffd"]`, false},
		{`[0.1]`, `[0.10000000000000001]`, false},
	}
	p := pairs[h.IntN(len(pairs))]
	if !p.kept && h.chance(2) {
		p.there, p.kept = p.here, true
	}
	if h.chance(12) {
		damaged := fmt.Sprintf(`{"damaged":"%s-%d`, f.id, i)
		return hostileLine{damaged, damaged, true}
	}
	return hostileLine{record(p.here), record(p.there), p.kept}
}

func (h *hostileHome) changed(line string) string { return strings.Replace(line, "-", "+", 1) }

// wrapRows makes the text of a cold archive.
func (h *hostileHome) wrapRows(f *hostileFile) string {
	var b strings.Builder
	version := 1
	fmt.Fprintf(&b, `{"kind":"header","version":%d,"sessionId":%q,"generation":"g1"}`+"\n", version, f.id)
	for i, l := range f.lines {
		event, _ := json.Marshal(strings.Trim(l.text, "\r\n\ufeff"))
		extra := ""
		if h.chance(20) {
			extra = `,"note":"new"`
			if !h.whole {
				f.unsafe("an unknown member of a row")
			}
		}
		fmt.Fprintf(&b, `{"kind":"event","row":{"seq":%d,"event_json":%s,"created_at":1%s}}`+"\n", i, event, extra)
	}
	if h.chance(6) {
		b.WriteString(`{"kind":"later","row":{"seq":1}}` + "\n")
		if !h.whole {
			f.unsafe("an unknown row")
		}
	}
	return b.String()
}

// compress packs the text if the name says so, sometimes with bytes that are not part of the text.
func (h *hostileHome) compress(f *hostileFile, text string) []byte {
	hidden := func(why string) {
		if !h.whole {
			f.unsafe(why)
		}
	}
	switch filepath.Ext(f.path) {
	case ".zst":
		encoder, _ := zstd.NewWriter(nil)
		data := encoder.EncodeAll([]byte(text), nil)
		switch h.IntN(8) {
		case 0:
			hidden("a skippable frame")
			return append(data, skippable("hidden")...)
		case 1:
			hidden("a skippable frame")
			return append(skippable("hidden"), data...)
		case 2: // two frames
			half := len(text) / 2
			return encoder.EncodeAll([]byte(text[half:]), encoder.EncodeAll([]byte(text[:half]), nil))
		case 3:
			f.unsafe("bytes behind the frames")
			return append(data, "hidden"...)
		}
		return data
	case ".gz":
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		switch h.IntN(8) {
		case 0:
			hidden("a comment")
			w.Comment = "hidden"
		case 1:
			hidden("an extra field")
			w.Extra = []byte("hidden")
		case 2:
			hidden("another name")
			w.Name = "hidden"
		case 3:
			w.Name = strings.TrimSuffix(filepath.Base(f.path), ".gz")
		}
		_, _ = w.Write([]byte(text))
		w.Close()
		if h.chance(10) {
			f.unsafe("bytes behind the member")
			b.WriteString("hidden")
		}
		return b.Bytes()
	}
	return []byte(text)
}

func skippable(text string) []byte {
	frame := binary.LittleEndian.AppendUint32([]byte("\x50\x2a\x4d\x18"), uint32(len(text)))
	return append(frame, text...)
}

// addTarget adds what the target has of a file: as one session, or scattered over two.
func (h *hostileHome) addTarget(f *hostileFile, isCold bool) {
	var lines []string
	for _, l := range f.lines {
		if text := strings.TrimRight(l.target, "\r\n"); l.target != "" && strings.TrimSpace(text) != "" {
			lines = append(lines, text)
		}
	}
	if h.chance(5) {
		lines = append(lines, `{"type":"message","id":"later","parentId":null,"message":{"role":"user","content":"x"}}`)
	}
	if cut := 1 + h.IntN(4); h.chance(4) && cut < len(lines) {
		f.agent.events = append(f.agent.events, lines[:cut], lines[cut:])
		return
	}
	f.agent.events = append(f.agent.events, lines)
}

// registerFile lets an index or a database name a file.
func (h *hostileHome) registerFile(f *hostileFile, base string) {
	own := f.agent
	add := func(a *hostileAgent, entry map[string]any) {
		h.serial++
		a.entries[fmt.Sprintf("agent:%s:%d", a.name, h.serial)] = entry
	}
	// registered notes that an index names the file. What is left of a torn index nobody knows.
	registered := func(a *hostileAgent) {
		switch a.index {
		case "healthy":
			f.unsafe("an index names it")
		case "torn":
			f.unsure = true
		}
	}
	elsewhere := "/home/ada/.openclaw/agents/" + own.name + "/sessions/" + filepath.ToSlash(base)
	someone := h.agents[h.IntN(len(h.agents))]
	way := h.IntN(14)
	if strings.HasPrefix(base, "cold") && h.chance(3) {
		way = 7
	}
	switch way {
	case 0:
		add(own, map[string]any{"sessionId": f.id})
		if f.isLive && !strings.Contains(base, ".checkpoint.") {
			registered(own)
		}
	case 1:
		add(own, map[string]any{"sessionId": "other", "sessionFile": filepath.Base(base)})
		registered(own)
	case 2:
		add(someone, map[string]any{"sessionId": "other", "sessionFile": elsewhere})
		registered(someone)
	case 3:
		add(someone, map[string]any{"sessionId": "other",
			"sessionFile": `C:\Users\Ada\agents\` + own.name + `\sessions\` + strings.ReplaceAll(base, "/", `\`)})
		registered(someone)
	case 4: // another agent's file with the same name
		for _, a := range h.agents {
			if a != own {
				add(a, map[string]any{"sessionId": "other",
					"sessionFile": "/home/ada/.openclaw/agents/" + a.name + "/sessions/" + filepath.ToSlash(base)})
				break
			}
		}
	case 5:
		add(someone, map[string]any{"sessionId": "other", "checkpoints": []any{map[string]any{"file": elsewhere}}})
		registered(someone)
	case 6:
		someone.rows = append(someone.rows, elsewhere)
		f.unsafe("a database names it")
	case 7:
		if strings.HasPrefix(base, "cold") {
			name := filepath.Base(base)
			digest := strings.TrimSuffix(name, ".jsonl.zst")
			own.cold = append(own.cold, [2]string{h.pick(name, "moved.jsonl.zst"), digest})
			f.unsafe("a database has it in cold storage")
		}
	case 8: // a link that an index names
		link := filepath.Join(h.sessions(own), fmt.Sprintf("link-%d.jsonl", h.serial))
		if os.Symlink(f.path, link) == nil {
			add(own, map[string]any{"sessionId": "other", "sessionFile": link})
			registered(own)
		}
	}
	if f.isLive {
		switch own.index {
		case "missing":
			f.unsafe("no index")
		case "torn", "empty":
			f.unsafe("a damaged index")
		}
	}
}

// lock puts a lock beside a file.
func (h *hostileHome) lock(f *hostileFile) {
	var text string
	switch h.IntN(12) {
	case 0:
		text = fmt.Sprintf(`{"pid":%d,"createdAt":"2026-05-01T10:00:00.000Z"}`, os.Getpid())
		f.unsafe("a running process")
	case 1:
		text = `{"pid":2147483646,"createdAt":"2026-05-01T10:00:00.000Z","starttime":1}`
	case 2:
		text = "?"
		f.unsafe("an unknown lock")
	case 3:
		text = fmt.Sprintf(`{"pid":%d,"starttime":1}`, os.Getpid())
		if f.unsure = f.unsure || runtime.GOOS != "linux"; f.unsure {
			return
		}
	default:
		return
	}
	h.write(f.path+".lock", []byte(text))
}

func (h *hostileHome) write(path string, data []byte) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		h.Fatal(err)
	}
}

func (h *hostileHome) writeIndexes() {
	for _, a := range h.agents {
		text, err := json.MarshalIndent(a.entries, "", "  ")
		if err != nil {
			h.Fatal(err)
		}
		switch a.index {
		case "missing":
			continue
		case "torn":
			text = text[:h.IntN(len(text))]
			h.excluded = h.excluded || len(text) > 0
		case "empty":
			text = nil
		}
		h.write(filepath.Join(h.sessions(a), "sessions.json"), text)
	}
}

// writeDatabases writes a database for every agent, and sometimes one that cannot be read.
func (h *hostileHome) writeDatabases() {
	for _, a := range h.agents {
		path := filepath.Join(h.folder, "agents", a.name, "agent", "openclaw-agent.sqlite")
		if h.toStore && h.chance(12) {
			h.write(path, []byte("SQLite format 3\x00 and then nothing"))
			h.excluded = true
			continue
		}
		if h.toStore && len(a.rows)+len(a.cold) == 0 {
			continue
		}
		h.writeDatabase(path, a)
	}
}

func (h *hostileHome) writeDatabase(path string, a *hostileAgent) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.Fatal(err)
	}
	db, err := dbfile.OpenOwn(path, "_pragma=synchronous(off)")
	if err != nil {
		h.Fatal(err)
	}
	defer db.Close()
	exec := func(query string, args ...any) {
		if _, err := db.Exec(query, args...); err != nil {
			h.Fatal(err)
		}
	}
	exec(`BEGIN; CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT);
CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT, entry_json TEXT);
CREATE TABLE session_transcript_cold_archives (session_id TEXT, archive_name TEXT, archive_sha256 TEXT,
archive_bytes INTEGER, archive_blob BLOB)`)
	for n, lines := range a.events {
		for i, line := range lines {
			exec("INSERT INTO transcript_events VALUES (?, ?, ?)", fmt.Sprint("session-", n), i, line)
		}
	}
	for i, row := range a.rows {
		entry, _ := json.Marshal(map[string]any{"sessionId": "x", "sessionFile": row})
		exec("INSERT INTO session_nodes VALUES (?, 'x', ?)", fmt.Sprint("key-", i), string(entry))
	}
	for i, cold := range a.cold {
		exec("INSERT INTO session_transcript_cold_archives VALUES (?, ?, ?, 1, NULL)", fmt.Sprint("cold-", i), cold[0],
			cold[1])
	}
	exec("COMMIT")
}

// target opens what the home is compared with. It returns nil if there is nothing.
func (h *hostileHome) target() *Target {
	path := h.folder
	if h.toStore {
		path = filepath.Join(filepath.Dir(h.folder), "s.db")
		from := h.folder
		if !h.whole {
			from = filepath.Join(filepath.Dir(h.folder), "origin")
			for _, a := range h.agents {
				for n, lines := range a.events {
					name := fmt.Sprintf("%08x-0000-4000-8000-%012x.jsonl", n, n)
					h.write(filepath.Join(from, "agents", a.name, "sessions", name), []byte(strings.Join(lines, "\n")+"\n"))
				}
			}
		}
		st := openStore(h.T, path)
		importAll(h.T, st, from, Options{})
		st.Close()
	}
	target, err := OpenTarget(context.Background(), path, "")
	var none *NoSessionsError
	if err != nil && !errors.As(err, &none) {
		h.Fatal(err)
	}
	return target
}

// check verifies the home and compares the result with the model.
func (h *hostileHome) check(tally *safetyTally, seed uint64) {
	target := h.target()
	if target == nil {
		return
	}
	defer target.Close()
	place, err := source.Find(context.Background(), h.folder, source.Options{Fast: true})
	if err != nil {
		h.Fatal(err)
	}
	defer place.Close()
	sessions := target.Without(place.Sessions)
	left := len(sessions)
	proofs, err := Verify(context.Background(), sessions, target, VerifyOptions{
		Holds: hold.Options{Homes: []string{h.folder}}, Progress: func(int64) {
			if left--; left == 0 {
				h.touch()
			}
		}})
	if err != nil {
		h.Fatal(err)
	}
	listed := map[string]*Proof{}
	for i := range proofs {
		if p := &proofs[i]; p.Safe() {
			listed[p.Session.Path] = p
		}
	}
	for _, f := range h.files {
		h.compare(f, listed[f.path] != nil, tally, seed)
	}
}

// touch writes the files again that change while they are compared.
func (h *hostileHome) touch() {
	for _, f := range h.files {
		if data, err := os.ReadFile(f.path); err == nil && f.change {
			h.write(f.path, append(data, '\n'))
		}
	}
}

// A safetyTally counts what the model says and what verify lists.
type safetyTally struct{ safe, listed, unsafe, unsure int }

func (h *hostileHome) compare(f *hostileFile, listed bool, tally *safetyTally, seed uint64) {
	if h.excluded {
		f.unsafe("the home cannot be read")
	}
	switch {
	case len(f.reasons) > 0:
		tally.unsafe++
		if listed {
			h.Errorf("home %d: %s is listed, but %v", seed, f.path, f.reasons)
		}
	case f.unsure:
		tally.unsure++
	default:
		tally.safe++
		if listed {
			tally.listed++
		} else if testing.Verbose() {
			h.Logf("home %d: %s is not listed", seed, f.path)
		}
	}
}

// Verify lists no file that is not safe to delete, and nearly all that are.
func TestHostileHomesAreSafe(t *testing.T) {
	tally := &safetyTally{}
	for seed := range uint64(many(30, 5000)) {
		folder := t.TempDir()
		newHostileHome(t, folder, seed).check(tally, seed)
		os.RemoveAll(folder)
	}
	t.Logf("%d safe, %d of them listed; %d not safe; %d unsure", tally.safe, tally.listed, tally.unsafe, tally.unsure)
	if tally.listed*100 < tally.safe*95 || tally.safe < tally.unsafe/20 {
		t.Errorf("only %d of %d safe files are listed", tally.listed, tally.safe)
	}
}

// The beginning of a stored session is not safe if the rest of that session is not what was stored.
func TestDamagedSessionHoldsItsBeginning(t *testing.T) {
	b := newBench(t)
	b.register("main", idA)
	b.write(idA+".jsonl", transcript(idA, 1, 2, 3))
	b.run(Options{})
	b.write(idA+".jsonl.bak", transcript(idA, 1))
	isComplete := func() bool {
		for _, p := range b.verify() {
			if strings.HasSuffix(p.Session.Path, ".bak") {
				return p.Relation == Extra && p.Complete()
			}
		}
		return false
	}
	if !isComplete() {
		t.Fatal("the beginning of a healthy session is not complete")
	}
	b.change(`UPDATE messages SET data = replace(data, '"role"', '"rule"')
WHERE rowid = (SELECT max(rowid) FROM messages)`)
	if isComplete() {
		t.Error("the beginning of a damaged session is complete")
	}
}

// What an older version took for a transcript, imported and moved to the trash is still proved by the stored session.
// Before it is in the trash, a file without a known record stays.
func TestUnknownRecordsInTrash(t *testing.T) {
	path, file := filepath.Join(t.TempDir(), "store.db"), filepath.Join(t.TempDir(), "rows.jsonl")
	writeFile(t, file, `{"type":"custom","data":1}`+"\n")
	st := openStore(t, path)
	if err := Import(t.Context(), st, []*source.Session{source.File(file)}, Options{}); err != nil {
		t.Fatal(err)
	}
	target, err := OpenTarget(t.Context(), path, "")
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	for _, test := range []struct {
		opts VerifyOptions
		keep KeepReason
	}{{VerifyOptions{InTrash: true}, ""}, {VerifyOptions{}, NoRecords}} {
		proofs, err := Verify(t.Context(), []*source.Session{source.File(file)}, target, test.opts)
		if err != nil || proofs[0].Relation != Identical || proofs[0].Keep.Reason != test.keep {
			t.Errorf("%+v: %+v, %v", test.opts, proofs, err)
		}
	}
}
