// Package sessiontest tests that no interruption of a session's life loses anything: a model says what the store must
// hold, and processes are killed while they change it.
package sessiontest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// A Runner runs clawctl with arguments, and kills it after a delay, or never if that is 0. It reports whether the kill
// ended the process, and how long it ran. A process that ended by itself must have succeeded.
type Runner func(delay time.Duration, args ...string) (killed bool, took time.Duration, err error)

// keys are the sessions that are changed.
var keys = []string{"agent:main:one", "agent:main:two", "three"}

// A killer changes sessions with processes that it kills.
type killer struct {
	ctx   context.Context
	db    string
	run   Runner
	dice  *rand.Rand
	world world
	usual map[string]time.Duration // how long a command takes
	count int
	kills map[string]int
}

// Kills changes the sessions of a store with commands that are killed at random moments of their run time, until a
// number of them was hit. After each, the store must hold the state before the command, or the state after it. What a
// command has acknowledged must be there. It returns how often each command was killed.
func Kills(ctx context.Context, db string, run Runner, kills int, dice *rand.Rand) (map[string]int, error) {
	k := &killer{ctx: ctx, db: db, run: run, dice: dice, world: world{}, usual: map[string]time.Duration{},
		kills: map[string]int{}}
	for n := 0; n < kills; {
		if k.count > 20*kills+100 {
			return k.kills, fmt.Errorf("only %d kills hit a running process", n)
		}
		killed, err := k.step()
		if err != nil {
			return k.kills, fmt.Errorf("command %d: %w", k.count, err)
		}
		if killed {
			n++
		}
	}
	return k.kills, nil
}

// step runs one command, and compares the store with the model.
func (k *killer) step() (killed bool, err error) {
	k.count++
	c := k.choose()
	delay := time.Duration(0)
	if usual := k.usual[c.name]; usual > 0 {
		delay = 1 + time.Duration(k.dice.Int64N(int64(usual)))
	}
	killed, took, err := k.run(delay, append(c.args, "--store", k.db, "--quiet", "-y")...)
	if err != nil {
		return killed, fmt.Errorf("%s: %w", c.name, err)
	}
	if delay == 0 || !killed {
		k.usual[c.name] = took
	}
	have, err := readWorld(k.ctx, k.db)
	if err != nil {
		return killed, fmt.Errorf("%s: %w", c.name, err)
	}
	after := k.world.clone()
	c.apply(after)
	switch {
	case have.text() == after.text():
		k.world = after
	case !killed:
		return killed, fmt.Errorf("%s was acknowledged, and is lost:\n%s\nwant\n%s", c.name, have.text(), after.text())
	case have.text() != k.world.text():
		return killed, fmt.Errorf("%s left a torn state:\n%s\nwant\n%s\nor\n%s", c.name, have.text(), k.world.text(),
			after.text())
	}
	if killed {
		k.kills[c.name]++
	}
	return killed, nil
}

// A step is a command, and what it does to the model.
type step struct {
	name  string
	args  []string
	apply func(world)
}

// choose returns a command that is possible now.
func (k *killer) choose() step {
	key := keys[k.dice.IntN(len(keys))]
	s := k.world.get(key)
	switch n := k.dice.IntN(10); {
	case n < 2 && s.live != nil:
		return step{"delete", []string{"delete", key}, func(w world) {
			s := w.get(key)
			s.trash, s.live = append(s.trash, s.live), nil
		}}
	case n < 4 && s.live == nil && len(s.trash) > 0:
		return step{"restore", []string{"restore", key}, func(w world) {
			s := w.get(key)
			last := len(s.trash) - 1
			s.live, s.trash = s.trash[last], s.trash[:last]
		}}
	case n < 5 && len(s.older) < 3:
		return step{"new", []string{"new", key}, func(w world) {
			s := w.get(key)
			if s.live != nil {
				s.older = append(s.older, s.live)
			}
			s.live = []string{}
		}}
	}
	text := fmt.Sprintf("record %d %s", k.count, strings.Repeat("x", k.dice.IntN(9000)))
	return step{"append", []string{"append", key, "--role", "user", text}, func(w world) {
		s := w.get(key)
		s.live = append(slices.Clone(s.live), text)
	}}
}
