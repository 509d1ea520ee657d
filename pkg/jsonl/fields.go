package jsonl

import (
	"bytes"
	"encoding/binary"
	"strings"
	"sync"

	"clawctl/pkg/jsontext"
)

// A Field is a value of a record, or of its message, that the reader notes.
type Field = field

// A field is a position in a record that the scan notes.
type field uint8

// The fields of a record. The exported ones are those that other packages ask for.
const (
	noField field = iota
	FieldType
	FieldID
	FieldParentID
	FieldTimestamp
	fieldTS
	fieldCreated
	fieldVersion
	fieldKey
	fieldRecordContent
	fieldFirstKept
	FieldAppendMode
	fieldPayload
	fieldMessage

	// Fields of the object under "message". They are cleared when "message" appears again.
	FieldRole
	FieldContent
	fieldMsgTimestamp
	FieldUsage
	FieldModel
	FieldProvider
	FieldStopReason
	FieldToolCallID
	FieldToolName
	fieldCustomType
	FieldIsError
	FieldExclude
	fieldDetails
	FieldAPI
	fieldCommand
	fieldOutput
	fieldMsgTS
	fieldClaw0Error
	fieldResponseModel
	fieldToolUseID
	fieldClaw0CallID
	fieldClaw0UseID
	fieldCallID
	fieldOtherCallID
	fieldErrorMessage
	FieldOpenClaw
	FieldReplay

	fieldCount
)

// recordFields are the fields of a record by their keys, and messageFields those of its message. The keys are in the
// order of the fields.
var (
	recordFields = sync.OnceValue(func() *keyTable {
		return newKeyTable(FieldType, "type id parentId timestamp ts created version key content firstKeptEntryId "+
			"appendMode payload message")
	})
	messageFields = sync.OnceValue(func() *keyTable {
		return newKeyTable(FieldRole, "role content timestamp usage model provider stopReason toolCallId toolName "+
			"customType isError excludeFromContext details api command output ts is_error responseModel toolUseId "+
			"tool_call_id tool_use_id callId call_id errorMessage __openclaw providerReplay")
	})
)

// A keyTable finds the field of a key. It compares whole words and has no two keys in one slot, so that the processor
// has no branch to mispredict.
type keyTable struct {
	factor uint64 // of the hash
	slots  [keySlots]keySlot
	long   []keyName // the keys that do not fit into a slot
}

type keyName struct {
	name  string
	field field
}

// A keySlot holds a key of at most maxKey bytes, padded with zeros: its first eight bytes and the others.
type keySlot struct {
	first, last uint64
	length      int
	field       field
}

const (
	keySlots = 128
	maxKey   = 16
)

// firstFactor is where the search for a factor begins. It separates few keys after a few tries.
const firstFactor = 0x9e3779b97f4a7c15

// newKeyTable returns the table of consecutive fields.
func newKeyTable(first field, keys string) *keyTable {
	var names []keyName
	for i, key := range strings.Fields(keys) {
		names = append(names, keyName{key, first + field(i)})
	}
	return newKeyTableFrom(firstFactor, names)
}

// newKeyTableFrom tries one factor after another until every key has a slot of its own. Every start of the program
// does so. A large table may need thousands of tries, so it should begin with the factor that they would find.
func newKeyTableFrom(factor uint64, names []keyName) *keyTable {
	t := &keyTable{factor: factor}
	var slots []keySlot
	for _, k := range names {
		if len(k.name) > maxKey {
			t.long = append(t.long, k)
			continue
		}
		first, last := shortWords([]byte(k.name))
		slots = append(slots, keySlot{first, last, len(k.name), k.field})
	}
	for !t.separates(slots) {
		t.factor += 2
	}
	for _, s := range slots {
		t.slots[t.slot(s.first, s.last, s.length)] = s
	}
	return t
}

// separates reports whether no two keys have the same slot.
func (t *keyTable) separates(slots []keySlot) bool {
	var taken [keySlots]bool
	for _, s := range slots {
		at := t.slot(s.first, s.last, s.length)
		if taken[at] {
			return false
		}
		taken[at] = true
	}
	return true
}

func (t *keyTable) slot(first, last uint64, length int) uint64 {
	return (first + last + uint64(length)) * t.factor >> 57
}

// keyMasks select the bytes of a key of each length.
var keyMasks = func() (masks [maxKey + 1]struct{ first, last uint64 }) {
	for n := range masks {
		masks[n].first, masks[n].last = 1<<(8*min(n, 8))-1, 1<<(8*max(n-8, 0))-1
	}
	return masks
}()

// keyWords returns the first length bytes of a text as numbers. An array of them would not stay in registers.
func keyWords(text *[maxKey]byte, length int) (first, last uint64) {
	mask := &keyMasks[length]
	return binary.LittleEndian.Uint64(text[:]) & mask.first, binary.LittleEndian.Uint64(text[8:]) & mask.last
}

// shortWords is keyWords for a text that ends with the key.
func shortWords(key []byte) (first, last uint64) {
	n := len(key)
	switch {
	case n > 8:
		return binary.LittleEndian.Uint64(key), binary.LittleEndian.Uint64(key[n-8:]) >> (8 * (maxKey - n))
	case n >= 4:
		head, tail := binary.LittleEndian.Uint32(key), binary.LittleEndian.Uint32(key[n-4:])
		return uint64(head) | uint64(tail)<<(8*(n-4)), 0
	}
	for i, c := range key {
		first |= uint64(c) << (8 * i)
	}
	return first, 0
}

// find returns the field of a key without escapes.
func (t *keyTable) find(key []byte) field {
	if len(key) <= maxKey {
		first, last := shortWords(key)
		return t.at(first, last, len(key))
	}
	for _, k := range t.long {
		if k.name == string(key) {
			return k.field
		}
	}
	return noField
}

// at returns the field of a key by its words.
func (t *keyTable) at(first, last uint64, length int) field {
	slot := &t.slots[t.slot(first, last, length)]
	if slot.first == first && slot.last == last && slot.length == length {
		return slot.field
	}
	return noField
}

// findAt returns the field of the key at buf[start:end], as it is written. At least maxKey bytes follow its start.
func (t *keyTable) findAt(buf []byte, start, end int) field {
	if length := end - start; length <= maxKey {
		first, last := keyWords((*[maxKey]byte)(buf[start:]), length)
		if f := t.at(first, last, length); f != noField {
			return f
		}
	}
	return t.findRare(buf[start:end])
}

// findRare returns the field of a key that is long or has an escape.
func (t *keyTable) findRare(key []byte) field {
	if len(key) > maxKey || bytes.IndexByte(key, '\\') >= 0 {
		return t.find(jsontext.PlainKey(key))
	}
	return noField
}

// findIn returns the field of a key, as it is written, anywhere in a text.
func (t *keyTable) findIn(text []byte, key span) field {
	if int(key.start)+maxKey <= len(text) {
		return t.findAt(text, int(key.start), int(key.end))
	}
	return t.find(jsontext.PlainKey(text[key.start:key.end]))
}
