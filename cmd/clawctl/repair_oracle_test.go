package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/failure"
	"clawctl/internal/testkit"
	"clawctl/pkg/validate/validatetest"
)

// A brokenFile is a transcript to repair.
type brokenFile struct {
	name string
	text []byte
}

// plantedFaults returns a transcript with every kind of fault.
func plantedFaults(copies uint64) (files []brokenFile) {
	for k, fault := range validatetest.Faults {
		for seed := range copies {
			text, _ := fault.Plant(seed*1000 + uint64(k))
			files = append(files, brokenFile{fmt.Sprintf("%s %s, %d", fault.Code, fault.Name, seed), text})
		}
	}
	return files
}

// repairInPlace repairs a text in place and returns the new one. Undoing that restores the old one.
func repairInPlace(t *testing.T, file brokenFile, flags ...string) string {
	t.Helper()
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	path := filepath.Join(t.TempDir(), "session.jsonl")
	testkit.Write(t, path, file.text)
	exit, _, stderr := inProcess("", append([]string{"repair", "--write", path}, flags...)...)
	if exit != failure.ExitOK && exit != failure.ExitFindings {
		t.Fatalf("%s: exit %d\n%s", file.name, exit, stderr)
	}
	repaired := testkit.Read(t, path)
	if bytes.Equal(repaired, file.text) {
		return string(repaired)
	}
	if exit, _, stderr := inProcess("", "undo"); exit != failure.ExitOK {
		t.Errorf("%s: undo exits %d\n%s", file.name, exit, stderr)
	}
	if restored, err := os.ReadFile(path); err != nil || !bytes.Equal(restored, file.text) {
		t.Errorf("%s is not restored: %v", file.name, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
		t.Errorf("%s: undo leaves %v", file.name, left)
	}
	return string(repaired)
}

// Every kind of fault is repaired in place, and undone byte for byte.
func TestRepairAndUndo(t *testing.T) {
	changed := 0
	for _, file := range plantedFaults(1) {
		if text := repairInPlace(t, file); text != string(file.text) {
			changed++
		}
	}
	if changed < 30 {
		t.Errorf("only %d files were changed", changed)
	}
}

// The real OpenClaw opens every repaired transcript and reads what clawctl reads.
func TestOpenClawReadsRepairs(t *testing.T) {
	real := newOracle(t)
	files := plantedFaults(4)
	for _, path := range slices.Concat(openClawTranscripts(t), randomTranscripts(t, 500), randomTrees(t, 500)) {
		text := testkit.Read(t, path)
		if !strings.HasSuffix(path, ".zst") && !strings.Contains(path, "claw0") {
			files = append(files, brokenFile{path, text})
		}
	}
	changed := 0
	for _, file := range files {
		text := repairInPlace(t, file)
		if text != string(file.text) {
			changed++
		}
		answer := real.answer(text)
		want, _ := answer.messages()
		exit, native, stderr := inProcess(text, "rebuild", "-q", "--as", "native", "-")
		if exit == failure.ExitNothing {
			continue // nothing in it is a record
		}
		var got []any
		err := json.Unmarshal([]byte(native), &got)
		switch {
		case answer.Error != "":
			t.Errorf("%s: OpenClaw refuses the repaired file", file.name)
		case len(want) == 0 && len(got) == 0:
		case err != nil || !reflect.DeepEqual(got, want):
			t.Errorf("%s: OpenClaw reads %d messages, clawctl %d, or they differ (%v) %s", file.name, len(want), len(got), err,
				stderr)
		}
	}
	t.Logf("%d files, %d of them changed", len(files), changed)
}

// The real pi opens every repaired transcript and reads what clawctl reads.
func TestPiReadsRepairs(t *testing.T) {
	real := startOracle(t, "pi1.mjs")
	files := plantedFaults(4)
	for _, path := range piTranscripts(t, "1000", "repairs") {
		text := testkit.Read(t, path)
		files = append(files, brokenFile{path, text})
	}
	changed := 0
	for _, file := range files {
		text := repairInPlace(t, file, "--program", "pi")
		if text != string(file.text) {
			changed++
		}
		var answer struct {
			Messages []any
			Errors   []string
		}
		real.read(text, &answer)
		exit, native, stderr := inProcess(text, "rebuild", "-q", "--as", "native", "--program", "pi", "-")
		if exit == failure.ExitNothing {
			continue // nothing in it is a record
		}
		var got []any
		err := json.Unmarshal([]byte(native), &got)
		switch {
		case answer.Messages == nil: // errors may also be about usage, which pi needs for its sums only
			t.Errorf("%s: pi says %q about the repaired file", file.name, answer.Errors)
		case len(answer.Messages) == 0 && len(got) == 0:
		case err != nil || !reflect.DeepEqual(got, answer.Messages):
			t.Errorf("%s: pi reads %d messages, clawctl %d, or they differ (%v) %s", file.name, len(answer.Messages), len(got),
				err, stderr)
		}
	}
	t.Logf("%d files, %d of them changed", len(files), changed)
}
