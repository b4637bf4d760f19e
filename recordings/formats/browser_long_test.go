//go:build long && linux

package formats

import (
	"bufio"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A browser is headless Chromium with one page, driven with the DevTools protocol over
// pipes. It collects what a page must not do.
type browser struct {
	t       testing.TB
	to      *os.File
	session string

	mu       sync.Mutex
	last     int
	waiting  map[int]chan cdpMessage
	loaded   chan struct{}
	problems []string // console errors, exceptions, requests to the network
}

type cdpMessage struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func newBrowser(t testing.TB) *browser {
	program, err := exec.LookPath("chromium")
	if err != nil && os.Getenv("CI") != "true" {
		t.Skip("no chromium: ", err)
	}
	require.NoError(t, err)
	in, to, err := os.Pipe()
	require.NoError(t, err)
	from, out, err := os.Pipe()
	require.NoError(t, err)
	home, err := os.MkdirTemp("", "mcpdbg-browser-*") //nolint:usetesting // removed below: its children may write for a moment
	require.NoError(t, err)
	cmd := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--user-data-dir="+filepath.Join(home, "data"), "--remote-debugging-pipe", "--window-size=1400,1000", "about:blank")
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home)
	cmd.ExtraFiles = []*os.File{in, out} // 3 and 4
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	require.NoError(t, in.Close())
	require.NoError(t, out.Close())
	b := &browser{t: t, to: to, waiting: map[int]chan cdpMessage{}, loaded: make(chan struct{}, 8)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.read(from)
	}()
	t.Cleanup(func() {
		hangs := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
		b.send("Browser.close", nil)
		_ = cmd.Wait()
		hangs.Stop()
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // its children, which may still write
		require.Eventually(t, func() bool { return os.RemoveAll(home) == nil }, time.Minute, 10*time.Millisecond)
		_, _ = to.Close(), from.Close()
		<-done
	})
	var target struct {
		TargetID  string `json:"targetId"`
		SessionID string `json:"sessionId"`
	}
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	b.session = target.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(domain+".enable", nil, nil)
	}
	b.size(1400, 1000, "light")
	return b
}

// read delivers responses and events.
func (b *browser) read(from *os.File) {
	for r := bufio.NewReader(from); ; {
		text, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m cdpMessage
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		b.mu.Lock()
		if m.ID != 0 {
			b.waiting[m.ID] <- m
			delete(b.waiting, m.ID)
		}
		var event struct {
			Request struct{ URL string }
			Type    string
		}
		_ = json.Unmarshal(m.Params, &event)
		switch m.Method {
		case "Page.loadEventFired":
			b.loaded <- struct{}{}
		case "Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled":
			b.problems = append(b.problems, m.Method+" "+string(m.Params))
		case "Network.requestWillBeSent":
			if !strings.HasPrefix(event.Request.URL, "file:") {
				b.problems = append(b.problems, "request to "+event.Request.URL)
			}
		}
		b.mu.Unlock()
	}
}

func (b *browser) send(method string, params any) chan cdpMessage {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last++
	response := make(chan cdpMessage, 1)
	b.waiting[b.last] = response
	text, err := json.Marshal(struct {
		ID      int    `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
		Session string `json:"sessionId,omitempty"`
	}{b.last, method, params, b.session})
	require.NoError(b.t, err)
	_, err = b.to.Write(append(text, 0))
	require.NoError(b.t, err)
	return response
}

func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	select {
	case m := <-b.send(method, params):
		require.Empty(b.t, string(m.Error), method)
		if result != nil {
			require.NoError(b.t, json.Unmarshal(m.Result, result))
		}
	case <-time.After(2 * time.Minute):
		require.FailNow(b.t, "no response from the browser", method)
	}
}

// open loads a page, and returns the milliseconds until its first frame was ready.
func (b *browser) open(path, fragment string) float64 {
	b.t.Helper()
	b.call("Page.navigate", map[string]any{"url": "about:blank"}, nil)
	<-b.loaded
	b.call("Page.navigate", map[string]any{"url": (&url.URL{Scheme: "file", Path: path, Fragment: fragment}).String()}, nil)
	select {
	case <-b.loaded:
	case <-time.After(2 * time.Minute):
		require.FailNow(b.t, "the page was not loaded")
	}
	var ms float64
	b.eval(`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))`, &ms)
	return ms
}

// eval returns the value of an expression in the page, which may be a promise.
func (b *browser) eval(expression string, value any) {
	b.t.Helper()
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &got)
	require.Empty(b.t, string(got.ExceptionDetails), expression)
	if value != nil {
		require.NoError(b.t, json.Unmarshal(got.Result.Value, value), "%s: %s", expression, got.Result.Value)
	}
}

// text returns the value of an expression as text.
func (b *browser) text(expression string) (text string) {
	b.t.Helper()
	b.eval("String("+expression+")", &text)
	return text
}

func (b *browser) size(width, height int, scheme string) {
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// mouse sends a mouse event.
func (b *browser) mouse(kind string, x, y float64, more map[string]any) {
	params := map[string]any{"type": kind, "x": x, "y": y}
	for name, value := range more {
		params[name] = value
	}
	b.call("Input.dispatchMouseEvent", params, nil)
}
