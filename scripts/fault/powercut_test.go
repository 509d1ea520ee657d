//go:build linux

package fault

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
	"unsafe"
)

// The ioctl that stops a file system as a power cut does: it writes nothing more, not even its own journal.
const (
	shutdownRequest = 0x8004587D
	withoutLog      = 2
)

// powerCuts cuts the power of the disk during imports. Everything that an import reported as done must be there after
// power returns.
func (f *fault) powerCuts(folder string) (string, error) {
	image, err := f.newDisk(folder)
	if err != nil {
		return "", err
	}
	acknowledged := 0
	err = f.interruptImports(folder, f.cutCount, func(v *victim) (keys []string, err error) {
		cut := time.Now()
		if err := cutPower(folder); err != nil {
			return nil, err
		}
		v.died = v.wait() != nil || v.died // because of the cut
		// Only reports before the cut count, because a real machine would be off. Here the system goes on, and a sync that
		// the cut interrupts may still report success.
		keys = v.before(cut)
		acknowledged += len(keys)
		return keys, remount(image, folder)
	})
	if err != nil {
		return "", err
	}
	summary := fmt.Sprintf("%d cuts, 0 of %d acknowledged sessions lost, integrity ok, digest equal after the next import",
		f.cutCount, acknowledged)
	return summary, unmount(folder)
}

// newDisk makes a file system in a file and mounts it on a folder, so that its power can be cut.
func (f *fault) newDisk(folder string) (image string, err error) {
	if err := cmp.Or(canMount(), hasProgram("mkfs.ext4")); err != nil {
		return "", err
	}
	image = filepath.Join(f.folder, "disk")
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, 256<<20)); err != nil {
		return "", err
	}
	if err := command("mkfs.ext4", "-q", "-F", image); err != nil {
		return "", err
	}
	if err := command("mount", "-o", "loop", image, folder); err != nil {
		return "", skip("no loop device: " + err.Error())
	}
	return image, nil
}

// cutPower stops the file system of a folder.
func cutPower(folder string) error {
	dir, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer dir.Close()
	how := uint32(withoutLog)
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, dir.Fd(), shutdownRequest, uintptr(unsafe.Pointer(&how)))
	if errno != 0 {
		return fmt.Errorf("cut the power: %w", errno)
	}
	return nil
}

// remount restores the power: it mounts the file system again.
func remount(image, folder string) error {
	if err := unmount(folder); err != nil {
		return err
	}
	return command("mount", "-o", "loop", image, folder)
}
