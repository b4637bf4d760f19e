package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// A script is a server that answers the n-th request of each method, from 0.
type script map[string]func(p *fakeProcess, m message, n int)

func (s script) serve(p *fakeProcess) int {
	times := map[string]int{}
	return p.each(func(m message) {
		if f := s[m.Method]; f != nil {
			f(p, m, times[m.Method])
		}
		times[m.Method]++
	})
}

// gives always answers with a result, and refuses always with an error.
func gives(result string) func(*fakeProcess, message, int) {
	return func(p *fakeProcess, m message, _ int) { p.result(m, result) }
}

func refuses(code int, more string) func(*fakeProcess, message, int) {
	return func(p *fakeProcess, m message, _ int) { p.fail(m, code, more) }
}

// unsupported refuses the version and names others.
func unsupported(versions ...string) func(*fakeProcess, message, int) {
	list, _ := json.Marshal(versions)
	return refuses(mcp.CodeUnsupportedVersion, fmt.Sprintf(`,"data":{"supported":%s,"requested":"x"}`, list))
}

// inTurn answers each request by the next of its arguments, and all further
// ones by the last; nil means no response.
func inTurn(answers ...func(*fakeProcess, message, int)) func(*fakeProcess, message, int) {
	return func(p *fakeProcess, m message, n int) {
		if f := answers[min(n, len(answers)-1)]; f != nil {
			f(p, m, n)
		}
	}
}

// after delays a response, while the server goes on.
func after(d time.Duration, f func(*fakeProcess, message, int)) func(*fakeProcess, message, int) {
	return func(p *fakeProcess, m message, n int) {
		p.ended.Go(func() {
			select {
			case <-time.After(d):
				f(p, m, n)
			case <-p.killed:
			}
		})
	}
}

func discoverOf(versions ...string) string {
	list, _ := json.Marshal(versions)
	return fmt.Sprintf(`{"resultType":"complete","supportedVersions":%s,"capabilities":{}}`, list)
}

// asked returns the handshake's requests with their requested revisions.
func (h *harness) asked() (asked []string) {
	for _, line := range h.entries(session.KindStdin) {
		var m struct {
			Method string
			Params struct {
				ProtocolVersion string
				Meta            map[string]any `json:"_meta"`
			}
		}
		require.NoError(h.t, json.Unmarshal([]byte(strings.TrimPrefix(line, "stdin ")), &m))
		version := m.Params.ProtocolVersion
		if v, ok := m.Params.Meta[mcp.MetaProtocolVersion]; ok {
			version = fmt.Sprint(v)
		}
		asked = append(asked, strings.TrimSpace(m.Method+" "+version))
	}
	return asked
}

const (
	askModern   = "server/discover 2026-07-28"
	askLegacy   = "initialize 2025-11-25"
	initialized = "notifications/initialized"
)

func TestHandshakeFindsTheEra(t *testing.T) {
	late := 3 * time.Second
	for _, c := range []struct {
		name   string
		serve  func(*fakeProcess) int
		change func(*session.Config)
		era    mcp.Era
		asked  []string
		took   time.Duration
	}{
		{name: "a modern server that needs 3 s to start", serve: slowModern(late), era: mcp.Modern, asked: []string{askModern, askLegacy}, took: late},
		{
			name: "a server of both eras that needs 3 s to start", era: mcp.Modern, asked: []string{askModern, askLegacy, askModern}, took: 2 * late,
			serve: func(p *fakeProcess) int {
				time.Sleep(late)
				return script{mcp.MethodDiscover: gives(discoverResult), mcp.MethodInitialize: gives(initResult)}.serve(p)
			},
		}, {
			name: "a legacy server that needs 3 s to start", era: mcp.Legacy, asked: []string{askModern, askLegacy, initialized}, took: late,
			serve: func(p *fakeProcess) int {
				time.Sleep(late)
				return legacy(nil)(p)
			},
		}, {
			name: "a DiscoverResult after the initialize result", era: mcp.Legacy, asked: []string{askModern, askLegacy, initialized}, took: session.ProbeTimeout + crossing,
			serve: script{mcp.MethodDiscover: after(late, gives(discoverResult)), mcp.MethodInitialize: gives(initResult)}.serve,
		}, {
			name: "a DiscoverResult after initialize was refused", era: mcp.Modern, asked: []string{askModern, askLegacy}, took: 2 * time.Second,
			serve: script{mcp.MethodDiscover: after(2*time.Second, gives(discoverResult)), mcp.MethodInitialize: refuses(mcp.CodeMethodNotFound, "")}.serve,
		}, {
			name: "a lost probe, and initialize refused with a version", era: mcp.Modern, asked: []string{askModern, askLegacy, askModern}, took: session.ProbeTimeout,
			serve: script{mcp.MethodDiscover: inTurn(nil, gives(discoverResult)), mcp.MethodInitialize: unsupported(mcp.V20260728)}.serve,
		}, {
			name: "refused with the requested version", era: mcp.Modern, asked: []string{askModern, askModern},
			serve: script{mcp.MethodDiscover: inTurn(unsupported(mcp.V20260728), gives(discoverResult))}.serve,
		}, {
			name: "refused without data", era: mcp.Legacy, asked: []string{askModern, askLegacy, initialized},
			serve: script{mcp.MethodDiscover: refuses(mcp.CodeUnsupportedVersion, ""), mcp.MethodInitialize: gives(initResult)}.serve,
		}, {
			name: "refused with data of another type", era: mcp.Legacy, asked: []string{askModern, askLegacy, initialized},
			serve: script{mcp.MethodDiscover: refuses(mcp.CodeUnsupportedVersion, `,"data":{"supported":"2026-07-28"}`), mcp.MethodInitialize: gives(initResult)}.serve,
		}, {
			name: "refused twice, and a legacy version is named too", era: mcp.Legacy, asked: []string{askModern, askModern, "initialize 2025-06-18", initialized},
			serve: script{mcp.MethodDiscover: unsupported(mcp.V20260728, mcp.V20250618), mcp.MethodInitialize: gives(initResult)}.serve,
		}, {
			name: "initialize refused with another legacy version", era: mcp.Legacy, asked: []string{askModern, askLegacy, "initialize 2024-11-05", initialized},
			serve: script{mcp.MethodDiscover: refuses(mcp.CodeMethodNotFound, ""), mcp.MethodInitialize: inTurn(unsupported(mcp.V20241105), gives(initResult))}.serve,
		}, {
			name: "a DiscoverResult of legacy versions only", era: mcp.Legacy, asked: []string{askModern, "initialize 2025-06-18", initialized},
			serve: script{mcp.MethodDiscover: gives(discoverOf(mcp.V20250618, mcp.V20241105)), mcp.MethodInitialize: gives(initResult)}.serve,
		}, {
			name: "a result that is not a DiscoverResult", era: mcp.Legacy, asked: []string{askModern, askLegacy, initialized},
			serve: script{mcp.MethodDiscover: gives(`{"tools":[]}`), mcp.MethodInitialize: gives(initResult)}.serve,
		}, {
			name: "a result with versions of another type", era: mcp.Legacy, asked: []string{askModern, askLegacy, initialized},
			serve: script{mcp.MethodDiscover: gives(`{"supportedVersions":"2026-07-28"}`), mcp.MethodInitialize: gives(initResult)}.serve,
		}, {
			name: "a revision that a person chose is kept", era: mcp.Modern, asked: []string{askModern},
			change: func(c *session.Config) { c.Era, c.Protocol = mcp.Modern, mcp.V20260728 },
			serve:  script{mcp.MethodDiscover: gives(discoverOf("2099-01-01"))}.serve,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				h := open(t, c.serve, c.change)
				require.Equal(t, c.took, time.Since(begin))
				time.Sleep(2 * session.DefaultStartupTimeout) // for late responses and their effects
				synctest.Wait()
				require.Equal(t, c.era, h.Status().Server.Era)
				require.Equal(t, session.Ready, h.Status().State)
				require.Equal(t, c.asked, h.asked())
				for _, phase := range h.entries(session.KindPhase) {
					require.NotContains(t, phase, ": server/discover", "no phase failed")
				}
			})
		})
	}
}

func TestHandshakeErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		serve  func(*fakeProcess) int
		change func(*session.Config)
		reason session.Reason
		asked  []string
		text   string
		hint   string
		took   time.Duration
	}{
		{
			name: "supports and refuses", reason: session.ReasonVersion, asked: []string{askModern, askModern},
			serve:  script{mcp.MethodDiscover: unsupported(mcp.V20260728)}.serve,
			change: func(c *session.Config) { c.Era = mcp.Modern },
			text:   "server/discover: the server says it supports 2026-07-28 and refused 2026-07-28",
		}, {
			name: "supports and refuses in both eras", reason: session.ReasonVersion,
			serve: script{mcp.MethodDiscover: unsupported(mcp.V20260728), mcp.MethodInitialize: unsupported(mcp.V20260728)}.serve,
			text:  "server/discover: the server says it supports 2026-07-28 and refused 2026-07-28",
		}, {
			name: "the new probe is refused, and the first one never answered", reason: session.ReasonVersion, took: 2 * session.ProbeTimeout,
			serve: script{mcp.MethodDiscover: inTurn(nil, unsupported(mcp.V20260728)), mcp.MethodInitialize: unsupported(mcp.V20260728)}.serve,
			text:  "server/discover: the server says it supports 2026-07-28 and refused 2026-07-28",
		}, {
			name: "a legacy version is supported and refused", reason: session.ReasonVersion,
			serve: script{mcp.MethodDiscover: refuses(mcp.CodeMethodNotFound, ""), mcp.MethodInitialize: unsupported(mcp.V20251125)}.serve,
			text:  "initialize: the server says it supports 2025-11-25 and refused 2025-11-25",
		}, {
			name: "only unknown versions in a DiscoverResult", reason: session.ReasonVersion,
			serve: script{mcp.MethodDiscover: gives(discoverOf("2098-01-01", "2099-01-01")), mcp.MethodInitialize: gives(initResult)}.serve,
			asked: []string{askModern},
			text:  "server/discover: the server supports 2098-01-01, 2099-01-01 only, which mcpdbg does not know",
		}, {
			name: "only unknown versions in the error -32022", reason: session.ReasonVersion, asked: []string{askModern},
			serve: script{mcp.MethodDiscover: unsupported("2099-01-01"), mcp.MethodInitialize: gives(initResult)}.serve,
			text:  "server/discover: the server supports 2099-01-01 only, which mcpdbg does not know",
		}, {
			name: "only unknown versions, after initialize was sent and not answered", reason: session.ReasonVersion, asked: []string{askModern, askLegacy},
			serve: script{mcp.MethodDiscover: after(2*time.Second, unsupported("2099-01-01"))}.serve, took: 2*time.Second + session.ProbeTimeout,
			text: "server/discover: the server supports 2099-01-01 only, which mcpdbg does not know",
		}, {
			name: "a capability is required", reason: session.ReasonRefused, asked: []string{askModern},
			serve: script{mcp.MethodDiscover: refuses(mcp.CodeMissingCapability, `,"data":{"requiredCapabilities":{"sampling":{},"elicitation":{}}}`), mcp.MethodInitialize: gives(initResult)}.serve,
			text:  "server/discover: error -32021: no (requiredCapabilities: elicitation, sampling)",
		}, {
			name: "a header mismatch", reason: session.ReasonRefused, asked: []string{askModern},
			serve: script{mcp.MethodDiscover: refuses(mcp.CodeHeaderMismatch, ""), mcp.MethodInitialize: gives(initResult)}.serve,
			text:  "server/discover: error -32020: no",
		}, {
			name: "refused twice, and only modern versions are named", reason: session.ReasonVersion, asked: []string{askModern, askModern},
			serve: script{mcp.MethodDiscover: unsupported(mcp.V20260728), mcp.MethodInitialize: gives(initResult)}.serve,
			text:  "server/discover: the server says it supports 2026-07-28 and refused 2026-07-28",
		}, {
			name: "server/discover is sent again, and not answered", reason: session.ReasonTimeout, asked: []string{askModern, askModern},
			serve: script{mcp.MethodDiscover: inTurn(unsupported(mcp.V20260728), nil), mcp.MethodInitialize: gives(initResult)}.serve,
			text:  "timed out handshaking with fake after 30s", took: session.DefaultStartupTimeout,
		}, {
			name: "only unknown versions in the error", reason: session.ReasonVersion,
			serve: script{mcp.MethodDiscover: refuses(mcp.CodeMethodNotFound, ""), mcp.MethodInitialize: unsupported("2099-01-01")}.serve,
			text:  "server/discover: error -32601: no; initialize: the server supports 2099-01-01 only, which mcpdbg does not know",
		}, {
			name: "initialize is refused, and the probe stays open", reason: session.ReasonRefused, took: 2 * session.ProbeTimeout,
			serve: script{mcp.MethodInitialize: refuses(mcp.CodeInternal, "")}.serve,
			text:  "initialize: error -32603: no",
		}, {
			name: "silence", reason: session.ReasonTimeout, took: session.DefaultStartupTimeout,
			serve: script{}.serve, text: "timed out handshaking with fake after 30s", hint: "--startup-timeout",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t, c.serve, c.change)
				begin := time.Now()
				var failure *session.OpenError
				require.ErrorAs(t, h.Open(t.Context()), &failure)
				require.Equal(t, c.took, time.Since(begin))
				require.Equal(t, c.reason, failure.Reason, "%v", failure)
				require.Contains(t, failure.Error(), c.text)
				require.NotContains(t, failure.Error(), "\n")
				require.Contains(t, failure.Hint, c.hint)
				if c.asked != nil {
					require.Equal(t, c.asked, h.asked())
				}
			})
		})
	}
}

func TestServerThatDiesOfALateProbeIsRestarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, func(p *fakeProcess) int {
			time.Sleep(3 * time.Second)
			return diesOf(mcp.MethodDiscover)(p)
		}, nil)
		require.Equal(t, mcp.Legacy, h.Status().Server.Era)
		require.Len(t, h.entries(session.KindStart), 2)
	})
}

func TestEchoingProgramIsRecognized(t *testing.T) {
	for _, eol := range []string{"\n", "\r\n"} {
		for _, era := range []mcp.Era{mcp.Auto, mcp.Legacy, mcp.Modern} {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t, func(p *fakeProcess) int {
					return p.each(func(m message) { p.out(m.raw + eol) })
				}, func(c *session.Config) { c.Era = era })
				begin := time.Now()
				var failure *session.OpenError
				require.ErrorAs(t, h.Open(t.Context()), &failure)
				require.Zero(t, time.Since(begin))
				require.ErrorIs(t, failure, session.ErrEcho)
				require.Equal(t, session.ReasonEcho, failure.Reason)
				require.Equal(t, "fake: the program sends back what it receives; is it an MCP server?", failure.Error())
				require.Contains(t, failure.Hint, "terminal")
				require.Len(t, h.entries(session.KindStdin), 1, "an echo is not answered")
			})
		}
	}
}

// TestRequestTimesOutUnderAFloodOfPings uses a server that reads nothing, while
// the answers to its pings fill the write queue.
func TestRequestTimesOutUnderAFloodOfPings(t *testing.T) {
	const pings = executor.MaxQueuedWrites + 20_000
	synctest.Test(t, func(t *testing.T) {
		deaf := make(chan struct{})
		h := open(t, func(p *fakeProcess) int {
			legacyHandshake(p)
			for id := range pings {
				p.out(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", id))
			}
			close(deaf)
			<-p.killed
			return 0
		}, func(c *session.Config) { c.Era = mcp.Legacy })
		<-deaf
		synctest.Wait()
		begin := time.Now()
		_, err := h.Request(t.Context(), mcp.MethodToolsList, nil, session.CallOptions{Timeout: 3 * time.Second})
		require.ErrorIs(t, err, session.ErrTimeout)
		require.Equal(t, 3*time.Second, time.Since(begin))
		require.Contains(t, err.Error(), "the server does not read its input")
		_, err = h.Close(context.Background())
		require.NoError(t, err)
		unsent, notes := 0, 0
		for _, e := range h.bodies(session.KindNote) {
			var note session.NoteBody
			require.NoError(t, json.Unmarshal(e, &note))
			require.Contains(t, []string{"message not sent: the server does not read its input", "message not sent: stdin is closed"}, note.Text)
			require.LessOrEqual(t, note.Begin, note.End)
			notes++
			unsent += max(note.Times, 1)
		}
		require.LessOrEqual(t, notes, 5, "of each kind at once, after a second, and at the end")
		require.Greater(t, unsent, pings/2)
	})
}

// legacyHandshake answers initialize and reads only the notification after it.
func legacyHandshake(p *fakeProcess) {
	for range 2 {
		line, err := p.in.ReadString('\n')
		var m message
		if err == nil && json.Unmarshal([]byte(line), &m) == nil && m.Method == mcp.MethodInitialize {
			p.result(m, initResult)
		}
	}
}

// bodies returns the bodies of the entries of a kind.
func (h *harness) bodies(kind session.Kind) (bodies []json.RawMessage) {
	rows := make([]session.Row, h.log.Len())
	for _, row := range rows[:h.log.Rows(0, rows)] {
		if row.Kind == kind {
			e, err := h.log.Entry(row, 0)
			require.NoError(h.t, err)
			bodies = append(bodies, e.Body)
		}
	}
	return bodies
}

func TestServerRequestWithAnotherMethodIsNotAnEcho(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, script{mcp.MethodDiscover: func(p *fakeProcess, m message, _ int) {
			p.out(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"sampling/createMessage"}`+"\n", m.ID))
			p.result(m, discoverResult)
		}}.serve, nil)
		synctest.Wait()
		require.Contains(t, h.entries(session.KindStdin)[1], `"error":{"code":-32601,"message":"Method not found"}`)
	})
}

func TestStrayJSONIsShownInTheStartupError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, func(p *fakeProcess) int {
			p.out("1\n{\"level\":30}\n")
			return 1
		}, func(c *session.Config) { c.Era = mcp.Legacy })
		var failure *session.OpenError
		require.ErrorAs(t, h.Open(t.Context()), &failure)
		require.Equal(t, []string{"1", `{"level":30}`}, failure.Stray)
		require.Contains(t, failure.Hint, diagnosis.AdviceStray)
	})
}
