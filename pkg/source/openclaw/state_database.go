package openclaw

import (
	"context"
	"path/filepath"

	"clawctl/internal/openfile"
	"clawctl/internal/rooted"
	"clawctl/pkg/store/dbfile"
)

// StateDatabase is the database of a state folder that is not about one agent.
const StateDatabase = "state/openclaw.sqlite"

// OpenStateDatabase opens the database of a state folder for reading, unless a link leads out of the folder.
func OpenStateDatabase(ctx context.Context, state string) (*dbfile.ReadOnlyDB, error) {
	info, err := rooted.Of(state, StateDatabase).Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, openfile.ErrNotRegular
	}
	return dbfile.OpenReadOnly(ctx, filepath.Join(state, filepath.FromSlash(StateDatabase)))
}
