//go:build linux

package main

import (
	"context"
	"fmt"
	"os"

	"clawctl/pkg/change/prune/prunetest"
)

// pruneKills kills commands that move files to the trash and back, and that restore archives, at moments spread over
// their run time.
func (f *fault) pruneKills() (string, error) {
	folder, err := f.newFolder("prune")
	if err != nil {
		return "", err
	}
	for name, value := range prunetest.Environment(folder) {
		before, isSet := os.LookupEnv(name)
		if err := os.Setenv(name, value); err != nil {
			return "", err
		}
		defer func() {
			if isSet {
				_ = os.Setenv(name, before)
			} else {
				_ = os.Unsetenv(name)
			}
		}()
	}
	counts, err := prunetest.Kills(context.Background(), folder, f.runKilled, f.lifeCount, f.dice)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d kills (prune %d, undo %d, restore %d, restore -o %d): 0 files lost, 0 torn states",
		f.lifeCount, counts["prune"], counts["undo"], counts["restore"], counts["restore -o"]), nil
}
