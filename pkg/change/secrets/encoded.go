package secrets

import (
	"encoding/base64"
	"slices"
	"unicode/utf8"

	"clawctl/pkg/jsontext"
)

// The lengths of words that may be base64 of a text with a secret. Longer ones are files and images.
const (
	shortestEncoded = 20
	longestEncoded  = 16 << 10
)

// encodedTexts returns the words of the plain form that are base64 of another text, and that a step is in or before.
// The others are in the text itself.
func (r *reading) encodedTexts() (list []span) {
	text, done := r.plain.text, 0
	for _, s := range r.steps {
		start, last := s.to, s.to+len(s.plain)
		for start > max(done, last-longestEncoded) && isData[text[start-1]] {
			start--
		}
		if start < done {
			continue
		}
		for done = last; done < len(text) && isData[text[done]]; {
			done++
		}
		if done-start < shortestRun {
			continue
		}
		for _, word := range encodedTexts(text[start:min(len(text), done+len("=="))]) {
			list = append(list, span{start + word.start, start + word.end})
		}
	}
	return list
}

// encodedTexts returns the words of a text that are base64 of another text, in order. Most texts have no word that may
// be one, and few of their bytes are looked at one by one.
func encodedTexts(text []byte) []span {
	var list []span
	for start := nextWord(text, 0); start >= 0; {
		end := wordEnd(text, start)
		if beginsWord(text, start) && isEncodedText(text[start:end]) {
			list = append(list, span{start, end})
		}
		start = nextWord(text, end)
	}
	return list
}

// wordEnd returns where a word ends, with the signs that fill it up.
func wordEnd(text []byte, start int) int {
	end := start + jsontext.DataRun(text[start:])
	for pad := 0; pad < 2 && end < len(text) && text[end] == '='; pad++ {
		end++
	}
	return end
}

// beginsWord reports whether a word begins at an index. The letter of an escape such as \n is not part of it.
func beginsWord(text []byte, at int) bool {
	return at == 0 || !jsontext.IsData(text[at-1]) || at > 1 && text[at-2] == '\\'
}

// shortestRun is the length of the shortest word without the signs that may fill it up.
const shortestRun = shortestEncoded - 2

// nextWord returns where the next word begins that may be base64 of a text, or -1. It goes from the end of a row of
// bytes to its beginning, which skips short ones.
func nextWord(text []byte, from int) int {
	for from+shortestRun <= len(text) {
		other := lastOther(text[from : from+shortestRun])
		switch {
		case other >= 0:
			from += other + 1
		case from > 0 && text[from-1] == '\\':
			return from + 1
		default:
			return from
		}
	}
	return -1
}

// lastOther returns the index of the last byte of a text that is not in base64, or -1.
func lastOther(text []byte) int {
	for i := len(text) - 1; i >= 0; i-- {
		if !isData[text[i]] {
			return i
		}
	}
	return -1
}

// isData says which bytes base64 has.
var isData = setOf("+/" + alnum)

// isEncodedText reports whether a word is base64 of a text.
func isEncodedText(word []byte) bool {
	return len(word) >= shortestEncoded && len(word) <= longestEncoded && mayBeEncoded(word) && decodeText(word) != nil
}

// mayBeEncoded is a quick look at the beginning of a word. The first of three bytes of ASCII is below 128, which limits
// the first of the four characters that stand for them.
func mayBeEncoded(word []byte) bool {
	return isLow[word[0]] && isLow[word[4]] && isLow[word[8]] && isLow[word[12]] && isLow[word[16]]
}

// isLow says which bytes of base64 begin three bytes of ASCII.
var isLow = setOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef")

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

func isControl(c byte) bool { return c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\x1b' }
