package diff

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func textSide(text string) Side {
	return Side{Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

func compareTexts(t testing.TB, a, b string) *Comparison {
	t.Helper()
	c, err := compare(t.Context(), textSide(a), textSide(b))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// summarize lists the changes: the kind, the line of each side, and the paths.
func summarize(t testing.TB, c *Comparison) (list []string) {
	t.Helper()
	for change, err := range c.Changes(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("%s %d %d", change.Kind, change.LineA, change.LineB)
		if change.Moved {
			line += " moved"
		}
		for _, f := range change.Fields {
			line += fmt.Sprintf(" %s:%s>%s", f.Path, string(f.Old), string(f.New))
		}
		list = append(list, line)
	}
	return list
}

const header = `{"type":"session","version":3,"id":"s"}`

func message(id, parent, text string) string {
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%q,"message":{"role":"user","content":%q}}`, id, parent, text)
}

func TestCompare(t *testing.T) {
	one, two, three := message("1", "", "one"), message("2", "1", "two"), message("3", "2", "three")
	for _, c := range []struct {
		name string
		a, b []string
		want []string
	}{
		{"same", []string{header, one}, []string{header, one}, nil},
		{"blank lines", []string{header, "", one}, []string{header, one, ""}, nil},
		{"spelling", []string{`{"id":"1","n":1.0,"s":"é"}`}, []string{` {"s":"\u00e9", "n":1,"id":"1"}`}, nil},
		{"added", []string{header, one}, []string{header, one, two}, []string{"added 0 3"}},
		{"removed", []string{header, one, two, three}, []string{header, one, three}, []string{"removed 3 0"}},
		{"moved", []string{header, one, two, three}, []string{header, three, one, two}, []string{"moved 4 2"}},
		{"changed", []string{header, one}, []string{header, message("1", "", "uno")},
			[]string{`changed 2 2 message.content:"one">"uno"`}},
		{"parent", []string{one, two, three}, []string{one, two, message("3", "1", "three")},
			[]string{`changed 3 3 parentId:"2">"1"`}},
		{"changed and moved", []string{one, two, three}, []string{message("3", "2", "tres"), one, two},
			[]string{`changed 3 1 moved message.content:"three">"tres"`}},
		{"other header", []string{header, one}, []string{`{"type":"session","version":3,"id":"t"}`, one},
			[]string{`changed 1 1 id:"s">"t"`}},
		{"repeated id", []string{one, message("1", "", "uno")}, []string{message("1", "", "uno")}, []string{"removed 1 0"}},
		{"repeated record", []string{one, one, two}, []string{one, two, one}, []string{"moved 2 3"}},
		{"neighbours", []string{"{}", one, "{}", two}, []string{one, "{}", two}, []string{"removed 1 0"}},
		{"damage", []string{one, `{"id":"2`}, []string{one, `{"id":"2"`}, []string{"removed 2 0", "added 0 2"}},
		{"same damage", []string{one, `{"id":"2`}, []string{one, `{"id":"2`}, nil},
		{"no id", []string{`{"a":1}`, `{"a":2}`}, []string{`{"a":2}`}, []string{"removed 1 0"}},
		{"rounded", []string{`{"id":"1","n":9007199254740993}`}, []string{`{"id":"1","n":9007199254740992}`},
			[]string{"changed 1 1 n:9007199254740993>9007199254740992"}},
		{"repeated key", []string{`{"id":"1","a":1,"a":2}`}, []string{`{"id":"1","a":2}`},
			[]string{`changed 1 1 :{"id":"1","a":1,"a":2}>{"id":"1","a":2}`}},
		{"empty", nil, []string{one}, []string{"added 0 1"}},
		{"arrays", []string{`{"id":"1","l":[1,2,3]}`}, []string{`{"id":"1","l":[1,5,2,3]}`},
			[]string{"changed 1 1 l[1]:>5"}},
		{"odd keys", []string{`{"id":"1","a.b":{"c d":1}}`}, []string{`{"id":"1","a.b":{"c d":2}}`},
			[]string{`changed 1 1 ["a.b"]["c d"]:1>2`}},
	} {
		got := compareTexts(t, strings.Join(c.a, "\n"), strings.Join(c.b, "\n"))
		if list := summarize(t, got); !slices.Equal(list, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, list, c.want)
		}
	}
}

// Records that have got ids, or others, say the same. Their links must lead to the same records.
func TestRenumbered(t *testing.T) {
	old := `{"type":"message","message":{"role":"user","content":%q}}`
	for _, c := range []struct {
		name string
		a, b []string
		want string // the kinds
	}{
		{"ids for the first version", []string{`{"type":"session","id":"s"}`, fmt.Sprintf(old, "a"), fmt.Sprintf(old, "b")},
			[]string{header, message("x", "", "a"), message("y", "x", "b")}, "renumbered renumbered renumbered"},
		{"other ids", []string{message("1", "", "a"), message("2", "1", "b")},
			[]string{message("x", "", "a"), message("y", "x", "b")}, "renumbered renumbered"},
		{"a link follows", []string{message("1", "", "a"), message("2", "1", "b")},
			[]string{message("x", "", "a"), message("2", "x", "b")}, "renumbered renumbered"},
		{"a link leads elsewhere", []string{message("1", "", "a"), message("2", "1", "b"), message("3", "2", "c")},
			[]string{message("x", "", "a"), message("2", "x", "b"), message("3", "x", "c")}, "renumbered renumbered changed"},
	} {
		got := compareTexts(t, strings.Join(c.a, "\n"), strings.Join(c.b, "\n"))
		var kinds []string
		for change, err := range got.Changes(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			kinds = append(kinds, change.Kind.String())
		}
		if strings.Join(kinds, " ") != c.want {
			t.Errorf("%s: got %q, want %q", c.name, kinds, c.want)
		}
	}
}

// A mutation is a text before and after random changes, with the changes by id.
type mutation struct {
	a, b []string
	want map[string]string // the kind of each change
}

// mutate makes a transcript and changes some of its records, far enough apart that swapped ones are unambiguous.
func mutate(random *rand.Rand) mutation {
	m := mutation{want: map[string]string{}}
	n := 30 + random.IntN(60)
	for i := range n {
		m.a = append(m.a, message(fmt.Sprint(i), "", fmt.Sprintf("text %d of %d", i, random.IntN(9))))
	}
	m.b = slices.Clone(m.a)
	for i := 5; i < n-10; i += 10 {
		id := fmt.Sprint(i)
		switch random.IntN(5) {
		case 0:
			m.b[i], m.want[id] = "", "removed"
		case 1:
			m.b[i], m.want[id] = message(id, "", "another text"), "changed"
		case 2:
			m.b[i], m.want["n"+id] = m.b[i]+"\n"+message("n"+id, "", "new "+id), "added"
		case 3:
			m.b[i], m.b[i+4] = m.b[i+4], m.b[i]
			m.want[id], m.want[fmt.Sprint(i+4)] = "moved", "moved"
		}
	}
	return m
}

// The changes are exactly the mutations, and those of the mirrored comparison are their opposites.
func TestChangesAreTheMutations(t *testing.T) {
	opposite := map[string]string{"removed": "added", "added": "removed", "changed": "changed", "moved": "moved"}
	random := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		m := mutate(random)
		mirrored := map[string]string{}
		for id, kind := range m.want {
			mirrored[id] = opposite[kind]
		}
		a, b := strings.Join(m.a, "\n"), strings.Join(m.b, "\n")
		for _, c := range []struct {
			a, b string
			want map[string]string
		}{{a, b, m.want}, {b, a, mirrored}, {a, a, nil}, {b, b, nil}} {
			got := compareTexts(t, c.a, c.b)
			kinds := map[string]string{}
			for change, err := range got.Changes(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				rec := change.B
				if rec == nil {
					rec = change.A
				}
				kinds[rec.ID()] = change.Kind.String()
			}
			if !maps.Equal(kinds, c.want) || int(got.differences()) != len(c.want) {
				t.Fatalf("got %v, want %v", kinds, c.want)
			}
		}
	}
}

// The sums of a comparison account for every record, and those of the mirrored one are the same.
func FuzzCompare(f *testing.F) {
	f.Add(header+"\n"+message("1", "", "a"), header+"\n"+message("1", "", "b"))
	f.Add("{}\n{}\n{\"id\":\"1\"}", "{\"id\":\"1\"}\n{}\n\n{")
	f.Add("\xff\n{\"id\":\"\xff\"}", "{\"id\":\"\\ud800\"}")
	f.Fuzz(func(t *testing.T, a, b string) {
		c, mirrored, self := compareTexts(t, a, b), compareTexts(t, b, a), compareTexts(t, a, a)
		paired := c.Same + c.Changed + c.Moved + c.Renumbered
		if paired+c.Removed != c.A || paired+c.Added != c.B || self.differences() != 0 {
			t.Fatalf("%+v, %+v", c.Sums, self.Sums)
		}
		if c.Removed != mirrored.Added || c.Added != mirrored.Removed {
			t.Fatalf("%+v, mirrored %+v", c.Sums, mirrored.Sums)
		}
		if got := len(summarize(t, c)); int64(got) != c.differences() {
			t.Fatalf("%d changes, want %d", got, c.differences())
		}
	})
}

func TestLongestIncrease(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 500 {
		list := make([]int32, random.IntN(12))
		for i, v := range random.Perm(len(list)) {
			list[i] = int32(v)
		}
		longest := 0
		for set := range 1 << len(list) {
			var chosen []int32
			for i, v := range list {
				if set&(1<<i) != 0 {
					chosen = append(chosen, v)
				}
			}
			if slices.IsSorted(chosen) {
				longest = max(longest, len(chosen))
			}
		}
		var chosen []int32
		for _, at := range longestIncrease(list) {
			chosen = append(chosen, list[at])
		}
		if !slices.IsSorted(chosen) || len(chosen) != longest {
			t.Fatalf("%v: got %v, want %d values", list, chosen, longest)
		}
	}
}

// A transcript that changes between two readings is an error, not a wrong answer.
func TestChangedMeanwhile(t *testing.T) {
	texts := []string{message("1", "", "a"), message("1", "", "b")}
	side := Side{Open: func() (io.ReadCloser, error) {
		text := texts[0]
		texts = texts[1:]
		return io.NopCloser(strings.NewReader(text)), nil
	}}
	if _, err := compare(t.Context(), side, textSide(message("1", "", "c"))); err == nil {
		t.Error("no error")
	}
}

// Memory grows with the number of records, not with their size.
func TestMemory(t *testing.T) {
	const records, size = 200, 100 << 10
	filler := bytes.Repeat([]byte("word "), size/5)
	open := func(last string) Side {
		return Side{Open: func() (io.ReadCloser, error) {
			var list []io.Reader
			for i := range records {
				list = append(list, strings.NewReader(fmt.Sprintf(`{"id":"%d%s","text":"`, i, last)), bytes.NewReader(filler),
					strings.NewReader("\"}\n"))
			}
			return io.NopCloser(io.MultiReader(list...)), nil
		}}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c, err := compare(t.Context(), open(""), open("x"))
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if c.Renumbered != records {
		t.Fatalf("%+v", c.Sums)
	}
	if got, all := after.TotalAlloc-before.TotalAlloc, uint64(2*records*size); got > all/4 {
		t.Errorf("allocated %d bytes for %d bytes of text", got, all)
	}
}
