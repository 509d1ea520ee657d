//go:build linux

package fault

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"clawctl/pkg/store/session/sessiontest"
)

// appenders is how many processes append at once.
const appenders = 8

// appendPart appends records one by one. Its arguments are the store, the session, a name and the number of records.
func appendPart(args []string) int {
	count, err := strconv.Atoi(args[3])
	if err == nil {
		err = sessiontest.AppendMany(context.Background(), args[0], args[1], args[2], count, time.Now)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "append:", err)
		return 1
	}
	return 0
}

// crowdedAppends runs eight processes that append to one session, and then to one each.
func (f *fault) crowdedAppends(folder string) (string, error) {
	each := f.recordCount / appenders
	for _, isOne := range []bool{true, false} {
		db := filepath.Join(folder, fmt.Sprint(isOne)+".db")
		err := sessiontest.Crowd(context.Background(), db, appenders, each, isOne, func(key, name string) error {
			out, err := exec.Command(f.self, "append", db, key, name, strconv.Itoa(each)).CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%w: %s", err, out)
			}
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d processes, %d records on one session and on eight: none lost, each one's order kept", appenders,
		each*appenders), nil
}
