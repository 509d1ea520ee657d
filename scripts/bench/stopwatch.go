package main

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"time"
)

// A stopwatch measures a run without the time that the host of a virtual machine took away from its cores: on a shared
// host that can be half of the time, and it differs from run to run.
type stopwatch struct {
	start  time.Time
	stolen []time.Duration // of each core, since the machine started
}

func startStopwatch() stopwatch { return stopwatch{time.Now(), stolenTimes()} }

// elapsed returns how long a run on the first cores took.
func (w stopwatch) elapsed(cores int) time.Duration {
	took := time.Since(w.start)
	return took - time.Duration(w.stolenShare(cores, took)*float64(took))
}

// stolenShare returns the part of a run's time, from 0 to 1, that its cores were taken away.
func (w stopwatch) stolenShare(cores int, took time.Duration) float64 {
	now := stolenTimes()
	if cores == allCores {
		cores = runtime.NumCPU()
	}
	if cores = min(cores, len(w.stolen), len(now)); cores == 0 || took <= 0 {
		return 0
	}
	var stolen time.Duration
	for core := range cores {
		stolen += now[core] - w.stolen[core]
	}
	return min(0.99, max(0, stolen.Seconds()/float64(cores)/took.Seconds()))
}

// tick is the unit of /proc/stat.
const tick = 10 * time.Millisecond

// stolenTimes returns how long each core was taken away, or nothing where the system does not tell.
func stolenTimes() []time.Duration {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return nil
	}
	return parseStolen(text)
}

// parseStolen reads the lines "cpu0 user nice system idle iowait irq softirq steal …".
func parseStolen(text []byte) (stolen []time.Duration) {
	for line := range bytes.Lines(text) {
		fields := bytes.Fields(line)
		if len(fields) < 9 || !bytes.HasPrefix(fields[0], []byte("cpu")) || string(fields[0]) == "cpu" {
			continue
		}
		ticks, _ := strconv.Atoi(string(fields[8]))
		stolen = append(stolen, time.Duration(ticks)*tick)
	}
	return stolen
}
