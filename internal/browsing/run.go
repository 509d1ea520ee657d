package browsing

import (
	"context"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/showing"
	"clawctl/internal/ui"
)

// patience is how long a key may be the last one before the conversation under the cursor is read.
const patience = 60 * time.Millisecond

// sizeEvery is how often the size of the terminal is looked at. A signal would tell it on some systems only.
const sizeEvery = 150 * time.Millisecond

// A drawn conversation answers a request.
type drawn struct {
	number int
	lines  []showing.Line
}

// Run shows a model on a terminal until somebody leaves it. It returns the command line that was chosen, or "".
func Run(a *cli.App, m *Model) (command string, err error) {
	screen, err := ui.OpenScreen(a.Output.Stdout, a.Stdin)
	if err != nil {
		return "", err
	}
	defer func() {
		if closeErr := screen.Close(); err == nil {
			err = closeErr
		}
	}()
	keys := make(chan ui.Key, 16)
	go screen.Keys(keys)
	l := &loop{app: a, model: m, screen: screen, results: make(chan drawn)}
	defer l.stop()
	return l.run(keys)
}

// A loop is a browser on a terminal.
type loop struct {
	app     *cli.App
	model   *Model
	screen  *ui.Screen
	results chan drawn
	cancel  context.CancelFunc // of the drawing in the background, or nil
}

func (l *loop) run(keys <-chan ui.Key) (string, error) {
	sizes := time.NewTicker(sizeEvery)
	defer sizes.Stop()
	var ripe <-chan time.Time
	l.resize()
	for {
		if err := l.screen.Draw(l.model.Frame()); err != nil {
			return "", err
		}
		if l.model.wanted != nil {
			ripe = time.After(patience)
		}
		select {
		case key, ok := <-keys:
			if !ok {
				return "", nil
			}
			l.model.Press(key)
		case <-ripe:
			l.start(l.model.Wanted())
			ripe = nil
		case d := <-l.results:
			l.model.Take(d.number, d.lines)
		case <-sizes.C:
			l.resize()
		case <-l.app.Ctx.Done():
			return "", nil
		}
		if text := l.model.Clipboard(); text != "" {
			if err := l.screen.Copy(text); err != nil {
				return "", err
			}
		}
		if command, ended := l.model.Ended(); ended {
			return command, nil
		}
	}
}

func (l *loop) resize() {
	columns, rows := l.screen.Size()
	if columns != l.model.width || rows != l.model.height {
		l.screen.Clear()
		l.model.Resize(columns, rows)
	}
}

// start draws a conversation in the background, instead of the one before.
func (l *loop) start(r *Request) {
	l.stop()
	if r == nil {
		return
	}
	ctx, cancel := context.WithCancel(l.app.Ctx)
	l.cancel = cancel
	go func() {
		lines := r.Draw(ctx, l.app)
		select {
		case l.results <- drawn{r.Number, lines}:
		case <-ctx.Done():
		}
	}()
}

func (l *loop) stop() {
	if l.cancel != nil {
		l.cancel()
	}
}
