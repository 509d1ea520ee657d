package page

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"clawctl/internal/calendar"
	"clawctl/internal/failure"
	"clawctl/internal/longtest"
	"clawctl/internal/testkit"
	"clawctl/pkg/report/stats"
)

// The tests in this file drive a real browser. With CLAWCTL_ENGINES=1 they open two pages: one with everything that can
// be clicked, and one with everything that could attack. With CLAWCTL_BROWSER=1 (make browser) they also open every
// transcript and a session of 50,000 entries, check accessibility with axe-core, and measure. CLAWCTL_SHOTS names a
// folder for screenshots.

// isThorough reports whether the long tests run too.
func isThorough() bool { return os.Getenv("CLAWCTL_BROWSER") != "" }

// needsThorough skips a test that takes long.
func needsThorough(t *testing.T) {
	t.Helper()
	if !isThorough() {
		t.Skip("CLAWCTL_BROWSER is not set (make browser)")
	}
}

// A browser is a Chromium that all tests share.
var browser struct {
	sync.Once
	ctx   context.Context
	close func()
	err   error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if browser.close != nil {
		browser.close()
	}
	os.Exit(code)
}

// startBrowser starts the browser for the first test that needs it.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	if !isThorough() {
		longtest.NeedEngine(t, "browser")
	}
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Skip("no Chromium is installed (apt-get install chromium)")
	}
	browser.Do(func() { launch(path) })
	if browser.err != nil {
		t.Skip("Chromium does not start here: ", browser.err)
	}
	return browser.ctx
}

func launch(path string) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.WindowSize(1280, 900), chromedp.Env("TZ=UTC"))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	browser.ctx, browser.close = ctx, func() { cancel(); stop() }
	browser.err = chromedp.Do(ctx)
}

// A step is something that a tab does.
type step = chromedp.Action[chromedp.Void]

// call is a step that sends a command of the protocol.
func call[P, R any](command cdp.Command[P, R], params P) step {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, command, params)
		return err
	})
}

// A tab shows one page and notes what a page must not do.
type tab struct {
	*testing.T
	ctx      context.Context
	file     string
	mu       sync.Mutex
	problems []string
	requests []string // also those that a page may make
}

// openPage writes a page to a file and opens it.
func openPage(t *testing.T, content string, before ...step) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	testkit.Write(t, file, content)
	return openFile(t, file, before...)
}

func openFile(t *testing.T, file string, before ...step) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(startBrowser(t))
	ctx, cancelTime := context.WithTimeout(ctx, 20*time.Minute)
	p := &tab{T: t, ctx: ctx, file: file}
	t.Cleanup(func() {
		p.check()
		cancelTime()
		cancel()
	})
	document, words := p.address(), "file://"+filepath.Join(filepath.Dir(file), searchFolder)+"/"
	p.do()
	watch(p, network.RequestWillBeSent, func(e network.EventRequestWillBeSent) string {
		url := e.Request.URL
		p.mu.Lock()
		p.requests = append(p.requests, url)
		p.mu.Unlock()
		for _, own := range []string{document, words, "blob:", "data:image/", "about:blank"} {
			if strings.HasPrefix(url, own) {
				return ""
			}
		}
		return "request: " + url
	})
	watch(p, runtime.ExceptionThrown, func(e runtime.EventExceptionThrown) string {
		return fmt.Sprintf("error: %+v", e.ExceptionDetails.Exception)
	})
	watch(p, log.EntryAdded, func(e log.EventEntryAdded) string {
		if e.Entry.Level != log.EntryLevelError {
			return ""
		}
		return "log: " + e.Entry.Text
	})
	watch(p, page.JavascriptDialogOpening, func(e page.EventJavascriptDialogOpening) string {
		_ = chromedp.Do(p.ctx, call(page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true}))
		return "dialog: " + e.Message
	})
	p.do(call(network.Enable, network.EnableParams{}), call(log.Enable, cdp.Empty{}),
		call(page.Enable, page.EnableParams{}))
	p.do(before...)
	p.open("")
	return p
}

// address is where the page is.
func (p *tab) address() string { return "file://" + strings.ReplaceAll(p.file, "#", "%23") }

// open loads the page, with something after its address. Without the blank page, another hash would not load it again.
func (p *tab) open(hash string) {
	p.Helper()
	p.do(chromedp.Navigate("about:blank"), chromedp.Navigate(p.address()+hash))
}

// watch notes events that are problems.
func watch[E any](p *tab, event cdp.Event[E], problem func(E) string) {
	events := chromedp.Events(p.ctx, event)
	go func() {
		for e, err := range events {
			if err != nil {
				return
			}
			if text := problem(e); text != "" {
				p.note(text)
			}
		}
	}()
}

func (p *tab) note(problem string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.problems = append(p.problems, problem)
}

// check reports what the page did and must not do.
func (p *tab) check() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, problem := range p.problems {
		p.Error(problem)
	}
	p.problems = nil
}

func (p *tab) do(steps ...step) {
	p.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.Fatal(err)
	}
}

// A viewer shows a page in some browser.
type viewer interface {
	testing.TB
	// evaluate returns the value of an expression, which may be a promise.
	evaluate(expression string) (json.RawMessage, error)
}

func (p *tab) evaluate(expression string) (json.RawMessage, error) {
	return chromedp.Run(p.ctx, chromedp.Evaluate[[]byte](expression, chromedp.EvalAwaitPromise))
}

// eval returns the value of an expression, which may be a promise.
func eval[T any](v viewer, expression string) (value T) {
	v.Helper()
	text, err := v.evaluate(expression)
	if err == nil {
		err = json.Unmarshal(text, &value)
	}
	if err != nil || string(text) == "null" {
		v.Fatalf("%s: %s, %v", expression, text, err)
	}
	return value
}

// waitFor waits until an expression is true.
func waitFor(v viewer, expression string) {
	v.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(30 * time.Millisecond) {
		if eval[bool](v, "Boolean("+expression+")") {
			return
		}
	}
	v.Fatalf("never true: %s\n%s", expression, eval[string](v, "document.body.innerText.slice(0, 1500)"))
}

func (p *tab) waitFor(expression string) {
	p.Helper()
	waitFor(p, expression)
}

// want compares the value of an expression.
func want[T comparable](v viewer, expression string, value T) {
	v.Helper()
	if got := eval[T](v, expression); got != value {
		v.Errorf("%s = %v, want %v", expression, got, value)
	}
}

func (p *tab) press(keys string) {
	p.Helper()
	p.do(chromedp.KeyEvent(keys))
}

// find types a text into the search box.
func (p *tab) find(text string) {
	p.Helper()
	p.do(chromedp.Focus(chromedp.CSS("#find")),
		chromedp.Evaluate[chromedp.Void](`document.getElementById('find').select()`))
	p.press(text)
}

// settle waits until a page knows all its entries, and shows those near the viewport.
func (p *tab) settle() {
	p.Helper()
	p.waitFor(`document.getElementById('prompt-count').textContent && !document.querySelector('#feed .row:empty')`)
	eval[bool](p, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
}

// showEverything opens all folds of all branches, and makes all rows exist.
func (p *tab) showEverything() {
	p.Helper()
	eval[bool](p, `(() => {
		const choose = (id, value) => {
			const el = document.getElementById(id);
			if (!el.hidden) { el.value = value; el.dispatchEvent(new Event('change')); }
		};
		choose('filter', 'everything');
		choose('branch', 'all');
		return true;
	})()`)
	p.settle()
	eval[bool](p, `(async () => {
		const printed = () => (dispatchEvent(new Event('beforeprint')), !document.body.classList.contains('partial'));
		while (!printed()) await new Promise(done => setTimeout(done, 50));
		for (let open = true; open;) {
			open = false;
			for (const fold of document.querySelectorAll('#feed details:not([open])')) { fold.open = true; open = true; }
			await new Promise(done => setTimeout(done, 0));
			for (const more of document.querySelectorAll('#feed .more')) { more.click(); open = true; }
		}
		return true;
	})()`)
}

// The page that clawctl writes shows every word of the parts that it prints as JSON, apart from what Markdown swallows.
// All pages share a tab and an address.
func TestBrowserShowsEveryText(t *testing.T) {
	p := openPage(t, "<!doctype html><title>No page yet</title>")
	clawctl := program(t)
	rich := filepath.Join(t.TempDir(), "rich.jsonl")
	testkit.Write(t, rich, richTranscript())
	files := []string{rich}
	if isThorough() {
		files = append(files, slices.Sorted(maps.Keys(transcripts(t)))...)
	}
	files = slices.DeleteFunc(files, func(file string) bool { // show refuses it: it has no record
		return filepath.Base(file) == "utf16.jsonl"
	})
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			p.T = t
			compareWithShow(p, clawctl, file)
			p.check()
		})
	}
	p.T = t
}

// program returns the path of clawctl. Go keeps what it runs, so the copy of that is not linked again.
func program(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"go", "cp"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("no way to build clawctl: ", err)
		}
	}
	path := filepath.Join(t.TempDir(), "clawctl")
	if out, err := exec.Command("go", "run", "-exec", "cp", "../../../cmd/clawctl", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// compareWithShow compares a page in the browser with what show prints as JSON.
func compareWithShow(p *tab, clawctl, file string) {
	p.Helper()
	if err := os.Remove(p.file); err != nil {
		p.Fatal(err)
	}
	show(p.T, clawctl, file, "--raw", "--format", "html", "-o", p.file)
	var printed []shownPart
	if err := json.Unmarshal(show(p.T, clawctl, file, "--all", "--format", "json"), &printed); err != nil {
		p.Fatal(err)
	}
	p.open("")
	if len(printed) == 0 {
		return
	}
	p.showEverything()
	words := map[string]bool{}
	for _, word := range wordsOf(eval[string](p, shownText)) {
		words[word] = true
	}
	for _, part := range printed {
		for _, word := range part.words() {
			if !words[word] {
				p.Fatalf("line %d: %q is not shown, of %.300q", part.Line, word, fmt.Sprint(part))
			}
		}
	}
}

// show runs clawctl show. Damage in a transcript is not a failure.
func show(t *testing.T, clawctl, file string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(clawctl, append([]string{"show", file}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != failure.ExitDamaged {
		t.Fatalf("%s: %v: %s", cmd, err, &stderr)
	}
	return out
}

// A shownPart is a part as show prints it.
type shownPart struct {
	Line      int64
	Kind      string
	Text      string
	Arguments any
	Value     any
}

// words are the words that a page must show.
func (p *shownPart) words() []string {
	text := linkTargets.ReplaceAllString(p.Text, "]")
	return wordsOf(text + " " + leaves(p.Arguments) + " " + leaves(p.Value))
}

// leaves joins all strings in a value, without the names of members: those of an edit are not shown.
func leaves(value any) (text string) {
	switch v := value.(type) {
	case string:
		return v
	case []any:
		for _, element := range v {
			text += " " + leaves(element)
		}
	case map[string]any:
		for _, element := range v {
			text += " " + leaves(element)
		}
	}
	return text
}

// shownText is the text of the page with a space between elements.
const shownText = `(() => {
	const texts = [], walker = document.createTreeWalker(document.querySelector('#feed'), NodeFilter.SHOW_TEXT);
	while (walker.nextNode()) texts.push(walker.currentNode.data);
	return texts.join(' ');
})()`

// linkTargets are the addresses of links, which are not shown.
var linkTargets = regexp.MustCompile(`\]\([^)\n]*\)`)

// wordsOf splits a text into words of letters. Numbers may be those of a list, and marks those of Markdown.
func wordsOf(text string) (words []string) {
	isMark := func(r rune) bool { return r < 'A' || r > 'Z' && r < 'a' || r > 'z' && r < 0xc0 }
	for _, word := range strings.FieldsFunc(text, isMark) {
		if len(word) > 1 && len(word) < 200 {
			words = append(words, word)
		}
	}
	return words
}

// A page with one of everything works. All steps share a tab, which loads the page again for each of them.
func TestBrowserSession(t *testing.T) {
	text, _ := pageOf(t, richTranscript(), Options{})
	p := openPage(t, text)
	for _, step := range []struct {
		name string
		do   func(*tab)
	}{
		{"content", checkContent}, {"keys", checkKeys}, {"search", checkSearch}, {"branches", checkBranches},
		{"links", checkLinks}, {"phone", checkPhone},
	} {
		t.Run(step.name, func(t *testing.T) {
			p.T = t
			p.open("")
			p.settle()
			step.do(p)
		})
	}
	p.T = t
}

func checkContent(p *tab) {
	p.Helper()
	want(p, `document.querySelector('h1').textContent`, "Please fix the parser. It fails on empty input.")
	want(p, `document.querySelectorAll('#toc-list li').length`, 4)
	want(p, `document.getElementById('prompt-count').textContent`, "4 of 5")
	want(p, `[...document.querySelectorAll('#totals div')].map(d => d.textContent).slice(2).join()`,
		"Prompts5,Answers8,Tool calls3,Tool errors1,Tokens11.2k in, 616 out,Cost$0.09")
	want(p, `document.querySelector('#feed table td.right').textContent`, "panic")
	want(p, `document.querySelector('#feed .hl-keyword').textContent`, "return")
	want(p, `document.querySelector('#feed a[target=_blank]').rel`, "noopener noreferrer nofollow")
	want(p, `document.querySelector('#feed .meta').textContent.includes('09:00')`, true)
	want(p, `[...document.querySelectorAll('.assistant .meta')].some(m => m.textContent.includes('1.6k in, 88 out') &&
		m.textContent.includes('$0.01'))`, true)
	want(p, `[...document.querySelectorAll('.boundary b')].map(b => b.textContent).join()`, "Compaction")

	// An edit is a diff in colour. It is made when the fold opens.
	want(p, `document.querySelectorAll('.diff').length`, 0)
	p.do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll('.call')].find(c =>
		c.textContent.includes('edit')).open = true`))
	p.waitFor(`document.querySelectorAll('.diff .add').length === 3`)
	want(p, `document.querySelectorAll('.diff .del').length`, 0)
	want(p, `document.querySelectorAll('.diff .same').length`, 1)

	// An image is decoded when it comes into view.
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('.image').scrollIntoView()`))
	p.waitFor(`document.querySelector('.image img').naturalWidth === 160`)
	p.showEverything()
	want(p, `document.querySelector('#feed .damage .failure b').textContent`, "Damaged line 20")
}

func checkKeys(p *tab) {
	p.Helper()
	focused := `Number(document.activeElement.dataset.entry ?? -1)`
	p.press("n")
	want(p, focused, 2)
	p.press("n")
	want(p, focused, 12)
	p.press("p")
	want(p, focused, 2)
	p.press("j")
	want(p, focused, 3)
	p.press("j")
	want(p, focused, 5)
	p.press("k")
	want(p, focused, 3)
	p.press("G")
	want(p, focused, 19)
	p.press("g")
	want(p, focused, 0)
	p.press("t")
	p.waitFor(`document.querySelectorAll('details.call[open]').length === 2`)
	p.press("t")
	p.waitFor(`document.querySelectorAll('details.call[open]').length === 0`)
	p.press("?")
	want(p, `document.getElementById('keys').open`, true)
	p.press(kb.Escape)
	want(p, `document.getElementById('keys').open`, false)
	before := eval[string](p, `getComputedStyle(document.body).backgroundColor`)
	p.press("d")
	if after := eval[string](p, `getComputedStyle(document.body).backgroundColor`); after == before {
		p.Errorf("the theme stays %s", after)
	}
	p.press("/")
	want(p, `document.activeElement.id`, "find")
}

func checkSearch(p *tab) {
	p.Helper()
	p.find("needle")
	p.waitFor(`document.getElementById('hits').textContent === '1 of 3'`)
	marked := `[...CSS.highlights.get('current-hit')].map(r =>
		r.toString() + '@' + r.startContainer.parentElement.closest('.row').dataset.entry).join()`
	p.waitFor(marked + ` === 'needle@7'`)
	p.press(kb.Enter)
	p.waitFor(marked + ` === 'needle@13'`)
	want(p, `document.querySelector('details.thinking').open`, true)
	p.press(kb.Enter)
	p.waitFor(marked + ` === 'needle@18'`)
	p.press(kb.Enter)
	p.waitFor(marked + ` === 'needle@7'`)

	// A hit in a result opens the call, and one on another branch changes the branch.
	p.find("parser_test.go")
	p.waitFor(`document.getElementById('hits').textContent === '1 of 1'`)
	p.waitFor(marked + ` === 'parser_test.go@9'`)
	want(p, `document.getElementById('branch').selectedOptions[0].textContent`,
		"Branch 1: Run the tests on the first branch")
	p.press(kb.Escape)
	want(p, `document.getElementById('hits').textContent`, "")
	p.find("fails on empty input")
	p.waitFor(`document.getElementById('hits').textContent === '1 of 1'`)
	p.find("no such text")
	p.waitFor(`document.getElementById('hits').textContent === 'no hits'`)
}

func checkBranches(p *tab) {
	p.Helper()
	feed := `document.querySelector('#feed').textContent`
	want(p, feed+`.includes('first branch')`, false)
	want(p, `document.querySelector('.fork span').textContent`, "Branch 2 of 2")
	p.do(chromedp.Click(chromedp.CSS(".fork button[aria-label='Previous branch']")))
	p.waitFor(feed + `.includes('They fail on the abandoned branch.')`)
	want(p, feed+`.includes('second branch')`, false)
	want(p, `document.querySelectorAll('.failed').length > 0`, true)
	choose := func(id, value string) {
		p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => { const el = document.getElementById(%q); el.value = %q;
			el.dispatchEvent(new Event('change')) })()`, id, value)))
		p.settle()
	}
	choose("branch", "all")
	p.waitFor(feed + `.includes('second branch') && ` + feed + `.includes('first branch')`)
	choose("filter", "prompts")
	want(p, `[...document.querySelectorAll('.row')].every(r => r.classList.contains('user'))`, true)
	want(p, `document.querySelectorAll('.row').length`, 5)
	choose("filter", "errors")
	want(p, `[...document.querySelectorAll('.row')].map(r => r.dataset.entry).join()`, "9,19")
	choose("filter", "no-tools")
	want(p, `[...document.querySelectorAll('.call')].every(c => c.offsetHeight === 0)`, true)
}

// A link to an entry works on a page that is made again, even for an entry on another branch or inside a call.
func checkLinks(p *tab) {
	p.Helper()
	p.do(chromedp.Click(chromedp.CSS("#toc-list li:nth-child(2) a")))
	p.waitFor(`document.activeElement.dataset.entry === '12'`)
	hash := eval[string](p, `location.hash`)
	if !strings.HasPrefix(hash, "#entry-") {
		p.Errorf("the address is %s", hash)
	}
	again, _ := pageOf(p, append(richTranscript(), '\n'), Options{Raw: true})
	if err := os.WriteFile(p.file, []byte(again), 0o600); err != nil {
		p.Fatal(err)
	}
	id := eval[string](p, `JSON.parse(document.getElementById('index').textContent).ids[10]`)
	p.open(hash)
	p.waitFor(`document.activeElement.dataset.entry === '12'`)
	p.open("#entry-" + id)
	p.waitFor(`document.activeElement.dataset.entry === '9' &&
		document.querySelector('[data-entry="9"] details.call').open`)
}

// Nothing in a transcript runs, whatever the field.
func TestBrowserPayloads(t *testing.T) {
	p := openHostile(t, Options{})
	p.showEverything()
	p.waitFor(`document.querySelector('.image').textContent.includes('This image is damaged')`)
	checkHarmless(p, "#feed")
}

func TestBrowserPlainPayloads(t *testing.T) {
	needsThorough(t)
	checkHarmless(openHostile(t, Options{Plain: true}), "body")
}

// openHostile opens a page that tries to call a function.
func openHostile(t *testing.T, o Options) *tab {
	t.Helper()
	text, _ := pageOf(t, hostileTranscript(), o)
	return openPage(t, text, call(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: `window.pwn = () => { window.pwned = true; alert('pwned') }`}))
}

// checkHarmless checks that the function was not called, and that nothing below an element could call it.
func checkHarmless(p *tab, root string) {
	p.Helper()
	want(p, `Boolean(window.pwned)`, false)
	want(p, `typeof pwn`, "function")
	want(p, fmt.Sprintf(`document.querySelectorAll(
		'%s :is(script, iframe, object, embed, base, link, meta, form, style, math)').length`, root), 0)
	want(p, fmt.Sprintf(`[...document.querySelectorAll('%s *')].flatMap(e => [...e.attributes]).filter(a =>
		/^on|^style$|^srcdoc$|^xlink/.test(a.name) && !/^$|px/.test(a.value)).map(a => a.name).join()`, root), "")
	want(p, `[...document.querySelectorAll('a')].filter(a => !/^(#|https?:|mailto:)/.test(a.getAttribute('href')))
		.map(a => a.outerHTML).join()`, "")
	want(p, `[...document.querySelectorAll('img')].filter(i => !/^($|blob:|data:image.png)/.test(i.src)).map(i =>
		i.src).join()`, "")
	want(p, `document.title.includes('pwn') || !document.title.includes('<')`, true)
}

// No text makes the page hang.
func TestBrowserSlowTexts(t *testing.T) {
	needsThorough(t)
	s := newScribe()
	for _, text := range slow() {
		s.answer(text, "")
	}
	s.user("The end")
	text, _ := pageOf(t, s.Bytes(), Options{})
	p := openPage(t, text)
	p.showEverything()
	want(p, `[...document.querySelectorAll('.row')].at(-1).querySelector('.body').textContent`, "The end")
}

// The policy itself holds, even if the page had a hole.
func TestBrowserPolicy(t *testing.T) {
	needsThorough(t)
	text, _ := pageOf(t, richTranscript(), Options{})
	p := openPage(t, text)
	p.settle()
	for _, attack := range []string{
		`document.body.innerHTML = '<img src=x onerror=alert(1)>'`, `document.write('<script>alert(1)</script>')`,
		`document.createElement('script').text = 'alert(1)'`,
	} {
		want(p, fmt.Sprintf(`(() => { try { %s; return 'done' } catch (e) { return e.name } })()`, attack), "TypeError")
	}
	want(p, `fetch('https://example.com/').then(() => 'sent', () => 'refused')`, "refused")
	want(p, `new Promise(done => { const i = new Image(); i.onload = () => done('sent'); i.onerror = () =>
		done('refused'); i.src = 'https://example.com/x.png' })`, "refused")
	p.mu.Lock() // the attacks themselves are reported; none of them became a request
	defer p.mu.Unlock()
	for _, problem := range p.problems {
		if strings.HasPrefix(problem, "dialog") ||
			strings.HasPrefix(problem, "request") && !strings.Contains(problem, "example.com") {
			t.Error(problem)
		}
	}
	p.problems = nil
}

func TestBrowserList(t *testing.T) {
	needsThorough(t)
	var b strings.Builder
	day := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	list := []ListedSession{
		{Totals: Totals{Title: "Fix the <parser>", Prompts: 3, Cost: 1.5, CostWords: "$1.50", Last: day}, Address: "a.html",
			Name: "agent:main:a", Agent: "main", Bytes: 100},
		{Totals: Totals{Title: "Garden", Prompts: 20, Cost: 0.2, CostWords: "$0.20", Last: day.AddDate(0, 1, 0)},
			Address: "b.html", Name: "agent:home:b", Agent: "home", Bytes: 5000},
		{Totals: Totals{Title: `"><script>alert(1)</script>`, Prompts: 1, Last: day.AddDate(0, -1, 0)},
			Address: "c%3C.html", Name: "c", Agent: `<b>"`, Bytes: 1},
	}
	if err := (&List{Title: "Sessions", Sessions: list, Total: &stats.Tally{}, Zone: calendar.UTC}).Write(&b); err != nil {
		t.Fatal(err)
	}
	p := openPage(t, b.String())
	first := `[...document.querySelectorAll('tbody tr:not([hidden]) a')].map(a => a.textContent).join('|')`
	want(p, first, `Garden|Fix the <parser>|"><script>alert(1)</script>`)
	p.do(chromedp.Click(chromedp.CSS("th:nth-child(4) button")))
	want(p, first, `Garden|Fix the <parser>|"><script>alert(1)</script>`)
	p.do(chromedp.Click(chromedp.CSS("th:nth-child(4) button")))
	want(p, first, `"><script>alert(1)</script>|Fix the <parser>|Garden`)
	want(p, `document.querySelector('th[aria-sort]').textContent`, "Prompts")
	p.do(chromedp.SendKeys(chromedp.CSS("#filter"), "parser"))
	want(p, first, `Fix the <parser>`)
	p.do(chromedp.Evaluate[chromedp.Void](`(() => {
		for (const [id, v] of [['filter', ''], ['agent', 'home'], ['month', '2026-04']]) {
		const el = document.getElementById(id); el.value = v; el.dispatchEvent(new Event('input')) } })()`))
	want(p, first, `Garden`)
}

// The report has the numbers of stats --json, also as browsers read them, and asks for nothing.
func TestBrowserReport(t *testing.T) {
	text, numbers := reportOf(t, exampleFiles(t)...)
	checkReport(openPage(t, text), numbers)
}

// checkReport checks everything on a report.
func checkReport(v viewer, numbers map[string]any) {
	v.Helper()
	checkTotals(v, numbers)
	want(v, `[...document.querySelectorAll('.chart')].every(c => c.getAttribute('aria-label').length > 10)`, true)
	want(v, `[...document.querySelectorAll('section')].every(s => s.querySelector('details table'))`, true)
	want(v, `document.querySelectorAll('.chart').length >= 12`, true)
	checkChoices(v)
}

// checkTotals compares every total with stats, and the rows and pictures with the totals.
func checkTotals(v viewer, numbers map[string]any) {
	v.Helper()
	totals := eval[map[string][]float64](v, `(() => {
		const totals = {};
		for (const cell of document.querySelectorAll('[data-field]'))
			(totals[cell.dataset.field] ??= []).push(`+cellValue+`(cell));
		return totals; })()`)
	if len(totals) < 10 {
		v.Errorf("only %d totals", len(totals))
	}
	for field, all := range totals {
		for _, got := range all {
			if want := fieldOf(numbers, field); math.Abs(got-want) > 1e-6 {
				v.Errorf("%s is %v, want %v", field, got, want)
			}
		}
	}
	// The rows of each table add up to its totals.
	want(v, `[...document.querySelectorAll('tfoot')].flatMap(foot => [...foot.rows[0].cells].map((cell, i) => {
		const sum = [...foot.parentElement.tBodies[0].rows].reduce((sum, row) => sum + `+cellValue+`(row.cells[i]), 0);
		return !cell.dataset.field || Math.abs(sum - `+cellValue+`(cell)) < 1e-6 ? '' :
			foot.parentElement.tHead.innerText + cell.dataset.field + ' ' + sum; })).join('')`, "")
	// The pieces of the bars are as high as their sum, which is the last total of the table behind them.
	want(v, `[...document.querySelectorAll('figure[class*=by-]')].map(chart => {
		const name = chart.className.replace('chart ', '');
		const table = chart.parentElement.querySelector('details[class="' + name + '"] table');
		const all = [...table.tBodies[0].rows].map(row => `+cellValue+`(row.cells[row.cells.length - 1]));
		const drawn = [...chart.querySelectorAll('path')].flatMap(path => [...path.getAttribute('d').matchAll(/v(\d+)/g)])
			.reduce((sum, match) => sum + Number(match[1]), 0) / 1000 * Math.max(...all);
		const total = all.reduce((a, b) => a + b, 0);
		return Math.abs(drawn - total) <= all.length * Math.max(...all) / 1000 ? '' : chart.className + drawn + ' ' + total;
		}).join('')`, "")
}

// cellValue is a function that returns the number of a cell.
const cellValue = `(cell => Number(cell.dataset.value ?? cell.textContent.replaceAll(/[,\s]/g, '')))`

// checkChoices presses the buttons above the charts. Each chart, its colours and its table appear together.
func checkChoices(v viewer) {
	v.Helper()
	shown := `[...document.querySelectorAll('figure[class*=by-], details[class*=by-]')]
		.filter(e => e.checkVisibility()).map(e => e.tagName[0] + ' ' + e.className.replace('chart ', '')).join()`
	press := func(id string) {
		v.Helper()
		eval[bool](v, `(document.getElementById('`+id+`').click(), true)`)
	}
	want(v, shown, "F by-model,D by-model,F by-model cost-estimated,D by-model cost-estimated")
	press("by-agent")
	want(v, shown, "F by-agent,D by-agent,F by-agent cost-estimated,D by-agent cost-estimated")
	press("cost-recorded")
	want(v, shown, "F by-agent,D by-agent,F by-agent cost-recorded,D by-agent cost-recorded")
	press("by-model")
	want(v, shown, "F by-model,D by-model,F by-model cost-recorded,D by-model cost-recorded")
	press("cost-estimated")
}

// Only the rows near the viewport exist, and the search still finds the rest.
func TestBrowserVirtualList(t *testing.T) {
	needsThorough(t)
	text, totals := pageOf(t, longTranscript(3000, 1), Options{})
	p := openPage(t, text)
	p.settle()
	mounted := `document.querySelectorAll('#feed .row, #toc-list li').length`
	if n := eval[int](p, mounted); n > 300 || n < 5 {
		t.Errorf("%d rows exist of %d", n, totals.Entries)
	}
	p.find("very last needle")
	p.waitFor(`document.getElementById('hits').textContent === '1 of 1'`)
	p.waitFor(`document.querySelector('.row.found')?.textContent.includes('The very last needle')`)
	p.settle()
	want(p, `(b => b.top >= 0 && b.bottom <= innerHeight)(document.querySelector('.row.found .body')
		.getBoundingClientRect())`, true)
	if n := eval[int](p, mounted); n > 300 {
		t.Errorf("%d rows exist of %d", n, totals.Entries)
	}
	p.press(kb.Escape)
	p.do(chromedp.Evaluate[chromedp.Void](`document.activeElement.blur()`))
	p.press("g")
	p.settle()
	want(p, `document.querySelector('.row[data-entry="0"]') !== null`, true)

	// A link to an entry works, even if the browser has not read the entry when the first rows are there.
	last := eval[string](p, `JSON.parse(document.getElementById('index').textContent).ids.at(-1)`)
	p.open("#entry-" + last)
	p.waitFor(`document.activeElement.closest('.row')?.textContent.includes('The very last needle')`)
}

// A page whose end is missing shows its beginning, and says so.
func TestBrowserCutPage(t *testing.T) {
	needsThorough(t)
	text, _ := pageOf(t, longTranscript(3000, 1), Options{})
	for _, end := range []string{`<script type="application/json" id="index">`, `id="chunk-2">`} {
		cut, _, _ := strings.Cut(text, end)
		p := openPage(t, cut)
		p.settle()
		want(p, `document.querySelector('.row .prose p').textContent.startsWith('Question 0')`, true)
		p.waitFor(`document.getElementById('masked').textContent.startsWith('This page is incomplete')`)
	}
}

// The browser's own command prints every message, and so does the key P, which shows how far it is.
func TestBrowserPrinting(t *testing.T) {
	needsThorough(t)
	text, totals := pageOf(t, longTranscript(6000, 1), Options{})
	p := openPage(t, text)
	p.settle()
	p.do(chromedp.Evaluate[chromedp.Void](`window.print = () => { dispatchEvent(new Event('beforeprint'));
			window.printed = [...document.querySelectorAll('#feed .row')].map(r => r.textContent);
			window.isPartial = document.body.classList.contains('partial');
			dispatchEvent(new Event('afterprint')) }; print()`))
	checkPrinted(p, totals)
	p.do(chromedp.Evaluate[chromedp.Void](`window.printed = null`))
	p.press("G")
	p.settle()
	p.press("P")
	checkPrinted(p, totals)
	p.settle()
	want(p, `document.querySelectorAll('#feed .row').length < 300`, true)
	want(p, `[...document.querySelectorAll('.row')].some(r => r.textContent.includes('The very last needle'))`, true)
}

// checkPrinted checks that every message was printed.
func checkPrinted(p *tab, totals Totals) {
	p.Helper()
	p.waitFor(`window.printed`)
	want(p, `isPartial`, false)
	want(p, `printed.length > 3000`, true)
	want(p, `printed.filter(text => /Question \d+:/.test(text)).length`, totals.Prompts-1)
	want(p, `printed.every(text => text.length > 5)`, true)
	want(p, `printed.at(-1).includes('The very last needle')`, true)
}

// phone is the size of a small screen.
var phone = chromedp.EmulateViewport(390, 844, chromedp.EmulateScale(2), chromedp.EmulateMobile)

func checkPhone(p *tab) {
	p.Helper()
	p.do(phone)
	p.settle()
	want(p, `document.documentElement.scrollWidth <= 390`, true)
	p.waitFor(`getComputedStyle(document.getElementById('prompts')).visibility === 'hidden'`)
	p.do(chromedp.Click(chromedp.CSS("#menu")))
	p.waitFor(`document.getElementById('prompts').getBoundingClientRect().left === 0`)
	p.do(chromedp.Click(chromedp.CSS("#toc-list li:nth-child(3) a")))
	p.waitFor(`getComputedStyle(document.getElementById('prompts')).visibility === 'hidden'`)
}
