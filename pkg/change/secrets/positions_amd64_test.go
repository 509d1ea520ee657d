//go:build !purego

package secrets

// narrowSightings is sightings without AVX-512.
func narrowSightings(x *index, text []byte) []sighting {
	defer func(has bool) { hasVBMI = has }(hasVBMI)
	hasVBMI = false
	return sightings(x, text)
}
