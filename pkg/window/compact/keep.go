package compact

import (
	"fmt"
	"strconv"
	"strings"
)

// A Unit is the unit of Keep.
type Unit string

// The units of Keep.
const (
	Tokens   Unit = "tokens"   // at least this many, by the program's estimate, cut where the program cuts
	Percent  Unit = "percent"  // of that estimate for the complete conversation
	Messages Unit = "messages" // at least this many
	Claw0    Unit = "claw0"    // claw0's own numbers
)

// A Keep says how much of a conversation is kept unchanged.
type Keep struct {
	Unit Unit
	N    int
}

// DefaultKeep is the amount that pi and OpenClaw keep.
var DefaultKeep = Keep{Tokens, 20_000}

// ParseKeep reads a number of tokens, a percentage such as 50%, or a number of messages such as 20m.
func ParseKeep(text string) (k Keep, err error) {
	k.Unit = Tokens
	digits, isPercent := strings.CutSuffix(text, "%")
	if isPercent {
		k.Unit = Percent
	}
	digits, isMessages := strings.CutSuffix(digits, "m")
	if isMessages {
		k.Unit = Messages
	}
	k.N, err = strconv.Atoi(digits)
	if err != nil || k.N < 1 || isPercent && (isMessages || k.N > 99) {
		const form = "must be a number of tokens, a percentage from 1%% to 99%%, or messages such as 20m, got %q"
		return k, fmt.Errorf(form, text)
	}
	return k, nil
}

func (k Keep) String() string {
	switch k.Unit {
	case Percent:
		return strconv.Itoa(k.N) + "%"
	case Messages:
		return strconv.Itoa(k.N) + "m"
	case Claw0:
		return "claw0"
	}
	return strconv.Itoa(k.N)
}
