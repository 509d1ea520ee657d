package jsonl

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/tidwall/gjson"
)

// ErrDialect ends a conversion whose input is no transcript of a known dialect.
var ErrDialect = errors.New("no dialect of a transcript that clawctl knows")

// ToOpenClaw converts the records of any dialect to OpenClaw's version 3, one after the other. sessionID names the
// session where its records do not. The yielded records carry the line and offset of the record they come from; damaged
// ones come through as they are, blank ones not at all.
//
// Versions 3 and up keep their bytes, except for the version in the header. Versions 1 and 2 get what OpenClaw's own
// migration gives them: ids, parents and the newer names. claw0's lines become messages, gathered as claw0 gathers them
// when it rebuilds a conversation. A transcript without a header gets one. Every new id is made of the session's id and
// the index of the record, so that it is the same every time.
func ToOpenClaw(records iter.Seq2[*Record, error], sessionID string) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		c := &converter{sessionID: sessionID, headerIndex: -1}
		c.emit = func(text []byte) bool {
			return yield(c.parser.Parse(text, c.line, c.offset), nil)
		}
		for rec, err := range records {
			if err != nil {
				yield(nil, err)
				return
			}
			if more, err := c.step(rec, yield); err != nil {
				yield(nil, err)
				return
			} else if !more {
				return
			}
		}
		c.flush()
	}
}

// A converter holds what one record needs to know of those before it.
type converter struct {
	emit         func(text []byte) bool // false: the consumer wants no more
	parser       Parser
	dialect      Dialect
	sessionID    string
	prefix       string // of new ids
	headerIndex  int    // of the header among the legible records, -1 where there is none
	line, offset int64  // of the record being converted
	index        int    // legible records before it
	parent       string // the id of the last entry, as JSON; null before the first
	last         time.Time
	turn         turn
	toolNames    map[string]string // of claw0's calls that wait for their result
}

// step converts one record. It reports false where the consumer wants no more.
func (c *converter) step(rec *Record, yield func(*Record, error) bool) (bool, error) {
	if rec.Blank {
		return true, nil
	}
	if !rec.Legible() {
		if rec.Damage.Code == NotObject {
			c.index++ // OpenClaw counts every line that is JSON
		}
		return yield(rec, nil), nil
	}
	known := c.dialect
	if c.dialect = known.refine(rec); c.dialect == Unknown {
		return false, ErrDialect
	}
	if !c.dialect.IsClaw0() {
		c.line, c.offset = rec.Line, rec.Offset
	} else if !c.turn.takes(c.dialect, rec) {
		if !c.flush() {
			return false, nil
		}
		c.line, c.offset = rec.Line, rec.Offset
	}
	if t, ok := rec.Time(); ok {
		c.last = t
	}
	more := true
	if known == Unknown {
		more = c.begin(rec)
	}
	if more && c.index != c.headerIndex {
		more = c.convert(rec)
	}
	c.index++
	return more, nil
}

// begin emits the header: the first record, or one made up.
func (c *converter) begin(rec *Record) bool {
	header, ok := rec.Header()
	if ok {
		c.headerIndex = c.index
		if header.ID != "" {
			c.sessionID = header.ID
		}
	}
	sum := sha256.Sum256([]byte(c.sessionID))
	c.prefix, c.parent = hex.EncodeToString(sum[:8]), "null"
	c.toolNames = map[string]string{}
	if ok && !c.dialect.IsClaw0() {
		edits := []edit{setField(rec, fieldVersion, "version", "3")}
		if !rec.value(fieldID).Exists() {
			edits = append(edits, setField(rec, fieldID, "id", quote(c.sessionID)))
		}
		if rec.Version() == 3 {
			edits = edits[1:]
		}
		return c.emit(apply(rec.Text(), edits))
	}
	text := `{"type":"session","version":3,"id":` + quote(c.sessionID) + `,"timestamp":` + quote(isoTime(c.last)) + `,"cwd":""`
	if header.Key != "" {
		text += `,"key":` + quote(header.Key)
	}
	return c.emit([]byte(text + "}"))
}

func (c *converter) convert(rec *Record) bool {
	switch {
	case c.dialect.IsClaw0():
		return c.convertClaw0(rec)
	case c.dialect == OpenClawV1:
		return c.convertV1(rec)
	case c.dialect == OpenClawV2:
		return c.emit(apply(rec.Text(), renameHook(rec)))
	}
	return c.emit(rec.Text())
}

// convertV1 gives an entry an id and the entry before as its parent.
func (c *converter) convertV1(rec *Record) bool {
	if rec.Type() == TypeSession {
		return c.emit(rec.Text()) // a second header
	}
	id := quote(c.newID(c.index))
	edits := append(renameHook(rec), setField(rec, fieldID, "id", id), setField(rec, fieldParentID, "parentId", c.parent))
	if comp, ok := rec.Compaction(); ok {
		if kept := int(comp.FirstKeptEntryIndex); kept >= 0 && kept < c.index && kept != c.headerIndex {
			edits = append(edits, setField(rec, fieldFirstKept, "firstKeptEntryId", quote(c.newID(kept))))
		}
	}
	c.parent = id
	return c.emit(apply(rec.Text(), edits))
}

// newID has the form that OpenClaw's importer gives to entries without an id.
func (c *converter) newID(index int) string {
	return c.prefix + "-" + strconv.FormatInt(int64(index), 36)
}

// renameHook gives version 2's hook messages their later name.
func renameHook(rec *Record) []edit {
	if rec.Type() != TypeMessage || rec.Role() != RoleHookMessage {
		return nil
	}
	edits := []edit{setField(rec, fieldRole, "", quote(RoleCustom))}
	if !rec.value(fieldMessage).Get("customType").Exists() {
		at := int(rec.fields[fieldMessage].start) + 1
		edits = append(edits, edit{at, at, `"customType":"hook",`})
	}
	return edits
}

// An edit replaces text[start:end] of a record.
type edit struct {
	start, end int
	text       string
}

// setField replaces the value of a field, or adds the key at the front of the record.
func setField(rec *Record, f field, key, value string) edit {
	if s := rec.fields[f]; s.end > 0 {
		return edit{int(s.start), int(s.end), value}
	}
	return prepend(rec, key, value)
}

func prepend(rec *Record, key, value string) edit {
	at := skipSpace(rec.Raw, rec.from) - rec.from + 1
	return edit{at, at, quote(key) + ":" + value + ","}
}

// apply makes the edits, which do not overlap.
func apply(text []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	var out []byte
	done := 0
	for _, e := range edits {
		out = append(append(out, text[done:e.start]...), e.text...)
		done = e.end
	}
	return append(out, text[done:]...)
}

func quote(s string) string { return string(gjson.AppendJSONString(nil, s)) }

func isoTime(t time.Time) string {
	if t.IsZero() {
		t = time.UnixMilli(0)
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}
