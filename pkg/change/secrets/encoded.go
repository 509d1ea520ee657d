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

// encodedTexts returns the words of a text, decoded or raw, that are base64 of another text, in order. Most texts have
// no word that is long enough, and few of their bytes are looked at one by one.
func encodedTexts(text []byte) (list []span) {
	for start := nextRun(text, 0); start >= 0; {
		word := wordFrom(text, start)
		if isEncodedText(text[word.start:word.end]) {
			list = append(list, word)
		}
		start = nextRun(text, word.end)
	}
	return list
}

// shortestRun is the length of the shortest word without the signs that may fill it up.
const shortestRun = shortestEncoded - 2

// nextRun returns where the next bytes of base64 begin that may be a word, or -1.
func nextRun(text []byte, from int) int {
	from += max(0, bytesBeforeRun(text[from:])-(shortestRun-1))
	for from+shortestRun <= len(text) {
		other := lastOther(text[from : from+shortestRun])
		if other < 0 {
			return from
		}
		from += other + 1
	}
	return -1
}

// lastOther returns the index of the last byte of a text that is not in base64, or -1.
func lastOther(text []byte) int {
	for i := len(text) - 1; i >= 0; i-- {
		if !isDataByte[text[i]] {
			return i
		}
	}
	return -1
}

// wordFrom returns the word whose first byte is at an index. The letter of an escape such as \n before it is not part
// of it.
func wordFrom(text []byte, start int) span {
	end := start + dataRun(text[start:])
	if start > 0 && text[start-1] == '\\' {
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
