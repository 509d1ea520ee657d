package javascript

import "time"

// ParseDate reads a date as JavaScript's Date.parse does in V8, the engine of OpenClaw and pi. It returns milliseconds
// since 1970. A time without an offset is read as UTC, although OpenClaw uses the zone of its machine.
//
// V8 first tries the form that the standard defines, such as 2026-05-01T10:00:00.000Z. If a text departs from it before
// the T, a second, lenient parser continues from there. It reads words and numbers in almost any order, as in
// "Fri May 1 2026 10:00 GMT+0200 (CEST)" and "5/1/26 10:00 PM".
func ParseDate(text string) (ms int64, ok bool) {
	p := dateParser{tokens: newDateTokens(text)}
	rest, ok := p.parseISO()
	if !ok || !p.parseLenient(rest) {
		return 0, false
	}
	year, month, day, okDay := p.day.resolve()
	clock, okClock := p.clock.resolve()
	offset, okOffset := p.zone.resolve()
	if !okDay || !okClock || !okOffset || year < -maxYear || year > maxYear {
		return 0, false
	}
	// A day beyond the end of the month becomes a day of the next month, in Go as in V8.
	days := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Unix()
	ms = days*1000 + clock - offset*1000
	return ms, ms >= -maxDate && ms <= maxDate
}

const (
	maxDate = 8.64e15   // the largest time that a Date can hold, in milliseconds
	maxYear = 1_000_000 // the largest year that V8 computes with
)

// A dateParser has the tokens of a text and what they have said so far.
type dateParser struct {
	tokens dateTokens
	day    dayParts
	clock  clockParts
	zone   zoneParts
}

// parseISO reads the standard form. If the text departs from it before the time, parseISO returns the first token that
// the lenient parser has to continue with. ok is false if the time or the zone is wrong: V8 does not read those
// leniently.
func (p *dateParser) parseISO() (rest dateToken, ok bool) {
	t := &p.tokens
	if !p.isoYear(&rest) || !p.isoMonthAndDay() {
		if rest.kind == endToken {
			rest = t.take()
		}
		return rest, true
	}
	if t.next.isWord(separatorWord) {
		t.take()
		if !p.isoTime() || !p.isoZone() || t.next.kind != endToken {
			return rest, false
		}
	} else if t.next.kind != endToken {
		return t.take(), true
	}
	if p.zone.sign == 0 && p.clock.n == 0 {
		p.zone.set(0)
	}
	p.day.isISO = true
	return rest, true
}

// isoYear reads four digits, or a sign and six. A sign that was taken in vain is returned in sign.
func (p *dateParser) isoYear(sign *dateToken) bool {
	t := &p.tokens
	if !t.next.isSign() {
		return t.next.isNumber(4) && p.day.add(t.take().value)
	}
	*sign = t.take()
	if !t.next.isNumber(6) {
		return false
	}
	year := t.take().value
	if sign.sign() < 0 && year == 0 {
		return false
	}
	p.day.add(sign.sign() * year)
	*sign = dateToken{}
	return true
}

// isoMonthAndDay reads an optional month and an optional day.
func (p *dateParser) isoMonthAndDay() bool {
	for _, most := range []int{12, 31} {
		if !p.tokens.skip('-') {
			return true
		}
		if !p.tokens.next.isNumberIn(1, most) {
			return false
		}
		p.day.add(p.tokens.take().value)
	}
	return true
}

// isoTime reads hh:mm[:ss[.fraction]]. The hour may be 24 if everything else is 0.
func (p *dateParser) isoTime() bool {
	t, most := &p.tokens, 59
	if !t.next.isNumberIn(0, 24) {
		return false
	}
	if t.next.value == 24 {
		most = 0
	}
	p.clock.add(t.take().value)
	if !t.skip(':') || !t.next.isNumberIn(0, most) {
		return false
	}
	p.clock.add(t.take().value)
	if !t.skip(':') {
		return true
	}
	if !t.next.isNumberIn(0, most) {
		return false
	}
	p.clock.add(t.take().value)
	if !t.skip('.') {
		return true
	}
	if t.next.kind != numberToken || most == 0 && t.next.value > 0 {
		return false
	}
	return p.clock.add(t.take().milliseconds())
}

// isoZone reads an optional Z, ±hh:mm or ±hhmm, of less than a day.
func (p *dateParser) isoZone() bool {
	t := &p.tokens
	if t.next.isZ() {
		t.take()
		p.zone.set(0)
	}
	if p.zone.sign != 0 || !t.next.isSign() {
		return true
	}
	p.zone.sign = t.take().sign()
	if t.next.isNumber(4) {
		n := t.take().value
		p.zone.hour, p.zone.minute = known(n/100), known(n%100)
		return n/100 <= 23 && n%100 <= 59
	}
	if !t.next.isNumberIn(0, 23) {
		return false
	}
	p.zone.hour = known(t.take().value)
	if !t.skip(':') || !t.next.isNumberIn(0, 59) {
		return false
	}
	p.zone.minute = known(t.take().value)
	return true
}

// parseLenient reads what is left of a text, from a token on.
func (p *dateParser) parseLenient(token dateToken) bool {
	seenNumber := p.day.n > 0
	if token.kind == endToken {
		token = p.tokens.take()
	}
	for ; token.kind != endToken; token = p.tokens.take() {
		ok := true
		switch {
		case token.kind == numberToken:
			seenNumber, ok = true, p.number(token.value)
		case token.kind == wordToken:
			ok = p.word(token, seenNumber)
		case token.isSign() && (p.zone.isUTC() || p.clock.n > 0):
			seenNumber, ok = true, p.offset(token)
		case token.isSign() || token.isSymbol(')'):
			ok = !seenNumber
		}
		if !ok {
			return false
		}
	}
	return true
}

// number reads a number: a part of the time, the minutes of an offset, or a part of the date.
func (p *dateParser) number(n int) bool {
	t := &p.tokens
	if t.skip(':') {
		return p.numberAndColon(n)
	}
	switch {
	case t.skip('.') && p.clock.expects(n):
		p.clock.add(n)
		if t.next.kind != numberToken {
			return false
		}
		p.clock.addLast(t.take().milliseconds())
	case p.zone.expectsMinute(n):
		p.zone.minute = known(n)
	case p.clock.expects(n):
		p.clock.addLast(n)
		return t.next.kind == endToken || t.next.kind == spaceToken || t.next.isZ() || t.next.isSign()
	default:
		ok := p.day.add(n)
		t.skip('-')
		return ok
	}
	return true
}

// numberAndColon reads a number before a colon, which is an hour or a minute. Two colons stand for no minutes.
func (p *dateParser) numberAndColon(n int) bool {
	if p.tokens.skip(':') {
		return p.clock.n == 0 && p.clock.add(n) && p.clock.add(0)
	}
	ok := p.clock.add(n)
	p.tokens.skip('.')
	return ok
}

// word reads a word. Words without a meaning are accepted before the first number only.
func (p *dateParser) word(w dateToken, seenNumber bool) bool {
	switch {
	case w.isWord(halfDayWord) && p.clock.n > 0:
		p.clock.half = known(w.value)
	case w.isWord(monthWord):
		p.day.month = w.value
		p.tokens.skip('-')
	case w.isWord(zoneWord) && seenNumber:
		p.zone.set(w.value)
	default:
		return !seenNumber && p.tokens.next.kind != numberToken
	}
	return true
}

// offset reads the offset after a sign: hours, hours and a colon, or hours and minutes without one.
func (p *dateParser) offset(sign dateToken) bool {
	p.zone.sign = sign.sign()
	var n dateToken
	if p.tokens.next.kind == numberToken {
		n = p.tokens.take()
	}
	switch {
	case p.tokens.next.isSymbol(':'):
		p.zone.hour, p.zone.minute = known(n.value), part{}
	case n.length == 1 || n.length == 2:
		p.zone.hour, p.zone.minute = known(n.value), known(0)
	case n.length == 3 || n.length == 4:
		p.zone.hour, p.zone.minute = known(n.value/100), known(n.value%100)
	default:
		return false
	}
	return true
}
