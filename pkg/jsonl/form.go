package jsonl

import "clawctl/pkg/jsontext"

// A formReader notes in a form what a scan notes in a line. A form consists of values of a line that was scanned, and
// of what its translation adds. So nothing in it has to be checked again, and values that were copied are skipped.
type formReader struct {
	text    []byte
	base    int             // what the places of copies are counted from
	copies  []jsontext.Copy // that have not been passed
	list    []blockMember   // of the content of the line, as they are there
	listAt  uint32
	fields  [fieldCount]span
	parts   []blockMember // of the blocks of the message's content
	members []blockMember // of the form
}

// read reads a form, which begins at a place of the memory that the copies were made to.
func (f *formReader) read(form []byte, base int, line *jsontext.Outline, list []blockMember) {
	f.text, f.base, f.copies, f.list, f.listAt = form, base, line.Copies, list, line.List.Start
	f.fields, f.parts, f.members = [fieldCount]span{}, f.parts[:0], f.members[:0]
	f.object(0, recordLevel)
	f.text, f.list = nil, nil
}

// object reads the object at i, and returns the index after it.
func (f *formReader) object(i int, at level) int {
	text := f.text
	if i = skipRareSpace(text, i+1); text[i] == '}' {
		return i + 1
	}
	for {
		m := blockMember{key: span{uint32(i + 1), uint32(jsontext.AfterValue(text, i) - 1)}}
		i = skipRareSpace(text, skipRareSpace(text, int(m.key.end)+1)+1)
		m.value.start = uint32(i)
		name := f.fieldAt(at, m.key)
		i = f.member(i, name)
		m.value.end = uint32(i)
		f.note(at, name, m)
		if i = skipRareSpace(text, i); text[i] != ',' {
			return i + 1
		}
		i = skipRareSpace(text, i+1)
	}
}

// fieldAt returns the field of a key. A form has a key only once.
func (f *formReader) fieldAt(at level, key span) field {
	switch at {
	case recordLevel:
		return recordFields().findIn(f.text, key)
	case messageLevel:
		return messageFields().findIn(f.text, key)
	}
	return noField
}

func (f *formReader) note(at level, name field, m blockMember) {
	switch {
	case at == blockLevel:
		f.part(m)
	case at == recordLevel:
		f.members = append(f.members, m)
	}
	if name != noField {
		f.fields[name] = m.value
	}
}

// part notes a member of a block, as in a line.
func (f *formReader) part(m blockMember) {
	if len(f.parts) < mostParts {
		f.parts = append(f.parts, m)
	}
}

// member reads the value of a field at i, and returns the index after it.
func (f *formReader) member(i int, name field) int {
	c := f.text[i]
	if name == FieldContent && c == '[' {
		return f.blocks(i)
	}
	if name == fieldMessage && c == '{' {
		return f.object(i, messageLevel)
	}
	if end := f.copiedTo(i); end > 0 {
		return end
	}
	return jsontext.AfterValue(f.text, i)
}

// copiedTo returns where the copy at i ends, or 0 if there is none.
func (f *formReader) copiedTo(i int) int {
	for len(f.copies) > 0 && f.copies[0].Start-f.base < i {
		f.copies = f.copies[1:]
	}
	if len(f.copies) > 0 && f.copies[0].Start-f.base == i {
		return f.copies[0].End - f.base
	}
	return 0
}

// blocks reads the list of blocks at i, and returns the index after it. That of the line has been read before.
func (f *formReader) blocks(i int) int {
	if end := f.copiedTo(i); end > 0 && f.copies[0].IsList {
		f.moveList(uint32(i) - f.listAt)
		return end
	}
	text := f.text
	if i = skipRareSpace(text, i+1); text[i] == ']' {
		return i + 1
	}
	for {
		start := i
		if text[i] == '{' {
			i = f.object(i, blockLevel)
		} else {
			i = jsontext.AfterValue(text, i)
		}
		f.part(blockMember{value: span{uint32(start), uint32(i)}})
		if i = skipRareSpace(text, i); text[i] != ',' {
			break
		}
		i = skipRareSpace(text, i+1)
	}
	if len(f.parts) == mostParts {
		f.parts = f.parts[:0]
	}
	return i + 1
}

// moveList notes the blocks of the line, which are at another place of the form.
func (f *formReader) moveList(by uint32) {
	for _, m := range f.list {
		if m.key.end > 0 {
			m.key = span{m.key.start + by, m.key.end + by}
		}
		f.parts = append(f.parts, blockMember{m.key, span{m.value.start + by, m.value.end + by}})
	}
}
