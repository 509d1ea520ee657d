//go:build !purego

package secrets

// eachVector calls check with the vector instructions of this processor, with those of older ones, and without any.
func eachVector(check func()) {
	defer func(vectors, avx512, vbmi bool) {
		hasVectors, hasAVX512, hasVBMI = vectors, avx512, vbmi
	}(hasVectors, hasAVX512, hasVBMI)
	check()
	for _, has := range []*bool{&hasVBMI, &hasAVX512, &hasVectors} {
		*has = false
		check()
	}
}
