package page

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/read/parts"
)

// A hitLink leads to a text of an entry, as those of the list of sessions do.
type hitLink struct{ Find, At string }

// linksOf returns links to words in every part of a transcript, at most so many.
func linksOf(t testing.TB, transcript []byte, most int) (links []hitLink) {
	t.Helper()
	maker := parts.Maker{}
	for rec, err := range sessionOf(t, transcript).Records() {
		if err != nil {
			t.Fatal(err)
		}
		e := maker.Entry(rec)
		if e == nil {
			continue
		}
		if words := wordsOf(strings.ReplaceAll(entryText(e), "\ufffd", " ")); len(words) > 0 && e.ID != "" {
			at := "entry-" + e.ID
			links = append(links, hitLink{words[len(words)/2], at}, hitLink{words[len(words)-1], at})
		}
	}
	links = slices.Compact(links) // the same address again is no jump
	if len(links) <= most {
		return links
	}
	for i := range most { // from the beginning to the end
		links[i] = links[i*len(links)/most]
	}
	return slices.Compact(links[:most])
}

// followLinks follows links and steps through some more hits of each. It returns those that cannot be seen: the middle
// of the mark must be on the screen, and nothing else may be there.
const followLinks = `(async (links, steps) => {
	const wait = (ms) => new Promise(done => setTimeout(done, ms));
	const current = () => [...CSS.highlights.get('current-hit')][0];
	const problemOf = (text) => {
		const range = current(), box = range?.getClientRects()[0];
		if (!box) return 'no mark';
		if (range.toString().toLowerCase() !== text.toLowerCase()) return 'the mark is on ' + range.toString();
		const x = box.left + box.width / 2, y = box.top + box.height / 2;
		const el = document.elementFromPoint(x, y), parent = range.startContainer.parentElement;
		if (!el) return 'outside of the screen: ' + [x, y];
		return el.contains(parent) || parent.contains(el) ? '' : 'covered by ' + el.outerHTML.slice(0, 200);
	};
	const seen = async (text, before) => {
		let problem = '';
		for (let i = 0; i < 60; i++) {
			await wait(25);
			problem = current() === before ? 'the mark stays' : problemOf(text);
			if (!problem) return '';
		}
		return problem;
	};
	const problems = [];
	let count = 0;
	for (const {Find, At} of links) {
		let before = current();
		location.hash = 'find=' + encodeURIComponent(Find) + '&at=' + encodeURIComponent(At);
		for (let step = 0; ; step++) {
			const problem = await seen(Find, before);
			const where = step ? ' step ' + step : '';
			const hits = document.getElementById('hits').textContent;
			if (problem) problems.push(Find + '@' + At + where + ' (' + hits + '): ' + problem);
			count++;
			if (step === steps || / of 1$/.test(hits)) break;
			before = current();
			document.getElementById('find-next').click();
		}
	}
	return JSON.stringify({count, problems});
})`

// checkHits checks that every hit is visible after a jump, and returns how many there were.
func checkHits(v viewer, transcript []byte, most, steps int) int {
	v.Helper()
	links, err := json.Marshal(linksOf(v, transcript, most))
	if err != nil {
		v.Fatal(err)
	}
	waitFor(v, `document.getElementById('tail')`)
	var result struct {
		Count    int
		Problems []string
	}
	report := eval[string](v, fmt.Sprintf("%s(%s || [], %d)", followLinks, links, steps))
	if err := json.Unmarshal([]byte(report), &result); err != nil {
		v.Fatal(err)
	}
	for _, problem := range result.Problems {
		v.Error(problem)
	}
	return result.Count
}

// A show opens a file in the browser of a viewer.
func (p *tab) show(string) { p.open("") }

func (f *firefox) show(file string) {
	f.call("WebDriver:Navigate", map[string]any{"url": "about:blank"})
	f.call("WebDriver:Navigate", map[string]any{"url": "file://" + file})
}

// checkAllHits opens the pages of transcripts in one window.
func checkAllHits(t *testing.T, open func(file string) interface {
	viewer
	show(file string)
}) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	list, most, steps := map[string][]byte{"rich": richTranscript()}, 40, 3
	if isThorough() {
		list, most = transcripts(t), 8
	}
	if only := os.Getenv("CLAWCTL_TRANSCRIPT"); only != "" {
		maps.DeleteFunc(list, func(name string, _ []byte) bool { return !strings.Contains(name, only) })
	}
	write := func(text string) {
		testkit.Write(t, file, text)
	}
	write("<!doctype html><title>No page yet</title>")
	v, total := open(file), 0
	for _, name := range slices.Sorted(maps.Keys(list)) {
		text, _ := pageOf(t, list[name], Options{Raw: true})
		write(text)
		v.show(file)
		n := checkHits(v, list[name], most, steps)
		total += n
		t.Logf("%s: %d hits", filepath.Base(name), n)
		if t.Failed() {
			t.Fatal(name)
		}
	}
	t.Logf("%d hits of %d transcripts are visible after a jump", total, len(list))
}

type showingViewer = interface {
	viewer
	show(file string)
}

func TestBrowserHits(t *testing.T) {
	checkAllHits(t, func(file string) showingViewer { return openFile(t, file) })
}

func TestFirefoxBrowserHits(t *testing.T) {
	checkAllHits(t, func(file string) showingViewer { return openFirefox(t, file, "light") })
}
