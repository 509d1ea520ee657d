//go:build unix

package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"clawctl/pkg/store/session/sessiontest"
)

// A world is what a store must hold.
type world struct{ sessiontest.World }

// clone copies a model, so that a command can change the copy.
func (w world) clone() world {
	c := world{sessiontest.World{}}
	for key, s := range w.World {
		c.World[key] = &sessiontest.Fate{Live: s.Live, Older: slices.Clone(s.Older), Trash: slices.Clone(s.Trash)}
	}
	return c
}

// text describes a world, so that two of them can be compared. Generations are in no order.
func (w world) text() string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(w.World)) {
		s := w.World[key]
		if s.Live != nil {
			fmt.Fprintf(&b, "%s is %s\n", key, sumOfTexts(s.Live))
		}
		var older []string
		for _, texts := range s.Older {
			older = append(older, sumOfTexts(texts))
		}
		slices.Sort(older)
		for _, text := range older {
			fmt.Fprintf(&b, "%s was %s\n", key, text)
		}
		for _, texts := range s.Trash {
			fmt.Fprintf(&b, "%s in the trash is %s\n", key, sumOfTexts(texts))
		}
	}
	return b.String()
}

// sumOfTexts describes the texts of a session.
func sumOfTexts(texts []string) string {
	h := fnv.New64a()
	for _, text := range texts {
		fmt.Fprintf(h, "%q", text)
	}
	return fmt.Sprintf("%d records, %x", len(texts), h.Sum64())
}

// killedKeys are the sessions that are changed.
var killedKeys = []string{"agent:main:one", "agent:main:two", "three"}

// A killer changes sessions with processes that it kills.
type killer struct {
	ctx   context.Context
	db    string
	dice  *rand.Rand
	world world
	usual map[string]time.Duration // how long a command takes
	count int
	kills map[string]int
}

// killAtRandom changes the sessions of a store with commands that are killed at random moments of their run time,
// until a number of them was hit. After each, the store must hold the state before the command, or the state after it.
// What a command has acknowledged must be there. It returns how often each command was killed.
func killAtRandom(ctx context.Context, db string, kills int, dice *rand.Rand) (map[string]int, error) {
	k := &killer{ctx: ctx, db: db, dice: dice, world: world{sessiontest.World{}}, usual: map[string]time.Duration{},
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
	killed, took, err := runKilled(delay, append(c.args, "--store", k.db, "--quiet", "-y")...)
	if err != nil {
		return killed, fmt.Errorf("%s: %w", c.name, err)
	}
	if delay == 0 || !killed {
		k.usual[c.name] = took
	}
	read, err := sessiontest.Read(k.ctx, k.db)
	if err != nil {
		return killed, fmt.Errorf("%s: %w", c.name, err)
	}
	have := world{read}
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

// A lifeStep is a command, and what it does to the model.
type lifeStep struct {
	name  string
	args  []string
	apply func(world)
}

// choose returns a command that is possible now.
func (k *killer) choose() lifeStep {
	key := killedKeys[k.dice.IntN(len(killedKeys))]
	s := k.world.Get(key)
	switch n := k.dice.IntN(10); {
	case n < 2 && s.Live != nil:
		return lifeStep{"delete", []string{"delete", key}, func(w world) {
			s := w.Get(key)
			s.Trash, s.Live = append(s.Trash, s.Live), nil
		}}
	case n < 4 && s.Live == nil && len(s.Trash) > 0:
		return lifeStep{"restore", []string{"restore", key}, func(w world) {
			s := w.Get(key)
			last := len(s.Trash) - 1
			s.Live, s.Trash = s.Trash[last], s.Trash[:last]
		}}
	case n < 5 && len(s.Older) < 3:
		return lifeStep{"new", []string{"new", key}, func(w world) {
			s := w.Get(key)
			if s.Live != nil {
				s.Older = append(s.Older, s.Live)
			}
			s.Live = []string{}
		}}
	}
	text := fmt.Sprintf("record %d %s", k.count, strings.Repeat("x", k.dice.IntN(9000)))
	return lifeStep{"append", []string{"append", key, "--role", "user", text}, func(w world) {
		s := w.Get(key)
		s.Live = append(slices.Clone(s.Live), text)
	}}
}
