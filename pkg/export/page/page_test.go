package page

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"iter"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/rebuild"
)

func sessionOf(t testing.TB, transcript []byte) *Document {
	t.Helper()
	ix, err := rebuild.Scan(jsonl.NewReader(bytes.NewReader(transcript), jsonl.Options{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &Document{Name: "agent:main:main", Agent: "main", Records: func() iter.Seq2[*jsonl.Record, error] {
		return jsonl.Records(bytes.NewReader(transcript), jsonl.Options{})
	}}
	if c, err := ix.Context(""); err == nil {
		s.Nodes = c.Outline()
	}
	return s
}

func pageOf(t testing.TB, transcript []byte, o Options) (string, Totals) {
	t.Helper()
	var b bytes.Buffer
	totals, err := Write(t.Context(), &b, sessionOf(t, transcript), o)
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), totals
}

// transcripts returns every small transcript of the tests, and those of ../shared if they are there.
func transcripts(t testing.TB) map[string][]byte {
	t.Helper()
	list := map[string][]byte{}
	for _, pattern := range []string{
		"../../../testdata/transcripts/*.jsonl", "../../../testdata/home/agents/*/sessions/*.jsonl",
		"../../../../shared/transcripts/*/*.jsonl",
	} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			if strings.HasSuffix(file, ".trajectory.jsonl") { // what a program did, and no transcript
				continue
			}
			data := testkit.Read(t, file)
			list[file] = data
		}
	}
	if len(list) < 20 {
		t.Fatalf("only %d transcripts", len(list))
	}
	return list
}

var chunkPattern = regexp.MustCompile(
	`<script type="application/octet-stream" id="chunk-(\d+)">([A-Za-z0-9+/=]*)</script>`)

// A shownEntry is an entry as the script reads it.
type shownEntry struct {
	Usage []float64
	Parts []struct {
		Kind, Name, Text, JSON string
		Arguments, Fields      [][]any
	}
}

// entriesOf unpacks the bodies of a page.
func entriesOf(t testing.TB, text string) (entries []shownEntry) {
	t.Helper()
	for i, m := range chunkPattern.FindAllStringSubmatch(text, -1) {
		if m[1] != fmt.Sprint(i) {
			t.Fatalf("chunk %s at %d", m[1], i)
		}
		packed, err := base64.StdEncoding.DecodeString(m[2])
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
		if err != nil {
			t.Fatal(err)
		}
		var chunk []shownEntry
		if err := json.Unmarshal(unpacked, &chunk); err != nil {
			t.Fatalf("%v in %.300s", err, unpacked)
		}
		entries = append(entries, chunk...)
	}
	return entries
}

// A long page begins with all that shows the first chunk: its entries, the chunk and the script. The rest follows.
func TestBeginning(t *testing.T) {
	short, _ := pageOf(t, richTranscript(), Options{})
	checkOrder(t, short, `id="index"`, `id="chunk-0"`, "<script>", `id="tail"`)
	if strings.Contains(short, `id="start"`) {
		t.Error("a page with one chunk has two indexes")
	}
	long, _ := pageOf(t, longTranscript(3000, 1), Options{})
	checkOrder(t, long, `id="start"`, `id="chunk-0"`, "<script>", `id="index"`, `id="chunk-1"`, `id="tail"`)
	start, whole := indexOf(t, long, "start"), indexOf(t, long, "index")
	n := len(start.IDs)
	if int32(n) != whole.Chunks[1] || n == 0 || !slices.Equal(start.IDs, whole.IDs[:n]) {
		t.Errorf("the index of the first chunk has %d entries, want %d", n, whole.Chunks[1])
	}
	if last := start.Prompts[len(start.Prompts)-1]; int(last) >= n || len(start.Texts) != len(start.Prompts) {
		t.Errorf("the last prompt of %d entries is %d", n, last)
	}
}

func checkOrder(t *testing.T, page string, texts ...string) {
	t.Helper()
	last := -1
	for _, text := range texts {
		at := strings.Index(page, text)
		if at <= last {
			t.Errorf("%s is at %d, after what should follow it", text, at)
		}
		last = at
	}
}

func indexOf(t *testing.T, page, id string) (c columns) {
	t.Helper()
	_, rest, _ := strings.Cut(page, `<script type="application/json" id="`+id+`">`)
	text, _, _ := strings.Cut(rest, "</script>")
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// The columns of the first entries have no parent that comes later.
func TestFirstColumns(t *testing.T) {
	c := columns{Kinds: make([]byte, 4), IDs: make([]string, 4), Flags: make([]int8, 4), Times: make([]int64, 4),
		Sizes: make([]int64, 4), Calls: make([]int, 4), Owners: make([]int32, 4), Chunks: []int32{0, 2},
		Lines: []int64{1, 5, 2, 9}, Parents: []int32{0, 3, 1, -1, 2, 0}, Prompts: []int32{1, 2}, Texts: []string{"a", "b"}}
	first := c.first(2)
	if !slices.Equal(first.Parents, []int32{0, -1, 1, -1}) || !slices.Equal(first.Lines, []int64{1, 5}) ||
		!slices.Equal(first.Texts, []string{"a"}) || len(first.IDs) != 2 {
		t.Errorf("%+v", first)
	}
}

// The current branch of a session may begin after the first chunk. Then the whole index comes first.
func TestFirstChunkOffPath(t *testing.T) {
	sv := survey{columns: columns{Flags: []int8{0, 0, onPath}, Chunks: []int32{0, 2}}}
	if sv.firstChunk() != nil {
		t.Error("the page begins with a branch that is not the current one")
	}
}

// Every part of every transcript is in its page, with its whole text.
func TestEveryTextIsInThePage(t *testing.T) {
	for name, transcript := range transcripts(t) {
		text, totals := pageOf(t, transcript, Options{Raw: true})
		entries := entriesOf(t, text)
		if len(entries) != totals.Entries {
			t.Errorf("%s: %d entries, want %d", name, len(entries), totals.Entries)
			continue
		}
		var maker parts.Maker
		i := 0
		for rec := range jsonl.Records(bytes.NewReader(transcript), jsonl.Options{}) {
			if e := maker.Entry(rec); e != nil {
				compareEntry(t, fmt.Sprintf("%s:%d", name, e.Line), e, &entries[i])
				i++
			}
		}
	}
}

func compareEntry(t *testing.T, place string, e *parts.Entry, shown *shownEntry) {
	t.Helper()
	if len(shown.Parts) != len(e.Parts) {
		t.Errorf("%s: %d parts, want %d", place, len(shown.Parts), len(e.Parts))
		return
	}
	for i := range e.Parts {
		p, got := &e.Parts[i], &shown.Parts[i]
		switch {
		case got.Kind != string(p.Kind) || got.Name != p.ToolName() && p.Name.IsString():
			t.Errorf("%s: %s %q, want %s %q", place, got.Kind, got.Name, p.Kind, p.ToolName())
		case p.Kind == parts.Image:
		case p.Kind == parts.Call && p.Body.IsObject():
			n := 0
			for key, v := range p.Body.Members() {
				want := (&parts.Part{Body: v}).Text()
				if got.Arguments[n][0] != key || got.Arguments[n][1] != asJSON(want) {
					t.Errorf("%s: argument %v, want %s %q", place, got.Arguments[n], key, want)
				}
				n++
			}
		case got.Text+got.JSON != asJSON(p.Text()) && !p.Body.IsNull():
			t.Errorf("%s: %q, want %q", place, got.Text+got.JSON, p.Text())
		}
	}
}

// Every word of every part is in the plain page too.
func TestEveryTextIsInThePlainPage(t *testing.T) {
	for name, transcript := range transcripts(t) {
		scripted, totals := pageOf(t, transcript, Options{Raw: true})
		if totals.Entries > maxPlain {
			continue
		}
		plain, _ := pageOf(t, transcript, Options{Raw: true, Plain: true})
		shown := map[string]bool{}
		text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(plain[strings.Index(plain, "<body"):], " ")
		for _, word := range wordsOf(html.UnescapeString(text)) {
			shown[word] = true
		}
		for i, e := range entriesOf(t, scripted) {
			for _, part := range e.Parts {
				for _, word := range wordsOf(infoStrings.ReplaceAllString(linkTargets.ReplaceAllString(part.Text, "]"), "")) {
					if !shown[word] {
						t.Fatalf("%s: entry %d: %q is not shown, of %.200q", name, i, word, part.Text)
					}
				}
			}
		}
	}
}

// infoStrings are the languages of code blocks, which are not shown.
var infoStrings = regexp.MustCompile("(?m)^ *(```|~~~).*$")

// asJSON is a text after a way through JSON, in which half a character becomes U+FFFD.
func asJSON(text string) (out string) {
	_ = json.Unmarshal(jsonl.AppendQuote(nil, text), &out)
	return out
}

// hostile are texts that try to become HTML or to run.
var hostile = []string{
	`</script><script>pwn()</script>`, `<!--<script>pwn()`, `"><img src=x onerror=pwn()>`, `<svg onload=pwn()>`,
	`[x](javascript:pwn())`, `[x](JaVaScRiPt:pwn())`, `[x](data:text/html,<script>pwn()</script>)`,
	`![x](https://example.com/track.png)`, `<meta http-equiv=refresh content="0;url=https://example.com">`,
	`<style>*{display:none}</style>`, `<a href="javascript:pwn()">x</a>`, "a\u2028b\u2029c", `' onmouseover='pwn()`,
	`<iframe src="javascript:pwn()"></iframe>`, `]]></script>`, `{{policy}}{{style}}{{title}}`,
	`<base href="https://example.com/">`,
	"```<script>pwn()\n</script>\n```", `<https://example.com/"onclick="pwn()>`,
	`[x](https://example.com/"onclick="pwn())`,
	`<link rel=stylesheet href="https://example.com/x.css">`, `<form action="https://example.com"><button>x</form>`,
	`<math><mi xlink:href="javascript:pwn()">x</mi></math>`, `&lt;script&gt;pwn()&lt;/script&gt;`,
	`[x](java&#115;cript:pwn())`,
	`[x]( javascript:pwn())`, "[x](\x01javascript:pwn())", `<div style="background:url(https://example.com/x)">`,
	`${pwn()}`,
	`constructor`, `__proto__`, `toString`,
}

// slow are texts that take forever with careless patterns.
func slow() (list []string) {
	for _, piece := range []string{
		"[", "`", "*", "_", "**a", "`a``", "|", "> ", "- ", "#", "![](", "<", "\\", "~", "(", "{\"", "&",
	} {
		list = append(list, strings.Repeat(piece, 11000/len(piece))+"x`")
	}
	spaces := strings.Repeat(" ", 11000)
	return append(list, "# "+spaces+"x", "|"+spaces+"-x\n|-|", "a|b\n"+spaces+"-",
		"```yaml\n"+strings.Repeat("-", 11000)+"\n```",
		"```html\n"+strings.Repeat(":", 11000)+"\n```", "```css\n"+strings.Repeat("-", 11000)+"\n```",
		"```toml\n"+strings.Repeat("\n \t", 3600)+"\n```", "```json\n"+strings.Repeat(`"\\`, 3600)+"\n```")
}

func hostileTranscript() []byte {
	var b bytes.Buffer
	parent := "null"
	n := 0
	add := func(format string, args ...any) {
		n++
		id := fmt.Sprintf("e%d", n)
		fmt.Fprintf(&b, format+"\n", append([]any{id, parent}, args...)...)
		parent = `"` + id + `"`
	}
	svg := base64.StdEncoding.EncodeToString([]byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="pwn()"/>`))
	b.WriteString(`{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z",` +
		`"cwd":"</script><script>pwn()"}` + "\n")
	for _, text := range hostile {
		q := jsonl.Quote(text)
		add(`{"type":"message","id":"%[1]s","parentId":%[2]s,"message":{"role":"user","content":[{"type":"text",`+
			`"text":%[3]s},`+
			`{"type":"image","mimeType":"image/png","data":"AA=A"},{"type":"image","mimeType":"image/png","data":"AAAA"},`+
			`{"type":"image","mimeType":"image/svg+xml","data":"`+svg+`"},{"type":"image","mimeType":%[3]s,`+
			`"data":%[3]s}]}}`, q)
		add(`{"type":"message","id":"%[1]s","parentId":%[2]s,"message":{"role":"assistant","model":%[3]s,`+
			`"provider":%[3]s,"stopReason":%[3]s,`+
			`"errorMessage":%[3]s,"content":[{"type":"thinking","thinking":%[3]s},{"type":"text","text":%[3]s},`+
			`{"type":"toolCall","id":%[3]s,"name":%[3]s,"arguments":{%[3]s:%[3]s,"path":%[3]s,"oldText":%[3]s,`+
			`"newText":"x","n":{%[3]s:[%[3]s]}}}]}}`, q)
		add(`{"type":"message","id":"%[1]s","parentId":%[2]s,"message":{"role":"toolResult","toolCallId":%[3]s,`+
			`"toolName":%[3]s,"isError":true,`+
			`"details":{"diff":%[3]s,"exitCode":%[3]s},"content":[{"type":"text","text":%[3]s},{"type":%[3]s,"x":%[3]s}]}}`, q)
		add(`{"type":"compaction","id":"%[1]s","parentId":%[2]s,"summary":%[3]s,"firstKeptEntryId":%[3]s,`+
			`"tokensBefore":%[3]s}`, q)
		add(`{"type":"label","id":"%[1]s","parentId":%[2]s,"label":%[3]s,"targetId":%[3]s}`, q)
		add(`{"type":"session_info","id":"%[1]s","parentId":%[2]s,"name":%[3]s}`, q)
		add(`{"type":"model_change","id":"%[1]s","parentId":%[2]s,"provider":%[3]s,"modelId":%[3]s}`, q)
		add(`{"type":"custom_message","id":"%[1]s","parentId":%[2]s,"customType":%[3]s,"content":%[3]s}`, q)
		add(`{"type":"custom","id":"%[1]s","parentId":%[2]s,"customType":%[3]s,"data":{%[3]s:%[3]s}}`, q)
		add(`{"type":%[3]s,"id":"%[1]s","parentId":%[2]s,"x":%[3]s}`, q)
		fmt.Fprintf(&b, `{"type":"message","id":%s,"parentId":%s,"message":{"role":%[1]s,"content":%[1]s}}`+"\n", q, parent)
		fmt.Fprintf(&b, "{\"broken %s\n", strings.ReplaceAll(text, "\n", " "))
	}
	return b.Bytes()
}

// What is in clear never leaves its element: all elements are those of the frame.
func TestHostileTextsStayData(t *testing.T) {
	calm, _ := pageOf(t, []byte(`{"type":"session","version":3,"id":"s"}`+"\n"), Options{})
	text, _ := pageOf(t, hostileTranscript(), Options{})
	frame := len(elements(calm))
	const element = `<script type="application/octet-stream"`
	data := strings.Count(text, element) - strings.Count(calm, element)
	if got := len(elements(text)); got != frame+2*data {
		t.Errorf("%d elements, want %d", got, frame+2*data)
	}
	plain, _ := pageOf(t, hostileTranscript(), Options{Plain: true})
	for _, bad := range []string{"<script", "<iframe", "<svg", "<meta http-equiv=refresh", "<base", "<form",
		"<link", "onerror=pwn()>"} {
		if strings.Contains(plain, bad) {
			t.Errorf("the plain page contains %s", bad)
		}
	}
}

func elements(text string) []string {
	return regexp.MustCompile(`</?[a-zA-Z!][^>]*>`).FindAllString(text, -1)
}

func TestKeysAreMasked(t *testing.T) {
	key := "sk-" + strings.Repeat("Abc123", 8)
	hiddenKey := `\u0073k-` + strings.Repeat("Xyz789", 8)
	transcript := fmt.Appendf(nil, `{"type":"message","id":"a","message":{"role":"user","content":"%[1]s"}}`+"\n"+
		`{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":[{"type":"toolCall","id":"c",`+
		`"name":"x","arguments":{"k":"%[1]s","o":{"n":["%[1]s"]}}},{"type":"text","text":"%[2]s"}]}}`+"\n", key, hiddenKey)
	for _, plain := range []bool{false, true} {
		text, totals := pageOf(t, transcript, Options{Plain: plain})
		all := text + fmt.Sprint(entriesOf(t, text))
		if strings.Contains(all, key) || strings.Contains(all, "Xyz789") || totals.Masked != 4 {
			t.Errorf("plain %v: a key is in the page, or %d masked", plain, totals.Masked)
		}
		if !strings.Contains(all, "sk-[masked]") {
			t.Error("nothing says what was masked")
		}
		text, totals = pageOf(t, transcript, Options{Plain: plain, Raw: true})
		if all = text + fmt.Sprint(entriesOf(t, text)); !strings.Contains(all, key) || totals.Masked != 0 {
			t.Errorf("plain %v: --raw masks %d", plain, totals.Masked)
		}
	}
}

func TestPlainLimit(t *testing.T) {
	line := `{"type":"message","id":"%d","message":{"role":"user","content":"x"}}` + "\n"
	var b bytes.Buffer
	for i := range maxPlain + 1 {
		fmt.Fprintf(&b, line, i)
	}
	_, err := Write(t.Context(), io.Discard, sessionOf(t, b.Bytes()), Options{Plain: true})
	if err == nil || !strings.Contains(err.Error(), "at most 2000 entries, got 2001") {
		t.Error(err)
	}
}

// A transcript that grows while its page is written gives the page of its first state. One that shrinks is an error.
func TestChangeWhileWriting(t *testing.T) {
	line := `{"type":"message","id":"%d","message":{"role":"user","content":"x"}}` + "\n"
	for _, test := range []struct{ second, want int }{{3, 2}, {1, -1}} {
		s := sessionOf(t, fmt.Appendf(nil, line+line, 1, 2))
		first, readings := s.Records, 0
		s.Records = func() iter.Seq2[*jsonl.Record, error] {
			if readings++; readings == 1 {
				return first()
			}
			return jsonl.Records(strings.NewReader(strings.Repeat(fmt.Sprintf(line, 1), test.second)), jsonl.Options{})
		}
		var b bytes.Buffer
		_, err := Write(t.Context(), &b, s, Options{})
		if test.want < 0 && err != errChanged || test.want >= 0 && len(entriesOf(t, b.String())) != test.want {
			t.Errorf("%d records: %v", test.second, err)
		}
	}
}

// Our part of a page is small.
func TestAssetSize(t *testing.T) {
	for name, page := range map[string]assembly{"session": sessionPage, "list": listPage, "plain": plainPage} {
		head, script := page()
		if size := len(head) + len(script); size > 150<<10 {
			t.Errorf("%s: %d bytes", name, size)
		}
	}
}

// A page takes less room than its transcript, and the memory to write it does not depend on the texts.
func TestPageSize(t *testing.T) {
	transcript := longTranscript(4000, 1)
	text, _ := pageOf(t, transcript, Options{})
	if share := float64(len(text)) / float64(len(transcript)); share > 0.6 {
		t.Errorf("the page has %.2f of the transcript's size", share)
	}
}

// Whoever writes many small pages makes the large buffers and the compressor once.
func TestManyPagesAllocateLittle(t *testing.T) {
	s := sessionOf(t, []byte(`{"type":"message","id":"a","message":{"role":"user","content":"hello"}}`+"\n"))
	write := func() {
		if _, err := Write(t.Context(), io.Discard, s, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	write()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 {
		write()
	}
	runtime.ReadMemStats(&after)
	// The race detector empties pools now and then.
	if each := (after.TotalAlloc - before.TotalAlloc) / 10; each > 768<<10 {
		t.Errorf("a page of one message allocates %d bytes", each)
	}
}
