package page

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"clawctl/internal/testkit"
)

// checkLocked opens an encrypted page with its password, after another one.
func checkLocked(v viewer) {
	v.Helper()
	text := `document.documentElement.textContent`
	want(v, `isSecureContext`, true)
	want(v, `document.title`, lockedTitle)
	want(v, text+`.includes('fix the parser')`, false)
	give := func(password string) {
		v.Helper()
		eval[bool](v, fmt.Sprintf(`(() => { document.getElementById('password').value = %q;
			document.getElementById('unlock').click(); return true })()`, password))
		waitFor(v, `document.getElementById('unlock')?.disabled !== true`)
	}
	give("battery staple")
	want(v, `document.getElementById('lock-status').textContent`, "The password is wrong, or the file is damaged.")
	want(v, text+`.includes('fix the parser')`, false)
	give("correct horse ☂")
	waitFor(v, `document.querySelector('#feed .row .prose')`)
	want(v, `document.title`, "Please fix the parser. It fails on empty input.")
	want(v, `document.querySelector('h1').textContent`, "Please fix the parser. It fails on empty input.")
	want(v, `document.getElementById('password')`+` === null`, true)
	want(v, `document.querySelectorAll('#toc-list li').length`, 4)
	waitFor(v, `(document.querySelector('.image')?.scrollIntoView(),
		document.querySelector('.image img')?.naturalWidth === 160)`)
}

// lockedFile writes an encrypted page.
func lockedFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	testkit.Write(t, file, lockedPageOf(t, richTranscript(), "correct horse ☂", 0))
	return file
}

func TestBrowserLock(t *testing.T) { checkLocked(openFile(t, lockedFile(t))) }

func TestFirefoxBrowserLock(t *testing.T) { checkLocked(openFirefox(t, lockedFile(t), "dark")) }

// Over HTTP, browsers have no cryptography, and the page says so.
func TestBrowserInsecureLock(t *testing.T) {
	startBrowser(t)
	address := otherAddress(t)
	listener, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		t.Skip("no address but that of this machine: ", err)
	}
	file := lockedFile(t)
	files := &http.Server{Handler: http.FileServer(http.Dir(filepath.Dir(file)))}
	server := &httptest.Server{Listener: listener, Config: files}
	server.Start()
	defer server.Close()
	ctx, cancel := chromedp.NewContext(startBrowser(t))
	defer cancel()
	p := &tab{T: t, ctx: ctx, file: file}
	p.do(chromedp.Navigate(server.URL + "/page.html"))
	want(p, `isSecureContext`, false)
	want(p, `document.getElementById('lock-form').hidden`, true)
	if said := eval[string](p, `document.getElementById('lock-status').textContent`); !strings.Contains(said, "HTTPS") {
		t.Error(said)
	}
}

// otherAddress returns an address of this machine that is not trusted as its own.
func otherAddress(t *testing.T) string {
	t.Helper()
	addresses, _ := net.InterfaceAddrs()
	for _, a := range addresses {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.To4() != nil && !ip.IP.IsLoopback() {
			return ip.IP.String()
		}
	}
	t.Skip("this machine has no address of a network")
	return ""
}
