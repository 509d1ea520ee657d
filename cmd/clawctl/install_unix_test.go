//go:build unix

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A release is a folder with archives and their checksums.
type release struct {
	t      *testing.T
	folder string
}

// add adds an archive with a program that prints its version, and the line of its checksum.
func (r release) add(version, platform string) (archive string) {
	r.t.Helper()
	archive = filepath.Join(r.folder, "clawctl_"+version+"_"+platform+".tar.gz")
	text := packed(r.t, "#!/bin/sh\necho clawctl "+version+" here\n")
	r.write(archive, text)
	r.line(fmt.Sprintf("%x  %s\n", sha256.Sum256(text), filepath.Base(archive)))
	return archive
}

// line adds a line to checksums.txt.
func (r release) line(text string) {
	r.t.Helper()
	name := filepath.Join(r.folder, "checksums.txt")
	before, _ := os.ReadFile(name)
	r.write(name, append(before, text...))
}

func (r release) write(name string, text []byte) {
	r.t.Helper()
	if err := os.WriteFile(name, text, 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// packed returns an archive that has the program clawctl.
func packed(t *testing.T, program string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	err := w.WriteHeader(&tar.Header{Name: "clawctl", Mode: 0o755, Size: int64(len(program))})
	if err == nil {
		_, err = w.Write([]byte(program))
	}
	if err := firstError(err, w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// thisPlatform is the part of an archive's name that says where it runs.
const thisPlatform = runtime.GOOS + "_" + runtime.GOARCH

// install.sh installs the program of this machine, replaces it by a newer one, and refuses everything that does not
// have the checksum of the release.
func TestInstallScript(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(r release)
		flags   string
		want    string // in what is printed
		version string // of the program that is installed afterwards, besides the old one
	}{
		"new":     {func(r release) { r.add("2.0.0", thisPlatform); r.add("2.0.0", "plan9_mips") }, "", "installed", "2.0.0"},
		"changed": {func(r release) { r.write(r.add("2.0.0", thisPlatform), packed(t, "evil")) }, "", "checksum of", ""},
		"cut":     {func(r release) { _ = os.Truncate(r.add("2.0.0", thisPlatform), 20) }, "", "checksum of", ""},
		"missing": {func(r release) { _ = os.Remove(r.add("2.0.0", thisPlatform)) }, "", "cannot read", ""},
		"other":   {func(r release) { r.add("2.0.0", "plan9_mips") }, "", "lists no archive", ""},
		"no sums": {func(release) {}, "", "cannot read", ""},
		"outside": {func(r release) { r.line(sum64 + "  clawctl_/../x_" + thisPlatform + ".tar.gz\n") }, "", "lists no", ""},
		"chosen":  {addTwo, "--version v2.0.0", "installed clawctl 2.0.0", "2.0.0"},
		"two":     {addTwo, "", "several archives", ""},
		"begins":  {addTwo, "--version 2.0", "lists no archive of clawctl 2.0 ", ""},
		"http":    {addTwo, "--from http://localhost/", "not an https address", ""},
		"usage":   {addTwo, "--here", "unknown argument --here", ""},
		"value":   {addTwo, "--to", "--to needs a value", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := release{t, t.TempDir()}
			c.prepare(r)
			checkInstall(t, r, strings.Fields(c.flags), c.want, c.version)
		})
	}
}

var sum64 = strings.Repeat("0", 64)

func addTwo(r release) {
	r.add("2.0.0", thisPlatform)
	r.add("2.0.0-rc.1", thisPlatform)
}

// checkInstall runs install.sh where an old program is installed, and checks what it prints and leaves behind.
func checkInstall(t *testing.T, r release, flags []string, want, version string) {
	t.Helper()
	to, temp := t.TempDir(), t.TempDir()
	r.write(filepath.Join(to, "clawctl"), []byte("old"))
	args := append([]string{filepath.Join(root, "install.sh"), "--from", r.folder, "--to", to}, flags...)
	cmd := exec.Command("sh", args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	out, err := cmd.CombinedOutput()
	if !strings.Contains(string(out), want) || (err == nil) != (version != "") {
		t.Errorf("%s%v", out, err)
	}
	text, _ := os.ReadFile(filepath.Join(to, "clawctl"))
	if version != "" && !strings.Contains(string(text), version) || version == "" && string(text) != "old" {
		t.Errorf("installed %q", text)
	}
	if left := append(entries(to, "clawctl"), entries(temp, "")...); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}
