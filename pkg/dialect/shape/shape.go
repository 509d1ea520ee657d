// Package shape has the form of the tables of everything known: the types of lines, their fields, and the values of
// fields that are enumerations. The tables are beside the code that reads the lines of each program. What looks for the
// unknown and the page that lists the known both read them.
package shape

import (
	"slices"
	"strings"

	"clawctl/pkg/jsontext"
)

// An Object is what is known of the objects in one place, such as the records of a type or the usage of an answer. Two
// with the same place are one with the fields of both.
type Object struct {
	Place string // its name in reports
	// By is the key that says what kind of object it is, or "". A kind is a place of its own: blocks whose key has the
	// value "text" are in the place "text block". Fields are those that every kind has.
	By     string
	Fields []Field
	// Open is set if it may have other fields too. Nobody looks into them.
	Open bool
}

// A Field is what is known of a member of an object.
type Field struct {
	Name   string
	Values []string // all that are known, or nil if it is not an enumeration; numbers as in JSON
	Holds  string   // the place of the object that it is, or of those in its list; "" if nobody looks into it
}

// Table returns the objects of a table. A line has a place, or a place and several of its kinds, and the indented lines
// after it have the fields of those: names of fields that may have any value and that nobody looks into, or one field
// with its values, or with the place of the object or of the objects that it holds. A place may come more than once.
//
//	block, by type
//		id
//	block: text thinking
//		signature
//	image block, open
//		mimeType = image/png image/jpeg
//		source > source
//
// A line that is indented twice goes on with the one before.
func Table(text string) (objects []Object) {
	var begun []int // the objects that get the next fields
	add := func(o Object) {
		at := slices.IndexFunc(objects, func(known Object) bool { return known.Place == o.Place })
		if at < 0 {
			at, objects = len(objects), append(objects, o)
		}
		begun = append(begun, at)
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(strings.TrimSpace(text), "\n\t\t", " "), "\n") {
		if fields, isIndented := strings.CutPrefix(line, "\t"); isIndented {
			for _, at := range begun {
				objects[at].Fields = append(objects[at].Fields, fieldsIn(fields)...)
			}
			continue
		}
		begun = nil
		place, isOpen := strings.CutSuffix(line, ", open")
		place, by, _ := strings.Cut(place, ", by ")
		place, kinds, hasKinds := strings.Cut(place, ":")
		for kind := range strings.FieldsSeq(kinds) {
			add(Object{Place: kind + " " + place, Open: isOpen})
		}
		if !hasKinds {
			add(Object{Place: place, By: by, Open: isOpen})
		}
	}
	return objects
}

// fieldsIn returns the fields of a line of a table.
func fieldsIn(line string) (fields []Field) {
	if name, values, ok := strings.Cut(line, " = "); ok {
		return []Field{{Name: name, Values: strings.Fields(values)}}
	}
	if name, place, ok := strings.Cut(line, " > "); ok {
		return []Field{{Name: name, Holds: place}}
	}
	for name := range strings.FieldsSeq(line) {
		fields = append(fields, Field{Name: name})
	}
	return fields
}

// Sort sorts objects by their places.
func Sort(objects []Object) []Object {
	slices.SortStableFunc(objects, func(a, b Object) int { return strings.Compare(a.Place, b.Place) })
	return objects
}

// Names returns the names of the fields of all objects.
func Names(objects []Object) map[string]bool {
	names := map[string]bool{}
	for _, o := range objects {
		if o.By != "" {
			names[o.By] = true
		}
		for _, f := range o.Fields {
			names[f.Name] = true
		}
	}
	return names
}

// An Other is a file that a program writes in lines of JSON and that is not a transcript.
type Other struct {
	What string   // such as "the history of prompts"
	Keys []string // that every line has
}

// Fits reports whether a line has all the keys.
func (o Other) Fits(line jsontext.Value) bool {
	return !slices.ContainsFunc(o.Keys, func(key string) bool { return !line.Get(key).Exists() })
}
