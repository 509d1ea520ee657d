package secrets

import (
	"maps"
	"slices"
)

// A Dictionary finds any of many texts in a text, whatever their number. The zero value is empty.
type Dictionary[V any] struct {
	values  map[string]V
	lengths map[string][]int // of the texts with these first bytes
}

// firstBytes returns the bytes of a text that are looked at first.
func firstBytes(text []byte) []byte { return text[:min(len(text), 2)] }

// Set enters a text, which is not empty.
func (d *Dictionary[V]) Set(text string, value V) {
	if d.values == nil {
		d.values, d.lengths = map[string]V{}, map[string][]int{}
	}
	d.values[text] = value
	first := string(firstBytes([]byte(text)))
	if lengths := d.lengths[first]; !slices.Contains(lengths, len(text)) {
		d.lengths[first] = append(slices.Clip(lengths), len(text))
	}
}

// Get returns the value of a text.
func (d *Dictionary[V]) Get(text string) (value V, ok bool) {
	value, ok = d.values[text]
	return value, ok
}

// All returns the values of all texts.
func (d *Dictionary[V]) All() map[string]V { return d.values }

// Find calls yield with every place at which one of the texts is.
func (d *Dictionary[V]) Find(text []byte, yield func(start, end int, value V)) {
	if len(d.values) == 0 {
		return
	}
	for at := range text {
		for _, n := range d.lengths[string(firstBytes(text[at:]))] {
			if at+n > len(text) {
				continue
			}
			if value, ok := d.values[string(text[at:at+n])]; ok {
				yield(at, at+n, value)
			}
		}
	}
}

// clone returns a copy to which texts can be added.
func (d *Dictionary[V]) clone() Dictionary[V] {
	return Dictionary[V]{maps.Clone(d.values), maps.Clone(d.lengths)}
}
