//go:build unix

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
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
func checkInstall(t *testing.T, r release, flags []string, want, version string, environment ...string) {
	t.Helper()
	to, temp := t.TempDir(), t.TempDir()
	r.write(filepath.Join(to, "clawctl"), []byte("old"))
	args := append([]string{filepath.Join(root, "install.sh"), "--from", r.folder, "--to", to}, flags...)
	cmd := exec.Command("sh", args...)
	cmd.Env = append(append(os.Environ(), "TMPDIR="+temp), environment...)
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

// On a system or a machine without a release, install.sh says so.
func TestInstallScriptElsewhere(t *testing.T) {
	for _, c := range []struct{ system, machine, want string }{
		{"Linux", "riscv64", "no release for riscv64; build it with: go install ./cmd/clawctl"},
		{"FreeBSD", "amd64", "no release for FreeBSD; build it with: go install ./cmd/clawctl"},
	} {
		r, programs := release{t, t.TempDir()}, t.TempDir()
		r.add("2.0.0", thisPlatform)
		uname := fmt.Sprintf("#!/bin/sh\ncase $1 in -s) echo %s ;; -m) echo %s ;; esac\n", c.system, c.machine)
		if err := os.WriteFile(filepath.Join(programs, "uname"), []byte(uname), 0o755); err != nil {
			t.Fatal(err)
		}
		checkInstall(t, r, nil, c.want, "", "PATH="+programs+":"+os.Getenv("PATH"))
	}
}

// install.sh downloads over https with curl or, without it, with wget.
func TestInstallScriptDownloads(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"curl", "wget"} {
		t.Run(program, func(t *testing.T) {
			r := release{t, t.TempDir()}
			archive := r.add("2.0.0", thisPlatform)
			server := httptest.NewTLSServer(http.FileServer(http.Dir(r.folder)))
			defer server.Close()
			from, environment := []string{"--from", server.URL + "/"}, trusting(t, server, program)
			checkInstall(t, r, from, "installed clawctl 2.0.0", "2.0.0", environment...)
			r.write(archive, packed(t, "evil"))
			checkInstall(t, r, from, "checksum of", "", environment...)
			_ = os.Remove(archive)
			checkInstall(t, r, from, "cannot download "+server.URL, "", environment...)
		})
	}
}

// A redirection to https is followed, and one to http or in a circle is refused.
func TestInstallScriptRedirect(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"curl", "wget"} {
		t.Run(program, func(t *testing.T) {
			r := release{t, t.TempDir()}
			r.add("2.0.0", thisPlatform)
			files := http.FileServer(http.Dir(r.folder))
			plain := httptest.NewServer(files)
			defer plain.Close()
			mux := http.NewServeMux()
			server := httptest.NewTLSServer(mux)
			defer server.Close()
			mux.Handle("/files/", http.StripPrefix("/files", files))
			for from, to := range map[string]string{
				"/moved/": server.URL + "/files/", "/plain/": plain.URL + "/", "/circle/": server.URL + "/circle/",
			} {
				mux.HandleFunc(from, func(w http.ResponseWriter, r *http.Request) {
					http.Redirect(w, r, to+strings.TrimPrefix(r.URL.Path, from), http.StatusFound)
				})
			}
			environment := trusting(t, server, program)
			checkInstall(t, r, []string{"--from", server.URL + "/moved"}, "installed", "2.0.0", environment...)
			checkInstall(t, r, []string{"--from", server.URL + "/plain"}, "cannot download", "", environment...)
			checkInstall(t, r, []string{"--from", server.URL + "/circle"}, "cannot download", "", environment...)
		})
	}
}

// trusting returns an environment in which install.sh finds one program to download with, which trusts a server.
func trusting(t *testing.T, server *httptest.Server, program string) []string {
	t.Helper()
	programs, settings := t.TempDir(), t.TempDir()
	tools := "sh uname mktemp rm awk sha256sum shasum perl cut tr sed tar gzip mkdir cp chmod mv cat " + program
	for _, name := range strings.Fields(tools) {
		path, err := exec.LookPath(name)
		if err != nil && name == program {
			t.Skip("no ", program, " here")
		}
		if err == nil {
			_ = os.Symlink(path, filepath.Join(programs, name))
		}
	}
	trusted, wgetrc := filepath.Join(settings, "trusted.pem"), filepath.Join(settings, "wgetrc")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	release{t, settings}.write(trusted, certificate)
	release{t, settings}.write(wgetrc, []byte("ca_certificate = "+trusted+"\n"))
	return []string{"PATH=" + programs, "CURL_CA_BUNDLE=" + trusted, "WGETRC=" + wgetrc, "no_proxy=*"}
}
