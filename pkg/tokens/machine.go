package tokens

import (
	"strings"
	"unicode/utf8"
)

// A machine splits ASCII text exactly as a splitter does, in a third of the time. It reads every byte once and has no
// branches that depend on it. A splitter has many, and the processor predicts them badly.
//
// Some ends of pieces are certain only after more of the text. The machine adds them at once and may take them back.
type machine struct {
	kinds [256]uint8
	rows  [states]row
}

// A row has the moves of one state, by the kind of the byte. It points to the next rows, because every byte has to wait
// until the row is found, and nothing is faster to find.
type row struct {
	next [kinds]*row
	ends [kinds]ends
}

// ends are twice the number of ends that a move adds before the byte. With early, the first one is a byte before that.
type ends int16

const early ends = 1

func (e ends) early() int { return int(e & early) }
func (e ends) count() int { return int(e >> 1) }

// stops is the number of ends for a byte outside ASCII: more than there is room for, so the machine stops.
const stops = 1 << 12

// A move is what a byte does in a state.
type move struct {
	next state
	ends ends
}

// moveTo returns a move to a state that adds a number of ends, or takes one back.
func moveTo(s state, count int) move { return move{s, ends(count) << 1} }

// A state is what a machine knows about the text before a byte.
type state int

const (
	begin       state = iota // at the beginning of a piece
	over                     // at the end of a piece
	small                    // in a word, after a small letter, or any letter for cl100k_base
	capital                  // in a word, after a capital
	oneDigit                 // in a number, after the first digit
	twoDigits                // after the second
	threeDigits              // after the third
	oneSign                  // after a sign that begins a piece
	signs                    // after several signs, or a space and signs
	signLines                // after signs and line ends
	lines                    // after white space that ends with a line end
	apostrophe               // after an apostrophe that may begin a contraction
	smallR                   // after the apostrophe and an r or v
	smallL                   // after the apostrophe and an l
	capitalR                 // the same for capitals
	capitalL
	blank // after white space, without line ends; more, tabbed and indented may be added

	states = blank + 8
)

// Details of white space.
const (
	more     state = 1 << iota // it has several characters
	tabbed                     // the last one is not a space
	indented                   // it follows a line end, which ends a piece unless another line end follows
)

// samples has a byte of every kind. A machine does not distinguish bytes of the same kind.
const samples = "aelrsAELRS0 \t\n'/.\x80"

const (
	outside = len(samples) - 1 // the kind of the bytes outside ASCII
	kinds   = 32               // the room for kinds
)

// newMachine makes a machine for the pattern of cl100k_base or of o200k_base. In the latter, a word ends before a
// capital that follows a small letter, contractions belong to the word before them, and slashes follow signs like line
// ends.
func newMachine(o200k bool) *machine {
	m := &machine{}
	for c := range m.kinds {
		m.kinds[c] = kindOf(byte(c))
	}
	for s := range states {
		for k, c := range []byte(samples) {
			move := char{c, asciiClasses[c], o200k}.from(s)
			m.rows[s].next[k], m.rows[s].ends[k] = &m.rows[move.next], move.ends
		}
	}
	return m
}

func kindOf(c byte) uint8 {
	like := c
	switch k := asciiClasses[c]; {
	case c >= utf8.RuneSelf:
		like = '\x80'
	case k&letter != 0:
		like = c&0x20 ^ 0x20 ^ likeLetter(c|0x20)
	case k == number:
		like = '0'
	case k == lineEnd:
		like = '\n'
	case k == space && c != ' ':
		like = '\t'
	case k == other && c != '\'' && c != '/':
		like = '.'
	}
	return uint8(strings.IndexByte(samples, like))
}

// likeLetter returns a letter that does the same in a contraction.
func likeLetter(c byte) byte {
	switch c {
	case 's', 't', 'm', 'd':
		return 's'
	case 'r', 'v':
		return 'r'
	case 'e', 'l':
		return c
	}
	return 'a'
}

// A char is a byte that a machine for one of the patterns reads.
type char struct {
	c     byte
	class class
	o200k bool
}

// begin returns the state after the byte if a piece begins with it.
func (b char) begin() state {
	switch {
	case b.class == upper && b.o200k:
		return capital
	case b.class&letter != 0:
		return small
	case b.class == number:
		return oneDigit
	case b.class == lineEnd:
		return lines
	case b.class == space:
		return blank + b.tabbed()
	case b.c == '\'' && !b.o200k:
		return apostrophe
	}
	return oneSign
}

func (b char) tabbed() state {
	if b.c == ' ' {
		return 0
	}
	return tabbed
}

// from returns the move of the byte in a state.
func (b char) from(s state) move {
	switch {
	case b.c >= utf8.RuneSelf:
		return b.stop(s)
	case s == begin:
		return moveTo(b.begin(), 0)
	case s >= blank:
		return b.afterWhite(s - blank)
	}
	switch s {
	case small, capital:
		return b.afterLetter(s)
	case oneDigit, twoDigits:
		if b.class == number {
			return moveTo(s+1, 0)
		}
	case apostrophe, smallR, smallL, capitalR, capitalL:
		return b.afterApostrophe(s)
	case oneSign, signs:
		return b.afterSign(s)
	case signLines:
		if b.class == lineEnd || b.o200k && b.c == '/' {
			return moveTo(signLines, 0)
		}
	case lines:
		return b.afterLine()
	}
	return moveTo(b.begin(), 1)
}

// stop returns the move that stops a machine. It takes back an end that is not certain.
func (b char) stop(s state) move {
	if s >= blank+indented || b.o200k && s >= apostrophe && s <= capitalL {
		return moveTo(begin, stops-1)
	}
	return moveTo(begin, stops)
}

// afterLetter returns the move of the byte after a small letter or a capital.
func (b char) afterLetter(s state) move {
	switch {
	case b.o200k && b.c == '\'':
		return moveTo(apostrophe, 1)
	case b.class&letter == 0 || s == small && b.begin() == capital:
		return moveTo(b.begin(), 1)
	}
	return moveTo(b.begin(), 0)
}

// afterApostrophe returns the move of the byte after an apostrophe, or after it and a letter.
func (b char) afterApostrophe(s state) move {
	switch low := b.c | 0x20; {
	case s == apostrophe && low == 's', (s == smallR || s == capitalR) && low == 'e',
		(s == smallL || s == capitalL) && low == 'l':
		if b.o200k {
			return moveTo(over, -1)
		}
		return moveTo(over, 0)
	case s == smallR || s == smallL:
		return b.afterLetter(small)
	case s == capitalR || s == capitalL:
		return b.afterLetter(capital)
	case low == 'r':
		return moveTo(smallR+2*(b.begin()-small), 0)
	case low == 'l':
		return moveTo(smallL+2*(b.begin()-small), 0)
	}
	return b.afterSign(oneSign)
}

// afterSign returns the move of the byte after one sign or several.
func (b char) afterSign(s state) move {
	switch {
	case b.class == other:
		return moveTo(signs, 0)
	case b.class == lineEnd:
		return moveTo(signLines, 0)
	case b.class&letter != 0 && s == oneSign:
		return moveTo(b.begin(), 0)
	}
	return moveTo(b.begin(), 1)
}

// afterLine returns the move of the byte after white space that ends with a line end.
func (b char) afterLine() move {
	switch b.class {
	case lineEnd:
		return moveTo(lines, 0)
	case space:
		return moveTo(b.begin()+indented, 1)
	}
	return moveTo(b.begin(), 1)
}

// afterWhite returns the move of the byte after white space. Its last character belongs to letters, and to signs if it
// is a space.
func (b char) afterWhite(white state) move {
	next, adds := b.begin(), 1
	switch {
	case b.class == lineEnd && white&indented != 0:
		return moveTo(lines, -1)
	case b.class == lineEnd:
		return moveTo(lines, 0)
	case b.class == space:
		return moveTo(blank+white&indented+more+b.tabbed(), 0)
	case b.class&letter != 0:
		adds = 0
	case b.class == other && white&tabbed == 0:
		next, adds = signs, 0
	}
	if white&more != 0 {
		return move{next, ends(adds+1)<<1 | early}
	}
	return moveTo(next, adds)
}

// batch is the number of pieces that are split and then counted.
const batch = 256

// split finds the ends of the pieces of a text from start on, and returns how many there are. It stops before the piece
// that has the first byte outside ASCII, and if there are enough.
func (m *machine) split(text string, start int, found *[batch]int) int {
	var n int
	r, i := &m.rows[begin], start
	for ; i < len(text) && n < batch-2; i++ {
		kind := m.kinds[text[i]] % kinds
		ends := r.ends[kind]
		r = r.next[kind]
		found[n], found[n+1] = i-ends.early(), i
		n += ends.count()
	}
	switch {
	case n >= stops-1: // at a byte outside ASCII
		return n - stops
	case n >= batch-2: // some states have an end that is not certain
		return n + r.ends[outside].count() - stops
	}
	found[n] = len(text)
	return n + 1
}
