package probe_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/probe"
	"mcpdbg/internal/verify/report"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

func TestErrorResponses(t *testing.T) {
	fails := func(method, member string) func(p *fake) {
		return func(p *fake) {
			p.each(map[string]func(message) bool{method: func(m message) bool { p.answer(m, member); return true }})
		}
	}
	for _, tt := range []struct {
		name  string
		serve func(p *fake)
		cause verify.Cause
		code  string
	}{
		{"error", fails("tools/list", `"error":{"code":-32603,"message":"no database"}`), verify.CauseProtocol, "-32603"},
		{"declared and unknown", fails("tools/list", `"error":{"code":-32601,"message":"unknown"}`), verify.CauseProtocol, "-32601"},
		{"no list", fails("resources/list", `"result":{}`), verify.CauseProtocol, "answer"},
		{"no ping", fails("ping", `"error":{"code":-32601,"message":"unknown"}`), verify.CauseProtocol, "-32601"},
		{"unanswered", silent("ping"), verify.CauseTimeout, "timeout"},
		{"ends", func(p *fake) {
			p.each(map[string]func(message) bool{"ping": func(message) bool {
				p.Journal.Output(executor.Stderr, []byte("Traceback\nKeyError: sesame-open\n"))
				return false
			}})
		}, verify.CauseProtocol, "exited"},
		{"lost", func(p *fake) {
			p.each(map[string]func(message) bool{"ping": func(message) bool { p.lose(); return false }})
		}, verify.CauseLinkLost, "lost.reset"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.add("far", &host{serve: tt.serve})
				opts := w.options("far")
				opts.TargetTimeout = 1e15
				r := probe.Run(t.Context(), opts).Targets[0]
				require.Equal(t, verify.PhaseList, r.Phase)
				require.Equal(t, tt.cause, r.Cause, r.Message)
				require.Equal(t, tt.code, r.Code)
				if tt.name == "ends" {
					require.Equal(t, []string{"Traceback", "KeyError: ${TOKEN}"}, r.Said, "its last output, with the value of a variable redacted")
				}
			})
		})
	}
}

func TestCountsAndNotices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("far", &host{notice: []executor.Notice{{Code: "run.noise", Text: "startup files wrote 7 bytes", Said: "welcome"}}})
		r := probe.Run(t.Context(), w.options("far")).Targets[0]
		require.True(t, r.OK, "%+v", r)
		require.Equal(t, []verify.Notice{
			{Code: "run.noise", Text: "startup files wrote 7 bytes", Said: "welcome"},
			{Code: "list.templates", Text: "the server declares resources but does not support resources/templates/list"},
		}, r.Notices)
		require.Equal(t, 1, *r.Offers.Tools)
		require.Zero(t, *r.Offers.Resources)
		require.Nil(t, r.Offers.Templates)
		require.Nil(t, r.Offers.Prompts, "not declared, not asked")
		require.Equal(t, verify.Server{Era: "legacy", Protocol: r.First().Protocol, Name: "fake", Version: "1"}, r.First())
		require.Equal(t, "legacy", r.First().Era)
	})
}

func TestEnded(t *testing.T) {
	for _, tt := range []struct {
		name   string
		serve  func(p *fake)
		cause  verify.Cause
		notice string
	}{
		{"ends with a failure", func(p *fake) {
			p.each(nil)
			p.end(executor.Exit{Kind: executor.ExitCode, Code: 4})
		}, "", "shutdown.exit"},
		{"needs SIGTERM", func(p *fake) {
			p.each(nil)
			<-p.termed
			p.end(executor.Exit{Kind: executor.ExitSignal, Signal: "TERM"})
		}, "", "shutdown.term"},
		{"needs SIGKILL", func(p *fake) {
			p.each(nil)
			<-p.ended
		}, verify.CauseShutdown, ""},
		{"leaks one", func(p *fake) {
			p.left = []executor.Descendant{{PID: 77, Command: "daemon --token sesame-open"}}
			p.each(nil)
		}, verify.CauseOrphan, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.add("far", &host{serve: tt.serve})
				r := probe.Run(t.Context(), w.options("far")).Targets[0]
				require.Equal(t, tt.cause, r.Cause, "%+v", r)
				codes := ""
				for _, n := range r.Notices {
					codes += n.Code + " "
				}
				require.Contains(t, codes, tt.notice)
				require.Equal(t, tt.notice != "", strings.Contains(codes, "shutdown."))
				if tt.cause == verify.CauseOrphan {
					require.Equal(t, []verify.Orphan{{PID: 77, Command: "daemon --token ${TOKEN}"}}, r.Orphans)
				}
			})
		})
	}
}

// TestCannotTellIsInResult checks that a target passes with a mark if it is
// unknown whether it leaked processes.
func TestCannotTellIsInResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("far", &host{serve: func(p *fake) {
			p.spared = []executor.Descendant{{PID: 77, Command: "adb --token sesame-open"}}
			p.doubts = []string{"cannot see processes here"}
			p.each(nil)
		}})
		r := probe.Run(t.Context(), w.options("far")).Targets[0]
		require.True(t, r.OK, "%+v", r)
		require.Equal(t, []string{"leaked processes: cannot tell (cannot see processes here)"}, r.CannotTell)
		require.Equal(t, []verify.Spared{{PID: 77, Command: "adb --token ${TOKEN}"}}, r.Spared)
		require.Equal(t, "shutdown", r.ExitBy)
		require.Contains(t, report.OneLine(&r), "leaked processes: cannot tell")
	})
}

// TestUnknownEndIsNoPlainOK checks that no output takes the end of a client for that of
// the server.
func TestUnknownEndIsNoPlainOK(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const why = "docker ended with 0; how the server ended: cannot tell"
		w := newWorld(t)
		w.add("far", &host{serve: func(p *fake) {
			p.exit = executor.Exit{Why: why}
			p.each(nil)
		}})
		all := probe.Run(t.Context(), w.options("far"))
		r := all.Targets[0]
		require.Equal(t, verify.VerdictDoubtful, r.Verdict(), "%+v", r)
		require.Zero(t, all.Exit)
		require.Equal(t, []string{why}, r.CannotTell)
		require.Equal(t, why, r.Exit)
		for _, n := range r.Notices {
			require.NotEqual(t, "shutdown.exit", n.Code, "it would say the same")
		}
		for name, write := range map[string]struct {
			as   func(io.Writer, *verify.Report) error
			want string
		}{
			"JSON": {report.JSON, `"verdict":"ok?"`}, "TAP": {report.TAP, `- far fake (ok?: docker ended`}, "JUnit": {report.JUnit, `name="shutdown"`},
			"Markdown": {report.Markdown, "| ok? |"}, "HTML": {report.HTML, ">ok?<"}, "text": {report.Summary, "1 of 1 target passed, 1 of them ok?, in "},
		} {
			var out strings.Builder
			require.NoError(t, write.as(&out, all), name)
			require.Contains(t, out.String(), write.want, name)
			require.Contains(t, out.String(), "how the server ended: cannot tell", name)
		}
	})
}

// TestExternalEnd checks a server that was ended by its guard
// because contact was lost.
func TestExternalEnd(t *testing.T) {
	for by, want := range map[executor.EndedBy]verify.Cause{
		executor.EndedByLease: verify.CauseLinkLost, executor.EndedByGuard: verify.CauseLinkLost, executor.EndedByWatchdog: verify.CauseWatchdog,
		executor.EndedByServer: verify.CauseProtocol, executor.EndedBySignal: verify.CauseProtocol,
	} {
		t.Run(by.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.add("far", &host{serve: func(p *fake) {
					p.each(map[string]func(message) bool{"tools/list": func(message) bool {
						p.end(executor.Exit{Kind: executor.ExitSignal, Signal: "KILL", By: by, Why: "no contact"})
						return false
					}})
				}})
				r := probe.Run(t.Context(), w.options("far")).Targets[0]
				require.Equal(t, want, r.Cause, "%+v", r)
				require.Equal(t, by.String(), r.ExitBy)
				if session.EndedFromOutside(by) {
					require.Zero(t, r.Errors, "%+v", r.Problems)
				}
			})
		})
	}
}

func TestOrphansAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("far", &host{serve: func(p *fake) {
			for pid := range 250 {
				p.left = append(p.left, executor.Descendant{PID: pid + 2, Command: "fork"})
			}
			p.each(nil)
		}})
		r := probe.Run(t.Context(), w.options("far")).Targets[0]
		require.Equal(t, verify.CauseOrphan, r.Cause)
		require.Len(t, r.Orphans, 100)
		require.Equal(t, "150 more leaked processes", r.Notices[len(r.Notices)-1].Text)
	})
}

// TestInterruptedShutdown checks that servers killed because the run is cut short
// are not blamed.
func TestInterruptedShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("far", &host{serve: func(p *fake) {
			p.each(nil)
			<-p.ended
		}})
		ctx, stop := context.WithCancelCause(t.Context())
		opts := w.options("far")
		plain := opts.Make
		opts.Make = func(ctx context.Context, target int, p probe.Process, configure func(*session.Config)) (*verify.Made, error) {
			made, err := plain(ctx, target, p, configure)
			last := made.Close
			made.Close = func(ctx context.Context) (session.ShutdownReport, error) {
				stop(errors.New("a signal"))
				kill := time.AfterFunc(session.Grace/2, func() { _ = made.Session.Kill() })
				defer kill.Stop()
				return last(ctx)
			}
			return made, err
		}
		r := probe.Run(ctx, opts).Targets[0]
		require.Equal(t, verify.CauseCancelled, r.Cause, "%+v", r)
		require.Equal(t, "killed before it could exit: a signal", r.Message)
	})
}

// TestTimeoutHint checks that the hint of a timeout mentions an invalid
// response that may have been meant.
func TestTimeoutHint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("far", &host{serve: func(p *fake) {
			p.each(map[string]func(message) bool{"tools/list": func(m message) bool {
				p.Journal.Output(executor.Stdout, []byte("{\"jsonrpc\":\"2.0\",\n\"id\":"+string(m.ID)+",\n\"result\":{\"tools\":[]}}\n"))
				return true
			}})
		}})
		opts := w.options("far")
		opts.TargetTimeout = 1e15
		r := probe.Run(t.Context(), opts).Targets[0]
		require.Equal(t, verify.CauseTimeout, r.Cause, r.Message)
		require.Contains(t, r.Hint, "an invalid response: error FRM05 at entry ")
		require.Contains(t, r.Hint, "\nwrite JSON without indentation")
	})
}

func TestFailOn(t *testing.T) {
	l := newLab(t)
	for word, cause := range map[string]verify.Cause{"error": verify.CauseProtocol, "never": ""} {
		on, err := verify.ParseFailOn(word)
		require.NoError(t, err)
		opts := l.options(targets("stray-text")...)
		opts.FailOn = on
		r := probe.Run(t.Context(), opts).Targets[0]
		require.Equal(t, cause, r.Cause, on)
		require.NotEmpty(t, r.Problems)
	}
	w := newWorld(t)
	w.add("far", &host{serve: func(p *fake) {
		p.each(map[string]func(message) bool{"ping": func(m message) bool { p.answer(m, `"result":{},"more":1`); return true }})
	}})
	opts := w.options("far")
	r := probe.Run(t.Context(), opts).Targets[0]
	require.Equal(t, "warning", r.Problems[0].Severity)
	require.True(t, r.OK)
	opts.FailOn = verify.FailOn{Error: true, Warning: true}
	r = probe.Run(t.Context(), opts).Targets[0]
	require.Equal(t, verify.CauseProtocol, r.Cause)
	require.Equal(t, r.Problems[0].ID, r.Code)
}

// TestReplacedProcessIsTimedApart checks that the time of a process that was started
// again in the other era is neither in its start nor in its handshake.
func TestReplacedProcessIsTimedApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const discovered = `"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","supportedVersions":["2026-07-28"],"capabilities":{},` +
			`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"fake","version":"1"}}}`
		w := newWorld(t)
		w.era = mcp.Auto
		far := w.add("far", &host{steps: overSSH})
		far.serve = func(p *fake) {
			first, probe := far.starts.Load() == 1, message{}
			p.each(map[string]func(m message) bool{
				"server/discover": func(m message) bool {
					if probe = m; !first {
						p.answer(m, discovered)
					}
					return true
				},
				"initialize": func(m message) bool {
					p.answer(m, `"result":`+answers["initialize"])
					p.answer(probe, discovered)
					return true
				},
			})
		}
		r := probe.Run(t.Context(), w.options("far")).Targets[0]
		require.True(t, r.OK, "%+v", r)
		require.Equal(t, "modern", r.First().Era)
		require.Equal(t, 1505.0, *r.Took("replaced"))
		require.Equal(t, 5.0, *r.Took("start"))
		require.Zero(t, *r.Took("handshake"))
	})
}
