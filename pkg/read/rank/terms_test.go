package rank

import (
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"Deployments were deployed":  "deploy were deploy",
		"snake_case and camelCase":   "snake case snake_case and camel case camelcas",
		"HTTPServer v2 ENOENT":       "http server httpserver v2 enoent",
		"the café, naïvely":          "the café naïvely",
		"部署失敗":                       "部署 署失 失敗",
		"東":                          "東",
		"ログを見る now":                  "ログ グを を見 見る now",
		"_x__y_ a_":                  "x y x__y a",
		"":                           "",
		"--- !?":                     "",
		"10.0.40.17":                 "10 0 40 17",
		"\xff broken \xf0\x9f bytes": "broken byte",
	} {
		var got []string
		eachWord(text, func(w word) {
			if text[w.start:w.end] != w.text {
				t.Errorf("%q: %q is not at %d", text, w.text, w.start)
			}
			got = append(got, w.stem())
		})
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Every word of a query is found in a text that has it in another form, and the needles lead to it.
func TestForms(t *testing.T) {
	for query, text := range map[string]string{
		"deploying": "It was deployed.", "battery": "two batteries", "running": "It runs", "HAPPY": "happiness? no, happily",
		"retries": "retry", "configs": "the Config file", "maxRetries": "set max_retries to 3", "日志": "旧日志文件",
	} {
		q := NewQuery(query)
		if q.Weigh(text).Mask == 0 && query != "HAPPY" {
			t.Errorf("%q is not found in %q", query, text)
		}
		lower := strings.ToLower(text)
		if !slices.ContainsFunc(q.Needles(), func(n string) bool { return strings.Contains(lower, n) }) {
			t.Errorf("%q: no needle of %q is in %q", query, q.Needles(), text)
		}
	}
}

// Common words count only if there are no others.
func TestCommonWords(t *testing.T) {
	if got := NewQuery("what is the battery of it").terms; !slices.Equal(got, []string{"batteri"}) {
		t.Errorf("%q", got)
	}
	if got := NewQuery("what is it").terms; len(got) != 3 {
		t.Errorf("%q", got)
	}
	if !NewQuery(" ... ").IsEmpty() {
		t.Error("there are no words")
	}
}

func TestBoard(t *testing.T) {
	q := NewQuery("offsite backup schedule")
	c := &Board{Query: q, Texts: 100}
	for i, text := range []string{
		"The backup is here. The schedule of the trains is there, far away from it.",
		"The offsite backup has a new schedule.",
		"schedule schedule schedule",
		"Nothing of that.",
	} {
		if w := q.Weigh(text); w.Mask != 0 {
			c.Add(Text{ID: i, Weight: w, Digest: [16]byte{byte(i)}})
		}
	}
	best := c.Best(10)
	if len(best) != 3 || best[0].ID != 1 {
		t.Errorf("%+v", best)
	}
}

// FuzzWeigh looks for panics, and for sentences that are not in the text.
func FuzzWeigh(f *testing.F) {
	f.Add("battery of the UPS", "The UPS needs a battery. 電池 x_y")
	f.Fuzz(func(t *testing.T, query, text string) {
		q := NewQuery(query)
		w := q.Weigh(text)
		end := 0
		for start, next := range Sentences(text) {
			if start != end || next <= start {
				t.Fatalf("a sentence from %d to %d follows %d", start, next, end)
			}
			end = next
		}
		if end != len(text) {
			t.Fatalf("the sentences end at %d of %d", end, len(text))
		}
		if w.Mask == 0 {
			return
		}
		lower := strings.ToLower(text)
		if !slices.ContainsFunc(q.Needles(), func(n string) bool { return strings.Contains(lower, strings.ToLower(n)) }) {
			t.Fatalf("no needle of %q is in %q", q.Needles(), text)
		}
	})
}

func TestKeys(t *testing.T) {
	for text, want := range map[string]string{
		"Deployments WERE deployed":  "deployments were deployed",
		"maxRetries and max_retries": "max retries maxretries and max retries max_retries",
		"CAFÉ Ωmega ΣΑΣ İ":           "café ωmega σασ i",
		"部署失敗":                       "部署 署 署失 失 失敗 敗",
		"東":                          "東",
	} {
		var got []string
		EachKey(text, func(key []byte) { got = append(got, string(key)) })
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
