package source

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/testkit"
)

const shared = "../../../shared/transcripts/"

// describe lists the sessions of a place, one per line: kind, name and problems.
func describe(p *Listing) string {
	var b strings.Builder
	for _, s := range p.Sessions {
		var codes []string
		for _, problem := range s.Problems {
			codes = append(codes, string(problem.Code))
		}
		fmt.Fprintf(&b, "%s %s %s\n", s.Kind, s.Name(), strings.Join(codes, ","))
	}
	for _, problem := range p.Problems {
		fmt.Fprintf(&b, "! %s %s\n", problem.Code, problem.Key)
	}
	return strings.ReplaceAll(b.String(), " \n", "\n")
}

func find(t *testing.T, folder string) *Listing {
	t.Helper()
	p, err := Find(context.Background(), folder, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func TestFindExampleHome(t *testing.T) {
	want := `live agent:main:main CL503
checkpoint agent:main:main@checkpoint.579372de-7836-4f3f-ae5e-612549d55682
deleted agent:main:recovered:073b64ef-7d88-4cb4-a7ca-9d7ef5b53760@deleted.2026-06-02T08-15-00.000Z
live agent:main:recovered:7957dc21-60ea-4983-a521-44992d560e2f CL501
live agent:main:telegram:direct:1001 CL503
reset agent:main:telegram:direct:1001@reset.2026-05-04T14-58-56.795Z
backup agent:main:telegram:direct:1001@bak-1234-1777899690089
live agent:main:telegram:group:-2002:topic:7 CL503
live agent:research:cron:daily-digest CL503
reset agent:research:cron:daily-digest@reset.2026-05-20T04-30-00.000Z
live agent:research:main CL503
live agent:research:recovered:806818da-008f-467b-a790-9e6b2219cf6f CL501
! CL502 agent:research:subagent:`
	if got := describe(find(t, "../../testdata/home")); !strings.HasPrefix(got, want) {
		t.Errorf("found\n%s\nwant\n%s", got, want)
	}
}

// Find returns the same sessions for any part of a state folder.
func TestFindFromAnywhere(t *testing.T) {
	whole := find(t, "../../testdata/home")
	for _, part := range []string{"agents", "agents/main", "agents/main/sessions"} {
		p := find(t, filepath.Join("../../testdata/home", part))
		for _, s := range p.Sessions {
			if !slices.ContainsFunc(whole.Sessions,
				func(w *Session) bool { return w.Name() == s.Name() && w.Agent == s.Agent && w.Bytes == s.Bytes }) {
				t.Errorf("%s: %s is not among the sessions of the state folder", part, s.Name())
			}
		}
		if len(p.Sessions) < 8 {
			t.Errorf("%s: %d sessions", part, len(p.Sessions))
		}
	}
}

func TestFindClaw0(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, ".sessions/sessions.json",
		`{"main:cli:u":{"session_key":"main:cli:u","session_id":"296e4ed563a7",`+
			`"transcript_file":"main_cli_u_296e4ed563a7.jsonl","message_count":1}}`)
	write(t, folder, ".sessions/transcripts/main_cli_u_296e4ed563a7.jsonl",
		`{"type":"session","id":"296e4ed563a7","key":"main:cli:u","created":"2026-01-01T00:00:00"}`+"\n")
	write(t, folder, ".sessions/agents/default/sessions.json",
		`{"ea9e4c24d010":{"label":"kettle","last_active":"2026-01-01T00:00:00"}}`)
	write(t, folder, ".sessions/agents/default/sessions/ea9e4c24d010.jsonl",
		`{"type":"user","content":"x","ts":1}`+"\n")
	p := find(t, folder)
	if got, want := describe(p), "live agent:default:recovered:ea9e4c24d010\nlive main:cli:u\n"; got != want {
		t.Errorf("found\n%s\nwant\n%s", got, want)
	}
	if p.Sessions[0].Title() != "kettle" || !p.Sessions[0].Listed {
		t.Errorf("%+v", p.Sessions[0])
	}
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	testkit.Write(t, path, text)
}

func read(t *testing.T, s *Session) string {
	t.Helper()
	in, err := s.Open()
	if err != nil {
		t.Fatal(s.Name(), err)
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(s.Name(), err)
	}
	return string(data)
}

// In any state of sessions.json, valid entries are used, problems are reported, and every transcript is listed.
func TestBrokenIndexes(t *testing.T) {
	const good = `"agent:main:main":{"sessionId":"` + id1 + `"}`
	for name, test := range map[string]struct{ index, want string }{
		"good":       {"{" + good + "}", "live agent:main:main\n"},
		"pretty":     {"{\n  " + good + "\n}\n", "live agent:main:main\n"},
		"empty":      {"", "live agent:main:recovered:" + id1 + " CL501\n! CL506\n"},
		"no entries": {"{}", "live agent:main:recovered:" + id1 + " CL501\n"},
		"truncated":  {"{" + good + `,"agent:main:x":{"sess`, "live agent:main:main\n! CL506\n"},
		"null entry": {"{" + good + `,"agent:main:x":null}`, "live agent:main:main\n! CL505 agent:main:x\n"},
		"no id": {"{" + good + `,"agent:main:x":{"updatedAt":1}}`,
			"live agent:main:main\n! CL504 agent:main:x\n"},
		"missing": {"{" + good + `,"agent:main:x":{"sessionId":"` + id2 + `"}}`,
			"live agent:main:main\n! CL502 agent:main:x\n"},
		"foreign": {`{"agent:main:main":{"sessionId":"` + id1 + `","sessionFile":"/elsewhere/sessions/` + id1 +
			`.jsonl"}}`, "live agent:main:main CL503\n"},
		"windows": {`{"agent:main:main":{"sessionId":"` + id1 + `","sessionFile":"C:\\Users\\ada\\` + id1 +
			`.jsonl"}}`, "live agent:main:main CL503\n"},
		"sqlite": {`{"agent:main:main":{"sessionId":"` + id1 + `","sessionFile":"sqlite:agent#1"}}`,
			"live agent:main:main\n! CL508 agent:main:main\n"},
		"shared":   {"{" + good + `,"main":{"sessionId":"` + id1 + `"}}`, "live agent:main:main CL511\n"},
		"not JSON": {"oops", "live agent:main:recovered:" + id1 + " CL501\n! CL506\n"},
		"an array": {"[1]", "live agent:main:recovered:" + id1 + " CL501\n! CL506\n"},
		"wrong types": {`{"agent:main:main":{"sessionId":7},"a":"b","c":[]}`,
			"live agent:main:recovered:" + id1 + " CL501\n"},
		"BOM":         {"\xef\xbb\xbf{" + good + "}", "live agent:main:main\n"},
		"a bad entry": {`{"agent:main:x":{"sessionId":oops},` + good + `,"y":{`, "live agent:main:main\n! CL506\n"},
		"a list": {`["agent:main:x",{"sessionId":"` + id1 + `"}]`, "live agent:main:recovered:" + id1 +
			" CL501\n! CL506\n"},
		"far future": {`{"agent:main:main":{"sessionId":"` + id1 + `","updatedAt":8640000000000000}}`,
			"live agent:main:main\n"},
		"by name": {`{"k":{"sessionId":"other","sessionFile":"` + id1 + `.jsonl"}}`, "live k\n"},
	} {
		folder := t.TempDir()
		write(t, folder, "agents/main/sessions/sessions.json", test.index)
		write(t, folder, "agents/main/sessions/"+id1+".jsonl", `{"type":"session","id":"`+id1+`"}`+"\n")
		got := describe(find(t, folder))
		switch {
		case name == "wrong types":
			if !strings.HasPrefix(got, test.want) || strings.Count(got, "!") != 3 {
				t.Errorf("%s: found\n%s", name, got)
			}
		case got != test.want:
			t.Errorf("%s: found\n%swant\n%s", name, got, test.want)
		}
	}
}

// Keys and folders name the agent, topics have keys of their own, and other files of a state folder are ignored.
func TestFindOddities(t *testing.T) {
	folder := t.TempDir()
	header := `{"type":"session","version":3,"id":"x"}` + "\n"
	write(t, folder, "agents/main/sessions/sessions.json", `{"goclaw:scout:main":{"sessionId":"`+id1+`"}}`)
	write(t, folder, "agents/main/sessions/"+id1+".jsonl", header)
	write(t, folder, "agents/main/sessions/"+id1+"-topic-7.jsonl", header)
	write(t, folder, "agents/bare/sessions/"+id2+".jsonl", header)
	write(t, folder, "cron/runs/job.jsonl", header)
	write(t, folder, "logs/audit.jsonl", header)
	write(t, folder, "agents/old/session-sqlite-import-archive/legacy-store.sessions.json.imported-1",
		`{"agent:old:one":{"sessionId":"`+id1+`"}}`)
	write(t, folder, "agents/old/session-sqlite-import-archive/legacy-store.sessions.json.imported-2",
		`{"agent:old:two":{"sessionId":"`+id2+`"}}`)
	write(t, folder, "agents/old/session-sqlite-import-archive/agent_old_one."+id1+".jsonl.imported-1", header)
	write(t, folder, "agents/old/session-sqlite-import-archive/agent_old_two."+id2+".jsonl.imported-2", header)
	want := "live agent:bare:recovered:" + id2 + " CL501\nlive agent:main:recovered:" + id1 + "-topic-7 CL501\n" +
		"archive agent:old:one@imported-1\narchive agent:old:two@imported-2\nlive goclaw:scout:main\n"
	if os.Symlink(t.TempDir(), filepath.Join(folder, "agents/bare/agent")) == nil { // some systems let nobody make links
		want += "! CL509\n"
	}
	p := find(t, folder)
	if got := describe(p); got != want {
		t.Errorf("found\n%swant\n%s", got, want)
	}
	if last := p.Sessions[len(p.Sessions)-1]; last.Agent != "scout" {
		t.Errorf("the agent of %s is %s", last.Key, last.Agent)
	}
}

// Thousands of sessions of the same size are compared in linear time.
func TestInspectManyEqualSizes(t *testing.T) {
	folder := t.TempDir()
	for i := range 3000 {
		write(t, folder, fmt.Sprintf("s%04d.jsonl", i),
			fmt.Sprintf(`{"type":"session","version":3,"id":"s%04d"}`+"\n", i%2000))
	}
	p := find(t, folder)
	copies := 0
	for _, f := range Inspect(context.Background(), p.Sessions, 2) {
		if f.CopyOf != nil {
			copies++
		}
	}
	if copies != 1000 {
		t.Errorf("%d copies", copies)
	}
}

// Find returns every transcript of OpenClaw's folder of odd cases once.
func TestFindCasesStore(t *testing.T) {
	files, err := filepath.Glob(shared + "cases-store/agents/main/sessions/*")
	if err != nil || len(files) == 0 {
		t.Skip("no real transcripts here")
	}
	want := map[string]int{}
	for _, file := range files {
		if _, ok := ParseName(filepath.Base(file)); ok {
			want[filepath.Base(file)]++
		}
	}
	got := map[string]int{}
	for _, s := range find(t, shared+"cases-store").Sessions {
		got[filepath.Base(s.Path)]++
	}
	if !maps.Equal(got, want) || len(want) < 50 {
		t.Errorf("%d of %d transcripts", len(got), len(want))
	}
}

// A session that OpenClaw migrated to a database has the same lines as its original file.
func TestDatabasesHoldTheOriginals(t *testing.T) {
	if _, err := os.Stat(shared); err != nil {
		t.Skip("no real transcripts here")
	}
	p := find(t, shared+"openclaw-sqlite")
	archives := map[string]string{}
	for _, s := range p.Sessions {
		if s.Kind == Archive && !s.InDatabase {
			archives[s.ID] = read(t, s)
		}
	}
	compared := 0
	for _, s := range p.Sessions {
		if !s.InDatabase {
			continue
		}
		original, ok := archives[s.ID]
		if !ok || read(t, s) != original || int64(len(original)) != s.Bytes {
			t.Errorf("%s differs from its original (found: %v)", s.Name(), ok)
		}
		compared++
	}
	if compared != 10 || len(p.Problems) > 0 {
		t.Errorf("%d sessions compared; problems %v", compared, p.Problems)
	}
}

func TestSelect(t *testing.T) {
	sessions := []*Session{
		{Key: "agent:main:main", ID: "abc1", Agent: "main", Kind: Live},
		{Key: "agent:main:main", ID: "abc1", Agent: "main", Kind: Reset, Generation: "reset.1"},
		{Key: "agent:main:telegram:direct:1", ID: "abd2", Agent: "main", Kind: Live},
		{Key: "agent:work:main", ID: "xyz3", Agent: "work", Kind: Deleted, Generation: "deleted.2"},
		{Key: "agent:main:direct:1", ID: "id1", Agent: "main", Kind: Deleted, Generation: "deleted.3"},
		{Key: "agent:main:direct:12", ID: "id12", Agent: "main", Kind: Live, Aliases: []string{"agent:main:other"}},
	}
	for _, test := range []struct {
		filter Filter
		want   string
	}{
		{Filter{}, "0 2 5"},
		{Filter{Session: "agent:main:direct:1"}, "4"},
		{Filter{Session: "id1"}, "4"},
		{Filter{Session: "agent:main:other"}, "5"},
		{Filter{Session: "abc1@reset.1"}, "1"},
		{Filter{Session: "abc1"}, "0"},
		{Filter{Session: "agent:main:main@reset.1"}, "1"},
		{Filter{Session: "agent:main:t"}, "2"},
		{Filter{Session: "abd"}, "2"},
		{Filter{Session: "ab"}, "ambiguous"},
		{Filter{Session: "xyz3"}, "3"},
		{Filter{Session: "xyz3", Kinds: []Kind{Live}}, ""},
		{Filter{Kinds: []Kind{Reset, Deleted}}, "1 3 4"},
		{Filter{Agents: []string{"work"}, Kinds: Kinds}, "3"},
		{Filter{Session: "nothing"}, ""},
	} {
		found, err := Select(sessions, test.filter, []Kind{Live})
		var got []string
		for _, s := range found {
			got = append(got, fmt.Sprint(slices.Index(sessions, s)))
		}
		if err != nil {
			got = []string{"ambiguous"}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%+v: %v %v, want %s", test.filter, got, err, test.want)
		}
	}
}

func TestInspect(t *testing.T) {
	p := find(t, "../../testdata/home")
	facts := Inspect(context.Background(), p.Sessions, 4)
	copies := map[string]string{}
	for i, s := range p.Sessions {
		f := facts[i]
		if f.Err != nil || f.Records == 0 || f.First.IsZero() || f.Last.Before(f.First) ||
			f.Dialect.String() != "openclaw-v3" {
			t.Errorf("%s: %+v", s.Name(), f)
		}
		if f.CopyOf != nil {
			copies[s.Name()] = f.CopyOf.Name()
		}
	}
	want := map[string]string{
		"agent:main:main@checkpoint.579372de-7836-4f3f-ae5e-612549d55682": "agent:main:main",
		"agent:main:telegram:direct:1001@bak-1234-1777899690089": "agent:main:telegram:direct:1001" +
			"@reset.2026-05-04T14-58-56.795Z",
	}
	if !maps.Equal(copies, want) {
		t.Errorf("copies %v, want %v", copies, want)
	}
}

// NamesOnly finds the same sessions, without sizes and times.
func TestNamesOnly(t *testing.T) {
	full, err := Find(t.Context(), "../../testdata/home", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	names, err := Find(t.Context(), "../../testdata/home", Options{Fast: true, NamesOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer names.Close()
	if len(full.Sessions) == 0 || len(full.Sessions) != len(names.Sessions) {
		t.Fatalf("%d sessions, %d by name", len(full.Sessions), len(names.Sessions))
	}
	for i, s := range names.Sessions {
		if f := full.Sessions[i]; s.Name() != f.Name() || s.ID != f.ID || s.Kind != f.Kind || s.Place() != f.Place() {
			t.Errorf("%s at %s, by name %s at %s", f.Name(), f.Place(), s.Name(), s.Place())
		}
	}
}
