package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"clawctl/pkg/change/secrets"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild/rebuildtest"
)

// positions are where a text can be in a transcript. %s is the text as the inside of a JSON string.
var positions = map[string]string{
	"user text": `{"type":"message","id":"a1","parentId":null,"timestamp":"2026-05-01T10:00:01.000Z",` +
		`"message":{"role":"user","content":"%s"}}`,
	"answer": `{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-05-01T10:00:02.000Z",` +
		`"message":{"role":"assistant","content":[{"type":"text","text":"%s"}],"stopReason":"stop"}}`,
	"thinking": `{"type":"message","id":"a3","parentId":"a2","timestamp":"2026-05-01T10:00:03.000Z",` +
		`"message":{"role":"assistant","content":[{"type":"thinking","thinking":"%s"},{"type":"text","text":"x"}]}}`,
	"arguments": `{"type":"message","id":"a4","parentId":"a3","timestamp":"2026-05-01T10:00:04.000Z",` +
		`"message":{"role":"assistant","content":[{"type":"toolCall","id":"t1","name":"bash",` +
		`"arguments":{"command":["%s"],"id":1}}],"stopReason":"toolUse"}}`,
	"result": `{"type":"message","id":"a5","parentId":"a4","timestamp":"2026-05-01T10:00:05.000Z",` +
		`"message":{"role":"toolResult","toolCallId":"t1","toolName":"bash","isError":false,` +
		`"content":[{"type":"text","text":"%s"}]}}`,
	"details": `{"type":"message","id":"a6","parentId":"a5","timestamp":"2026-05-01T10:00:06.000Z",` +
		`"message":{"role":"toolResult","toolCallId":"t1","toolName":"bash","isError":false,"content":[],` +
		`"details":{"id":{"deep":["%s"]}}}}`,
	"shell": `{"type":"message","id":"a7","parentId":"a6",` +
		`"message":{"role":"bashExecution","command":"ls","output":"%s"}}`,
	"header": `{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w/%s"}`,
	"title":  `{"type":"session_info","id":"a8","parentId":"a7","timestamp":"2026-05-01T10:00:07.000Z","name":"%s"}`,
	"summary": `{"type":"compaction","id":"a9","parentId":"a8","timestamp":"2026-05-01T10:00:08.000Z",` +
		`"summary":"%s","firstKeptEntryId":"a8","tokensBefore":1}`,
	"custom": `{"type":"custom","customType":"x","data":{"list":[{"%s":true}]},"id":"b1","parentId":"a9"}`,
	"failure": `{"type":"message","id":"b2","parentId":"b1","message":{"role":"assistant","content":[],` +
		`"errorMessage":"%s"}}`,
	"label":       `{"type":"label","id":"b3","parentId":"b2","targetId":"a1","label":"%s"}`,
	"claw0":       `{"type":"tool_result","tool_use_id":"t1","content":"%s","ts":1}`,
	"damaged":     `{"type":"message","id":"b4","message":{"role":"user","content":"%s`,
	"nested JSON": `{"type":"message","id":"b5","parentId":"b3","message":{"role":"user","content":"{\"a\":\"%s\"}"}}`,
}

// inside returns a text as the inside of a JSON string, that many times.
func inside(text string, times int) string {
	for range times {
		quoted := jsonl.Quote(text)
		text = quoted[1 : len(quoted)-1]
	}
	return text
}

// redacted returns a transcript without its secrets.
func redacted(t testing.TB, text string, rules ...*secrets.Rule) (string, *Redactor) {
	t.Helper()
	survey := NewSurvey(rules...)
	if _, err := survey.Session(strings.NewReader(text), jsonl.Options{}); err != nil {
		t.Fatal(err)
	}
	r := survey.Redactor()
	var out bytes.Buffer
	if err := r.Session(strings.NewReader(text), &out, jsonl.Options{}); err != nil {
		t.Fatal(err)
	}
	return out.String(), r
}

// Every rule finds its secrets in every position, and nothing of them is left.
func TestPlantedSecrets(t *testing.T) {
	rules := secrets.Rules()
	if len(rules) < 60 || len(positions) < 12 {
		t.Fatal(len(rules), "rules,", len(positions), "positions")
	}
	planted, missed := 0, 0
	for place, line := range positions {
		for _, rule := range rules {
			for seed := range uint64(1) {
				example, parts := rule.Generate(seed)
				times := 1
				if place == "nested JSON" {
					times = 2
				}
				text := strings.Replace(line, "%s", inside("see "+example+" there", times), 1) + "\n"
				got, r := redacted(t, text)
				planted++
				if r.Counts.Places[rule.Name] == 0 || holdsAny(got, parts) {
					missed++
					t.Errorf("%s in %s: %v\n%s", rule.Name, place, r.Counts.Places, got)
				}
				if strings.Contains(text, "}\n") && place != "damaged" && !json.Valid([]byte(got)) {
					t.Errorf("%s in %s: no JSON: %s", rule.Name, place, got)
				}
			}
		}
	}
	t.Logf("%d secrets of %d rules in %d positions, %d missed", planted, len(rules), len(positions), missed)
}

func holdsAny(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return len(p) >= 12 && strings.Contains(text, inside(p, 1)) })
}

// key returns a made-up token.
func key(seed uint64) string {
	for _, r := range secrets.Rules() {
		if r.Name == "github-token" {
			text, _ := r.Generate(seed)
			return text
		}
	}
	panic("no such rule")
}

// What is changed in a line, and what is not.
func TestRewrite(t *testing.T) {
	one, two := key(1), key(2)
	for name, test := range map[string]struct{ text, want string }{
		"the same secret has the same placeholder": {
			fmt.Sprintf(`{"type":"message","a":"%s %s","b":"%s"}`, one, two, one),
			`{"type":"message","a":"[redacted:github-token:1] [redacted:github-token:2]","b":"[redacted:github-token:1]"}`,
		},
		"other bytes stay": {
			`{ "type" : "message",  "é\u00e9\ud83d": [1.0e0 , "\u0041\/` + "\xff" + ` ` + one + `\n"] }`,
			`{ "type" : "message",  "é\u00e9\ud83d": [1.0e0 , "\u0041\/` + "\xff" + ` [redacted:github-token:1]\n"] }`,
		},
		"ids stay": {
			fmt.Sprintf(`{"type":"message","id":"%s","parentId":"%s","message":{"role":"user","content":"%s"}}`, one, one, one),
			fmt.Sprintf(`{"type":"message","id":"%s","parentId":"%s","message":{"role":"user",`+
				`"content":"[redacted:github-token:1]"}}`, one, one),
		},
		"an id in arguments is no id": {
			fmt.Sprintf(`{"type":"message","message":{"content":[{"type":"toolCall","id":"t","name":"x",`+
				`"arguments":{"id":"%s"}}]}}`, one),
			`{"type":"message","message":{"content":[{"type":"toolCall","id":"t","name":"x",` +
				`"arguments":{"id":"[redacted:github-token:1]"}}]}}`,
		},
		"signed thinking goes": {
			fmt.Sprintf(`{"type":"message","message":{"role":"assistant","content":[{"type":"thinking","thinking":"%s",`+
				`"thinkingSignature":"AbC="},{"type":"text","text":"a"},{"type":"thinking","thinking":"b",`+
				`"thinkingSignature":"c"}]}}`, one),
			`{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"a"},` +
				`{"type":"thinking","thinking":"b","thinkingSignature":"c"}]}}`,
		},
		"the last block too": {
			fmt.Sprintf(`{"type":"message","message":{"content":[{"type":"text","text":"a"} , {"type":"thinking",`+
				`"thinking":"%s","signature":"x"} ]}}`, one),
			`{"type":"message","message":{"content":[{"type":"text","text":"a"} ]}}`,
		},
		"a message is never empty": {
			fmt.Sprintf(`{"type":"message","message":{"content":[{"type":"redacted_thinking","data":"%s"}]}}`, one),
			`{"type":"message","message":{"content":[{"type":"text","text":"[redacted:thinking]"}]}}`,
		},
		"unsigned thinking stays": {
			fmt.Sprintf(`{"type":"message","message":{"content":[{"type":"thinking","thinking":"%s",`+
				`"thinkingSignature":""}]}}`, one),
			`{"type":"message","message":{"content":[{"type":"thinking","thinking":"[redacted:github-token:1]"}]}}`,
		},
		"a signature of changed text goes": {
			fmt.Sprintf(`{"type":"message","message":{"content":[{"type":"text","text":"%s","textSignature":"s"},`+
				`{"type":"text","text":"b","textSignature":"s"}]}}`, one),
			`{"type":"message","message":{"content":[{"type":"text","text":"[redacted:github-token:1]"},` +
				`{"type":"text","text":"b","textSignature":"s"}]}}`,
		},
		"a found secret is found everywhere": {
			`{"a":"DB_PASSWORD=Tr0ub4dor-and-3","b":"type Tr0ub4dor-and-3 now"}`,
			`{"a":"DB_PASSWORD=[redacted:env-secret:1]","b":"type [redacted:env-secret:1] now"}`,
		},
		"a placeholder shows no other secret": { // the first line is the widest, until a part of it is replaced
			`{"type":"message","a":"[INFO] switch_unix.go:1174 req=7b6c0de6-3333-4d43-af0c-2051265c4cd4 func (sw *Switch) ` +
				`addLocked(s, family, sotype, proto int) *Status {  sw.once.Do(sw.init)  so := S{Cookie: a=b; cookie(f dur=454\n` +
				`lenclosing.go\nq=05b3f-4cea-ab7c-"}`,
			`{"type":"message","a":"[INFO] switch_unix.go:1174 req=7b6c0de6-3333-4d43-af0c-2051265c4cd4 func (sw *Switch) ` +
				`addLocked(s, family, sotype, proto int) *Status {  sw.once.Do(sw.init)  so := S{Cookie: a=b; cookie(f dur=` +
				`[redacted:cookie:1]\nq=[redacted:cookie:2]"}`,
		},
		"UTF-16 goes":    {"a\n" + strings.Join(strings.Split(one, ""), "\x00") + "\n", "a\n"},
		"a line of text": {"no JSON " + one + "\r\n", "no JSON [redacted:github-token:1]\r\n"},
	} {
		if got, _ := redacted(t, test.text); got != test.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, test.want)
		}
	}
}

// The rules that users ask for.
func TestPersonalRules(t *testing.T) {
	for name, test := range map[string]struct {
		rules      []*secrets.Rule
		text, want string
	}{
		"emails": {[]*secrets.Rule{secrets.Emails()}, "me+x@mail.example.com, git@host:a", "[redacted:email:1], git@host:a"},
		"phones": {[]*secrets.Rule{secrets.Phones()},
			"+49 170 1234567 or (415) 555-2671, 2026-05-01T10:00:00 and 1b671a64-40d5-4919-9960-da01ff1f3341",
			"[redacted:phone:1] or [redacted:phone:2], 2026-05-01T10:00:00 and 1b671a64-40d5-4919-9960-da01ff1f3341"},
		"ips": {[]*secrets.Rule{secrets.IPs()},
			"10.1.2.3:80 127.0.0.1 1.2.3.400 10:00:00 fe80::1 2001:db8:0:0:0:0:0:1 a::b::c",
			"[redacted:ip:1]:80 127.0.0.1 1.2.3.400 10:00:00 [redacted:ip:2] [redacted:ip:3] a::b::c"},
		"users": {[]*secrets.Rule{secrets.Users()},
			`/home/alice/x C:\Users\Bob Smith /Users/Shared alice malice /home/root root`,
			`/home/[redacted:user:1]/x C:\Users\[redacted:user:2] Smith /Users/Shared [redacted:user:1] malice ` +
				`/home/[redacted:user:3] root`},
		"values": {[]*secrets.Rule{secrets.Literal("value", `pa"ss wörd`), secrets.Literal("value", "hunter2")},
			`x hunter2 and pa"ss wörd, hunter2`, "x [redacted:value:1] and [redacted:value:2], [redacted:value:1]"},
	} {
		text := `{"type":"custom","data":` + jsonl.Quote(test.text) + `,"id":"+4917012345678"}`
		want := `{"type":"custom","data":` + jsonl.Quote(test.want) + `,"id":"+4917012345678"}`
		if got, _ := redacted(t, text, test.rules...); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
}

// plant puts secrets into random strings of a transcript.
func plant(dice *rand.Rand, text string) string {
	rules := secrets.Rules()
	var b strings.Builder
	for line := range strings.Lines(text) {
		if at := strings.Index(line, `"text":"`); at >= 0 && dice.IntN(2) == 0 {
			example, _ := rules[dice.IntN(len(rules))].Generate(dice.Uint64N(4))
			line = line[:at+8] + inside(example+" ", 1) + line[at+8:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// Redacting twice changes nothing more, lines without a secret stay, and every record keeps its id.
func TestProperties(t *testing.T) {
	for seed := range uint64(100) {
		dice := rand.New(rand.NewPCG(seed, 1))
		clean := string(rebuildtest.Transcript(seed))
		text := plant(dice, clean)
		once, r := redacted(t, text)
		if twice, again := redacted(t, once); twice != once || again.Counts.Total() > 0 {
			t.Fatalf("seed %d: %d places are left", seed, again.Counts.Total())
		}
		before, after := strings.SplitAfter(text, "\n"), strings.SplitAfter(once, "\n")
		if len(before) != len(after) {
			t.Fatalf("seed %d: %d lines became %d", seed, len(before), len(after))
		}
		changed := 0
		for i := range before {
			if before[i] != after[i] {
				changed++
			}
			if idOf(before[i]) != idOf(after[i]) {
				t.Fatalf("seed %d: line %d has another id", seed, i+1)
			}
		}
		if changed > 0 && r.Counts.Total()+r.Counts.Thinking == 0 {
			t.Fatalf("seed %d: %d lines changed without a reason", seed, changed)
		}
	}
}

func idOf(line string) string {
	var record struct{ ID any }
	_ = json.Unmarshal([]byte(line), &record)
	return fmt.Sprint(record.ID)
}

// FuzzRedact checks that valid JSON stays valid JSON, and that nothing is left.
func FuzzRedact(f *testing.F) {
	for _, line := range positions {
		f.Add(strings.Replace(line, "%s", key(1), 1))
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, r := redacted(t, text)
		if strings.Count(got, "\n") > strings.Count(text, "\n") {
			t.Fatalf("%q has more lines than %q", got, text)
		}
		for line := range strings.Lines(text) {
			if !json.Valid([]byte(line)) {
				return
			}
		}
		for line := range strings.Lines(got) {
			if !json.Valid([]byte(line)) {
				t.Fatalf("%q is no JSON", line)
			}
		}
		if _, again := redacted(t, got); again.Counts.Total() > sumOf(r.Counts.Kept) {
			t.Fatalf("%q still has secrets", got)
		}
	})
}

// What is in a placeholder or overlaps one is left out, and nothing else.
func TestUnmarked(t *testing.T) {
	text := "0123[redacted:a:1]8901[redacted:b:22]4567"
	var matches []secrets.Match
	for _, m := range [][2]int{{0, 2}, {3, 5}, {6, 9}, {17, 18}, {18, 22}, {22, 30}, {36, 38}, {38, 40}} {
		matches = append(matches, secrets.Match{Start: m[0], End: m[1]})
	}
	kept := ""
	for _, m := range unmarked([]byte(text), matches) {
		kept += fmt.Sprint(m.Start, "-", m.End, " ")
	}
	if want := "0-2 18-22 38-40 "; kept != want {
		t.Errorf("kept %s, want %s", kept, want)
	}
}

func sumOf(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// Names stay as they are. What they have of secrets is listed once for each name, without the secret.
func TestLeftNames(t *testing.T) {
	const token = "ghp_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"
	r := NewSurvey().Redactor()
	index := []byte(`{"agent:main:` + token + `":{"sessionId":"a","label":"` + token + `"}}`)
	if text := string(r.JSON(index, true)); !strings.Contains(text, `"agent:main:`+token+`"`) ||
		strings.Count(text, token) != 1 {
		t.Errorf("the index became %s", text)
	}
	for range 2 {
		r.KeepName(FileName, "x/"+token+".jsonl")
	}
	r.KeepName(FileName, "x/plain.jsonl")
	records := strings.NewReader(`{"type":"message","id":"` + token + `","message":{"role":"user","content":"` +
		token + `"}}`)
	for rec, err := range jsonl.Records(records, jsonl.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		r.KeepIDs(rec)
	}
	want := []LeftName{
		{FileName, "x/[redacted:github-token:1].jsonl"}, {ID, "[redacted:github-token:1]"},
		{SessionKey, "agent:main:[redacted:github-token:1]"},
	}
	if got := r.Counts.Left(); !slices.Equal(got, want) {
		t.Errorf("left %v, want %v", got, want)
	}
}
