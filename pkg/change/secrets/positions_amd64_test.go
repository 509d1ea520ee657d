//go:build !purego

package secrets

// narrowSightings is sightings without AVX-512.
func narrowSightings(x *index, text []byte) []sighting {
	defer func(has bool) { hasAVX512 = has }(hasAVX512)
	hasAVX512 = false
	return sightings(x, text)
}
