package page

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"

	"clawctl/internal/calendar"
	"clawctl/internal/testkit"
	"clawctl/pkg/report/stats"
)

// A page of 50,000 entries and 100 MB is readable while it loads, scrolls smoothly, and finds everything. Times are
// reported, not judged: they depend on the machine, and on what else it does. A page of nothing but paragraphs with the
// same text shows what the browser can reach here.
func TestBrowserLarge(t *testing.T) {
	needsThorough(t)
	file := filepath.Join(t.TempDir(), "large.html")
	writeLarge(t, file)
	p := openFile(t, file, noteReadable, enableMetrics)
	p.settle()
	p.waitFor(`window.parsed`)
	t.Logf("readable after %.0f ms, parsed after %.0f ms", eval[float64](p, `readable`), eval[float64](p, `parsed`))
	t.Logf("%.0f ms of processor time for loading", metricsOf(p)["TaskDuration"]*1000)
	ran := scroll(p)
	t.Logf("scrolling: %v", ran)
	if ran.Rows > 400 {
		t.Errorf("%d rows exist", ran.Rows)
	}
	started := time.Now()
	p.find("very last needle")
	p.waitFor(`document.getElementById('hits').textContent === '1 of 1'`)
	t.Logf("searched everything in %v", time.Since(started).Round(time.Millisecond))
	p.waitFor(`document.querySelector('.row.found')?.textContent.includes('The very last needle')`)
	heap := int64(metricsOf(p)["JSHeapUsedSize"])
	t.Logf("%d MB of JavaScript heap", heap>>20)
	if heap > 500<<20 {
		t.Errorf("%d MB of heap", heap>>20)
	}
	t.Logf("%d MB in the largest process of the browser", largestRenderer()>>20)
	t.Logf("scrolling paragraphs: %v", scroll(openPage(t, paragraphs(p), enableMetrics)))
}

// noteReadable notes when the frame after the first one with text of a row begins, and when the file was read. Both are
// milliseconds since the navigation began.
var noteReadable = call(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `
	addEventListener('DOMContentLoaded', () => { window.parsed = performance.now() });
	(function look() {
		const isThere = document.querySelector('.row .prose p');
		requestAnimationFrame(isThere ? () => { window.readable = performance.now() } : look);
	})()`})

var enableMetrics = call(performance.Enable,
	performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})

// A scrolling is what a page did while it was scrolled.
type scrolling struct {
	Frames  int
	Seconds float64
	Worst   float64 // milliseconds of the longest frame
	Rows    int     // the most that existed
	thread  float64 // seconds of processor time of the page's own thread
	browser float64 // seconds of processor time of all processes of the browser
}

func (s scrolling) String() string {
	frames := float64(s.Frames)
	return fmt.Sprintf("%.0f frames a second, the longest took %.0f ms; processor time per frame: %.1f ms of the page, "+
		"%.1f ms of the whole browser; at most %d rows",
		frames/s.Seconds, s.Worst, s.thread/frames*1000, s.browser/frames*1000, s.Rows)
}

// scroll scrolls a page for some seconds by 60 pixels in every frame, which is 3,600 pixels a second at 60 frames. The
// next step waits for the page's own thread, which a reader's wheel does not.
func scroll(p *tab) (s scrolling) {
	p.Helper()
	thread, browser := metricsOf(p)["TaskDuration"], processorTime()
	report := eval[string](p, `new Promise(done => {
		let frames = 0, rows = 0, worst = 0, last = performance.now();
		const start = last;
		(function step(now) {
			frames++;
			worst = Math.max(worst, now - last);
			last = now;
			scrollBy(0, 60);
			rows = Math.max(rows, document.querySelectorAll('#feed .row, #toc-list li').length);
			if (now - start < 4000) return requestAnimationFrame(step);
			done(JSON.stringify({frames, rows, worst, seconds: (now - start) / 1000}));
		})(start);
	})`)
	if err := json.Unmarshal([]byte(report), &s); err != nil {
		p.Fatal(err)
	}
	s.thread, s.browser = metricsOf(p)["TaskDuration"]-thread, processorTime()-browser
	return s
}

// paragraphs is a page without a script that has the text of the rows that exist in another one, again and again.
func paragraphs(p *tab) string {
	p.Helper()
	texts := eval[[]string](p, `[...document.querySelectorAll('#feed .row')].map(r => r.innerText)`)
	var b strings.Builder
	b.WriteString(`<!doctype html><meta charset="utf-8"><body style="font: 15px/1.6 sans-serif; margin: 0 240px">`)
	for i := range 500 {
		fmt.Fprintf(&b, "<p>%s</p>\n", html.EscapeString(texts[i%len(texts)]))
	}
	return b.String()
}

// processorTime returns the seconds that the processes below this one have used, on Linux.
func processorTime() (seconds float64) {
	const ticks = 100 // a second
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	parents, times := map[int]int{}, map[int]float64{}
	for _, file := range files {
		line, _ := os.ReadFile(file)
		fields := strings.Fields(string(line[bytes.LastIndexByte(line, ')')+1:])) // after the name of the program
		if len(fields) < 13 {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		parents[pid], _ = strconv.Atoi(fields[1])
		user, _ := strconv.ParseFloat(fields[11], 64)
		system, _ := strconv.ParseFloat(fields[12], 64)
		times[pid] = (user + system) / ticks
	}
	for pid, time := range times {
		for ancestor := parents[pid]; ancestor > 0; ancestor = parents[ancestor] {
			if ancestor == os.Getpid() {
				seconds += time
			}
		}
	}
	return seconds
}

// writeLarge writes the page, and forgets the transcript.
func writeLarge(t *testing.T, file string) {
	t.Helper()
	var transcript []byte
	if path := os.Getenv("CLAWCTL_TRANSCRIPT"); path != "" {
		data := testkit.Read(t, path)
		const last = `{"type":"message","id":"last","message":{"role":"user","content":"The very last needle"}}`
		transcript = append(data, last+"\n"...)
	} else {
		transcript = longTranscript(50000, 8)
	}
	s := sessionOf(t, transcript)
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	started := time.Now()
	totals, err := Write(t.Context(), out, s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	info, _ := out.Stat()
	t.Logf("%d entries, %d MB, page of %d MB (%.2f) in %v", totals.Entries, len(transcript)/1e6, info.Size()/1e6,
		float64(info.Size())/float64(len(transcript)), time.Since(started).Round(time.Millisecond))
	debug.FreeOSMemory()
}

// metricsOf returns what the browser measures: sizes, and the processor time of the page's own thread.
func metricsOf(p *tab) map[string]float64 {
	p.Helper()
	type metrics = performance.GetMetricsResult
	result, err := chromedp.Run(p.ctx, func(ctx context.Context, t *chromedp.Target) (metrics, error) {
		return cdp.Call(ctx, t, performance.GetMetrics, cdp.Empty{})
	})
	if err != nil {
		p.Fatal(err)
	}
	values := map[string]float64{}
	for _, m := range result.Metrics {
		values[m.Name] = m.Value
	}
	return values
}

// largestRenderer returns the resident memory of the largest process that shows pages, on Linux.
func largestRenderer() (largest int64) {
	commands, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, command := range commands {
		line, err := os.ReadFile(command)
		if err != nil || !bytes.Contains(line, []byte("--type=renderer")) {
			continue
		}
		status, _ := os.ReadFile(filepath.Join(filepath.Dir(command), "status"))
		var kilobytes int64
		if _, after, ok := strings.Cut(string(status), "VmRSS:"); ok {
			_, _ = fmt.Sscan(after, &kilobytes)
		}
		largest = max(largest, kilobytes<<10)
	}
	return largest
}

// samplePages are the pages that are looked at: of the example home, of a session with one of everything, and a list.
func samplePages(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	pages["rich"], _ = pageOf(t, richTranscript(), Options{})
	pages["plain"], _ = pageOf(t, richTranscript(), Options{Plain: true})
	pages["session"], _ = exampleSession(t)
	pages["list"] = exampleList(t)
	pages["locked"] = lockedPageOf(t, richTranscript(), "p", 1)
	pages["report"], _ = reportOf(t, exampleFiles(t)...)
	return pages
}

const exampleHome = "../../../testdata/home/agents"

// exampleSession is the page of a session in the example home.
func exampleSession(t *testing.T) (string, Totals) {
	t.Helper()
	files, _ := filepath.Glob(exampleHome + "/main/sessions/e062545a-*c17-a35c-7cb0f9f71a36.jsonl")
	data := testkit.Read(t, files[0])
	return pageOf(t, data, Options{})
}

// exampleList is the list of the sessions in the example home.
func exampleList(t *testing.T) string {
	t.Helper()
	var sessions []ListedSession
	files, _ := filepath.Glob(exampleHome + "/*/sessions/*.jsonl")
	for _, file := range files {
		data := testkit.Read(t, file)
		_, totals := pageOf(t, data, Options{})
		agent := filepath.Base(filepath.Dir(filepath.Dir(file)))
		name, _, _ := strings.Cut(filepath.Base(file), "-")
		sessions = append(sessions, ListedSession{Totals: totals, Address: name + ".html",
			Name: "agent:" + agent + ":" + name, Agent: agent, Bytes: int64(len(data))})
	}
	var b bytes.Buffer
	list := &List{Title: "Sessions", Sessions: sessions, Total: &stats.Tally{}, Zone: calendar.UTC}
	if err := list.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The pages pass axe-core, whose script CLAWCTL_AXE names.
func TestBrowserAccessibility(t *testing.T) {
	needsThorough(t)
	axe, err := os.ReadFile(os.Getenv("CLAWCTL_AXE"))
	if err != nil {
		t.Skip("CLAWCTL_AXE does not name axe.min.js of axe-core (make browser)")
	}
	for name, text := range samplePages(t) {
		for _, theme := range []string{"light", "dark"} {
			t.Run(name+"/"+theme, func(t *testing.T) {
				p := openPage(t, text, call(page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true}), themed(theme))
				if name == "rich" || name == "session" {
					p.settle()
					p.press("t")
					p.settle()
				}
				checkAccessibility(p, string(axe))
			})
		}
	}
}

// The list passes axe-core with its hits, and the page that a hit leads to.
func TestBrowserSiteAccessibility(t *testing.T) {
	needsThorough(t)
	axe, err := os.ReadFile(os.Getenv("CLAWCTL_AXE"))
	if err != nil {
		t.Skip("CLAWCTL_AXE does not name axe.min.js of axe-core (make browser)")
	}
	folder := siteOf(t, filepath.Dir(exampleHome))
	shots := os.Getenv("CLAWCTL_SHOTS")
	for _, theme := range []string{"light", "dark"} {
		for size, viewport := range map[string]step{"desktop": chromedp.EmulateViewport(1280, 900), "phone": phone} {
			bypass := call(page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true})
			p := openFile(t, filepath.Join(folder, "index.html"), bypass, viewport, themed(theme))
			searchFor(p, "valve twice")
			if shots != "" {
				shoot(p, filepath.Join(shots, fmt.Sprintf("found-%s-%s.png", size, theme)))
			}
			checkAccessibility(p, string(axe))
			file, hash, _ := strings.Cut(eval[string](p, shownHits+`.at(-1).getAttribute('href')`), "#")
			q := openFile(t, filepath.Join(folder, file), bypass, viewport, themed(theme))
			q.open("#" + hash)
			q.waitFor(`document.querySelector('.row.found')`)
			if shots != "" {
				shoot(q, filepath.Join(shots, fmt.Sprintf("hit-%s-%s.png", size, theme)))
			}
			checkAccessibility(q, string(axe))
		}
	}
}

func checkAccessibility(p *tab, axe string) {
	p.Helper()
	eval[bool](p, axe+"; true")
	var violations []struct {
		ID, Help string
		Nodes    []struct{ HTML, FailureSummary string }
	}
	report := eval[string](p, `axe.run(document).then(r =>
		{ window.passed = r.passes.length; return JSON.stringify(r.violations) })`)
	if passed := eval[int](p, `passed`); passed < 10 {
		p.Errorf("only %d rules were checked", passed)
	}
	if err := json.Unmarshal([]byte(report), &violations); err != nil {
		p.Fatal(err)
	}
	for _, v := range violations {
		p.Errorf("%s: %s, %d times: %s\n%s", v.ID, v.Help, len(v.Nodes), v.Nodes[0].HTML, v.Nodes[0].FailureSummary)
	}
}

// themed makes the system prefer light or dark.
func themed(theme string) step {
	return call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}},
	})
}

// Screenshots of all pages, in the folder that CLAWCTL_SHOTS names.
func TestBrowserScreenshots(t *testing.T) {
	folder := os.Getenv("CLAWCTL_SHOTS")
	if folder == "" {
		t.Skip("CLAWCTL_SHOTS does not name a folder")
	}
	desktop := chromedp.EmulateViewport(1280, 900)
	for name, text := range samplePages(t) {
		for _, theme := range []string{"light", "dark"} {
			for size, viewport := range map[string]step{"desktop": desktop, "phone": phone} {
				p := openPage(t, text, viewport, themed(theme))
				shoot(p, filepath.Join(folder, fmt.Sprintf("%s-%s-%s.png", name, size, theme)))
				if name == "rich" {
					p.press("t")
					p.press("n")
					p.press("j")
					p.settle()
					shoot(p, filepath.Join(folder, fmt.Sprintf("open-%s-%s.png", size, theme)))
				}
			}
		}
	}
}

// The pictures of the README, in the folder that CLAWCTL_IMAGES names.
func TestBrowserImages(t *testing.T) {
	folder := os.Getenv("CLAWCTL_IMAGES")
	if folder == "" {
		t.Skip("CLAWCTL_IMAGES does not name a folder (make images)")
	}
	text, _ := exampleSession(t)
	p := openPage(t, text, chromedp.EmulateViewport(1200, 760), themed("light"))
	shoot(p, filepath.Join(folder, "session.png"))
	site := filepath.Join(t.TempDir(), "site")
	if out, err := exec.Command(program(t), "export", "--as", "html", "-q", "-o", site, "../../../testdata/home").
		CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	q := openFile(t, filepath.Join(site, "index.html"), chromedp.EmulateViewport(1200, 480), themed("dark"))
	shoot(q, filepath.Join(folder, "sessions.png"))
}

// shoot writes a screenshot.
func shoot(p *tab, file string) {
	p.Helper()
	p.waitFor(`!document.querySelector('#feed .row:empty')`)
	picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(file, picture, 0o644); err != nil {
		p.Fatal(err)
	}
}

// A list that is taller than browsers can lay out still has a first and a last row, and scrolls to everything between.
func TestBrowserTallList(t *testing.T) {
	needsThorough(t)
	text, _ := pageOf(t, longTranscript(120000, 1), Options{})
	p := openPage(t, text, phone)
	p.settle()
	height := eval[float64](p, `document.querySelector('#feed').offsetHeight`)
	if height != 16e6 {
		t.Fatalf("the list is %.0f pixels tall, which needs no scaling", height)
	}
	inView := func(row string) string {
		return `(box => box && box.top < innerHeight && box.bottom > 0)((` + row + `)?.getBoundingClientRect())`
	}
	p.press("G")
	p.waitFor(inView(`[...document.querySelectorAll('.row')].find(r => r.textContent.includes('The very last needle'))`))
	p.press("k")
	p.settle()
	p.waitFor(inView(`document.activeElement.closest('.row')`))
	p.do(chromedp.Evaluate[chromedp.Void](`document.activeElement.blur(); scrollTo(0, document.body.scrollHeight / 2)`))
	p.settle()
	p.waitFor(inView(`document.querySelectorAll('.row')[Math.floor(document.querySelectorAll('.row').length / 2)]`))
	p.press("g")
	p.waitFor(inView(`document.querySelector('.row[data-entry="0"]')`))
}
