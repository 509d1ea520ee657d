package cli

// How long output is paged:
//
//   - A report that is longer than the terminal goes through a pager: the command in CLAWCTL_PAGER, else that in PAGER,
//     else less. An empty command, cat, --no-pager and CI turn it off. The command is given to the shell.
//   - What is printed is held back until it fills the screen. A report that fits is printed as if there were no pager.
//   - What is said on stderr once there is output waits for the pager to end, so that neither disturbs the other.
//   - Whoever quits the pager has seen enough: the command is cancelled, and the run ends quietly and successfully.
//     Ctrl-C belongs to the pager too: the command ends, and clawctl waits until the pager has given the terminal back.

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"clawctl/internal/ui"
)

// DefaultPager is the pager of those who have not chosen one.
const DefaultPager = "less"

// choosePager returns the command to page with, "" for none. lookup reads the environment.
func choosePager(lookup func(string) (string, bool), lookPath func(string) (string, error)) string {
	for _, name := range []string{"CLAWCTL_PAGER", "PAGER"} {
		if command, set := lookup(name); set {
			if command = strings.TrimSpace(command); command == "cat" {
				return ""
			}
			return command
		}
	}
	if term, _ := lookup("TERM"); term == "dumb" {
		return "" // less would complain about it
	}
	if _, err := lookPath(DefaultPager); err != nil {
		return ""
	}
	return DefaultPager
}

// shellCharacters mean something to a shell: a command with one of them need not begin with the name of a program.
const shellCharacters = "|&;<>()$`\\\"'*?[#~=%"

// isMissing reports whether a command names a program that does not exist. If in doubt, the shell decides.
func isMissing(command string, lookPath func(string) (string, error)) bool {
	if strings.ContainsAny(command, shellCharacters) {
		return false
	}
	_, err := lookPath(strings.Fields(command)[0])
	return err != nil
}

// pagerEnvironment adds what less needs to pass colours and other scripts on, unless the user has chosen otherwise.
func pagerEnvironment(env []string) []string {
	for _, setting := range []string{"LESS=FRX", "LESSCHARSET=utf-8", "LV=-c"} {
		name, _, _ := strings.Cut(setting, "=")
		isSet := false
		for _, have := range env {
			isSet = isSet || strings.HasPrefix(have, name+"=")
		}
		if !isSet {
			env = append(env, setting)
		}
	}
	return env
}

// A pager stands between a command and the terminal. It is the writer of the command's data.
type pager struct {
	command        string
	stdout, stderr io.Writer // behind the filters of the streams
	progress       *ui.Stream
	term           ui.Terminal
	ctx            context.Context
	cancel         func() // ends the command

	started atomic.Bool
	exited  chan struct{} // closed when the pager has ended

	mu    sync.Mutex
	state pagerState
	held  []heldText // in the order in which it was written
	line  []byte     // of the held data: what follows the last newline
	rows  int        // of the screen that the held data takes
	input io.WriteCloser
}

// A pagerState is what becomes of text.
type pagerState int

const (
	holding pagerState = iota // until there is enough for the pager
	paging                    // data goes to the pager
	direct                    // the pager has ended, or was not needed
)

// A heldText waits for the decision whether a pager is needed, or for its end.
type heldText struct {
	isData bool // for stdout; otherwise for stderr
	text   []byte
}

// startPager puts a pager between a command and the terminal, if there is one to use.
func (a *App) startPager() {
	if !a.Output.Term.Is || a.Output.Term.Rows == 0 || os.Getenv("CI") != "" {
		return
	}
	command := choosePager(os.LookupEnv, exec.LookPath)
	if command == "" || !ui.IsTerminal(a.Stdin) && !hasTerminal() {
		return // nobody could press a key
	}
	p := &pager{
		command: command, term: a.Output.Term, ctx: a.Ctx, cancel: a.cancel, exited: make(chan struct{}),
	}
	p.progress = a.Console.Dst.Through(func(dst io.Writer) io.Writer {
		p.stderr = dst
		return pagerProgress{p}
	})
	a.Console.Dst = a.Console.Dst.Through(func(io.Writer) io.Writer { return pagerMessages{p} })
	a.Output.through(p)
}

// Write takes the data of the command.
func (p *pager) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state == holding {
		p.hold(true, data)
		if p.count(data); p.rows < p.term.Rows {
			return len(data), nil
		}
		return len(data), p.start()
	}
	return p.pass(data)
}

// pass gives data to the pager, or to the terminal if there is none. Nobody reads what comes after the pager's end.
func (p *pager) pass(data []byte) (int, error) {
	if p.state == direct {
		return p.stdout.Write(data)
	}
	n, err := p.input.Write(data)
	if err != nil {
		return n, syscall.EPIPE
	}
	return n, nil
}

func (p *pager) hold(isData bool, text []byte) {
	p.held = append(p.held, heldText{isData, bytes.Clone(text)})
}

// count adds the rows of the screen that data takes, one for each line that has ended and more for a long line.
func (p *pager) count(data []byte) {
	for {
		before, after, found := bytes.Cut(data, []byte("\n"))
		p.line = append(p.line, before...)
		if !found {
			return
		}
		p.rows += ui.Rows(string(p.line), p.term.Columns)
		p.line, data = p.line[:0], after
	}
}

// start runs the pager and gives it what was held. If it cannot run, or Ctrl-C came first, the terminal gets that.
func (p *pager) start() error {
	if p.ctx.Err() != nil {
		return p.release()
	}
	cmd := foregroundShell(p.command)
	cmd.Stdout, cmd.Stderr, cmd.Env = p.stdout, p.stderr, pagerEnvironment(os.Environ())
	input, err := cmd.StdinPipe()
	if err == nil && isMissing(p.command, exec.LookPath) {
		err = exec.ErrNotFound
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		p.hold(false, []byte("clawctl: cannot run the pager "+ui.EscapeLine(p.command)+"; --no-pager does without\n"))
		return p.release()
	}
	p.state, p.input = paging, input
	p.started.Store(true)
	context.AfterFunc(p.ctx, func() { input.Close() })
	go p.await(cmd)
	return p.feedHeld()
}

// await ends the command when the pager has ended. How a pager ends is its user's business.
func (p *pager) await(cmd *exec.Cmd) {
	_ = cmd.Wait()
	close(p.exited)
	p.cancel()
}

// feedHeld gives the data that was held to the pager. What was said on stderr still waits.
func (p *pager) feedHeld() error {
	var messages []heldText
	var data []byte
	for _, h := range p.held {
		if h.isData {
			data = append(data, h.text...)
		} else {
			messages = append(messages, h)
		}
	}
	p.held = messages
	_, err := p.pass(data)
	return err
}

// release writes what is held to where it belongs.
func (p *pager) release() error {
	p.state = direct
	for _, h := range p.held {
		dst := p.stderr
		if h.isData {
			dst = p.stdout
		}
		if _, err := dst.Write(h.text); err != nil {
			return err
		}
	}
	p.held = nil
	return nil
}

// wait returns when the pager has given the terminal back. It reports whether the pager ever had it.
func (p *pager) wait() bool {
	if p == nil || !p.started.Load() {
		return false
	}
	<-p.exited
	return true
}

// wasLeft reports whether the user of the pager ended the run.
func (p *pager) wasLeft() bool { return p != nil && p.started.Load() && p.ctx.Err() != nil }

// Disable is for a command that writes a file beside its output, and so must not end when its reader has seen enough.
// It comes before the first output.
func (p *pager) Disable() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = direct
}

// finish waits until the pager has ended, and writes what is held.
func (p *pager) finish() error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state == paging {
		p.input.Close()
		<-p.exited
	}
	return p.release()
}

// pagerMessages take what is said on stderr. It is held as soon as there is data that must come first.
type pagerMessages struct{ pager *pager }

func (m pagerMessages) Write(text []byte) (int, error) {
	m.pager.mu.Lock()
	defer m.pager.mu.Unlock()
	if m.pager.state == direct || len(m.pager.held) == 0 && m.pager.state == holding {
		return m.pager.stderr.Write(text)
	}
	m.pager.hold(false, text)
	return len(text), nil
}

// pagerProgress takes the drawing of progress, which must not disturb the pager.
type pagerProgress struct{ pager *pager }

func (d pagerProgress) Write(text []byte) (int, error) {
	d.pager.mu.Lock()
	defer d.pager.mu.Unlock()
	if d.pager.state == paging {
		return len(text), nil
	}
	return d.pager.stderr.Write(text)
}
