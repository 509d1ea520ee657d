//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// mostWrites is the highest number of kills. If an import makes more writes, they are sampled evenly.
const mostWrites = 600

// killsAtWrites kills an import at its first write, another at its second write, and so on to the last. The next import
// must complete each store.
func (f *fault) killsAtWrites() (string, error) {
	if err := canTrace(); err != nil {
		return "", err
	}
	folder, err := f.newFolder("writes")
	if err != nil {
		return "", err
	}
	writes, err := f.count("pwrite64", f.self, "import", f.small.path, filepath.Join(folder, "count.db"),
		strconv.Itoa(oftenBytes/4))
	if err != nil {
		return "", err
	}
	step := max(1, (writes+mostWrites-1)/mostWrites)
	kills := 0
	for at := 1; ; at += step {
		db := filepath.Join(folder, strconv.Itoa(at)+".db")
		inject := fmt.Sprintf("inject=pwrite64:signal=SIGKILL:when=%d", at)
		ended := execute("strace", "-f", "-o", "/dev/null", "-e", "trace=pwrite64", "-e", inject,
			f.self, "import", f.small.path, db, strconv.Itoa(oftenBytes/4))
		if ended.code == 0 {
			break
		}
		if ended.code != -1 {
			return "", fmt.Errorf("write %d: %v", at, ended)
		}
		kills++
		if err := f.complete(db, f.small); err != nil {
			return "", fmt.Errorf("write %d: %w", at, err)
		}
		os.Remove(db)
	}
	if kills < min(writes, mostWrites)/2 {
		return "", fmt.Errorf("only %d kills at %d writes", kills, writes)
	}
	return fmt.Sprintf("%d kills, at every %s of %d writes: 0 lost, 0 duplicated, integrity ok, digest equal",
		kills, ordinal(step), writes), nil
}

func ordinal(n int) string {
	if n == 1 {
		return "single one"
	}
	return strconv.Itoa(n) + "th"
}
