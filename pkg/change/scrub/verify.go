package scrub

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"clawctl/pkg/change/redact"
	"clawctl/pkg/jsonl"
)

// A differenceError says in which line a new text is not the old one without the values.
type differenceError struct {
	line int64
	what string
}

func (e *differenceError) Error() string { return fmt.Sprintf("line %d %s", e.line, e.what) }

// verify compares a text with the one that it was made from: line by line, as bytes where there was no value, and as
// JSON where there was one. After a value, the checkpoints of providers may be gone. kept is how many traces may be
// left, in ids and other names that never change.
func verify(before, after io.Reader, values []Value, kept int) error {
	old, stopOld := iter.Pull2(jsonl.Records(before, jsonl.Options{}))
	defer stopOld()
	new, stopNew := iter.Pull2(jsonl.Records(after, jsonl.Options{}))
	defer stopNew()
	t, left, isAfter := newTracer(values), 0, false
	for {
		a, errA, moreA := old()
		b, errB, moreB := new()
		if err := errors.Join(errA, errB); err != nil {
			return err
		}
		if !moreA && !moreB {
			break
		}
		if moreA != moreB {
			return errors.New("the number of lines is not the same")
		}
		has := t.has(a.Raw)
		isAfter = isAfter || has
		if !has && !bytes.Equal(a.Raw, b.Raw) && !(isAfter && redact.HasCheckpoint(a)) {
			return &differenceError{a.Line, "had no value and has changed"}
		}
		if err := sameRecord(a, b, t); err != nil {
			return err
		}
		left += len(t.find(b.Raw))
	}
	if left > kept {
		return fmt.Errorf("%d traces of the values are left", left-kept)
	}
	return nil
}

// sameRecord checks that a record says the same as before, except for the values.
func sameRecord(a, b *jsonl.Record, t *tracer) error {
	switch {
	case bytes.Equal(a.Raw, b.Raw):
		return nil
	case a.Legible() != b.Legible():
		return &differenceError{a.Line, "is not readable any more"}
	case a.LineEnd() != b.LineEnd():
		return &differenceError{a.Line, "has another line end"}
	case !a.Legible():
		return nil // it is text, and what is left in it was counted
	case a.ID() != b.ID() || a.Type() != b.Type():
		return &differenceError{a.Line, "has another id or type"}
	}
	if err := sameJSON(a.Text(), b.Text(), t); err != nil {
		return &differenceError{a.Line, err.Error()}
	}
	return nil
}

// sameJSON checks that two JSON texts are equal, except for the values and for what had to go with them.
func sameJSON(before, after []byte, t *tracer) error {
	var a, b any
	for text, into := range map[*[]byte]*any{&before: &a, &after: &b} {
		d := json.NewDecoder(bytes.NewReader(*text))
		d.UseNumber()
		if err := d.Decode(into); err != nil {
			return errors.New("is not JSON any more")
		}
	}
	if !t.isSame(a, b) {
		return errors.New("has changed in more than the values")
	}
	return nil
}

// isSame compares decoded values.
func (t *tracer) isSame(a, b any) bool {
	switch a := a.(type) {
	case string:
		b, ok := b.(string)
		return ok && (a == b || t.isErased(a, b))
	case json.Number:
		text, ok := b.(string)
		return a == b || ok && t.isErased(a.String(), text)
	case []any:
		b, ok := b.([]any)
		return ok && t.areSame(a, b)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && t.areMembers(a, b)
	}
	return a == b
}

// isErased reports whether a text is another one with placeholders for values. Both are compared without their
// escapes, because a value may be known by them only.
func (t *tracer) isErased(before, after string) bool {
	spans := t.spans([]byte(before))
	erased := redact.NewEraser().Text([]byte(before), spans)
	return len(spans) > 0 && bytes.Equal(fold(erased).text, fold([]byte(after)).text)
}

// areSame compares lists. A block of signed thoughts may be gone, or be replaced by a note.
func (t *tracer) areSame(before, after []any) bool {
	for _, a := range before {
		switch {
		case len(after) > 0 && t.isSame(a, after[0]), len(after) > 0 && isThoughts(a) && isNote(after[0]):
			after = after[1:]
		case isThoughts(a):
		default:
			return false
		}
	}
	return len(after) == 0
}

func isThoughts(v any) bool {
	block, _ := v.(map[string]any)
	kind, _ := block["type"].(string)
	return kind == "thinking" || kind == "redacted_thinking" || kind == "reasoning"
}

func isNote(v any) bool {
	block, _ := v.(map[string]any)
	return block["text"] == "[redacted:thinking]"
}

// areMembers compares objects. A signature or a checkpoint may be gone, and the name of a member may have had a value.
func (t *tracer) areMembers(before, after map[string]any) bool {
	found := 0
	for key, a := range before {
		b, ok := after[key]
		for name, value := range after {
			if !ok && t.isErased(key, name) {
				b, ok = value, true
			}
		}
		switch {
		case ok && t.isSame(a, b):
			found++
		case ok, !jsonl.IsSealed(key) && key != redact.CheckpointKey:
			return false
		}
	}
	return found == len(after)
}
