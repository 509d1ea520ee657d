package census

import (
	"clawctl/pkg/change/secrets"
)

// Limits that keep content out of reports, and reports short.
const (
	longestName = 40   // that is shown
	mostNames   = 2000 // different ones that are told apart
)

// nameplates are the sightings so far, so that one that is repeated in every line costs a lookup.
type nameplates map[nameKey]*Sighting

type nameKey struct {
	kind   Kind
	in, of string
	name   string
	length int // the length of a name that is too long to be a part of the key
}

// sighting returns the sighting of a name, without the name if it may be content.
func (n nameplates) sighting(kind Kind, in, of string, name []byte) *Sighting {
	key := nameKey{kind: kind, in: in, of: of}
	if len(name) <= longestName {
		key.name = string(name)
	} else {
		key.length = len(name)
	}
	if s := n[key]; s != nil {
		return s
	}
	s := &Sighting{Kind: kind, Place: in, Field: of, Bytes: len(name)}
	if isShown(name) {
		s.Name, s.Bytes = string(name), 0
	}
	if len(n) < mostNames {
		n[key] = s
	}
	return s
}

// isShown reports whether a name is shown: it is short, has only letters, digits and the signs _ . : and -, and is not
// a secret. Everything else may be content.
func isShown(name []byte) bool {
	if len(name) == 0 || len(name) > longestName {
		return false
	}
	for _, c := range name {
		isLetter, isDigit := c|0x20 >= 'a' && c|0x20 <= 'z', c >= '0' && c <= '9'
		if !isLetter && !isDigit && c != '_' && c != '.' && c != ':' && c != '-' {
			return false
		}
	}
	return len(secrets.Find(name)) == 0
}

// Knows reports whether a field of the objects in a place is known, in lines that are not translated.
func Knows(in, name string) bool {
	p := tableOf(nil)[in]
	return p != nil && (name == p.by || p.fields[name] != nil)
}

// KnowsValue reports whether a value of a field is known, or the field may have any.
func KnowsValue(in, name, value string) bool {
	if !Knows(in, name) {
		return false
	}
	f := tableOf(nil)[in].fields[name]
	return f == nil || f.values == nil || f.values[value]
}
