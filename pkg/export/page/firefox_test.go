package page

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"clawctl/internal/longtest"
	"clawctl/internal/testkit"
)

// A firefox is a Firefox with one page. It is driven by Marionette, the protocol that is part of Firefox: each message
// is an array in JSON with its length before it.
type firefox struct {
	*testing.T
	conn   net.Conn
	reader *bufio.Reader
	last   int // the number of the last command
}

// firefoxSettings are those of the profile.
var firefoxSettings = map[string]string{
	"marionette.port": `0`, "browser.startup.page": `0`, "browser.shell.checkDefaultBrowser": `false`,
	"app.update.disabledForTesting": `true`, "datareporting.policy.dataSubmissionEnabled": `false`,
	"network.captive-portal-service.enabled": `false`, "network.connectivity-service.enabled": `false`,
	"intl.regional_prefs.use_os_locales": `false`,
}

// openFirefox starts Firefox and opens a file. The theme is that of the system, light or dark.
func openFirefox(t *testing.T, file, theme string) *firefox {
	t.Helper()
	if !isThorough() {
		longtest.NeedEngine(t, "browser")
	}
	path, err := exec.LookPath("firefox-esr")
	if err != nil {
		if path, err = exec.LookPath("firefox"); err != nil {
			t.Skip("no Firefox is installed (apt-get install firefox-esr)")
		}
	}
	profile := t.TempDir()
	var settings strings.Builder
	for name, value := range firefoxSettings {
		fmt.Fprintf(&settings, "user_pref(%q, %s);\n", name, value)
	}
	fmt.Fprintf(&settings, "user_pref(\"ui.systemUsesDarkTheme\", %d);\n", map[string]int{"dark": 1}[theme])
	testkit.Write(t, filepath.Join(profile, "user.js"), settings.String())
	cmd := exec.Command(path, "--headless", "--no-remote", "--marionette", "--remote-allow-system-access",
		"--profile", profile, "about:blank")
	cmd.Env = append(os.Environ(), "TZ=UTC", "HOME="+profile, "MOZ_CRASHREPORTER_DISABLE=1")
	if err := cmd.Start(); err != nil {
		t.Skip("Firefox does not start here: ", err)
	}
	f := &firefox{T: t}
	t.Cleanup(func() {
		f.quit()
		timer := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		timer.Stop()
	})
	f.connect(filepath.Join(profile, "MarionetteActivePort"))
	f.call("WebDriver:NewSession", map[string]any{"capabilities": map[string]any{}})
	f.watch()
	f.call("WebDriver:Navigate", map[string]any{"url": "file://" + file})
	t.Cleanup(f.check)
	return f
}

// connect waits until Firefox has written its port to a file.
func (f *firefox) connect(file string) {
	f.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		port, err := os.ReadFile(file)
		if err != nil || len(port) == 0 {
			continue
		}
		if f.conn, err = net.Dial("tcp", "127.0.0.1:"+strings.TrimSpace(string(port))); err != nil {
			continue
		}
		f.reader = bufio.NewReader(f.conn)
		if _, err := f.read(); err != nil { // it says which version it speaks
			f.Fatal(err)
		}
		return
	}
	f.Skip("Firefox does not listen here")
}

// read returns the next message.
func (f *firefox) read() ([]byte, error) {
	length, err := f.reader.ReadString(':')
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(strings.TrimSuffix(length, ":"))
	if err != nil {
		return nil, err
	}
	message := make([]byte, n)
	_, err = io.ReadFull(f.reader, message)
	return message, err
}

// try sends a command and returns its result.
func (f *firefox) try(command string, params map[string]any) (json.RawMessage, error) {
	f.last++
	message, err := json.Marshal([]any{0, f.last, command, params})
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(f.conn, "%d:%s", len(message), message); err != nil {
		return nil, err
	}
	if message, err = f.read(); err != nil {
		return nil, err
	}
	var answer [4]json.RawMessage // a kind, the number of the command, an error or null, and a result
	if err := json.Unmarshal(message, &answer); err != nil {
		return nil, err
	}
	if string(answer[2]) != "null" {
		return nil, fmt.Errorf("%s: %s", command, answer[2])
	}
	return answer[3], nil
}

func (f *firefox) call(command string, params map[string]any) json.RawMessage {
	f.Helper()
	result, err := f.try(command, params)
	if err != nil {
		f.Fatal(err)
	}
	return result
}

// script runs a script that returns a value, which may be a promise.
func (f *firefox) script(text string) (json.RawMessage, error) {
	result, err := f.try("WebDriver:ExecuteScript", map[string]any{"script": text, "args": []any{}})
	if err != nil {
		return nil, err
	}
	var of struct{ Value json.RawMessage }
	err = json.Unmarshal(result, &of)
	return of.Value, err
}

func (f *firefox) evaluate(expression string) (json.RawMessage, error) {
	return f.script("return " + expression)
}

// click clicks the element of a selector as a pointer does.
func (f *firefox) click(selector string) {
	f.Helper()
	result := f.call("WebDriver:FindElement", map[string]any{"using": "css selector", "value": selector})
	var found struct{ Value map[string]string }
	if err := json.Unmarshal(result, &found); err != nil {
		f.Fatal(err)
	}
	for _, id := range found.Value {
		f.call("WebDriver:ElementClick", map[string]any{"id": id})
	}
}

// resize makes the page as large as a number of its pixels. Each is two of the window, which cannot be as narrow as a
// phone.
func (f *firefox) resize(width, height int) {
	f.Helper()
	f.inBrowser(`gBrowser.selectedBrowser.fullZoom = 2`)
	f.call("WebDriver:SetWindowRect", map[string]any{"width": 2 * width, "height": 2 * height})
	frame := eval[[]int](f, `[2 * (outerWidth - innerWidth), 2 * (outerHeight - innerHeight)]`)
	f.call("WebDriver:SetWindowRect", map[string]any{"width": 2*width + frame[0], "height": 2*height + frame[1]})
}

// watch notes the requests that pages cause.
func (f *firefox) watch() {
	f.inBrowser(`globalThis.requests = [];
		Services.obs.addObserver({ observe(subject) {
			const channel = subject.QueryInterface(Ci.nsIChannel);
			if (!channel.loadInfo.triggeringPrincipal.isSystemPrincipal) requests.push(channel.URI.spec);
		} }, 'http-on-modify-request')`)
}

// inBrowser runs a script in Firefox itself and not in the page.
func (f *firefox) inBrowser(text string) json.RawMessage {
	f.Helper()
	f.call("Marionette:SetContext", map[string]any{"value": "chrome"})
	defer f.call("Marionette:SetContext", map[string]any{"value": "content"})
	params := map[string]any{"script": text, "args": []any{}, "newSandbox": false, "sandbox": "system"}
	return f.call("WebDriver:ExecuteScript", params)
}

// check reports what the page did and must not do: requests, and errors in its scripts.
func (f *firefox) check() {
	var problems struct{ Value []string }
	result := f.inBrowser(`return requests.map(r => 'request: ' + r).concat(Services.console.getMessageArray()
		.filter(m => m instanceof Ci.nsIScriptError && m.sourceName.startsWith('file:') &&
			!(m.flags & Ci.nsIScriptError.warningFlag)).map(m => 'error: ' + m.errorMessage))`)
	if err := json.Unmarshal(result, &problems); err != nil {
		f.Error(err)
	}
	for _, problem := range problems.Value {
		f.Error(problem)
	}
}

// shoot writes a screenshot of the whole page.
func (f *firefox) shoot(file string) {
	f.Helper()
	var picture struct{ Value string }
	if err := json.Unmarshal(f.call("WebDriver:TakeScreenshot", map[string]any{"full": true}), &picture); err != nil {
		f.Fatal(err)
	}
	data, err := base64.StdEncoding.DecodeString(picture.Value)
	if err = errors.Join(err, os.WriteFile(file, data, 0o644)); err != nil {
		f.Fatal(err)
	}
}

func (f *firefox) quit() {
	if f.conn != nil {
		_, _ = f.try("Marionette:Quit", map[string]any{"flags": []string{"eForceQuit"}})
		_ = f.conn.Close()
	}
}
