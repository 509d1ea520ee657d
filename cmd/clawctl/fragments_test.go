package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"

	"clawctl/internal/longtest"
	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
)

// A fragment is repeated in a transcript until it has the size that a test needs. In text, {n} is the number of the
// repetition and {p} the one before it.
type fragment struct {
	name, text string
	into       func(text string) string // makes a transcript of the repeated fragment
	separator  string
}

// fragments are what texts, records and files may repeat without end.
var fragments = slicesOf(
	// Inside of a text: what looks like a secret.
	inTexts("password=", "password=1", "PASSWORD='1", "_auth=", "curl -u ", "-----BEGIN ",
		"-----BEGIN "+"PRIVATE KEY-----\nAa-b: ", "https://a:b@", "https://a:", "eyJ", ".eyJaaaaaaaa", "sk-",
		"/ABSK", "bearer ", "AKIA ", "bot12345678:AA", "a@b.c ", "ghp_0123456789012345678901234567890123456{n} "),
	// Marks of Markdown and HTML.
	inTexts("*", "**a", "_", "`", "``` ", "~~~\n", "[", "[](", "[a](b) ", "![", "<a ", "<b>",
		"<!--", "|a|b|\n|-|-|\n", "| ", "> ", "- a\n  ", "1. ", "# \n", "\\", "&amp;", "http://", "a\n\n", "    a\n", "=\n",
		"-\n"),
	// Characters.
	inTexts("\x1b[31m", "\x1b]8;;", "\x9b", "e\u0301", "\u0301", "👩\u200d👩\u200d👧", "\u200f", "\u202e", "\x00",
		"\r", "\n", "\r\n", " ", "\t", "a", "漢", "🇩🇪", "\ufeff", "\u2028", "1", "1,000.00 ", "aA1", "a ", "a, b. ",
		"\"", "'", "{", "{\"a\":", "/home/ada/x ", "data:image/png;base64,iVBORw0KGgo= "),
	[]fragment{
		inRaw(`\u0000`, stringOf), inRaw(`\ud800`, stringOf), inRaw(`\udc00\ud800`, stringOf), inRaw(`\/`, stringOf),
		inRaw(`\u0061`, stringOf), inRaw(`\\\"`, stringOf),
		{name: "base64 in an image", text: "iVBORw0K", into: imageOf},
		{name: "signature", text: "AbCd", into: signatureOf},
		{name: "arguments of a call", text: `"k{n}":"v",`, into: callOf},
		{name: "nested arguments", text: `"k":{"a":[1]},`, into: callOf},
		{name: "argument", text: `rm -rf {n} `, into: shellCallOf},
		{name: "result", text: "line {n} of a result\n", into: resultOf},
	},
	// Blocks of one message.
	inBlocks("user", `{"type":"text","text":"a"}`, `{"type":"text","text":""}`, `"a"`, `{}`, `null`, `[]`,
		`{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}`, `{"type":"odd{n}"}`,
		`{"type":"tool_result","tool_use_id":"c{n}","content":"r"}`, `{"type":"text","text":"\ud800"}`),
	inBlocks("assistant", `{"type":"thinking","thinking":"a"}`,
		`{"type":"thinking","thinking":"a","thinkingSignature":"x"}`,
		`{"type":"toolCall","id":"c{n}","name":"t","arguments":{}}`, `{"type":"toolCall","id":"c","name":"t","arguments":{}}`,
		`{"type":"toolCall","id":"c !{n}","name":"a b","arguments":{}}`, `{"type":"toolCall"}`,
		`{"type":"toolCall","id":"c{n}","name":"read","arguments":{"path":"/a/{n}"}}`),
	// Records.
	inRecords(
		`{"type":"message","id":"{n}","parentId":"{p}",TIME,"message":{"role":"user","content":"a"}}`,
		`{"type":"message","id":"{n}","parentId":"{p}",TIME,"message":{"role":"assistant",`+
			`"content":[{"type":"text","text":"a"}]}}`,
		`{"type":"message","id":"{n}","parentId":null,TIME,"message":{"role":"user","content":"a"}}`,
		`{"type":"message","id":"{n}","parentId":"0",TIME,"message":{"role":"user","content":"a"}}`,
		`{"type":"message","id":"{n}","parentId":"x{n}",TIME,"message":{"role":"user","content":"a"}}`,
		`{"type":"message","id":"{p}","parentId":"{n}",TIME,"message":{"role":"user","content":"a"}}`,
		`{"type":"message","id":"a","parentId":"a",TIME,"message":{"role":"user","content":"a"}}`,
		`{"type":"message","id":"a","parentId":null,TIME,"message":{"role":"user","content":"{n}"}}`,
		`{"type":"message","message":{"role":"user","content":"a"}}`,
		`{"type":"message","id":"{n}","parentId":"{p}",TIME,"message":{}}`,
		`{"type":"message","id":"{n}","parentId":"{p}",TIME,"message":{"role":"assistant",`+
			`"content":[{"type":"toolCall","id":"c{n}","name":"t","arguments":{}}]}}`,
		`{"type":"message","id":"{n}","parentId":"{p}",TIME,"message":{"role":"toolResult","toolCallId":"c","content":[]}}`,
		`{"type":"message","id":"{n}","parentId":"{p}",TIME,"message":{"role":"toolResult",`+
			`"toolCallId":"c{n}","content":[]}}`,
		`{"type":"message","id":"{n}","parentId":"{p}",TIME,"message":{"role":"assistant","content":[],"errorMessage":"e"}}`,
		`{"type":"message","id":"{n}","parentId":"{p}",TIME,"message":{"role":"bashExecution","command":"a","output":"b"}}`,
		`{"type":"message","id":"{n}","parentId":"{p}",TIME,"message":{"role":"assistant","content":[],"model":"m{n}",`+
			`"usage":{"input":1,"output":1}}}`,
		`{"type":"message","id":"{n}","parentId":"{p}","timestamp":"2026-05-01T00:00:{n}Z",`+
			`"message":{"role":"user","content":"a"}}`,
		`{"type":"session","id":"{n}"}`,
		`{"type":"compaction","id":"{n}","parentId":"{p}",TIME,"summary":"s","firstKeptEntryId":"{p}","tokensBefore":1}`,
		`{"type":"compaction","id":"{n}","parentId":"{p}",TIME,"summary":"s","firstKeptEntryId":"0","tokensBefore":1}`,
		`{"type":"branch_summary","id":"{n}","parentId":"{p}",TIME,"fromId":"{p}","summary":"s"}`,
		`{"type":"leaf","id":"{n}","parentId":"{p}",TIME,"targetId":"{p}"}`, `{"type":"leaf","id":"{n}","targetId":"x"}`,
		`{"type":"label","id":"{n}","parentId":"{p}",TIME,"targetId":"{p}","label":"l"}`,
		`{"type":"session_info","id":"{n}","parentId":"{p}",TIME,"name":"n"}`,
		`{"type":"custom","id":"{n}","parentId":"{p}",TIME,"customType":"t","data":{}}`,
		`{"type":"custom_message","id":"{n}","parentId":"{p}",TIME,"customType":"t","content":"c","display":true}`,
		`{"type":"model_change","id":"{n}","parentId":"{p}",TIME,"provider":"p","modelId":"m"}`,
		`{"type":"thinking_level_change","id":"{n}","parentId":"{p}",TIME,"thinkingLevel":"low"}`,
		`{"type":"checkpoint","id":"{n}","parentId":"{p}",TIME,"checkpoint":{"summary":"s"}}`,
		`{"type":"odd{n}"}`, `{"a":1}`, `{}`, `[]`, `1`, `"a"`, `{`, `{"type":"mess`, "\x00", "", "  ", "\r",
	),
	// Bytes of a file, without lines.
	[]fragment{
		inRaw(`[`, fileOf), inRaw(`{"a":`, fileOf), inRaw(`{}`, fileOf), inRaw(`"a",`, fileOf), inRaw("\xff", fileOf),
		inRaw("\x00", fileOf), inRaw("\xef\xbb\xbf", fileOf),
	},
)

func slicesOf(lists ...[]fragment) (all []fragment) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

func inTexts(texts ...string) (list []fragment) {
	for _, text := range texts {
		quoted := jsonl.Quote(text)
		list = append(list, inRaw(quoted[1:len(quoted)-1], stringOf))
	}
	return list
}

func inRaw(text string, into func(string) string) fragment {
	return fragment{name: strconv.Quote(text), text: text, into: into}
}

func inBlocks(role string, blocks ...string) (list []fragment) {
	into := func(text string) string {
		return firstRecords + `{"type":"message","id":"m","parentId":"u",` + aTime + `,"message":{"role":"` + role +
			`","content":[` + text + `]}}` + "\n"
	}
	for _, block := range blocks {
		list = append(list, fragment{name: "block " + block, text: block, into: into, separator: ","})
	}
	return list
}

func inRecords(records ...string) (list []fragment) {
	for _, record := range records {
		text := strings.ReplaceAll(record, "TIME", aTime)
		list = append(list, fragment{name: "record " + record, text: text, separator: "\n",
			into: func(text string) string { return firstRecords + text + "\n" }})
	}
	return list
}

const (
	aTime        = `"timestamp":"2026-05-01T00:00:01.000Z"`
	firstRecords = `{"type":"session","version":3,"id":"11111111-1111-4111-8111-111111111111",` + aTime + `,"cwd":"/"}
{"type":"message","id":"u","parentId":null,` + aTime + `,"message":{"role":"user","content":"hello"}}
`
)

// answerWith returns a transcript with an answer that has a block.
func answerWith(block string) string {
	return firstRecords + `{"type":"message","id":"m","parentId":"u",` + aTime + `,"message":{"role":"assistant",` +
		`"content":[` + block + `]}}` + "\n"
}

func stringOf(text string) string { return answerWith(`{"type":"text","text":"` + text + `"}`) }

func imageOf(text string) string {
	return firstRecords + `{"type":"message","id":"m","parentId":"u",` + aTime + `,"message":{"role":"user","content":[` +
		`{"type":"image","mimeType":"image/png","data":"` + text + `"}]}}` + "\n"
}

func signatureOf(text string) string {
	return answerWith(`{"type":"thinking","thinking":"t","thinkingSignature":"` + text + `"}`)
}

func callOf(text string) string {
	return answerWith(`{"type":"toolCall","id":"c","name":"t","arguments":{` + text + `"last":1}}`)
}

func shellCallOf(text string) string {
	return answerWith(`{"type":"toolCall","id":"c","name":"bash","arguments":{"command":"` + text + `"}}`)
}

func resultOf(text string) string {
	return shellCallOf("ls") + `{"type":"message","id":"r","parentId":"m",` + aTime + `,"message":{"role":"toolResult",` +
		`"toolCallId":"c","toolName":"bash","content":[{"type":"text","text":` + jsonl.Quote(text) + `}]}}` + "\n"
}

func fileOf(text string) string { return firstRecords + text }

// transcript returns a transcript that repeats the fragment in about as many bytes.
func (f *fragment) transcript(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteString(f.separator)
		}
		text := strings.ReplaceAll(f.text, "{n}", strconv.Itoa(i))
		b.WriteString(strings.ReplaceAll(text, "{p}", strconv.Itoa(i-1)))
	}
	return f.into(b.String())
}

// fragmentCommands are run on every fragment. FILE is the transcript, SHORT a shorter one, STORE a store that it is
// imported into, and OUT a path that does not exist.
var fragmentCommands = []string{
	"import FILE --to STORE", "verify FILE --against STORE", "export STORE -o OUT", "cat STORE",
	"cat FILE", "cat FILE --as openclaw", "tail FILE", "sessions FILE", "stats FILE", "validate FILE", "du FILE",
	"show FILE", "show FILE --tools full --thinking --width 60", "show FILE --tree", "show FILE --format markdown",
	"show FILE --format html", "show FILE --format html --plain", "show FILE --format json", "search zzz FILE",
	"search a FILE", "search -e [a-z]+=. FILE", "rebuild FILE", "rebuild FILE --as openai", "rebuild FILE --as native",
	"rebuild FILE --request --fit 2000 --trim", "tokens FILE --by block", "context FILE --window 200k",
	"compact FILE --plan --keep 100", "compact FILE --offline --keep 100", "checkpoint FILE --offline",
	"flush FILE --window 200k --report", "diff FILE FILE", "diff FILE SHORT", "redact FILE -o OUT", "redact FILE --check",
	"redact FILE --check --emails --phones --ips --paths", "slim FILE -o OUT --over 1k", "repair FILE",
	"export FILE --as parquet -o OUT", "export FILE --as atif -o OUT", "export FILE --as openai-finetune -o OUT",
	"export FILE --as postgres -o OUT", "export FILE --as markdown -o OUT", "export FILE --as html -o OUT",
}

// storeCommands is how many of the commands need the store that the first one makes.
const storeCommands = 4

// fragmentFolder writes the transcripts of a fragment: FILE, and SHORT, which has the half of it.
func fragmentFolder(t *testing.T, f *fragment, size int) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range map[string]string{"FILE": f.transcript(size), "SHORT": f.transcript(size / 2)} {
		testkit.Write(t, filepath.Join(folder, name+".jsonl"), text)
	}
	return folder
}

// removeFolders removes the folders of a fragment, because those of all fragments would fill a disk.
func removeFolders(t *testing.T, folders []string) {
	t.Helper()
	for _, folder := range folders {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	}
}

func fragmentArguments(command, folder string, number int) (args []string) {
	places := map[string]string{
		"FILE": filepath.Join(folder, "FILE.jsonl"), "SHORT": filepath.Join(folder, "SHORT.jsonl"),
		"STORE": filepath.Join(folder, "store.db"), "OUT": filepath.Join(folder, fmt.Sprint("out", number)),
	}
	for _, word := range strings.Fields(command) {
		if place := places[word]; place != "" {
			word = place
		}
		args = append(args, word)
	}
	return append(args, "--no-pager")
}

// allocated runs a command and returns how many bytes it allocated.
func allocated(args []string) float64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	before := sample[0].Value.Uint64()
	inProcess("", args...)
	metrics.Read(sample)
	return float64(sample[0].Value.Uint64() - before)
}

// allocatedIn returns what a command allocates in a folder with a small input, and in one with a large input.
func allocatedIn(folders []string, command string, number int) (small, large float64) {
	small = allocated(fragmentArguments(command, folders[0], number))
	return small, allocated(fragmentArguments(command, folders[1], number))
}

// No command allocates more than in proportion to its input, whatever the input repeats. A command that held, copied or
// searched everything once for each fragment would allocate sixteen times as much for four times the input. make long
// tries all combinations instead of every hundredth, and measures the processor time of every tenth with larger inputs.
func TestFragmentsAllocateInProportion(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("runs every command on many inputs")
	}
	const small, large = 8 << 10, 32 << 10
	step := longtest.Rounds(t, "CLAWCTL_STEP", 100, 1)
	for number, command := range fragmentCommands {
		folder := fragmentFolder(t, &fragments[0], small)
		inProcess("", fragmentArguments(command, folder, number)...) // what is made once for all
	}
	for i := range fragments {
		f := &fragments[i]
		folders := []string{fragmentFolder(t, f, small), fragmentFolder(t, f, large)}
		for number, command := range fragmentCommands {
			if (i+max(number, storeCommands))%step != 0 {
				continue
			}
			a, b := allocatedIn(folders, command, number)
			if b > 5*a+(1<<20) { // once, a collection of garbage may have emptied the pools of buffers
				again := []string{fragmentFolder(t, f, small), fragmentFolder(t, f, large)}
				a, b = allocatedIn(again, command, number)
				removeFolders(t, again)
			}
			if b > 5*a+(1<<20) {
				t.Errorf("%s: %s: %.0f kB for %d kB, %.0f kB for %d kB", f.name, command, a/1000, small/1000, b/1000, large/1000)
			}
		}
		removeFolders(t, folders)
	}
	t.Logf("%d fragments, %d commands", len(fragments), len(fragmentCommands))
}
