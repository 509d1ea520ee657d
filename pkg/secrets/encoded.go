package secrets

import (
	"encoding/base64"
	"slices"
	"unicode/utf8"
)

// The lengths of words that may be base64 of a text with a secret. Longer ones are files and images.
const (
	shortestEncoded = 20
	longestEncoded  = 16 << 10
)

// appendEncoded adds the words of a text that are base64 of another text with a secret.
func (d *Detector) appendEncoded(list []Match, text []byte, depth int) []Match {
	for _, word := range encodedTexts(text) {
		if plain := decodeText(text[word.start:word.end]); len(d.findIn(plain, depth+1, 0)) > 0 {
			list = append(list, Match{word.start, word.end, encodedRule()})
		}
	}
	return list
}

// encodedTexts returns the words of a text, decoded or raw, that are base64 of another text, in order. It looks at few
// bytes of most texts: of every word that is long enough, at two that are so far apart.
func encodedTexts(text []byte) (list []span) {
	for at := 0; at+encodedStep < len(text); {
		if !isDataByte[text[at+encodedStep]] {
			at += 2 * encodedStep
			continue
		}
		if other := lastOther(text, at); other >= 0 {
			at = other + encodedStep
			continue
		}
		word := wordAround(text, at)
		if isEncodedText(text[word.start:word.end]) {
			list = append(list, word)
		}
		at = word.end + encodedStep
	}
	return list
}

// encodedStep is how far apart the bytes are that are looked at. A word that is long enough has two of them.
const encodedStep = shortestEncoded / 2

// lastOther returns the index of the last byte of a step that is not in base64, or -1.
func lastOther(text []byte, at int) int {
	for i := at + encodedStep - 1; i >= at; i-- {
		if !isDataByte[text[i]] {
			return i
		}
	}
	return -1
}

// wordAround returns the characters of base64 around an index. The letter of an escape such as \n before them is none.
func wordAround(text []byte, at int) span {
	start, end := at, at+dataRun(text[at:])
	for start > 0 && isDataByte[text[start-1]] {
		start--
	}
	if start > 0 && text[start-1] == '\\' && start < at {
		start++
	}
	for pad := 0; pad < 2 && end < len(text) && text[end] == '='; pad++ {
		end++
	}
	return span{start, end}
}

// isEncodedText reports whether a word is base64 of a text.
func isEncodedText(word []byte) bool {
	return len(word) >= shortestEncoded && len(word) <= longestEncoded && mayBeEncoded(word) && decodeText(word) != nil
}

// mayBeEncoded is a quick look at the beginning of a word. The first of three bytes of ASCII is below 128, which limits
// the first of the four characters that stand for them.
func mayBeEncoded(word []byte) bool {
	return isLow[word[0]] && isLow[word[4]] && isLow[word[8]] && isLow[word[12]] && isLow[word[16]]
}

// isDataByte says which bytes base64 consists of, and isLow which of them begin three bytes of ASCII.
var isDataByte, isLow = func() (data, low [256]bool) {
	for c := range 256 {
		data[c] = isData(byte(c))
		low[c] = c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'f'
	}
	return data, low
}()

// decodeText returns the text that a word is base64 of, or nil if it is not.
func decodeText(word []byte) []byte {
	for len(word) > 0 && word[len(word)-1] == '=' {
		word = word[:len(word)-1]
	}
	plain, err := base64.RawStdEncoding.AppendDecode(nil, word)
	if err != nil || slices.ContainsFunc(plain, isControl) || !utf8.Valid(plain) {
		return nil
	}
	return plain
}

// isControl reports whether a byte is in no text.
func isControl(c byte) bool { return c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\x1b' }
