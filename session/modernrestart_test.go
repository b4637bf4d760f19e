package session_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// An answering is how a script answers a method.
type answering = func(*fakeProcess, message, int)

// both answers both requests of a handshake.
func both(discover, initialize answering) func(*fakeProcess) int {
	return script{mcp.MethodDiscover: discover, mcp.MethodInitialize: initialize}.serve
}

// endsAt ends the process when it reads a request.
func endsAt(p *fakeProcess, _ message, _ int) { _ = p.In.Close() }

// processes serves with another function in each process.
func processes(serve ...func(*fakeProcess) int) func(*fakeProcess) int {
	var mu sync.Mutex
	n := 0
	return func(p *fakeProcess) int {
		mu.Lock()
		one := serve[min(n, len(serve)-1)]
		n++
		mu.Unlock()
		return one(p)
	}
}

// slowly delays the reading of a server.
func slowly(d time.Duration, serve func(*fakeProcess) int) func(*fakeProcess) int {
	return func(p *fakeProcess) int {
		select {
		case <-time.After(d):
			return serve(p)
		case <-p.killed:
			return 0
		}
	}
}

// silent answers neither.
var silent answering

// TestModernRestart has the clauses after which a server is started again, what happens
// then, and what is like it and has no such effect.
func TestModernRestart(t *testing.T) {
	const (
		probe = session.ProbeTimeout
		alone = "the server also speaks 2026-07-28; started again to use it (it took "
	)
	accepts, discovers := gives(initResult), gives(discoverResult)
	dual := both(discovers, accepts)
	once := []string{askModern, askLegacy, initialized}
	twice := []string{askModern, askLegacy, askModern}
	for _, c := range []struct {
		name  string
		serve func(*fakeProcess) int
		era   mcp.Era
		asked []string
		took  time.Duration
		says  []string // notes, in order; those about the eras only
		fails string
	}{
		{
			name: "accepts, and discovers 200 ms later", era: mcp.Modern, asked: twice, took: probe + 200*time.Millisecond,
			serve: processes(both(after(probe+200*time.Millisecond, discovers), accepts), dual), says: []string{alone + "1.7 s to answer)"},
		}, {
			name: "accepts, and names its version 200 ms later", era: mcp.Modern, asked: twice, took: probe + 200*time.Millisecond,
			serve: processes(both(after(probe+200*time.Millisecond, unsupported(mcp.V20260728)), accepts), dual), says: []string{alone + "1.7 s to answer)"},
		}, {
			name: "accepts, and discovers after a second", era: mcp.Legacy, asked: once, took: probe + crossing,
			serve: both(after(probe+time.Second, discovers), accepts),
			says:  []string{"the server also speaks 2026-07-28: server/discover was answered after 2.5 s, when initialize had been accepted - --era modern uses it"},
		}, {
			name: "accepts, and names its version after a second", era: mcp.Legacy, asked: once, took: probe + crossing,
			serve: both(after(probe+time.Second, unsupported(mcp.V20260728)), accepts),
			says:  []string{"the server also speaks 2026-07-28: server/discover was answered after 2.5 s, when initialize had been accepted - --era modern uses it"},
		}, {
			name: "accepts, and refuses discover after a second", era: mcp.Legacy, asked: once, took: probe + crossing,
			serve: both(after(probe+time.Second, refuses(mcp.CodeMethodNotFound, "")), accepts),
		}, {
			name: "discovers, and accepts within 1.5 s", era: mcp.Modern, asked: twice, took: 3 * time.Second,
			serve: processes(both(after(2*time.Second, discovers), after(probe, accepts)), dual), says: []string{alone + "2.0 s to answer)"},
		}, {
			name: "discovers, and does not answer initialize", era: mcp.Modern, asked: twice, took: 2*time.Second + probe,
			serve: processes(both(after(2*time.Second, discovers), silent), dual), says: []string{alone + "2.0 s to answer)"},
		}, {
			name: "names its version, and does not answer initialize", era: mcp.Modern, asked: twice, took: 2*time.Second + probe,
			serve: processes(both(after(2*time.Second, unsupported(mcp.V20260728)), silent), dual), says: []string{alone + "2.0 s to answer)"},
		}, {
			name: "discovers, and dies", era: mcp.Modern, asked: twice, took: 2500 * time.Millisecond,
			serve: processes(both(after(2*time.Second, discovers), after(time.Second, endsAt)), dual), says: []string{alone + "2.0 s to answer)"},
		}, {
			name: "the fresh process is slow too", era: mcp.Modern, asked: twice, took: 40 * time.Second,
			serve: slowly(20*time.Second, dual), says: []string{alone + "20.0 s to answer)"},
		}, {
			name: "the fresh process dies", era: mcp.Legacy, asked: append(twice, askLegacy, initialized), took: 3 * time.Second,
			serve: processes(slowly(3*time.Second, dual), both(endsAt, accepts)),
			says:  []string{alone + "3.0 s to answer)", "could not be used in the modern era: started again for a legacy handshake"},
		}, {
			name: "the fresh process refuses", era: mcp.Legacy, asked: append(twice, askLegacy, initialized), took: 3 * time.Second,
			serve: processes(slowly(3*time.Second, dual), both(refuses(mcp.CodeMethodNotFound, ""), accepts)),
			says:  []string{alone + "3.0 s to answer)", "could not be used in the modern era: started again for a legacy handshake"},
		}, {
			name: "the fresh process is silent", era: mcp.Legacy, asked: append(twice, askLegacy, initialized), took: 33 * time.Second,
			serve: processes(slowly(3*time.Second, dual), both(silent, accepts)),
			says:  []string{alone + "3.0 s to answer)", "could not be used in the modern era: started again for a legacy handshake"},
		}, {
			name: "no process can be used", asked: append(twice, askLegacy), took: 3 * time.Second, fails: "fake ended before it answered the handshake",
			serve: processes(slowly(3*time.Second, dual), both(endsAt, endsAt)),
			says:  []string{alone + "3.0 s to answer)", "could not be used in the modern era: started again for a legacy handshake"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t, c.serve, nil)
				h.exec.reach = func(context.Context, executor.Command) error {
					for _, p := range h.exec.started {
						require.Equal(t, executor.StateClosed, p.Info().State, "the process before it is closed")
					}
					return nil
				}
				begin := time.Now()
				err := h.Open(t.Context())
				require.Equal(t, c.took, time.Since(begin))
				if c.fails != "" {
					require.ErrorContains(t, err, c.fails)
				} else {
					require.NoError(t, err)
					require.Equal(t, session.Ready, h.Status().State)
				}
				time.Sleep(2 * session.DefaultStartupTimeout) // for late responses and their effects
				synctest.Wait()
				require.Equal(t, c.era, h.Status().Server.Era)
				require.Equal(t, c.asked, h.asked())
				require.Equal(t, c.says, h.notesAbout("also speaks", "could not be used"))
			})
		})
	}
}

// notesAbout returns the notes with any of the texts.
func (h *harness) notesAbout(texts ...string) (notes []string) {
	for _, note := range h.entries(session.KindNote) {
		for _, text := range texts {
			if strings.Contains(note, text) {
				notes = append(notes, strings.TrimPrefix(note, "note "))
			}
		}
	}
	return notes
}

// TestPinnedEraIsNotChanged checks that none of this happens with an era that a
// person chose.
func TestPinnedEraIsNotChanged(t *testing.T) {
	dual := slowly(3*time.Second, both(gives(discoverResult), gives(initResult)))
	for era, asked := range map[mcp.Era][]string{mcp.Modern: {askModern}, mcp.Legacy: {askLegacy, initialized}} {
		synctest.Test(t, func(t *testing.T) {
			memory := &eraMemory{}
			h := open(t, dual, func(c *session.Config) { c.Era, c.Eras = era, memory })
			require.Equal(t, era, h.Status().Server.Era)
			require.Equal(t, asked, h.asked())
			require.Len(t, h.entries(session.KindStart), 1)
			require.Empty(t, memory.log)
		})
	}
}

// TestReplacedProcessEndsByTheUsualSequence checks that a process gets its time to
// end, that its end is awaited, and that what it leaks is reported.
func TestReplacedProcessEndsByTheUsualSequence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		child := executor.Descendant{PID: 7, Command: "child"}
		stubborn := func(p *fakeProcess) int {
			p.mu.Lock()
			p.left = []executor.Descendant{child}
			p.mu.Unlock()
			slowly(3*time.Second, both(gives(discoverResult), gives(initResult)))(p)
			select {
			case <-p.signals:
			case <-p.killed:
			}
			return 0
		}
		h := newHarness(t, processes(stubborn, both(gives(discoverResult), nil)), nil)
		begin := time.Now()
		require.NoError(t, h.Open(t.Context()))
		require.Equal(t, 3*time.Second+session.Grace, time.Since(begin), "stdin was closed, then TERM")
		require.Equal(t, mcp.Modern, h.Status().Server.Era)
		require.Equal(t, "mcp-stdio-2", h.Status().Process.ID)
		report, err := h.Shutdown(t.Context())
		require.NoError(t, err)
		require.Equal(t, []executor.Descendant{child}, report.Leaked)
		require.False(t, report.Killed)
	})
}

// TestGivingUpEndsAModernRestart checks that a start that is given up while the first
// process ends starts no other.
func TestGivingUpEndsAModernRestart(t *testing.T) {
	for name, stop := range map[string]func(h *harness, cancel func()){
		"cancelled": func(_ *harness, cancel func()) { cancel() },
		"stopped":   func(h *harness, _ func()) { _, _, _ = h.Escalate(context.Background()) },
		"killed":    func(h *harness, _ func()) { _ = h.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lingers := func(p *fakeProcess) int {
					slowly(3*time.Second, both(gives(discoverResult), gives(initResult)))(p)
					<-p.killed
					return 0
				}
				h := newHarness(t, lingers, nil)
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(4*time.Second, func() { stop(h, cancel) })
				err := h.Open(ctx)
				var failure *session.OpenError
				require.ErrorAs(t, err, &failure)
				require.Equal(t, session.ReasonCancel, failure.Reason)
				require.Len(t, h.entries(session.KindStart), 1)
				require.Equal(t, session.Closed, h.Status().State)
			})
		})
	}
}

func TestRestartAfterAModernRestartBeginsModern(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, slowly(3*time.Second, both(gives(discoverResult), gives(initResult))), nil)
		from := h.log.Len()
		require.NoError(t, h.Restart(t.Context()))
		require.Equal(t, []string{mcp.MethodDiscover}, h.sentSince(from))
	})
}

// An eraMemory is a memory of commands.
type eraMemory struct {
	modern bool
	err    error
	log    []string
}

func (e *eraMemory) SpeaksModern(executor.Info) (bool, error) {
	e.log = append(e.log, "asked")
	return e.modern, e.err
}

func (e *eraMemory) Remember(_ executor.Info, modern bool) {
	e.modern = modern
	e.log = append(e.log, fmt.Sprintf("remembers %v", modern))
}

// TestMemoryOfModernCommands checks that a slow server is started twice only once.
func TestMemoryOfModernCommands(t *testing.T) {
	dual := slowly(3*time.Second, both(gives(discoverResult), gives(initResult)))
	for _, c := range []struct {
		name   string
		known  bool
		serve  func(*fakeProcess) int
		change func(*session.Config)
		starts int
		took   time.Duration
		log    []string
	}{
		{name: "not known", serve: dual, starts: 2, took: 6 * time.Second, log: []string{"asked", "remembers true", "remembers true"}},
		{name: "known", known: true, serve: dual, starts: 1, took: 3 * time.Second, log: []string{"asked", "remembers true"}},
		{
			name: "known, and it takes longer than 10 s", known: true, serve: slowly(12*time.Second, both(gives(discoverResult), gives(initResult))),
			starts: 2, took: 24 * time.Second, log: []string{"asked", "remembers true", "remembers true"},
		}, {
			name: "known, with a short startup timeout", known: true, serve: dual, change: func(c *session.Config) { c.StartupTimeout = 4 * time.Second },
			starts: 2, took: 6 * time.Second, log: []string{"asked", "remembers true", "remembers true"},
		},
		{name: "has become legacy", known: true, serve: legacy(nil), starts: 1, log: []string{"asked", "remembers false"}},
		{
			name: "answers late", serve: both(after(session.ProbeTimeout+time.Second, gives(discoverResult)), gives(initResult)),
			starts: 1, took: session.ProbeTimeout + crossing, log: []string{"asked", "remembers true"},
		}, {
			name: "the modern era does not work", serve: processes(dual, both(endsAt, gives(initResult))),
			starts: 3, took: 3 * time.Second, log: []string{"asked", "remembers true", "remembers false"},
		},
		{name: "legacy", serve: legacy(nil), starts: 1, log: []string{"asked"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				memory := &eraMemory{modern: c.known}
				begin := time.Now()
				h := open(t, c.serve, func(cfg *session.Config) {
					cfg.Eras = memory
					if c.change != nil {
						c.change(cfg)
					}
				})
				require.Equal(t, c.took, time.Since(begin))
				time.Sleep(session.DefaultStartupTimeout)
				synctest.Wait()
				require.Len(t, h.entries(session.KindStart), c.starts)
				require.Equal(t, c.log, memory.log)
			})
		})
	}
}

func TestUnreadableMemoryIsANote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(nil), func(c *session.Config) { c.Eras = &eraMemory{err: fmt.Errorf("eras.json: not valid JSON")} })
		require.Equal(t, []string{"ignored the list of commands that speak the modern era: eras.json: not valid JSON"}, h.notesAbout("eras.json"))
	})
}
