package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A duel compares a search with another program's. Both print what they find.
type duel struct {
	name       string
	own, rival *contestant
	cpu, wall  float64 // how many times the rival's time clawctl may take, 0 for no limit
	goal       float64 // of the processor time
}

// searchedWord is a word of the corpus that a small share of the lines has.
const searchedWord = "deadlock"

// pythonScan searches the rows of a store as a Python programmer would.
const pythonScan = `import sqlite3, sys
db = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
for (row,) in db.execute("SELECT data FROM messages WHERE instr(data, ?)", (sys.argv[2],)): print(row)
`

// search compares search with ripgrep on a state folder and on compressed archives, and with Python on a store. It also
// measures the time to the first hit and the memory.
func (b *bench) search() error {
	ripgrep, err := exec.LookPath("rg")
	if err != nil {
		return fmt.Errorf("%w: search needs ripgrep: %v", errors.ErrUnsupported, err)
	}
	tree, err := b.prepareTree(treeSize, treeSessions)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp(b.cache, "search-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	fmt.Fprintf(b.out, "search: %d sessions, %.0f MB, all cores, medians of alternating runs\n",
		treeSessions, treeSize/1e6)
	// Programs inherit the peak memory of this one, so their memory is measured before it has used much.
	if err := errors.Join(b.searchMemory(tree), b.firstHit(tree)); err != nil {
		return err
	}
	duels, err := b.searchDuels(ripgrep, tree, folder)
	if err != nil {
		return err
	}
	for _, d := range duels {
		if err := b.fight(d); err != nil {
			return err
		}
	}
	return nil
}

// searchDuels prepares everything that is searched.
func (b *bench) searchDuels(ripgrep, tree, folder string) ([]duel, error) {
	const regex = "permission (denied|refused)|dead[a-z]+"
	pair := func(own, rival []string, where string) (*contestant, *contestant) {
		own = append(append([]string{b.clawctl, "search", "-q"}, own...), where)
		return &contestant{name: "clawctl", args: own, cores: allCores},
			&contestant{name: filepath.Base(rival[0]), args: append(rival, where), cores: allCores}
	}
	var duels []duel
	add := func(d duel, own, rival []string, where string) {
		d.own, d.rival = pair(own, rival, where)
		duels = append(duels, d)
	}
	add(duel{name: "literal", cpu: 3, wall: 2, goal: 1}, []string{"-s", searchedWord},
		[]string{ripgrep, "-F", searchedWord}, tree)
	add(duel{name: "either case", cpu: 5, goal: 3}, []string{"-i", searchedWord},
		[]string{ripgrep, "-F", "-i", searchedWord}, tree)
	add(duel{name: "regular expression", cpu: 5, goal: 3}, []string{"-s", "-e", regex}, []string{ripgrep, regex}, tree)
	if archives, err := compressTree(tree, filepath.Join(folder, "zst")); err != nil {
		b.note("skipping archives: %v", err)
	} else {
		add(duel{name: "zstd archives", cpu: 2, wall: 2, goal: 1}, []string{"-s", searchedWord},
			[]string{ripgrep, "-z", "-F", searchedWord}, archives)
	}
	store, script := filepath.Join(folder, "store.db"), filepath.Join(folder, "scan.py")
	if _, err := output(exec.Command(b.clawctl, "import", "-q", tree, "--to", store)); err != nil {
		return nil, err
	}
	if err := os.WriteFile(script, []byte(pythonScan), 0o600); err != nil {
		return nil, err
	}
	duels = append(duels, duel{name: "store", cpu: 2, wall: 2, goal: 1,
		own:   &contestant{args: []string{b.clawctl, "search", "-q", "-s", searchedWord, store}, cores: allCores},
		rival: &contestant{name: "Python", args: []string{"python3", script, store, searchedWord}, cores: allCores}})
	return duels, nil
}

// fight runs both programs of a duel in turn, and adds their ratios to the figures. The first round fills the cache.
func (b *bench) fight(d duel) error {
	for round := range b.rounds + 1 {
		b.note("round %d: %s", round, d.name)
		for _, c := range []*contestant{d.own, d.rival} {
			took, err := c.run(b.onCores(allCores, c.args))
			if err != nil {
				return fmt.Errorf("%s: %w", c.args[0], err)
			}
			c.times = append(c.times, took)
		}
	}
	cpu := median(d.own.cpu[1:]).Seconds() / median(d.rival.cpu[1:]).Seconds()
	wall := median(d.own.times[1:]).Seconds() / median(d.rival.times[1:]).Seconds()
	fmt.Fprintf(b.out, "  %-18s %6.2f s of processor time, %.2f times %s's; %.2f s, %.2f times as long\n", d.name,
		median(d.own.cpu[1:]).Seconds(), cpu, d.rival.name, median(d.own.times[1:]).Seconds(), wall)
	b.limit(fmt.Sprintf("search, %s: processor time, times %s", d.name, d.rival.name), cpu, "", d.cpu, d.goal)
	if d.wall > 0 {
		b.limit(fmt.Sprintf("search, %s: time, times %s", d.name, d.rival.name), wall, "", d.wall, 1)
	}
	return nil
}

// compressTree writes the transcripts of a state folder as compressed archives of deleted sessions. It uses the program
// that ripgrep needs to read them.
func compressTree(tree, to string) (string, error) {
	files, _, err := listFiles(tree, os.DevNull)
	if err != nil {
		return "", err
	}
	for _, file := range files {
		agent := filepath.Base(filepath.Dir(filepath.Dir(file)))
		path := filepath.Join(to, "agents", agent, "sessions", filepath.Base(file)+".deleted.2026-05-01T10-00-00.000Z.zst")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		if _, err := output(exec.Command("zstd", "-q", "-o", path, file)); err != nil {
			return "", err
		}
	}
	return to, nil
}

// firstHit measures how long it takes until the first hit is printed.
func (b *bench) firstHit(tree string) error {
	took, err := medianOf(11, func() (time.Duration, error) {
		cmd := exec.Command(b.clawctl, "search", "-s", searchedWord, tree)
		pipe, err := cmd.StdoutPipe()
		if err != nil {
			return 0, err
		}
		watch := startStopwatch()
		if err := cmd.Start(); err != nil {
			return 0, err
		}
		lines := bufio.NewReader(pipe)
		for line := ""; err == nil && !strings.HasPrefix(line, "  "); { // the first line names the session
			line, err = lines.ReadString('\n')
		}
		took := watch.elapsed(allCores)
		pipe.Close()
		_ = cmd.Wait()
		return took, err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "  %6.0f ms until the first hit is printed\n", took.Seconds()*1e3)
	b.limit("search, first hit", took.Seconds()*1e3, "ms", 200, 100)
	return nil
}

// searchMemory measures the peak memory, of a literal and of an expression for which everything is decoded.
func (b *bench) searchMemory(tree string) error {
	for _, s := range []struct {
		name    string
		pattern []string
	}{{"literal", []string{"-s", searchedWord}}, {"expression without a literal", []string{"-e", `\d{9}z`}}} {
		args := append(append([]string{b.clawctl, "search", "-q"}, s.pattern...), tree)
		peak, err := b.highestPeak(1, allCores, args...)
		if err != nil {
			return err
		}
		fmt.Fprintf(b.out, "  %6.1f MB peak memory, %s\n", float64(peak)/1e6, s.name)
		b.limit("search, peak memory, "+s.name, float64(peak)/1e6, "MB", 60, 40)
	}
	return nil
}
