// Package textid tells texts apart by 16 bytes instead of by the texts.
//
// Commands that ask whether two records are equal cannot keep the records. They keep their ids, and equal ids must
// mean equal texts, even if somebody has written the texts to mislead them. Hashes of 64 bits, and those that are made
// for hash tables, do not promise that. SHA-256 does, but without instructions of its own it takes longer than reading
// a transcript.
//
// An id is the GMAC (NIST SP 800-38D) of a text, with a secret key that the process draws and never shows. It is a
// polynomial over the blocks of the text and its length, at a secret point. Two polynomials of degree n agree in at
// most n of 2^128 points. So two texts of up to n blocks of 16 bytes, whoever chose them, have the same id for at most
// n of 2^128 points. Among a billion records of 1 MB some two are confused with a probability below 2^-52, which is
// less than that of an error of the memory they are in.
//
// Ids are valid within the process only. They are never written anywhere.
package textid

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"sync"
)

// An ID identifies a text. The zero ID is that of no text, so it can stand for a missing one.
type ID [16]byte

// Of returns the id of a text.
func Of(text []byte) (id ID) {
	if mac := processMAC(); mac != nil {
		mac.Seal(id[:0], nonce[:], nil, text)
	} else {
		id = strongID(text)
	}
	if id == (ID{}) {
		id[0] = 1
	}
	return id
}

// AppendPart appends a part of a longer text, with its length before it: different lists of parts make different texts.
func AppendPart[T ~[]byte | ~string](text []byte, part T) []byte {
	return append(binary.AppendUvarint(text, uint64(len(part))), part...)
}

// nonce is the same for all ids, because equal texts must have equal ids. That would help somebody who sees ids of
// his own texts. Nobody does.
var nonce [12]byte

// processMAC returns the function of this process, or nil if only functions that FIPS 140 approves are allowed
// (GODEBUG=fips140=only), among which is no GMAC with a constant nonce.
var processMAC = sync.OnceValue(func() cipher.AEAD {
	var key [16]byte
	rand.Read(key[:]) // it never fails
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil
	}
	mac, err := cipher.NewGCM(block)
	if err != nil {
		return nil
	}
	return mac
})

// strongID returns the beginning of a text's SHA-256. To make two texts with the same one takes 2^64 attempts.
func strongID(text []byte) ID {
	long := sha256.Sum256(text)
	return ID(long[:16])
}
