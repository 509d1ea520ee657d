package javascript

// A part is a number that a date may lack.
type part struct {
	value   int
	isKnown bool
}

func known(n int) part { return part{n, true} }

// dayParts holds up to three numbers of a date, and the month if a word named it.
type dayParts struct {
	numbers [3]int
	n       int
	month   int // 0 if no word named it
	isISO   bool
}

func (d *dayParts) add(n int) bool {
	if d.n == len(d.numbers) {
		return false
	}
	d.numbers[d.n] = n
	d.n++
	return true
}

func isDay(n int) bool { return n >= 1 && n <= 31 }

// resolve decides which of the numbers is the year, the month and the day. A missing number is 1. A first number that
// cannot be a day is the year; otherwise the order is the American one.
func (d *dayParts) resolve() (year, month, day int, ok bool) {
	if d.n == 0 {
		return 0, 0, 0, false
	}
	for d.add(1) {
	}
	a, b, c := d.numbers[0], d.numbers[1], d.numbers[2]
	switch {
	case d.month == 0 && (d.isISO || !isDay(a)):
		year, month, day = a, b, c
	case d.month == 0:
		year, month, day = c, a, b
	case !isDay(a):
		year, month, day = a, d.month, b
	default:
		year, month, day = b, d.month, a
	}
	if !d.isISO {
		year = fullYear(year)
	}
	return year, month, day, month >= 1 && month <= 12 && isDay(day)
}

// fullYear completes a year of two digits: 49 is 2049, and 50 is 1950.
func fullYear(year int) int {
	switch {
	case year >= 0 && year <= 49:
		return year + 2000
	case year >= 50 && year <= 99:
		return year + 1900
	}
	return year
}

// clockParts holds the hour, minute, second and millisecond that were read.
type clockParts struct {
	numbers [4]int
	n       int
	half    part // 0 for AM, 12 for PM
}

// mostOfClock are the largest values of the parts of a time.
var mostOfClock = [4]int{23, 59, 59, 999}

// expects reports whether a number can be the next part of a time that has begun.
func (c *clockParts) expects(n int) bool {
	return c.n > 0 && c.n < len(c.numbers) && n >= 0 && n <= mostOfClock[c.n]
}

func (c *clockParts) add(n int) bool {
	if c.n == len(c.numbers) {
		return false
	}
	c.numbers[c.n] = n
	c.n++
	return true
}

// addLast adds the last part of a time, which cannot continue after it.
func (c *clockParts) addLast(n int) {
	c.add(n)
	for c.add(0) {
	}
}

// resolve returns the time of the day in milliseconds. 24:00 is the end of the day.
func (c *clockParts) resolve() (ms int64, ok bool) {
	c.addLast(0)
	hour := c.numbers[0]
	if c.half.isKnown {
		if hour > 12 {
			return 0, false
		}
		hour = hour%12 + c.half.value
	}
	minute, second, milli := c.numbers[1], c.numbers[2], c.numbers[3]
	isMidnight := hour == 24 && minute == 0 && second == 0 && milli == 0
	ok = isMidnight || hour <= 23 && minute <= 59 && second <= 59 && milli <= 999
	return int64(hour)*3600_000 + int64(minute)*60_000 + int64(second)*1000 + int64(milli), ok
}

// zoneParts holds the offset from UTC.
type zoneParts struct {
	sign         int // 0 if the text has no zone
	hour, minute part
}

// set sets the offset of a named zone, in hours.
func (z *zoneParts) set(hours int) {
	z.sign = 1
	if hours < 0 {
		z.sign = -1
	}
	z.hour, z.minute = known(hours*z.sign), known(0)
}

func (z *zoneParts) isUTC() bool { return z.hour == known(0) && z.minute == known(0) }

func (z *zoneParts) expectsMinute(n int) bool {
	return z.hour.isKnown && !z.minute.isKnown && n >= 0 && n <= 59
}

// resolve returns the offset in seconds. V8 computes it with 32 bits, and refuses what needs the last of them.
func (z *zoneParts) resolve() (seconds int64, ok bool) {
	total := uint32(z.hour.value)*3600 + uint32(z.minute.value)*60
	return int64(z.sign) * int64(total), total < 1<<31
}
