package page

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"clawctl/internal/calendar"
	"clawctl/pkg/report/stats"
)

// siteOf writes the sessions of a folder as a site, and returns its folder.
func siteOf(t *testing.T, home string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "site")
	if out, err := exec.Command(program(t), "export", "--as", "html", home, "-o", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return folder
}

// searchFor types a query into the list, and waits for the hits on the screen.
func searchFor(v viewer, query string) {
	v.Helper()
	eval[bool](v, fmt.Sprintf(`(() => { const el = document.getElementById('filter'); el.value = %q;
		return el.dispatchEvent(new Event('input')) })()`, query))
	eval[bool](v, `new Promise(done => setTimeout(done, 200, true))`) // which is longer than the page waits for more
	waitFor(v, fmt.Sprintf(`document.getElementById('found').dataset.query === %q`, query))
	eval[bool](v, `new Promise(done => requestAnimationFrame(() => setTimeout(done, 100, true)))`) // rows come into view
	waitFor(v, `![...document.querySelectorAll('.hits')].some(hits => hits.textContent === '…')`)
}

// Expressions about the list.
const (
	shownTitles = `[...document.querySelectorAll('tbody tr:not([hidden])')].map(r =>
		r.querySelector('a').textContent).join('|')`
	shownHits = `[...document.querySelectorAll('tr:not([hidden]) .hits a')]`
	found     = `document.getElementById('found').textContent`
)

func choose(v viewer, id, value string) {
	v.Helper()
	eval[bool](v, fmt.Sprintf(`(() => { const el = document.getElementById(%q); el.value = %q;
		return el.dispatchEvent(new Event('input')) })()`, id, value))
}

// checkSite filters, unfolds and searches the list of the example home.
func checkSite(v viewer) {
	v.Helper()
	want(v, found, "10 sessions, 2 copies folded")
	eval[bool](v, `(document.querySelector('.copies').click(), true)`)
	want(v, found, "11 sessions, 1 copy folded")
	want(v, `[...document.querySelectorAll('tr.copy:not([hidden])')].map(r => r.innerText.includes('copy of')).join()`,
		"true")
	eval[bool](v, `(document.querySelector('.copies').click(), true)`)
	choose(v, "kind", "reset")
	want(v, found, "2 sessions")
	choose(v, "kind", "")
	choose(v, "agent", "research")
	want(v, found, "4 sessions")
	choose(v, "month", "2026-04")
	want(v, shownTitles, "Which comet can one see this spring?")
	choose(v, "agent", "")
	choose(v, "month", "")

	// A text in a tool call, which no title has.
	searchFor(v, "valve twice")
	want(v, shownTitles, "Valve opens twice")
	want(v, shownHits+`.length > 0 && `+shownHits+`.every(a => a.querySelector('mark'))`, true)
	searchFor(v, "SCHEDULE = {")
	want(v, shownTitles, "Valve opens twice")
	want(v, shownHits+`[0].getAttribute('href').startsWith('main/main.html#find=SCHEDULE%20%3D%20%7B&at=entry-')`, true)
	searchFor(v, "waterin") // the beginning of a word
	want(v, shownTitles+`.includes('Valve opens twice')`, true)
	searchFor(v, "no-such-word-anywhere")
	want(v, found, "0 sessions")
	want(v, `document.getElementById('nothing').hidden`, false)
	searchFor(v, "")
	want(v, found, "10 sessions, 2 copies folded")
}

func TestBrowserSite(t *testing.T) {
	folder := siteOf(t, filepath.Dir(exampleHome))
	p := openFile(t, filepath.Join(folder, "index.html"))
	checkSite(p)
	searchFor(p, "schedule = {")
	href := eval[string](p, shownHits+`[0].getAttribute('href')`)
	file, hash, _ := strings.Cut(href, "#")
	q := openFile(t, filepath.Join(folder, file))
	q.open("#" + hash)
	q.waitFor(`[...CSS.highlights.get('current-hit')].map(r => r.toString()).join() === 'SCHEDULE = {'`)
	want(q, `[...CSS.highlights.get('current-hit')][0].startContainer.parentElement.closest('details').open`, true)
	want(q, `document.querySelector('.bar a').getAttribute('href')`, "../index.html")
}

func TestFirefoxBrowserSite(t *testing.T) {
	checkSite(openFirefox(t, filepath.Join(siteOf(t, filepath.Dir(exampleHome)), "index.html"), "light"))
}

// A list without its index says what is missing, and still filters.
func TestBrowserLostIndex(t *testing.T) {
	needsThorough(t)
	folder := siteOf(t, filepath.Dir(exampleHome))
	if err := os.RemoveAll(filepath.Join(folder, searchFolder)); err != nil {
		t.Fatal(err)
	}
	p := openFile(t, filepath.Join(folder, "index.html"))
	searchFor(p, "dormice")
	want(p, shownTitles, "Dormice")
	want(p, found, "Cannot read search/words-0.js, which belongs to this page.")
	p.mu.Lock()
	p.problems = nil // the file that is missing
	p.mu.Unlock()
}

// Printing the list prints all of its rows and columns on white paper, with the copies that are unfolded.
func TestBrowserListPrinting(t *testing.T) {
	needsThorough(t)
	list := []ListedSession{{Totals: Totals{Title: "A copy"}, Address: "copy.html", Original: "0.html"}}
	for i := range 300 {
		totals := Totals{Title: fmt.Sprintf("Session %d of many with a title", i), Prompts: 12345, Cost: 1234.5,
			CostWords: "$1,234.50", Last: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
		list = append(list, ListedSession{Totals: totals, Agent: "main", Bytes: 1e9, Address: fmt.Sprintf("%d.html", i),
			Name: fmt.Sprintf("agent:main:recovered:806818da-008f-467b-a790-%012d", i)})
	}
	var b strings.Builder
	if err := (&List{Title: "Sessions", Sessions: list, Total: &stats.Tally{}, Zone: calendar.UTC}).Write(&b); err != nil {
		t.Fatal(err)
	}
	onPaper := call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	p := openPage(t, b.String(), chromedp.EmulateViewport(718, 1000), onPaper) // A4 with the margins of browsers
	shown := `[...document.querySelectorAll('tbody tr')].filter(row => row.checkVisibility()).length`
	want(p, shown, 200)
	eval[bool](p, `(document.documentElement.dataset.theme = 'dark', document.querySelector('.copies').click(),
		dispatchEvent(new Event('beforeprint')))`)
	want(p, shown, 301)
	want(p, `document.querySelector('.scroll').scrollWidth <= innerWidth`, true)
	want(p, `getComputedStyle(document.documentElement).colorScheme`, "light")
	want(p, `[...document.querySelectorAll('#theme, #more, #controls')].some(el => el.checkVisibility())`, false)
	eval[bool](p, `dispatchEvent(new Event('afterprint'))`)
	want(p, shown, 200)
}

// A search over many sessions loads little. CLAWCTL_SITE names the folder of a site. Times are reported, not judged.
func TestBrowserManySessions(t *testing.T) {
	folder := os.Getenv("CLAWCTL_SITE")
	if folder == "" {
		t.Skip("CLAWCTL_SITE does not name the folder of a site")
	}
	p := openFile(t, filepath.Join(folder, "index.html"))
	for _, query := range []string{"the", "return error", "goroutine scheduler", "func main()", "con", "parser_test"} {
		p.open("")
		p.waitFor(`document.readyState === 'complete'`)
		took := eval[float64](p, fmt.Sprintf(`new Promise(done => {
			const started = performance.now(), el = document.getElementById('filter');
			el.value = %q;
			el.dispatchEvent(new Event('input'));
			(function look() {
				const rows = [...document.querySelectorAll('tbody tr:not([hidden])')].slice(0, 3);
				const isDone = document.getElementById('found').dataset.query === el.value &&
					rows.every(row => row.querySelector('.hits a') || row.getBoundingClientRect().top > innerHeight);
				if (isDone) requestAnimationFrame(() => done(performance.now() - started));
				else setTimeout(look, 5);
			})();
		})`, query))
		files, size := loadedFiles(p, folder)
		t.Logf("%q: %s, %.0f ms with the 80 ms that the page waits for more letters, %d files with %d bytes", query,
			eval[string](p, found), took, files, size)
	}
}

// loadedFiles returns how many files of the index the list has loaded, and their size.
func loadedFiles(p *tab, folder string) (n int, size int64) {
	p.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, address := range p.requests {
		if filepath.Ext(address) == ".js" {
			info, err := os.Stat(filepath.Join(folder, searchFolder, filepath.Base(address)))
			if err != nil {
				p.Fatal(err)
			}
			n, size = n+1, size+info.Size()
		}
	}
	p.requests = nil
	return n, size
}
