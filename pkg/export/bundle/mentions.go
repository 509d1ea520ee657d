package bundle

import (
	"bytes"
	"io"
	"strings"
)

// The sizes of the pieces in which a text is searched. A mention is found if it is at most as long as the overlap.
const (
	pieceSize = 1 << 20
	overlap   = 2 << 10
)

// Mentions searches the text of a transcript for paths of media files, and calls found with each of the names that it
// mentions. A name is a path below the folder of media.
func Mentions(in io.Reader, names map[string]bool, found func(name string)) error {
	buf, kept := make([]byte, pieceSize), 0
	for {
		n, err := io.ReadFull(in, buf[kept:])
		text := buf[:kept+n]
		isEnd := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !isEnd {
			return err
		}
		end := len(text)
		if !isEnd {
			end -= overlap
		}
		eachMention(text, end, names, found)
		if isEnd {
			return nil
		}
		kept = copy(buf, text[end:])
	}
}

// eachMention finds the mentions that begin before end.
func eachMention(text []byte, end int, names map[string]bool, found func(name string)) {
	for at := 0; at < end; {
		next := bytes.Index(text[at:], []byte(mediaFolder))
		if next < 0 || at+next >= end {
			return
		}
		at += next + len(mediaFolder)
		rest := bytes.TrimLeft(text[at:min(at+maxPath, len(text))], `:/\`)
		if name := longestName(rest, names); name != "" && len(rest) > 0 && strings.ContainsRune(`:/\`, rune(text[at])) {
			found(name)
		}
	}
}

// longestName returns the longest name that a text begins with.
func longestName(text []byte, names map[string]bool) string {
	var name string
	normal := strings.NewReplacer(`\\`, "/", `\/`, "/").Replace(string(text))
	for end := 1; end <= len(normal); end++ {
		isEnd := end == len(normal) || strings.IndexByte("\" |)]>,'`\\;\n\t", normal[end]) >= 0
		if isEnd && names[normal[:end]] {
			name = normal[:end]
		}
		if end < len(normal) && (normal[end] == '"' || normal[end] == '\n') {
			return name
		}
	}
	return name
}
