//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A postgresServer is a real server in a temporary folder. It listens on a Unix socket only.
type postgresServer struct {
	t      *testing.T
	folder string
}

// cheapServer are options of a server whose data nobody needs after a test. Compiling a query costs a hundred times
// what running it on a small table does.
const cheapServer = "-F -c full_page_writes=off -c jit=off -c autovacuum=off"

// startPostgres starts a server for a test, and stops it at the end. The test is skipped where PostgreSQL is missing.
func startPostgres(t *testing.T) *postgresServer {
	t.Helper()
	initdb := postgresProgram(t, "initdb")
	folder, err := os.MkdirTemp("", "clawctl-pg-") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	account := serverAccount(t, folder)
	data := filepath.Join(folder, "data")
	runAs(t, account, initdb, "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync")
	control := postgresProgram(t, "pg_ctl")
	runAs(t, account, control, "-D", data, "-w", "-t", "300", "-l", filepath.Join(folder, "log"),
		"-o", "-k "+folder+" -c listen_addresses='' "+cheapServer, "start")
	t.Cleanup(func() { runAs(t, account, control, "-D", data, "-m", "immediate", "-w", "stop") })
	return &postgresServer{t, folder}
}

// postgresProgram finds a program of PostgreSQL, which Debian keeps in a folder for each version.
func postgresProgram(t *testing.T, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	paths, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(paths) == 0 {
		t.Skip("PostgreSQL is not installed; make fleet installs it")
	}
	return paths[len(paths)-1]
}

// serverAccount returns the account that runs the server, and gives it the folder. PostgreSQL refuses to run as root.
func serverAccount(t *testing.T, folder string) *syscall.Credential {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		t.Skip("PostgreSQL does not run as root, and there is no user postgres")
	}
	uid, _ := strconv.Atoi(account.Uid)
	gid, _ := strconv.Atoi(account.Gid)
	if err := os.Chown(folder, uid, gid); err != nil {
		t.Skip("PostgreSQL does not run as root: ", err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// runAs runs a program of the server.
func runAs(t *testing.T, account *syscall.Credential, program string, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: account}
	log, err := os.CreateTemp(t.TempDir(), "log") // a pipe would stay open as long as the server runs
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(log.Name())
		t.Fatalf("%s: %v\n%s", filepath.Base(program), err, text)
	}
}

// A postgresSchema is an empty schema of a server.
type postgresSchema struct {
	*postgresServer
	name string
}

func (p *postgresServer) schema(t *testing.T, name string) *postgresSchema {
	t.Helper()
	s := &postgresSchema{&postgresServer{t, p.folder}, name}
	s.query("CREATE SCHEMA " + name)
	return s
}

// psql returns a run of psql in the schema.
func (s *postgresSchema) psql(args ...string) *exec.Cmd {
	cmd := exec.Command("psql", append([]string{"-X"}, args...)...)
	cmd.Env = append(os.Environ(), "PGHOST="+s.folder, "PGUSER=postgres", "PGDATABASE=postgres",
		"PGOPTIONS=-c search_path="+s.name)
	return cmd
}

// query returns the rows of a query, the columns separated by bars.
func (s *postgresSchema) query(sql string) string {
	s.t.Helper()
	out, err := s.psql("-At", "-v", "ON_ERROR_STOP=1", "-c", sql).CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s: %v\n%s", sql, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// push sends what export writes to psql, as a pipe of a shell would.
func (s *postgresSchema) push(args ...string) {
	s.t.Helper()
	if out, err := s.feed(bytes.NewReader(exported(s.t, args...))); err != nil || out != "" {
		s.t.Errorf("psql: %v\n%s", err, out)
	}
}

// feed gives psql a stream, and returns what it prints.
func (s *postgresSchema) feed(stream io.Reader) (string, error) {
	cmd := s.psql()
	cmd.Stdin = stream
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// exported returns what export writes for psql.
func exported(t *testing.T, args ...string) []byte {
	t.Helper()
	return printed(t, nil, append([]string{"export", "--as", "postgres", "-q"}, args...)...)
}

// printed returns what clawctl prints.
func printed(t *testing.T, stdin []byte, args ...string) []byte {
	t.Helper()
	cmd := clawctl(args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("clawctl %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return stdout.Bytes()
}
