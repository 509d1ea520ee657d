package jsonl_test

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"clawctl/pkg/change/slim"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/read/search"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/report/du"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
	"clawctl/pkg/tokens"
)

// spellings are blocks of every kind, in every form that some program writes. Those of a line mean the same.
var spellings = [][]string{
	{`{"type":"text","text":"needle"}`, `{"text":"needle","type":"text"}`, `{"ty\u0070e":"te\u0078t","text":"needle"}`},
	{`{"type":"thinking","thinking":"needle"}`, `{"type":"thinking","text":"needle"}`},
	{`{"type":"thinking","thinking":"needle","thinkingSignature":"` + signature + `"}`,
		`{"type":"thinking","thinking":"needle","signature":"` + signature + `"}`},
	{`{"type":"redacted_thinking","data":"` + signature + `"}`},
	{`{"type":"image","mimeType":"image/png","data":"` + pixel + `"}`,
		`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}`},
	calls("toolCall", "toolUse", "functionCall", "tool_use", "tool_call", "function_call"),
	{`{"type":"tool_result","tool_use_id":"c","content":"needle","is_error":true}`,
		`{"type":"toolResult","tool_use_id":"c","content":[{"type":"text","text":"needle"}],"is_error":true}`},
}

const (
	signature = "CgYKBGFiY2QSCgoIYWJjZGVmZ2gaCgoIYWJjZGVmZ2g="
	pixel     = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
)

// calls returns a tool call under several types, with every spelling of its fields.
func calls(types ...string) (list []string) {
	for _, name := range types {
		for _, id := range []string{"id", "tool_use_id"} {
			for _, arguments := range []string{"arguments", "input"} {
				list = append(list, fmt.Sprintf(`{"type":%q,%q:"c","name":"read",%q:{"path":"needle"}}`, name, id, arguments))
			}
		}
	}
	return list
}

// places are the readers of blocks. Each returns what it makes of a transcript.
var places = map[string]func(t *testing.T, text []byte) []any{
	"parts": func(t *testing.T, text []byte) (out []any) {
		var maker parts.Maker
		for rec := range records(t, text) {
			for _, p := range maker.Entry(rec).Parts {
				out = append(out, fmt.Sprint(p.Kind, p.Text(), p.Name.String(), p.Call.String(), p.Failed))
			}
		}
		return out
	},
	"tokens": func(t *testing.T, text []byte) (out []any) {
		for rec := range records(t, text) {
			if m, ok := rec.Message(); ok {
				tokens.EachCost(m, lengths{}, func(c tokens.BlockCost) { out = append(out, c) })
			}
		}
		return out
	},
	"rebuild": func(t *testing.T, text []byte) (out []any) {
		ix, err := rebuild.Scan(jsonl.NewReader(bytes.NewReader(text), jsonl.Options{}), nil)
		check(t, err)
		context, err := ix.Context("")
		check(t, err)
		again := jsonl.Records(bytes.NewReader(text), jsonl.Options{})
		check(t, context.Conversation(rebuild.LimitsOf("anthropic")).Anthropic(again, func(message []byte) error {
			out = append(out, string(message))
			return nil
		}))
		return out
	},
	"search": func(t *testing.T, text []byte) (out []any) {
		term, err := search.Literal("needle", search.Options{})
		check(t, err)
		scan := search.Scan{Query: &search.Query{Any: []*search.Term{term}}, Scope: &search.Scope{Places: map[string]bool{}}}
		for _, place := range search.Places {
			scan.Scope.Places[place] = true
		}
		_, err = scan.Each(t.Context(), bytes.NewReader(text), func(h search.Hit) error {
			out = append(out, fmt.Sprint(h.Kind, h.Text, h.Tool, h.Failed))
			return nil
		})
		check(t, err)
		return out
	},
	"slim": func(t *testing.T, text []byte) (out []any) {
		c := slim.Copier{Options: slim.Options{Over: 1, Drop: map[slim.Kind]bool{}}}
		for _, kind := range slim.Kinds {
			c.Drop[kind] = true
		}
		_, err := c.Copy(bytes.NewReader(text), io.Discard, "", jsonl.Options{})
		check(t, err)
		for _, kind := range slim.Kinds {
			if sizes := c.Tally[kind]; sizes != nil {
				out = append(out, fmt.Sprint(kind, sizes.Pieces))
			}
		}
		return out
	},
	"stats": func(t *testing.T, text []byte) []any {
		opts := stats.Options{By: []string{"tool"}}
		result, err := stats.Collect(t.Context(), []*source.Session{sessionOf(t, text)}, opts)
		check(t, err)
		report := stats.NewReport(result, opts, 0)
		return []any{report.TallyReport, report.By}
	},
	"du": func(t *testing.T, text []byte) (out []any) {
		views := []du.View{du.Content, du.Tool}
		report, err := du.Collect(t.Context(), nil, []*source.Session{sessionOf(t, text)}, du.Options{Views: views})
		check(t, err)
		for _, view := range views {
			for _, share := range report.By[view] {
				out = append(out, fmt.Sprint(share.Name, share.Count))
			}
		}
		slices.SortFunc(out, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		return out
	},
}

// Whatever a block is called, every reader makes the same of it.
func TestBlocksMeanTheSameEverywhere(t *testing.T) {
	for _, blocks := range spellings {
		for name, read := range places {
			want := read(t, transcriptWith(blocks[0]))
			for _, block := range blocks[1:] {
				if got := read(t, transcriptWith(block)); !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %s gives\n%v, and not\n%v", name, block, got, want)
				}
			}
		}
	}
}

// transcriptWith returns a transcript with a block in an answer, or in a message of the user if it is an image or a
// result.
func transcriptWith(block string) []byte {
	const call = `{"type":"toolCall","id":"c","name":"read","arguments":{}}`
	answer, reply := block, `{"type":"text","text":"ok"}`
	switch b := jsonl.ReadBlock(jsonl.Value(block)); b.Kind {
	case jsonl.BlockImage:
		answer, reply = reply, block
	case jsonl.BlockToolResult:
		answer, reply = call, block
	case jsonl.BlockThinking, jsonl.BlockRedacted:
		answer += "," + call
		reply = `{"type":"tool_result","tool_use_id":"c","content":"ok"}`
	}
	lines := []string{
		`{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z"}`,
		message("a", "null", "user", `{"type":"text","text":"begin"}`),
		message("b", `"a"`, "assistant", answer),
		message("c", `"b"`, "user", reply),
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

func message(id, parent, role, block string) string {
	return `{"type":"message","id":"` + id + `","parentId":` + parent + `,"timestamp":"2026-05-01T10:00:01.000Z",` +
		`"message":{"role":"` + role + `","api":"anthropic-messages","provider":"anthropic","model":"claude",` +
		`"content":[` + block + `]}}`
}

func records(t *testing.T, text []byte) iter.Seq[*jsonl.Record] {
	return func(yield func(*jsonl.Record) bool) {
		for rec, err := range jsonl.Records(bytes.NewReader(text), jsonl.Options{}) {
			check(t, err)
			if !yield(rec) {
				return
			}
		}
	}
}

// lengths counts bytes.
type lengths struct{}

func (lengths) Count(text string) int { return len(text) }

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func sessionOf(t *testing.T, text []byte) *source.Session {
	t.Helper()
	file := filepath.Join(t.TempDir(), "s.jsonl")
	check(t, os.WriteFile(file, text, 0o600))
	return source.File(file)
}
