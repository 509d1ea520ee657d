package repair

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"unicode/utf16"

	"clawctl/pkg/change"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
)

// mark is the byte order mark of UTF-8.
const mark = "\xef\xbb\xbf"

func hasMark(text []byte) bool { return bytes.HasPrefix(text, []byte(mark)) }

// maxConverted is the largest text in UTF-16 that is converted, because that takes several times its size in memory.
const maxConverted = 256 << 20

// mendLines makes every line a record in UTF-8.
func (d *draft) mendLines(s *survey) (*sheet, error) {
	sh := &sheet{}
	switch {
	case s.isUTF16:
		return sh, d.convert(sh, s.size)
	case !s.damaged && !s.hasMark:
		return sh, nil
	}
	err := d.eachRecord(func(rec *jsonl.Record) {
		if rec.Offset == 0 && hasMark(rec.Raw) && d.takes(rebuild.ByteOrderMark) {
			sh.edits = append(sh.edits, change.Edit{To: int64(len(mark))})
			sh.note(rebuild.ByteOrderMark, rec, "remove the byte order mark", "")
		}
		if rec.Damage != nil && d.takes(rec.Damage.Code) {
			sh.mendLine(rec)
		}
	})
	return sh, err
}

// convert turns a text in UTF-16 into UTF-8.
func (d *draft) convert(sh *sheet, size int64) error {
	code := jsonl.WrongCoded
	if size > maxConverted || !d.takes(code) {
		return nil
	}
	old, err := io.ReadAll(d.current())
	if err != nil {
		return err
	}
	new, isComplete := decodeUTF16(old)
	m := Row{State: Planned, Code: code, Change: "convert the file from UTF-16 to UTF-8"}
	if !isComplete {
		m.Cost = "halves of characters become U+FFFD"
	}
	sh.mends = append(sh.mends, m)
	sh.edits = append(sh.edits, change.Edit{To: size, New: new})
	return nil
}

// decodeUTF16 decodes a text of either byte order. ok is false if it has something that is not a character.
func decodeUTF16(text []byte) (decoded []byte, ok bool) {
	var order binary.ByteOrder = binary.LittleEndian
	if text[0] == 0 || text[0] == 0xfe {
		order = binary.BigEndian
	}
	units := make([]uint16, 0, len(text)/2)
	for ; len(text) >= 2; text = text[2:] {
		units = append(units, order.Uint16(text))
	}
	ok = len(text) == 0
	if len(units) > 0 && units[0] == 0xfeff {
		units = units[1:]
	}
	for _, r := range utf16.Decode(units) {
		ok = ok && r != '\ufffd'
		decoded = append(decoded, string(r)...)
	}
	return decoded, ok
}

// mendLine saves the records of a damaged line. The rest of it goes to the quarantine.
func (sh *sheet) mendLine(rec *jsonl.Record) {
	code := rec.Damage.Code
	switch rec.Damage.Code {
	case jsonl.TooLong, jsonl.WrongCoded:
		return
	case jsonl.BadUTF8:
		fixed := jsonl.Value(rec.Text()).UTF8()
		sh.replace(rec, fixed)
		sh.note(code, rec, "replace the invalid bytes with U+FFFD, as OpenClaw reads them",
			"drops "+countOf(invalidBytes(rec.Text()), "invalid byte"))
		return
	}
	text := bytes.TrimRight(rec.Raw, "\r\n")
	end := rec.Raw[len(text):]
	if rec.Offset == 0 {
		text = bytes.TrimPrefix(text, []byte(mark))
	}
	kept, dropped := salvage(text)
	sh.edits = append(sh.edits, cloned(change.Replace(rec.Offset, rec.Raw, joinLines(kept, end))))
	isNUL := len(bytes.Trim(dropped, "\x00 \t")) == 0
	if !isNUL {
		sh.quarantined = append(sh.quarantined, slices.Clone(dropped))
	}
	sh.note(code, rec, salvageWords(len(kept), len(dropped), isNUL), salvageCost(text, dropped, isNUL))
}

// joinLines returns records as lines with the line end of the damaged line.
func joinLines(records [][]byte, end []byte) []byte {
	var text []byte
	if len(end) == 0 {
		end = []byte("\n")
	}
	for _, record := range records {
		text = append(append(text, record...), end...)
	}
	return text
}

// salvageWords says what is done with a damaged line.
func salvageWords(kept, dropped int, isNUL bool) string {
	switch {
	case kept == 0 && isNUL:
		return "remove the line of NUL bytes"
	case kept == 0:
		return "move the line to the quarantine file"
	case isNUL && kept == 1 && dropped == 0:
		return "make the record in it a line of its own"
	case isNUL && kept == 1:
		return "remove the NUL bytes and keep the record"
	case dropped == 0:
		return fmt.Sprintf("split the line into its %d records", kept)
	case kept == 1:
		return "keep the complete record and move the rest of the line to the quarantine file"
	}
	return fmt.Sprintf("keep the %d complete records and move the rest of the line to the quarantine file", kept)
}

func salvageCost(text, dropped []byte, isNUL bool) string {
	switch {
	case len(dropped) == 0:
		return ""
	case isNUL:
		return fmt.Sprintf("drops %s", countOf(bytes.Count(text, []byte{0}), "NUL byte"))
	}
	return "drops " + countOf(len(dropped), "byte") + " of a damaged line"
}

// salvage finds the complete records of a damaged line: glued together, in a list, between NUL bytes, or after a torn
// one. What is not part of a record is dropped.
func salvage(text []byte) (kept [][]byte, dropped []byte) {
	clean := bytes.ReplaceAll(text, []byte{0}, nil)
	if elements, ok := listedRecords(clean); ok {
		return elements, nil
	}
	kept, rest := leadingRecords(clean)
	switch {
	case len(rest) == 0 && len(clean) < len(text):
		return kept, bytes.Repeat([]byte{0}, len(text)-len(clean))
	case len(rest) == 0:
		return kept, nil
	}
	const maxCandidates = 64
	at := 0
	for range maxCandidates {
		next := bytes.Index(rest[at+1:], []byte(`{"`))
		if next < 0 {
			break
		}
		at += 1 + next
		if more, left := leadingRecords(rest[at:]); len(left) == 0 && len(more) > 0 {
			return append(kept, more...), rest[:at]
		}
	}
	if len(kept) == 0 {
		return nil, text
	}
	return kept, rest
}

// leadingRecords returns the records that a text begins with, and what follows them.
func leadingRecords(text []byte) (records [][]byte, rest []byte) {
	rest = bytes.TrimSpace(text)
	for len(rest) > 0 {
		var value json.RawMessage
		dec := json.NewDecoder(bytes.NewReader(rest))
		if rest[0] != '{' || dec.Decode(&value) != nil || !isRecord(rest[:dec.InputOffset()]) {
			break
		}
		records = append(records, rest[:dec.InputOffset()])
		rest = bytes.TrimSpace(rest[dec.InputOffset():])
	}
	return records, rest
}

// listedRecords returns the records of a JSON array that has nothing else.
func listedRecords(text []byte) (records [][]byte, ok bool) {
	text = bytes.TrimSpace(text)
	if len(text) < 2 || text[0] != '[' || !json.Valid(text) {
		return nil, false
	}
	for element := range jsonl.Value(text).Elements() {
		if !isRecord(element) {
			return nil, false
		}
		records = append(records, element)
	}
	return records, len(records) > 0
}

// isRecord reports whether a text is a complete record, and not a part of one.
func isRecord(text []byte) bool {
	if bytes.IndexByte(text, '\n') >= 0 {
		return false
	}
	rec := (&jsonl.Parser{}).Parse(text, 1, 0)
	if rec.Damage != nil || rec.Blank || !slices.Contains(jsonl.Types(), rec.StatedType()) {
		return false
	}
	_, isDated := rec.Time()
	return isDated || rec.ID() != ""
}

func invalidBytes(text []byte) (n int) {
	for _, r := range bytes.Runes(text) {
		if r == '\ufffd' {
			n++
		}
	}
	return n - bytes.Count(text, []byte("\ufffd"))
}

// countOf is "1 byte" or "2 bytes".
func countOf(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
