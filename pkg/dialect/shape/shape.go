// Package shape has the form of the tables of everything known: the types of lines, their fields, and the values of
// fields that are enumerations. The tables are beside the code that reads the lines of each program. What looks for the
// unknown and the page that lists the known both read them.
package shape

import (
	"slices"

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

// New returns an object.
func New(place string, fields ...[]Field) Object {
	return Object{Place: place, Fields: slices.Concat(fields...)}
}

// NewBy returns an object whose kind is the value of a key.
func NewBy(place, key string, fields ...[]Field) Object {
	return Object{Place: place, By: key, Fields: slices.Concat(fields...)}
}

// NewOpen returns an object that may have other fields too.
func NewOpen(place string, fields ...[]Field) Object {
	return Object{Place: place, Fields: slices.Concat(fields...), Open: true}
}

// Free returns fields that may have any value. Nobody looks into them.
func Free(names ...string) []Field {
	fields := make([]Field, len(names))
	for i, name := range names {
		fields[i].Name = name
	}
	return fields
}

// Enum returns a field that has one of several values.
func Enum(name string, values ...string) []Field { return []Field{{Name: name, Values: values}} }

// Nested returns a field that is an object, or a list of objects.
func Nested(name, place string) []Field { return []Field{{Name: name, Holds: place}} }

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
	for _, key := range o.Keys {
		if !line.Get(key).Exists() {
			return false
		}
	}
	return true
}
