package rebuildtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// PiTranscript returns a transcript in the form of pi 1.x for a seed, with everything that only pi writes.
func PiTranscript(seed uint64) []byte {
	w := &talker{Rand: rand.New(rand.NewPCG(seed, 2))}
	w.lines = append(w.lines, `{"type":"session","version":3,"id":"s","timestamp":"2026-11-01T10:00:00.000Z","cwd":"/w"}`)
	w.system()
	for range 2 + w.IntN(40) {
		w.piStep()
	}
	return []byte(strings.Join(w.lines, "\n") + "\n")
}

func (w *talker) system() {
	content := w.of(`""`, `"Be brief."`, `null`, `[{"type":"text","text":"x"}]`)
	w.row("message", `"message":{"role":"system","content":`+content+`,"sections":{"`+w.of("cwd", "tools")+`":`+
		w.of(`"/w"`, `null`, `"new"`)+`},"toolsAdded":[{"name":"`+
		w.of("read", "bash")+`","description":"d","parameters":{"type":"object"}}],"toolsRemoved":[{"name":"bash"}],`+
		`"timestamp":1793527200000}`)
}

func (w *talker) piStep() {
	switch w.IntN(10) {
	case 0:
		w.system()
	case 1, 2:
		target := "gone"
		if n := len(w.ids); n > 0 && w.maybe(90) {
			target = w.ids[w.IntN(n)]
		}
		w.row("context_edit", fmt.Sprintf(`"targetId":%q,"replacement":%s`, target,
			w.of(`null`, `{"content":"edited"}`, `{"content":[{"type":"text","text":"edited"}]}`, w.of(oddReplacements...))))
	case 3:
		w.row("usage", `"kind":"cache_warm","provider":"anthropic","model":"m","usage":`+piUsage)
	case 4:
		kept := fmt.Sprintf("e%d", len(w.lines)) // its own id: it keeps nothing
		if w.maybe(60) && len(w.ids) > 0 {
			kept = w.ids[w.IntN(len(w.ids))]
		}
		w.row("compaction", fmt.Sprintf(`"summary":"so far","tokensBefore":1,"firstKeptEntryId":%q,"usage":%s%s`,
			kept, piUsage, w.of("", `,"systemMessage":{"role":"system","content":"","sections":{"cwd":"/w"},"timestamp":1}`)))
	default:
		w.step()
	}
}

// oddReplacements are replacements that pi reads, but does not write.
var oddReplacements = []string{
	`{}`, `7`, `"edited"`, `[]`, `{"content":null}`, `{"content":7}`, `{"content":""}`, `{"content":[]}`,
	`{"content":{"type":"text","text":"edited"}}`, `{"content":[[1],null,"x",{"type":"odd"},{"type":"text"}]}`,
}

const piUsage = `{"input":10,"output":5,"cacheRead":2,"cacheWrite":1,"totalTokens":18,"cost":{"total":0.5,` +
	`"totalFromProvider":false}}`
