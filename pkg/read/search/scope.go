package search

import (
	"bytes"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
	"clawctl/pkg/read/fileuse"
	"clawctl/pkg/read/parts"
)

// The places to search in, as users name them.
const (
	inUser      = "user"
	inAssistant = "assistant"
	inThinking  = "thinking"
	inCall      = "call"
	inResult    = "result"
	inSummary   = "summary"
	inSystem    = "system"
	inTitle     = "title"
	inMemory    = "memory"
)

// Places lists the places to search in. The last two are searched only on request.
var Places = []string{
	inUser, inAssistant, inThinking, inCall, inResult, inSummary, inSystem, inTitle, inMemory,
}

// defaultPlaces are searched if the user names none.
var defaultPlaces = Places[:7]

// PlaceSet returns the places that names stand for: "all", or those that are searched if there is no name.
func PlaceSet(names []string) map[string]bool {
	switch {
	case len(names) == 0:
		names = defaultPlaces
	case slices.Contains(names, "all"):
		names = Places
	}
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}

// placeOf returns where a kind of part belongs, or "" for parts without a text of their own.
func placeOf(kind parts.Kind) string {
	switch kind {
	case parts.User, parts.Sent:
		return inUser
	case parts.Assistant, parts.Failure:
		return inAssistant
	case parts.Thinking:
		return inThinking
	case parts.Call:
		return inCall
	case parts.Result:
		return inResult
	case parts.Compaction, parts.Checkpoint, parts.BranchSummary:
		return inSummary
	case parts.System, parts.Custom, parts.Flush, parts.ContextEdit, parts.Other:
		return inSystem
	case parts.Title, parts.Label:
		return inTitle
	}
	return ""
}

// A Scope selects the parts to search. The zero value selects nothing: Places must be set.
type Scope struct {
	Places       map[string]bool
	Tool         string // plain name of a tool; "" for all parts
	Model        string // part of the name of a model; "" for all
	Since, Until time.Time
	Errors       bool   // only failed tool results
	File         string // of CleanFile: only calls that read or change this file; "" for all parts
}

// hasEntry reports whether the parts of an entry may be searched.
func (s *Scope) hasEntry(e *parts.Entry) bool {
	if s.Model != "" && !strings.Contains(strings.ToLower(e.Model), s.Model) {
		return false
	}
	if s.Since.IsZero() && s.Until.IsZero() {
		return true
	}
	return !e.Time.IsZero() && !e.Time.Before(s.Since) && (s.Until.IsZero() || e.Time.Before(s.Until))
}

// takesUndated reports whether texts without a time, a model and a tool are searched.
func (s *Scope) takesUndated() bool {
	return s.Model == "" && s.Tool == "" && !s.Errors && s.Since.IsZero() && s.Until.IsZero()
}

// hasPart reports whether a part is searched.
func (s *Scope) hasPart(p *parts.Part) bool {
	if s.File != "" && !s.touches(p) {
		return false
	}
	if !s.Places[placeOf(p.Kind)] || s.Errors && !(p.Kind == parts.Result && p.Failed) {
		return false
	}
	return s.Tool == "" ||
		(p.Kind == parts.Call || p.Kind == parts.Result) && fileuse.ToolName(p.ToolName()) == fileuse.ToolName(s.Tool)
}

// Text returns the text of a part that is searched, with its details. Of arguments and other structured values these
// are the values, one per line. The names of arguments come after their values.
func Text(p *parts.Part) string {
	return string(appendNames(appendMore(appendBody(nil, p), p.Details), p))
}

// appendNames appends the names of the arguments of a call in lines of their own.
func appendNames(dst []byte, p *parts.Part) []byte {
	if p.Kind != parts.Call {
		return dst
	}
	w := nameWriter{text: dst, seen: map[string]bool{}}
	w.add(p.Body, 0)
	return w.text
}

// appendBody appends the text of a part without its details.
func appendBody(dst []byte, p *parts.Part) []byte {
	dst = appendValue(dst, p.Body, p.Kind == parts.Custom)
	for _, f := range p.Fields {
		if p.Kind == parts.Checkpoint && f.Value.IsArray() { // topics, questions and decisions
			dst = appendMore(dst, f.Value)
		}
	}
	return dst
}

// appendMore appends the values of a value in lines of their own.
func appendMore(dst []byte, v jsonl.Value) []byte {
	if len(v) == 0 {
		return dst
	}
	if len(dst) > 0 {
		dst = append(dst, '\n')
	}
	return appendValue(dst, v, false)
}

// appendValue appends a string decoded, and of everything else its values.
func appendValue(dst []byte, v jsonl.Value, withoutIDs bool) []byte {
	if v.IsString() {
		return appendString(dst, v)
	}
	w := leafWriter{dst, withoutIDs}
	w.add(v, 0)
	return bytes.TrimSuffix(w.text, newline)
}

// appendString appends a string decoded, as String decodes it.
func appendString(dst []byte, v jsonl.Value) []byte {
	if mayHaveSurrogate(v) || !utf8.Valid(v) {
		return append(dst, v.String()...) // perhaps half of a surrogate pair, or a damaged character
	}
	return jsontext.Decode(dst, v[1:len(v)-1])
}

// maxNesting is how deep values are searched.
const maxNesting = 100

// A leafWriter writes the values inside of a value, one per line.
type leafWriter struct {
	text       []byte
	withoutIDs bool
}

func (w *leafWriter) add(v jsonl.Value, depth int) {
	switch {
	case depth > maxNesting:
	case v.IsObject():
		hasData := holdsData(v)
		for name, member := range v.Fields() {
			if !isUnsearched(string(name), hasData) && (!w.withoutIDs || !isID(string(name))) {
				w.add(member, depth+1)
			}
		}
	case v.IsArray():
		for element := range v.Elements() {
			w.add(element, depth+1)
		}
	case v.IsString():
		w.text = append(appendString(w.text, v), '\n')
	case v.Exists() && !v.IsNull():
		w.text = append(append(w.text, v...), '\n')
	}
}

// A nameWriter writes the names of the members inside of a value, each once, in lines of their own.
type nameWriter struct {
	text []byte
	seen map[string]bool
}

func (w *nameWriter) add(v jsonl.Value, depth int) {
	switch {
	case depth > maxNesting:
	case v.IsObject():
		for name, member := range v.Members() {
			if !w.seen[name] {
				w.seen[name] = true
				w.text = append(append(w.text, '\n'), name...)
			}
			w.add(member, depth+1)
		}
	case v.IsArray():
		for element := range v.Elements() {
			w.add(element, depth+1)
		}
	}
}

// isID reports whether a member of an extension's record is an id by its name.
func isID(name string) bool {
	return name == "id" || strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "ID")
}
