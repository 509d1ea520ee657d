package validate

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
	"clawctl/pkg/validate/validatetest"
)

// strictly returns whether `rebuild --as anthropic --strict` accepts a transcript, and its first fix that the API
// requires.
func strictly(t *testing.T, data []byte) (state State, first Reason) {
	t.Helper()
	ix, err := rebuild.Scan(jsonl.NewReader(bytes.NewReader(data), jsonl.Options{}), func(*jsonl.Record) {})
	if err != nil {
		t.Fatal(err)
	}
	context, err := ix.Context("")
	if err != nil {
		t.Fatal(err)
	}
	plan := context.Conversation(rebuild.LimitsOf("anthropic"))
	isMirror := func(f rebuild.Fix) bool { return f.Code == rebuild.Mirror }
	fixes := slices.DeleteFunc(slices.Clone(plan.Fixes), isMirror)
	if len(fixes) > 0 {
		first = Reason{fixes[0].Code, fixes[0].Line, fixes[0].Entry}
	}
	isRefused := context.Refusal() != nil || ix.HeaderLine() == 0 && ix.Refuses(rebuild.NoHeader)
	isStuck := slices.ContainsFunc(fixes, func(f rebuild.Fix) bool { return !f.Corrected })
	isChange := func(f rebuild.Fix) bool { return f.Code != rebuild.OpenEnd }
	switch {
	case plan.Len() == 0:
		return Empty, Reason{}
	case isStuck || isRefused:
		return Stuck, first
	case slices.ContainsFunc(fixes, isChange):
		return Corrected, first
	}
	return Continues, first
}

func verdict(t *testing.T, data []byte) Verdict {
	t.Helper()
	reader := jsonl.NewReader(bytes.NewReader(data), jsonl.Options{})
	selection := Selection{Only: []string{"CL001"}, API: rebuild.AnthropicMessages}
	result, err := Session(reader, source.Stream(nil, "test"), selection)
	if err != nil {
		t.Fatal(err)
	}
	result.Verdict.API = rebuild.NoAPI // it is the same for all
	return result.Verdict
}

// compareVerdicts compares the verdict on a transcript with the result of rebuild.
func compareVerdicts(t *testing.T, name string, data []byte) State {
	t.Helper()
	got := verdict(t, data)
	state, first := strictly(t, data)
	if got.Refusal.Code == rebuild.RefusedDate { // no rule of an API
		got.Refusal = Reason{}
	}
	if got.Reason.Code == rebuild.Unmetered { // pi fails before it sends what rebuild writes
		state = Stuck
	}
	if got.State != state || got.Refusal != first {
		t.Errorf("%s: %+v, but rebuild says %v %+v", name, got, state, first)
	}
	return got.State
}

var transcriptName = regexp.MustCompile(`\.jsonl($|\.(reset|deleted|bak)[^/]*$)`)

// compareFolder compares the verdicts on all transcripts below a folder, and returns how many of each state there are.
func compareFolder(t *testing.T, folder string) (states [4]int) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !transcriptName.MatchString(path) || strings.Contains(path, "trajectory") {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil {
			states[compareVerdicts(t, path, data)]++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d empty, %d as they are, %d corrected, %d stuck", folder, states[Empty], states[Continues],
		states[Corrected], states[Stuck])
	return states
}

func TestVerdictAgreesWithRebuild(t *testing.T) {
	states := compareFolder(t, "../../testdata/transcripts")
	if slices.Contains(states[:], 0) {
		t.Error("a state never came up:", states)
	}
	compareFolder(t, "../../testdata/home")
}

func TestVerdictAgreesWithRebuildOnRealTranscripts(t *testing.T) {
	const folder = "../../../shared/transcripts"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("no real transcripts here:", err)
	}
	compareFolder(t, folder+"/")
}

// Every planted fault gives the verdict that rebuild gives.
func TestVerdictOfPlantedFaults(t *testing.T) {
	for seed := range uint64(4) {
		if v := verdict(t, validatetest.Healthy(seed)); v != (Verdict{State: Continues, Program: "OpenClaw"}) {
			t.Errorf("a healthy transcript: %+v", v)
		}
		for k, fault := range validatetest.Faults {
			text, _ := fault.Plant(seed*1000 + uint64(k))
			always := fault.Code == rebuild.Mirror || fault.Code == rebuild.OpenEnd
			state := compareVerdicts(t, string(fault.Code)+" "+fault.Name, text)
			if isFix := fault.Code.Entry().Fix != ""; isFix && (state == Empty || state == Continues) != always {
				t.Errorf("%s %s: %v", fault.Code, fault.Name, state)
			}
		}
	}
}

func TestVerdictWords(t *testing.T) {
	blanks := slices.IndexFunc(validatetest.Faults, func(f validatetest.Fault) bool { return f.Code == "CL402" })
	blanked, line := validatetest.Faults[blanks].Plant(1)
	why := Reason{"CL402", line, fmt.Sprintf("%08x", line-1)}
	want := Verdict{State: Corrected, Program: "OpenClaw", Reason: why, Refusal: why, Corrections: 1}
	if got := verdict(t, blanked); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	header := `{"type":"session","version":3,"id":"x","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}` + "\n"
	blank := `{"type":"message","id":"a","parentId":null,"timestamp":"2026-05-01T10:00:00.000Z",` +
		`"message":{"role":"user","content":" "}}` + "\n"
	for _, text := range []string{"", "\n", header, header + blank} {
		if got := verdict(t, []byte(text)); got != (Verdict{Program: "OpenClaw"}) {
			t.Errorf("%q: %+v", text, got)
		}
	}
}
