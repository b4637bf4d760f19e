package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

const discoverResult = `{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{"tools":{}},` +
	`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new","version":"2"}}}`

func TestHandshake(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*session.Config)
		serve  func(p *fakeProcess) int
		want   session.Server
		sent   []string // methods, in order
	}{
		{
			name: "a legacy server refuses the probe", serve: legacy(nil),
			want: session.Server{Era: mcp.Legacy, Protocol: "2025-11-25", Name: "fake", Version: "1"},
			sent: []string{"server/discover", "initialize", "notifications/initialized"},
		}, {
			name: "era legacy sends no probe", serve: legacy(nil),
			change: func(c *session.Config) { c.Era = mcp.Legacy },
			want:   session.Server{Era: mcp.Legacy, Protocol: "2025-11-25", Name: "fake", Version: "1"},
			sent:   []string{"initialize", "notifications/initialized"},
		}, {
			name: "a modern server answers the probe",
			serve: func(p *fakeProcess) int {
				return p.each(func(m message) { p.result(m, discoverResult) })
			},
			want: session.Server{Era: mcp.Modern, Protocol: "2026-07-28", Name: "new", Version: "2"},
			sent: []string{"server/discover"},
		}, {
			name: "a server that wants another modern version gets it",
			serve: func(p *fakeProcess) int {
				first := true
				return p.each(func(m message) {
					if first {
						first = false
						p.fail(m, mcp.CodeUnsupportedVersion, `,"data":{"supported":["2026-07-28"],"requested":"x"}`)
						return
					}
					p.result(m, discoverResult)
				})
			},
			change: func(c *session.Config) { c.Era, c.Protocol = mcp.Modern, "2027-01-01" },
			want:   session.Server{Era: mcp.Modern, Protocol: "2026-07-28", Name: "new", Version: "2"},
			sent:   []string{"server/discover", "server/discover"},
		}, {
			name: "an unsupported-version answer that names only legacy versions",
			serve: func(p *fakeProcess) int {
				return p.each(func(m message) {
					switch m.Method {
					case "server/discover":
						p.fail(m, mcp.CodeUnsupportedVersion, `,"data":{"supported":["2025-06-18"],"requested":"x"}`)
					case "initialize":
						p.result(m, initResult)
					}
				})
			},
			want: session.Server{Era: mcp.Legacy, Protocol: "2025-11-25", Name: "fake", Version: "1"},
			sent: []string{"server/discover", "initialize", "notifications/initialized"},
		}, {
			name: "silence at the probe costs its time and no more",
			serve: func(p *fakeProcess) int {
				return p.each(func(m message) {
					if m.Method == "initialize" {
						p.result(m, initResult)
					}
				})
			},
			want: session.Server{Era: mcp.Legacy, Protocol: "2025-11-25", Name: "fake", Version: "1"},
			sent: []string{"server/discover", "initialize", "notifications/initialized"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var sent []string
				h := open(t, func(p *fakeProcess) int {
					return tc.serve(p)
				}, tc.change)
				begin := time.Now()
				synctest.Wait()
				got := h.Status().Server
				got.Capabilities = nil
				require.Equal(t, tc.want, got)
				require.Equal(t, session.Ready, h.Status().State)
				require.Less(t, time.Since(begin), 2*session.ProbeTimeout)
				rows := make([]session.Row, h.log.Len())
				for _, row := range rows[:h.log.Rows(0, rows)] {
					if row.Kind == session.KindStdin {
						sent = append(sent, h.log.Method(row.Method))
					}
				}
				require.Equal(t, tc.sent, sent)
			})
		})
	}
}

func TestServerThatDiesOfTheProbeIsRestarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, func(p *fakeProcess) int {
			code := 0
			p.each(func(m message) {
				switch m.Method {
				case "server/discover":
					p.err("unknown method\n")
					code = 2
					_ = p.In.Close()
				case "initialize":
					p.result(m, initResult)
				}
			})
			return code
		}, nil)
		require.Equal(t, mcp.Legacy, h.Status().Server.Era)
		require.Equal(t, "mcp-stdio-2", h.Status().Process.ID)
		require.Len(t, h.entries(session.KindStart), 2)
		require.Contains(t, h.entries(session.KindNote)[0], "started again")
	})
}

func TestHandshakeFailures(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*session.Config)
		serve  func(p *fakeProcess) int
		reason session.Reason
		check  func(t *testing.T, e *session.OpenError)
	}{
		{
			name: "exit", reason: session.ReasonExited,
			change: func(c *session.Config) { c.Era = mcp.Legacy },
			serve: func(p *fakeProcess) int {
				p.out("starting up\n")
				p.err("Error: API_TOKEN is not set\n")
				return 3
			},
			check: func(t *testing.T, e *session.OpenError) {
				require.Equal(t, executor.Exit{Kind: executor.ExitCode, Code: 3, By: executor.EndedByServer}, *e.Exit)
				require.Equal(t, []string{"Error: API_TOKEN is not set"}, e.Stderr)
				require.Equal(t, []string{"starting up"}, e.Stray)
				require.Contains(t, e.Hint, "-e API_TOKEN=VALUE")
				require.Contains(t, e.Hint, "print everything else to stderr")
				require.Contains(t, e.Error(), "exit code 3")
			},
		}, {
			name: "bridge to a URL", reason: session.ReasonExited,
			change: func(c *session.Config) {
				c.Era, c.Command.Argv = mcp.Legacy, []string{"npx", "-y", "mcp-remote", "http://127.0.0.1:3399/mcp"}
			},
			serve: func(p *fakeProcess) int {
				p.err("[7855] Fatal error: TypeError: fetch failed\n  [cause]: Error: connect ECONNREFUSED 127.0.0.1:3399\n")
				return 1
			},
			check: func(t *testing.T, e *session.OpenError) {
				require.Regexp(t, `^the server behind the URL is not reachable: check the URL, and that the server runs; .*$`, e.Hint)
			},
		}, {
			name: "bridge that waits for a login", reason: session.ReasonTimeout,
			change: func(c *session.Config) { c.Command.Argv = []string{"npx", "mcp-remote", "https://host/mcp"} },
			serve: func(p *fakeProcess) int {
				p.err("\nPlease authorize this client by visiting:\nhttps://host/authorize?x=1\n")
				return p.each(func(message) {})
			},
			check: func(t *testing.T, e *session.OpenError) {
				require.Regexp(t, `^the server behind the URL requires a login \(OAuth\): run the command in a terminal .*$`, e.Hint)
			},
		}, {
			name: "timeout", reason: session.ReasonTimeout,
			serve: func(p *fakeProcess) int { return p.each(func(message) {}) },
			check: func(t *testing.T, e *session.OpenError) {
				require.Contains(t, e.Error(), "timed out handshaking with fake after 30s")
				require.Contains(t, e.Hint, "wrote nothing to stdout")
			},
		}, {
			name: "junk only", reason: session.ReasonTimeout,
			serve: func(p *fakeProcess) int {
				p.out("Listening on stdio\n\x1b[31mready\x1b[0m\n")
				return p.each(func(message) {})
			},
			check: func(t *testing.T, e *session.OpenError) {
				require.Equal(t, []string{"Listening on stdio", "\x1b[31mready\x1b[0m"}, e.Stray)
			},
		}, {
			name: "framed like language servers", reason: session.ReasonTimeout,
			serve: func(p *fakeProcess) int {
				return p.each(func(m message) { p.out("Content-Length: 16\r\n\r\n" + `{"jsonrpc":"2.0"`) })
			},
			check: func(t *testing.T, e *session.OpenError) {
				require.Contains(t, e.Hint, "Content-Length headers, as language servers do")
				require.NotContains(t, e.Hint, "block-buffered")
			},
		}, {
			name: "closes its input", reason: session.ReasonExited,
			serve: func(p *fakeProcess) int {
				_ = p.In.Close()
				<-p.killed
				return 0
			},
			check: func(t *testing.T, e *session.OpenError) {
				require.Nil(t, e.Exit, "we ended it")
				require.Contains(t, e.Error(), "fake did not accept the handshake: message not sent")
			},
		}, {
			name: "no newline", reason: session.ReasonTimeout,
			serve: func(p *fakeProcess) int {
				return p.each(func(m message) { p.out(`{"jsonrpc":"2.0",`) })
			},
			check: func(t *testing.T, e *session.OpenError) {
				require.Equal(t, 34, e.Waiting)
				require.Contains(t, e.Hint, "34 bytes on stdout have no newline")
			},
		}, {
			name: "responses stuck in a buffer", reason: session.ReasonTimeout,
			serve: func(p *fakeProcess) int {
				var last message
				code := p.each(func(m message) { last = m })
				p.result(last, initResult)
				return code
			},
			check: func(t *testing.T, e *session.OpenError) {
				require.Contains(t, e.Hint, "block-buffered")
			},
		}, {
			name: "error response", reason: session.ReasonRefused,
			serve: func(p *fakeProcess) int { return p.each(func(m message) { p.fail(m, -32603, "") }) },
			check: func(t *testing.T, e *session.OpenError) {
				require.Contains(t, e.Error(), "error -32603: no")
			},
		}, {
			name: "wrong version", reason: session.ReasonVersion,
			serve: legacyWith(`{"protocolVersion":"1999-01-01","capabilities":{},"serverInfo":{"name":"fake","version":"1"}}`),
			check: func(t *testing.T, e *session.OpenError) {
				require.Contains(t, e.Error(), `"1999-01-01"`)
			},
		}, {
			name: "wrong version, modern", reason: session.ReasonVersion,
			serve: func(p *fakeProcess) int {
				return p.each(func(m message) {
					p.fail(m, mcp.CodeUnsupportedVersion, `,"data":{"supported":["2099-01-01"]}`)
				})
			},
			check: func(t *testing.T, e *session.OpenError) { require.Contains(t, e.Error(), "2099-01-01") },
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t, tc.serve, tc.change)
				err := h.Open(t.Context())
				var failure *session.OpenError
				require.ErrorAs(t, err, &failure)
				require.Equal(t, tc.reason, failure.Reason, "%v", err)
				tc.check(t, failure)
				for _, p := range h.exec.started {
					require.Equal(t, executor.StateClosed, p.Info().State, "nothing is left running")
				}
			})
		})
	}
}

func legacyWith(result string) func(p *fakeProcess) int {
	return func(p *fakeProcess) int {
		return p.each(func(m message) {
			if m.Method == "initialize" {
				p.result(m, result)
			} else {
				p.fail(m, -32601, "")
			}
		})
	}
}

func TestCancelledHandshakeEndsTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan struct{}, 4)
		h := newHarness(t, func(p *fakeProcess) int {
			return p.each(func(message) { asked <- struct{}{} })
		}, func(c *session.Config) { c.Era = mcp.Legacy })
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-asked
			cancel()
		}()
		err := h.Open(ctx)
		require.ErrorIs(t, err, context.Canceled)
		p := h.exec.started[0]
		require.Equal(t, executor.StateClosed, p.Info().State)
		p.out(initResult + "\n") // the late answer of a descendant
		synctest.Wait()
		require.Equal(t, session.Closed, h.Status().State)
		_, err = h.Request(t.Context(), "ping", nil, session.CallOptions{})
		require.True(t, errors.Is(err, session.ErrEnded) || errors.As(err, new(*session.WriteError)), "%v", err)
	})
}

func TestPreferredEra(t *testing.T) {
	modernOnly := func(p *fakeProcess) int {
		return p.each(func(m message) {
			switch m.Method {
			case "server/discover":
				p.result(m, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}`)
			case "initialize":
				p.fail(m, -32022, `,"data":{"supported":["2026-07-28"]}`)
			}
		})
	}
	for _, c := range []struct {
		name   string
		serve  func(*fakeProcess) int
		prefer mcp.Era
		asked  string // revision
		era    mcp.Era
		got    string
		first  string // method
	}{
		{"legacy, and it is", legacy(nil), mcp.Legacy, mcp.V20250618, mcp.Legacy, "2025-11-25", "initialize"},
		{"legacy, and it is not", modernOnly, mcp.Legacy, mcp.V20250618, mcp.Modern, "2026-07-28", "initialize"},
		{"modern, and it is", modernOnly, mcp.Modern, mcp.V20260728, mcp.Modern, "2026-07-28", "server/discover"},
		{"modern, and it is not", legacy(nil), mcp.Modern, mcp.V20260728, mcp.Legacy, "2025-11-25", "server/discover"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := open(t, c.serve, func(cfg *session.Config) {
				cfg.Prefer, cfg.Protocol = c.prefer, c.asked
				cfg.Capabilities = json.RawMessage(`{"sampling":{"tools":{}}}`)
			})
			server := h.Status().Server
			require.Equal(t, c.era, server.Era)
			require.Equal(t, c.got, server.Protocol)
			sent := h.entries(session.KindStdin)
			require.Contains(t, sent[0], c.first)
			require.Contains(t, strings.Join(sent, "\n"), `"sampling":{"tools":{}}`, "the declared capabilities")
			_, now := h.Declared()
			require.JSONEq(t, `{"sampling":{"tools":{}}}`, string(now))
		})
	}
}

// TestOnPhaseIsCalledForStartAndHandshake checks that a start can be followed
// without reading the log.
func TestOnPhaseIsCalledForStartAndHandshake(t *testing.T) {
	var told []string
	open(t, legacy(func(*fakeProcess, message) {}), func(cfg *session.Config) {
		cfg.Era = mcp.Legacy
		cfg.OnPhase = func(_ context.Context, p executor.Phase) {
			what := "ends"
			if p.End.IsZero() {
				what = "begins"
			}
			told = append(told, p.Name+" "+what)
		}
	})
	require.Equal(t, []string{"spawn ends", "initialize begins", "initialize ends"}, told)
}
