package main

import (
	"bufio"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/failure"
	"clawctl/internal/testkit"
)

// totals are the fields of stats --json that are compared.
type totals struct {
	Records, Messages int64
	Recorded          struct {
		Input, Output int64
		CacheRead     int64 `json:"cache_read"`
		CacheWrite    int64 `json:"cache_write"`
	}
}

func statsOf(t *testing.T, args ...string) (got totals) {
	t.Helper()
	exit, stdout, stderr := inProcess("", append([]string{"stats", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || exit != failure.ExitOK {
		t.Fatalf("stats %v: exit %d, %v: %s", args, exit, err, stderr)
	}
	return got
}

// naiveTotals adds up the transcripts below a folder with encoding/json alone. It counts records with the same id,
// time and type once.
func naiveTotals(t *testing.T, folder string) (sum totals) {
	t.Helper()
	seen := map[string]bool{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !transcriptName.MatchString(entry.Name()) ||
			strings.Contains(entry.Name(), "trajectory") {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			var rec struct {
				Type, ID, Timestamp string
				Message             struct {
					Role, Provider, Model string
					Usage                 struct{ Input, Output, CacheRead, CacheWrite int64 }
				}
			}
			if json.Unmarshal(lines.Bytes(), &rec) != nil || seen[rec.ID+rec.Timestamp+rec.Type] {
				continue
			}
			seen[rec.ID+rec.Timestamp+rec.Type] = true
			m := rec.Message
			isMirror := m.Provider == "openclaw" &&
				(m.Model == "delivery-mirror" || m.Model == "gateway-injected" || m.Model == "acp-runtime")
			if isMirror {
				continue
			}
			sum.Records++
			if rec.Type != "message" {
				continue
			}
			sum.Messages++
			if m.Role == "assistant" {
				sum.Recorded.Input += m.Usage.Input
				sum.Recorded.Output += m.Usage.Output
				sum.Recorded.CacheRead += m.Usage.CacheRead
				sum.Recorded.CacheWrite += m.Usage.CacheWrite
			}
		}
		return lines.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// The totals of a history are right, before and after OpenClaw's migration to a database.
func TestStatsOfBothEras(t *testing.T) {
	if _, err := os.Stat(sharedTranscripts); err != nil {
		t.Skip("no real transcripts here")
	}
	want := naiveTotals(t, filepath.Join(sharedTranscripts, "openclaw-jsonl"))
	if want.Recorded.Input < 1e6 {
		t.Fatal("the transcripts have no usage:", want)
	}
	for _, era := range []string{"openclaw-jsonl", "openclaw-sqlite"} {
		if got := statsOf(t, filepath.Join(sharedTranscripts, era)); got != want {
			t.Errorf("%s: %+v, want %+v", era, got, want)
		}
	}
}

// Backups and checkpoints of existing sessions do not change the totals.
func TestStatsCountCopiesOnce(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	if err := os.CopyFS(home, os.DirFS("../../testdata/home")); err != nil {
		t.Fatal(err)
	}
	want := statsOf(t, home)
	files, err := filepath.Glob(filepath.Join(home, "agents/*/sessions/*.jsonl"))
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for i, file := range files {
		if strings.Contains(file, "trajectory") {
			continue // not a transcript
		}
		data := testkit.Read(t, file)
		base := strings.TrimSuffix(file, ".jsonl")
		half := strings.LastIndexByte(string(data[:len(data)/2]), '\n') + 1
		copies := map[string][]byte{
			file + ".bak-1234-1777899690089": data,
			base + ".checkpoint.0000000" + string(rune('0'+i%10)) + "-1111-4222-8333-444444444444.jsonl": data[:half],
			file + ".reset.2026-09-01T10-00-00.000Z":                                                     data,
		}
		for path, text := range copies {
			testkit.Write(t, path, text)
		}
	}
	if got := statsOf(t, home); got != want {
		t.Errorf("with copies %+v, without %+v", got, want)
	}
}
