package json5

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// skipSpace skips white space and comments.
func (p *parser) skipSpace() error {
	for {
		r, size := p.peek()
		switch {
		case size > 0 && isSpace(r):
			p.at += size
		case p.word("//"):
			p.skipLine()
		case bytes.HasPrefix(p.text[p.at:], []byte("/*")):
			end := bytes.Index(p.text[p.at+2:], []byte("*/"))
			if end < 0 {
				return errors.New("the comment does not end")
			}
			p.at += end + 4
		default:
			return nil
		}
	}
}

func isSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', '\ufeff', '\u2028', '\u2029':
		return true
	}
	return unicode.Is(unicode.Zs, r)
}

func isLineEnd(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' }

func (p *parser) skipLine() {
	for r, size := p.peek(); size > 0 && !isLineEnd(r); r, size = p.peek() {
		p.at += size
	}
}

// key reads the key of a member: a string or a name.
func (p *parser) key() (string, error) {
	if r, _ := p.peek(); r == '"' || r == '\'' {
		return p.quoted()
	}
	var name strings.Builder
	for {
		start := p.at
		r, size := p.peek()
		p.at += size
		if r == '\\' {
			if !p.take('u') {
				return "", p.unexpected()
			}
			unit, err := p.hexCode(4)
			if err != nil {
				return "", err
			}
			r = unit
		}
		if size == 0 || !isNamePart(r) || name.Len() == 0 && !isNameStart(r) {
			p.at = start
			break
		}
		name.WriteRune(r)
	}
	if name.Len() == 0 {
		return "", p.unexpected()
	}
	return name.String(), nil
}

func isNameStart(r rune) bool {
	return r == '$' || r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r)
}

func isNamePart(r rune) bool {
	return isNameStart(r) || r == '\u200c' || r == '\u200d' ||
		unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc)
}

// quoted reads a string, from its opening quote on.
func (p *parser) quoted() (string, error) {
	quote := p.text[p.at]
	p.at++
	var text strings.Builder
	for {
		r, size := p.peek()
		switch {
		case size == 0:
			return "", errors.New("the string does not end")
		case r == '\n' || r == '\r':
			return "", errors.New("line end in a string")
		case p.take(quote):
			return text.String(), nil
		case p.take('\\'):
			if err := p.escape(&text); err != nil {
				return "", err
			}
		default:
			text.Write(p.text[p.at : p.at+size]) // byte for byte, even if it is not UTF-8
			p.at += size
		}
	}
}

// plainEscapes are the characters that a letter after a backslash stands for.
var plainEscapes = map[rune]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

// escape reads what follows a backslash.
func (p *parser) escape(text *strings.Builder) error {
	r, size := p.peek()
	if size == 0 {
		return errEnd
	}
	p.at += size
	switch {
	case plainEscapes[r] != 0:
		text.WriteByte(plainEscapes[r])
	case r == '0' && !p.isDigitNext():
		text.WriteByte(0)
	case r == 'x':
		unit, err := p.hexCode(2)
		text.WriteRune(unit)
		return err
	case r == 'u':
		return p.unicodeEscape(text)
	case r >= '0' && r <= '9':
		return fmt.Errorf("bad escape \\%c", r)
	case isLineEnd(r): // the string continues on the next line
		if r == '\r' {
			p.take('\n')
		}
	default:
		text.WriteRune(r)
	}
	return nil
}

func (p *parser) isDigitNext() bool {
	return p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9'
}

// unicodeEscape reads what follows \u. Two escapes may form one character. Half of one becomes U+FFFD.
func (p *parser) unicodeEscape(text *strings.Builder) error {
	unit, err := p.hexCode(4)
	if err != nil {
		return err
	}
	if before := p.at; utf16.IsSurrogate(unit) && p.word(`\u`) {
		second, err := p.hexCode(4)
		if err != nil {
			return err
		}
		if pair := utf16.DecodeRune(unit, second); pair != unicode.ReplacementChar {
			text.WriteRune(pair)
			return nil
		}
		p.at = before // the second escape stands for itself
	}
	text.WriteRune(unit)
	return nil
}

// hexCode reads a number of exactly n hexadecimal digits.
func (p *parser) hexCode(n int) (code rune, err error) {
	for range n {
		if p.at >= len(p.text) {
			return 0, errEnd
		}
		digit, ok := hexDigit(p.text[p.at])
		if !ok {
			return 0, p.unexpected()
		}
		code = code<<4 | digit
		p.at++
	}
	return code, nil
}
