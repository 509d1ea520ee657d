//go:build !windows

package source

import (
	"clawctl/pkg/source/openclaw"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const secret = "the-secret-outside"

// Links, special files and a hostile sessions.json cannot make clawctl read a byte outside the folder, or wait.
func TestAttacks(t *testing.T) {
	base := t.TempDir()
	outside := filepath.Join(base, "outside")
	write(t, base, "outside/"+id2+".jsonl", `{"type":"session","version":3,"id":"`+secret+`"}`+"\n")
	write(t, base, "outside/sessions/"+id2+".jsonl", `{"type":"session","version":3,"id":"`+secret+`"}`+"\n")
	write(t, base, "outside/sessions.json", `{"`+secret+`":{"sessionId":"`+id1+`"},"`+secret+`2":null}`)
	write(t, base, "outside/wal", strings.Repeat(secret, 4000))
	target := filepath.Join(outside, id2+".jsonl")
	files := map[string]string{ // session files that a sessions.json may name
		"up": "../../../../outside/" + id2 + ".jsonl", "up far": strings.Repeat("../", 40) + target, "absolute": target,
		"passwd": "/etc/passwd",
		"proc":   "/proc/self/environ", "device": "/dev/zero", "NUL": "x\x00" + target,
		"long": strings.Repeat("a", 4096) + ".jsonl", "dot": ".", "dots": "..",
		"slash": "/", "empty": "", "backslash": `..\..\..\outside\` + id2 + `.jsonl`,
		"UNC": `\\server\share\` + id2 + `.jsonl`, "URL": "file://" + target,
		"tilde": "~/" + id2 + ".jsonl", "variable": "$HOME/" + id2 + ".jsonl", "newline": "x\n" + target,
		"control": "\x1b]0;x\x07" + target, "percent": "..%2f..%2foutside%2f" + id2 + ".jsonl",
	}
	ids := []string{"../" + id2, "/etc/passwd", "..", ".", "", "\x00", strings.Repeat("b", 5000), `..\` + id2,
		"a/../../../../outside/" + id2}
	index := map[string]map[string]string{}
	for name, file := range files {
		index["agent:main:file "+name] = map[string]string{"sessionId": id2, "sessionFile": file}
	}
	for i, id := range ids {
		index[fmt.Sprint("agent:main:id ", i)] = map[string]string{"sessionId": id}
	}
	data, err := json.Marshal(index)
	if err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(base, "store")
	write(t, store, "agents/main/sessions/sessions.json", string(data))
	write(t, store, "agents/main/sessions/"+id1+".jsonl", `{"type":"session","version":3,"id":"`+id1+`"}`+"\n")
	sessions := filepath.Join(store, "agents/main/sessions")
	links := map[string]string{
		sessions + "/link-absolute.jsonl": target, sessions + "/link-relative.jsonl": "../../../../outside/" + id2 +
			".jsonl", sessions + "/link-loop.jsonl": "link-loop.jsonl",
		sessions + "/link-passwd.jsonl": "/etc/passwd", sessions + "/link-device.jsonl": "/dev/zero",
		sessions + "/link-folder":           outside,
		filepath.Join(store, "agents/evil"): outside, filepath.Join(store, "agents/main/agent"): outside,
		sessions + "/link-gone.jsonl": "nowhere",
	}
	for name, to := range links {
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	write(t, store, "agents/linked/sessions/"+id1+".jsonl", "{}\n")
	if err := os.Symlink(filepath.Join(outside, "sessions.json"),
		filepath.Join(store, "agents/linked/sessions/sessions.json")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(sessions+"/fifo.jsonl", 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(store, "agents/linked/openclaw-agent.sqlite"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(sessions+"/folder.jsonl", 0o700); err != nil {
		t.Fatal(err)
	}
	// Databases with a link as their log and a pipe as their shared memory.
	for agent, plant := range map[string]func(path string) error{
		"wal-link": func(path string) error { return os.Symlink(filepath.Join(outside, "wal"), path+"-wal") },
		"shm-pipe": func(path string) error {
			return errors.Join(os.WriteFile(path+"-wal", make([]byte, 100), 0o600), syscall.Mkfifo(path+"-shm", 0o600))
		},
	} {
		path := filepath.Join(store, "agents", agent, "agent", openclaw.DatabaseName)
		write(t, store, filepath.Join("agents", agent, "agent", "x"), "")
		newDatabase(t, path, schemaNodes).Close()
		if err := plant(path); err != nil {
			t.Fatal(err)
		}
	}

	done := make(chan string)
	go func() { done <- everything(t, store) }()
	select {
	case all := <-done:
		if strings.Contains(all, secret) || strings.Contains(all, "root:") {
			t.Error("a file outside the folder was read")
		}
		if !strings.Contains(all, id1) || strings.Count(all, string(BadDatabase)) != 2 {
			t.Errorf("a file inside the folder was not read, or a problem was not reported:\n%s", all)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("reading the folder hangs")
	}
	t.Logf("%d attacks", len(files)+len(ids)+len(links)+6)
}

// everything returns all that clawctl can report about a place.
func everything(t *testing.T, folder string) string {
	var b strings.Builder
	p, err := Find(context.Background(), folder, Options{})
	if err != nil {
		t.Error(err)
		return ""
	}
	defer p.Close()
	fmt.Fprintf(&b, "%+v\n", p.Problems)
	for i, f := range Inspect(context.Background(), p.Sessions, 2) {
		fmt.Fprintf(&b, "%+v %+v\n", *p.Sessions[i], f)
		if in, err := p.Sessions[i].Open(); err == nil {
			_, _ = io.Copy(&b, io.LimitReader(in, 1<<20))
			in.Close()
		}
	}
	return b.String()
}

// A file that is replaced with a pipe after Find is neither read nor waited for.
func TestFileReplacedWithPipe(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, id1+".jsonl", headerOf(id1))
	p := find(t, folder)
	path := filepath.Join(folder, id1+".jsonl")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Sessions[0].Open(); err == nil {
		t.Error("a pipe was opened")
	}
}
