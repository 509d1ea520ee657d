package harness

import (
	"strings"
	"time"
)

// A pairing says for each turn of another program which turn of OpenClaw it is.
type pairing struct {
	own    []int         // the index of OpenClaw's turn, or -1
	prompt []bool        // both have the prompt
	found  int           // how many turns have one
	of     map[int][]int // the turns of the other program by those of OpenClaw
}

// window is how far the times of the same message may be apart in both transcripts. OpenClaw uses the same limit when
// it merges the two.
const window = 5 * time.Minute

// pairTurns pairs the turns of two transcripts, in order. Several turns of the other program may belong to one of
// OpenClaw, which does not keep all prompts.
func pairTurns(own, other []turn) *pairing {
	p := &pairing{own: make([]int, len(other)), prompt: make([]bool, len(other)), of: map[int][]int{}}
	next := 0                       // the first turn that may be the same as the next one of the other program
	taken := make([]bool, len(own)) // whose prompts have been found
	for j := range other {
		p.own[j] = -1
		for i := next; i < len(own); i++ {
			isPrompt := !taken[i] && hasPrompt(&own[i], &other[j])
			if !isPrompt && !hasAnswer(&own[i], &other[j]) {
				continue
			}
			p.own[j], p.prompt[j], next = i, isPrompt, i
			taken[i] = taken[i] || isPrompt
			p.of[i] = append(p.of[i], j)
			p.found++
			break
		}
	}
	return p
}

// isNear reports whether two turns may be the same by their times. isKnown is false if one has none.
func isNear(a, b *turn) (near, isKnown bool) {
	if a.at.IsZero() || b.at.IsZero() {
		return true, false
	}
	return a.at.Sub(b.at).Abs() <= window, true
}

// hasPrompt reports whether two turns have the same prompt. OpenClaw may have added to it what the model should know.
func hasPrompt(own, other *turn) bool {
	near, isDated := isNear(own, other)
	if !near || own.prompt == 0 || other.prompt == 0 {
		return false
	}
	for _, text := range own.texts {
		sent := other.texts[0]
		if text == sent || isDated && (isPart(text, sent) || isPart(sent, text)) {
			return true
		}
	}
	return false
}

// leastPart is how long a text is at least that is found anywhere in another one. Shorter ones must be at its end.
const leastPart = 16

// isPart reports whether a text is part of another one.
func isPart(text, whole string) bool {
	switch {
	case text == "":
		return false
	case len(text) < leastPart:
		return strings.HasSuffix(whole, " "+text)
	}
	return strings.Contains(whole, text)
}

// hasAnswer reports whether OpenClaw has an answer of a turn of the other program.
func hasAnswer(own, other *turn) bool {
	for _, a := range own.answers {
		near := a.at.IsZero() || other.at.IsZero() ||
			!a.at.Before(other.at.Add(-window)) && !a.at.After(other.end.Add(window))
		if near && other.includes(a.text) {
			return true
		}
	}
	return false
}

// includes reports whether the other program said a text in a turn.
func (t *turn) includes(text string) bool {
	return text == t.said || isPart(text, t.said)
}
