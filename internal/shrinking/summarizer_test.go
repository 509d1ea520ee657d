package shrinking

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/ui"
)

// clawctl passes a summarizer's stderr on in whole lines, escaped.
func TestStderrRelay(t *testing.T) {
	var out bytes.Buffer
	relay := &stderrRelay{console: &cli.Console{Dst: ui.NewStream(&out, os.Getenv)}}
	for _, step := range []struct{ write, want string }{
		{"thin", ""},
		{"king\nstill ", "thinking\n"},
		{"\x1b[2Jat it\n\n", "thinking\nstill \\u001b[2Jat it\n\n"},
	} {
		if _, err := relay.Write([]byte(step.write)); err != nil || out.String() != step.want {
			t.Errorf("after %q: %q %v, want %q", step.write, out.String(), err, step.want)
		}
	}
	out.Reset()
	long := strings.Repeat("x", longestHeld+1)
	if _, err := relay.Write([]byte(long)); err != nil || out.String() != long+"\n" {
		t.Errorf("a long line without an end was held back: %d bytes, %v", out.Len(), err)
	}
	out.Reset()
	_, _ = relay.Write([]byte("done"))
	if relay.flush(); out.String() != "done\n" {
		t.Errorf("flushed %q", out.String())
	}
}

func TestShortDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		30 * time.Second: "30s", 2 * time.Minute: "2m", 90 * time.Second: "1m30s", time.Hour: "1h", 10 * time.Minute: "10m",
		20*time.Hour + 10*time.Minute: "20h10m", 50 * time.Millisecond: "50ms",
	} {
		if got := cli.ShortDuration(d); got != want {
			t.Errorf("%v is written %s, want %s", d, got, want)
		}
	}
}
