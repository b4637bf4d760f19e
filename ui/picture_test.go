package ui

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcpdbg/ui/uitest"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/demo"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/ui/kit"

	tea "charm.land/bubbletea/v2"
)

// A demoExecutor runs the demo server in this process, so that a session with it
// runs in a synctest bubble.
type demoExecutor struct{ running sync.WaitGroup }

func (x *demoExecutor) Start(_ context.Context, cmd executor.Command) (executor.Process, error) {
	p := exectest.NewFake("mcp-stdio-1", cmd)
	x.running.Go(func() {
		code := demo.Serve(context.Background(), p.In, &demoStream{p: p, stream: executor.Stdout}, &demoStream{p: p, stream: executor.Stderr}, demo.Options{Version: "0.1.0"})
		if p.End(executor.Exit{Kind: executor.ExitCode, Code: code}) {
			p.EOF()
		}
	})
	return p, nil
}

func (x *demoExecutor) Process(string) executor.Process { panic("not used") }
func (x *demoExecutor) Close() error                    { return nil }

// A demoStream is stdout or stderr of the demo server. Writes to stdout take
// some time, so that the picture shows response times.
type demoStream struct {
	p      *exectest.Fake
	stream executor.Stream
	writes int
}

func (w *demoStream) Write(data []byte) (int, error) {
	if w.stream == executor.Stdout {
		time.Sleep([]time.Duration{1300, 870, 2410, 640, 3120}[w.writes%5] * time.Microsecond)
		w.writes++
	}
	w.p.Journal.Output(w.stream, data)
	return len(data), nil
}

// TestPicture checks that the pictures of the documents are frames of a session
// with the demo server, as the interface draws them now.
func TestPicture(t *testing.T) {
	for name, theme := range map[string]Theme{"dark": themeDark, "light": themeLight} {
		palette := map[string]uitest.SVGPalette{"dark": uitest.DarkSVG, "light": uitest.LightSVG}[name]
		for picture, scenes := range map[string]func(*testing.T, Theme) []uitest.Scene{"screen": demoFrame, "tour": demoTour} {
			t.Run(picture+"-"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					svg := uitest.DrawSVG(palette, scenes(t, theme)...)
					path := filepath.Join("..", "docs", "img", picture+"-"+name+".svg")
					if *uitest.Update {
						require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
						require.NoError(t, os.WriteFile(path, svg, 0o644))
						return
					}
					want, err := os.ReadFile(path)
					require.NoError(t, err)
					if !bytes.Equal(want, svg) {
						t.Fatalf("%s is stale: go test ./ui -run Picture -update", path)
					}
				})
			})
		}
	}
}

// withDemo gives a test a session with the demo server.
func withDemo(t *testing.T, test func(s *session.Session, request func(method, params string))) {
	t.Helper()
	log, err := recordings.Create(recordings.Options{Path: filepath.Join(t.TempDir(), "demo.jsonl"), Header: session.Header{Tool: "mcpdbg", Argv: []string{"mcpdbg", "demo-server"}}})
	require.NoError(t, err)
	x := &demoExecutor{}
	s := session.New(session.Config{Executor: x, Log: log, ClientName: "mcpdbg", ClientVersion: "0", Command: executor.Command{Argv: []string{"mcpdbg", "demo-server"}}})
	defer func() {
		_, err := s.Close(context.Background())
		require.NoError(t, err)
		x.running.Wait()
		require.NoError(t, log.Close())
		require.NoError(t, log.Release())
	}()
	require.NoError(t, s.Open(t.Context()))
	test(s, func(method, params string) {
		synctest.Wait()
		time.Sleep(1170 * time.Millisecond)
		_, _ = s.Request(t.Context(), method, json.RawMessage(params), session.CallOptions{}) // errors are shown
	})
}

// demoFrame returns the screen in a session with the demo server.
func demoFrame(t *testing.T, theme Theme) (scenes []uitest.Scene) {
	withDemo(t, func(s *session.Session, request func(method, params string)) {
		request("tools/list", `{}`)
		request("resources/list", `{}`)
		request("prompts/list", `{}`)
		request("resources/read", `{"uri":"demo://config"}`)
		request("tools/call", `{"name":"echo","arguments":{"message":"hello"}}`)
		request("tools/call", `{"name":"slow","arguments":{"seconds":0.4,"steps":2},"_meta":{"progressToken":"p"}}`)
		request("tools/call", `{"name":"fail","arguments":{"kind":"isError"}}`)
		request("tools/call", `{"name":"nope"}`)
		request("tools/call", `{"name":"add","arguments":{"a":19,"b":23}}`)
		synctest.Wait()
		d := drive(t, Options{Settings: Settings{Theme: theme}, Session: s, Title: "mcpdbg-demo (local)"}, 120, 36)
		d.do(kit.Bottom)
		scenes = append(scenes, uitest.Scene{Frame: d.View().Content})
	})
	return scenes
}

// demoTour returns the screen while a call fails, is repaired, and is compared with the one
// that failed.
func demoTour(t *testing.T, theme Theme) (scenes []uitest.Scene) {
	withDemo(t, func(s *session.Session, request func(method, params string)) {
		request("tools/list", `{}`)
		request("tools/call", `{"name":"echo","arguments":{"message":"hello"}}`)
		synctest.Wait()
		d := drive(t, Options{Settings: Settings{Theme: theme}, Session: s, Title: "mcpdbg-demo (local)"}, 100, 26)
		show := func(caption string, seconds int) {
			d.hear()
			d.front.notice = notice{}
			d.canvas.stale = true
			scenes = append(scenes, uitest.Scene{Frame: d.View().Content, Caption: caption, Seconds: seconds})
		}
		press := func(keys ...rune) {
			for _, key := range keys {
				d.take(tea.KeyPressMsg{Code: key, Text: strings.Trim(string(key), "\t\r")})
				synctest.Wait()
			}
		}
		press([]rune("Cadd\r1e308\t1e308")...)
		show("C add: a form from the schema of the tool", 4)
		press('\r')
		time.Sleep(time.Second)
		show("the call failed: its row shows why", 4)
		press('m', 'R')
		d.take(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
		press([]rune("19\t")...)
		d.take(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
		press([]rune("23")...)
		show("m marks it, R edits it", 4)
		press('\r')
		time.Sleep(time.Second)
		show("sent again: answered", 3)
		press('=')
		show("= compares the two", 5)
	})
	return scenes
}
