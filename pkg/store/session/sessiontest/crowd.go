package sessiontest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/store"
	"clawctl/pkg/store/session"
)

// AppendMany appends numbered texts to a session, one by one, each in a transaction of its own. name tells them apart
// from those of others.
func AppendMany(ctx context.Context, db, key, name string, count int, now func() time.Time) error {
	st, err := store.Open(ctx, db, store.Options{LockTimeout: 5 * time.Minute})
	if err != nil {
		return err
	}
	k := &session.Keeper{Store: st, Now: now, Random: rand.Reader}
	for n := range count {
		draft := func(c *jsonl.Composer) ([]string, error) {
			text := fmt.Sprintf("%s %d", name, n)
			return []string{`{"type":"message","message":` + c.FromText(jsonl.RoleUser, text, "", false) + "}"}, nil
		}
		if _, err := k.Append(ctx, key, session.Options{}, []session.Draft{draft}); err != nil {
			return errors.Join(fmt.Errorf("%s, record %d: %w", name, n, err), st.Close())
		}
	}
	return st.Close()
}

// Crowd runs several appenders at once, on one session or on one each, and checks that none of their records is lost
// and that the order of each is kept. start runs one appender to its end.
func Crowd(ctx context.Context, db string, appenders, each int, isOne bool, start func(key, name string) error) error {
	var wait sync.WaitGroup
	errs := make([]error, appenders)
	for i := range appenders {
		key := "crowd"
		if !isOne {
			key = fmt.Sprintf("crowd:%d", i)
		}
		wait.Go(func() { errs[i] = start(key, fmt.Sprintf("appender-%d", i)) })
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return checkCrowd(ctx, db, appenders, each, isOne)
}

// checkCrowd checks what the appenders have left.
func checkCrowd(ctx context.Context, db string, appenders, each int, isOne bool) error {
	w, err := Read(ctx, db)
	if err != nil {
		return err
	}
	next, sessions := map[string]int{}, 0
	for key, s := range w {
		if (key == "crowd") != isOne || s.Live == nil {
			continue
		}
		sessions++
		for _, text := range s.Live {
			var name string
			var n int
			if _, err := fmt.Sscanf(text, "%s %d", &name, &n); err != nil || n != next[name] {
				return fmt.Errorf("%s: %q, want number %d", key, text, next[name])
			}
			next[name]++
		}
	}
	for i := range appenders {
		if n := next[fmt.Sprintf("appender-%d", i)]; n != each {
			return fmt.Errorf("appender %d has %d records, want %d", i, n, each)
		}
	}
	if isOne && sessions != 1 || !isOne && sessions != appenders {
		return fmt.Errorf("%d sessions", sessions)
	}
	return nil
}
