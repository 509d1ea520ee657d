package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// requiredRedactSpeed is how many megabytes redact must search per second of processor time.
const requiredRedactSpeed = 200

// redact measures how fast redact searches a transcript on one core, by processor time, and how often it finds
// something in source code, logs and prose, which have no secrets but those of examples and tests.
func (b *bench) redact() error {
	args := []string{b.clawctl, "redact", "--check", "--json", b.corpus.path}
	c := &contestant{name: "clawctl redact --check", args: args, findings: true}
	if _, err := b.alternate([]*contestant{c}); err != nil {
		return err
	}
	speed := b.corpus.mb() / median(c.cpu).Seconds()
	places, rules, err := b.places(args)
	if err != nil {
		return err
	}
	messages, err := b.messages("stats", "--json")
	if err != nil {
		return err
	}
	found, err := b.messages("validate", "-q", "--select", "CL702", "--summary", "--json")
	if err != nil {
		return err
	}
	rate := 1000 * float64(found) / float64(messages)
	fmt.Fprintf(b.out, "redact: %.0f MB, one core\n  %.0f MB/s of processor time\n", b.corpus.mb(), speed)
	fmt.Fprintf(b.out, "  %d places in %d of %d messages: %s\n", places, found, messages, strings.Join(rules, ", "))
	b.figure("redact --check: MB/s of a core, as a multiple of 200", speed/requiredRedactSpeed, 1, 2)
	b.limit("redact --check: messages with a finding, of 1,000 without secrets", rate, "", 1, 0.5)
	return nil
}

// places counts what redact finds, and lists it by rule.
func (b *bench) places(args []string) (total int, rules []string, err error) {
	out, err := exec.Command(args[0], args[1:]...).Output()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return 0, nil, err
	}
	for line := range strings.Lines(string(out)) {
		var row struct {
			Rule   string
			Places int
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			return 0, nil, err
		}
		total += row.Places
		rules = append(rules, fmt.Sprintf("%s %d", row.Rule, row.Places))
	}
	return total, rules, nil
}

// messages counts the messages of the corpus, or those that validate has a note about.
func (b *bench) messages(args ...string) (int, error) {
	out, err := output(exec.Command(b.clawctl, append(args, b.corpus.path)...))
	if err != nil {
		return 0, err
	}
	var total struct{ Messages, Notes int }
	lines := slices.Collect(strings.Lines(out))
	err = json.Unmarshal([]byte(lines[len(lines)-1]), &total)
	return max(total.Messages, total.Notes), err
}
