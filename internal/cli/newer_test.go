package cli

import (
	"errors"
	"fmt"
	"testing"

	"clawctl/internal/failure"
	"clawctl/pkg/store/dbfile"
)

// A database that is too new is refused with a code, the reason and a command.
func TestNewerDatabaseError(t *testing.T) {
	f := InputError("x.sqlite", fmt.Errorf("%w: schema 30 has no transcript_events.event_json", dbfile.ErrNewer))
	want := "x.sqlite: CL912 the database was written by a newer version: schema 30 has no transcript_events.event_json"
	if f.Error() != want || f.Hint != "clawctl version" || f.Status() != failure.ExitDatabase {
		t.Errorf("%v, hint %q, exit %d", f, f.Hint, f.Status())
	}
	if f := InputError("x.sqlite", errors.New("other")); f.Hint != "" {
		t.Errorf("hint %q", f.Hint)
	}
}
