package page

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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

// searchFor types a query into the list, and waits for the answer.
func searchFor(v viewer, query string) {
	v.Helper()
	eval[bool](v, fmt.Sprintf(`(() => { const el = document.getElementById('filter'); el.value = %q;
		return el.dispatchEvent(new Event('input')) })()`, query))
	eval[bool](v, `new Promise(done => setTimeout(done, 200, true))`) // which is longer than the page waits for more
	waitFor(v, `document.getElementById('found').textContent !== 'Searching…'`)
	waitFor(v, `![...document.querySelectorAll('tr:not([hidden]) .hits li')].some(li => li.textContent === '…' &&
		li.getBoundingClientRect().top < innerHeight)`)
}

const shownRows = `[...document.querySelectorAll('tbody tr:not([hidden])')]`

func checkSite(v viewer) {
	v.Helper()
	searchFor(v, "flights lisbon")
	v.Log(eval[string](v, `document.getElementById('found').textContent + '|' + `+shownRows+`.map(r => r.innerText).join('|')`))
}

func TestBrowserSite(t *testing.T) {
	folder := siteOf(t, filepath.Dir(exampleHome))
	checkSite(openFile(t, filepath.Join(folder, "index.html")))
}

func TestFirefoxBrowserSite(t *testing.T) {
	folder := siteOf(t, filepath.Dir(exampleHome))
	checkSite(openFirefox(t, filepath.Join(folder, "index.html"), "light"))
}

var _ = os.Getenv
var _ = strings.Join
