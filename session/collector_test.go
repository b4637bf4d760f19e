package session_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// scripted starts a server that writes the chunks of script and exits at the
// end of stdin.
func scripted(t *testing.T, change func(*session.Config), script func(p *fakeProcess)) *harness {
	t.Helper()
	h := newHarness(t, func(p *fakeProcess) int {
		script(p)
		return p.each(func(message) {})
	}, change)
	require.NoError(t, h.Start(t.Context()))
	synctest.Wait()
	return h
}

func (h *harness) finish() {
	h.t.Helper()
	_, err := h.Close(h.t.Context())
	require.NoError(h.t, err)
}

// stream rebuilds a stream from its entries.
func (h *harness) stream(kind session.Kind) string {
	h.t.Helper()
	var all strings.Builder
	rows := make([]session.Row, h.log.Len())
	for _, row := range rows[:h.log.Rows(0, rows)] {
		if row.Kind == kind {
			e, err := h.log.Entry(row, 0)
			require.NoError(h.t, err)
			all.Write(e.Payload)
			all.WriteString(e.EOL.String())
		}
	}
	return all.String()
}

func (h *harness) closed() session.ClosedBody {
	h.t.Helper()
	rows := make([]session.Row, h.log.Len())
	for _, row := range rows[:h.log.Rows(0, rows)] {
		if row.Kind == session.KindClosed {
			e, err := h.log.Entry(row, 0)
			require.NoError(h.t, err)
			var body session.ClosedBody
			require.NoError(h.t, e.DecodeBody(&body))
			return body
		}
	}
	h.t.Fatal("no closed entry")
	return session.ClosedBody{}
}

func TestLines(t *testing.T) {
	const a, b = `{"jsonrpc":"2.0","method":"a"}`, `{"jsonrpc":"2.0","method":"b"}`
	for _, tc := range []struct {
		name   string
		chunks []string
		want   []string // entries, with why in brackets
	}{
		{"several messages in a chunk", []string{a + "\n" + b + "\n"}, []string{a, b}},
		{"a message over several chunks", []string{a[:5], a[5:9], a[9:] + "\n"}, []string{a}},
		{"a message follows a bad line", []string{"oops\n" + a + "\n"}, []string{"oops [not-json]", a}},
		{"CRLF", []string{a + "\r", "\n" + b + "\r\n"}, []string{a + " [crlf]", b + " [crlf]"}},
		{"UTF-8 split over chunks", []string{`{"x":"` + "\xc3", "\xa9" + `"}` + "\n"}, []string{`{"x":"é"}`}},
		{"a last line without newline", []string{a + "\n" + b}, []string{a, b + " [unterminated]"}},
		{"a blank line", []string{"\n" + a + "\n"}, []string{" [not-json,blank]", a}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := scripted(t, nil, func(p *fakeProcess) {
					for _, chunk := range tc.chunks {
						p.out(chunk)
					}
				})
				h.finish()
				var got []string
				rows := make([]session.Row, h.log.Len())
				for _, row := range rows[:h.log.Rows(0, rows)] {
					if row.Kind != session.KindStdout {
						continue
					}
					e, err := h.log.Entry(row, 0)
					require.NoError(t, err)
					text := string(e.Payload)
					if e.Why != "" {
						text += " [" + e.Why + "]"
					}
					got = append(got, text)
				}
				require.Equal(t, tc.want, got)
				all := strings.Join(tc.chunks, "")
				require.Equal(t, all, h.stream(session.KindStdout))
				require.Equal(t, fmt.Sprintf("%016x", xxhash.Sum64String(all)), h.closed().Stdout.XXH64)
			})
		})
	}
}

func TestLineKnowsItsChunks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := scripted(t, nil, func(p *fakeProcess) {
			p.out("first\nab")
			p.err("between\n")
			p.out("cd")
			p.out("e\nlast\n")
		})
		rows := make([]session.Row, h.log.Len())
		var got []string
		for _, row := range rows[:h.log.Rows(0, rows)] {
			if row.Kind == session.KindStdout || row.Kind == session.KindStderr {
				e, err := h.log.Entry(row, 0)
				require.NoError(t, err)
				got = append(got, fmt.Sprintf("%s %d %d %v", e.Payload, e.First, e.Seq, e.Cuts))
			}
		}
		require.Equal(t, []string{"first 0 1 []", "between 0 2 []", fmt.Sprintf("abcde 1 4 %v", []framing.Cut{{Seq: 3, Off: 2}, {Seq: 4, Off: 4}}), "last 0 4 []"}, got)
	})
}

func TestStderrNeverReachesTheProtocol(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := scripted(t, nil, func(p *fakeProcess) {
			p.err(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
		})
		require.Zero(t, h.log.Stats().In)
		require.Empty(t, h.entries(session.KindStdin), "nothing was answered")
	})
}

func TestStderrWithoutNewlineIsShownAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := scripted(t, nil, func(p *fakeProcess) {
			p.err("Password: ")
			<-time.After(99 * time.Millisecond)
			p.err("please ")
			<-time.After(2 * time.Second)
			p.err("!\n")
		})
		require.Empty(t, h.entries(session.KindStderr))
		<-time.After(150 * time.Millisecond)
		synctest.Wait()
		require.Empty(t, h.entries(session.KindStderr), "the second part restarted the timer")
		<-time.After(100 * time.Millisecond)
		synctest.Wait()
		require.Equal(t, []string{"stderr Password: please "}, h.entries(session.KindStderr))
		<-time.After(2 * time.Second)
		h.finish()
		require.Equal(t, "Password: please !\n", h.stream(session.KindStderr))
	})
}

// TestStderrLineEndIsNotALine checks that a newline that comes after its line
// was logged is an entry, so that the recording has the exact bytes, and that
// the index distinguishes it from an empty line.
func TestStderrLineEndIsNotALine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := scripted(t, nil, func(p *fakeProcess) {
			p.err("\npanic: boom")
			<-time.After(time.Second)
			p.err("\n\nbye\n")
		})
		<-time.After(2 * time.Second)
		h.finish()
		require.Equal(t, "\npanic: boom\n\nbye\n", h.stream(session.KindStderr))
		rows := make([]session.Row, h.log.Len())
		h.log.Rows(0, rows)
		var ends []bool
		for _, row := range rows {
			if row.Kind == session.KindStderr {
				ends = append(ends, row.Flags&session.FlagLineEnd != 0)
			}
		}
		require.Equal(t, []bool{false, false, true, false, false}, ends, "an empty line, the text, its newline, an empty line, a line")
		require.EqualValues(t, 4, h.log.Stats().StderrLines)
	})
}

func TestWaitingEntryForBytesWithoutNewline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := scripted(t, nil, func(p *fakeProcess) { p.out(strings.Repeat("x", 412)) })
		require.Empty(t, h.entries(session.KindWaiting))
		<-time.After(1001 * time.Millisecond)
		synctest.Wait()
		waiting := h.entries(session.KindWaiting)
		require.Len(t, waiting, 1)
		require.Equal(t, "waiting 412 bytes waiting on stdout, no newline: "+strings.Repeat("x", 256), waiting[0])
		require.Empty(t, h.entries(session.KindStdout), "it is not shown as a line")
		<-time.After(time.Minute)
		require.Len(t, h.entries(session.KindWaiting), 1, "logged once")
	})
}

// overrun returns a config with a collector that soon falls behind.
func overrun(policy executor.Overrun) func(*session.Config) {
	return func(c *session.Config) {
		c.CollectorDelay = 20 * time.Millisecond
		c.PinLimit = 1 << 20
		c.Overrun = policy
	}
}

func TestSlowCollectorLagsRecoversAndHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const chunks, size = 1200, 3000
		chunk := strings.Repeat("y", size-1) + "\n"
		h := scripted(t, overrun(executor.OverrunHold), func(p *fakeProcess) {
			<-p.subscribed
			for range chunks {
				p.out(chunk)
			}
		})
		<-time.After(time.Minute)
		h.finish()
		require.Equal(t, strings.Repeat(chunk, chunks), h.stream(session.KindStdout), "nothing is lost")
		require.NotEmpty(t, h.entries(session.KindLagged))
		held := h.entries(session.KindHeld)
		require.NotEmpty(t, held)
		require.Contains(t, held[0], "stdout not read for")
		require.Empty(t, h.entries(session.KindGap))
		stats := h.log.Stats()
		require.NotZero(t, stats.Lagged)
		require.NotZero(t, stats.Held)
	})
}

func TestOverrunDropLeavesAnExactGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const chunks, size = 1200, 3000
		h := scripted(t, overrun(executor.OverrunDrop), func(p *fakeProcess) {
			<-p.subscribed
			for i := range chunks { // lines cross the chunks' ends
				p.out(fmt.Sprintf("%0*d\n%0*d", size/2-1, i, size/2, i))
			}
		})
		<-time.After(time.Minute)
		h.finish()

		kept, gone := map[uint64]bool{}, map[uint64]bool{}
		var bytes, lost uint64
		rows := make([]session.Row, h.log.Len())
		for _, row := range rows[:h.log.Rows(0, rows)] {
			e, err := h.log.Entry(row, 0)
			require.NoError(t, err)
			switch row.Kind {
			case session.KindStdout:
				kept[max(e.First, 1)] = kept[max(e.First, 1)] || e.First > 0
				kept[e.Seq] = true
				bytes += uint64(len(e.Payload)) + uint64(len(e.EOL.String()))
			case session.KindExited, session.KindClosed:
				kept[e.Seq] = true
			case session.KindGap:
				var g session.GapBody
				require.NoError(t, e.DecodeBody(&g))
				require.Equal(t, []string{"stdout"}, g.Streams)
				lost += g.Bytes
				for seq := g.From; seq <= g.To; seq++ {
					gone[seq] = true
				}
			}
		}
		require.NotZero(t, lost)
		require.EqualValues(t, chunks*size, bytes+lost)
		for seq := uint64(1); seq <= chunks+2; seq++ {
			require.NotEqual(t, kept[seq], gone[seq], "sequence number %d is either there or in a gap", seq)
		}
		require.Equal(t, lost, h.log.Stats().LostBytes)
		require.False(t, *h.closed().Stdout.Complete)
	})
}

// Lines cut by our own loss are not quoted as text that the server printed.
func TestLinesCutByLostOutputAreNotStray(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := scripted(t, overrun(executor.OverrunDrop), func(p *fakeProcess) {
			<-p.subscribed
			line := `{"jsonrpc":"2.0","method":"notifications/x","params":{"pad":"` + strings.Repeat("x", 3000) + `"}}` + "\n"
			rest := ""
			for range 1200 { // lines cross the chunks' ends
				p.out(rest + line[:1000])
				rest = line[1000:]
			}
			p.out(rest)
		})
		<-time.After(time.Minute)
		h.finish()
		require.NotZero(t, h.log.Stats().LostBytes)
		_, stray := h.Tail()
		require.Empty(t, stray)
	})
}

func TestRepeatsWithinASecondAreOneEntry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := scripted(t, func(c *session.Config) { c.CollectorDelay = 2 * time.Millisecond }, func(p *fakeProcess) {
			<-p.subscribed
			for range 4000 {
				p.out("z\n")
			}
		})
		<-time.After(time.Minute)
		h.finish()
		lagged := h.entries(session.KindLagged)
		require.NotEmpty(t, lagged)
		require.LessOrEqual(t, len(lagged), 10)
	})
}

func TestIncompleteWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, func(p *fakeProcess) int {
			<-p.signals // reads nothing
			return 0
		}, nil)
		require.NoError(t, h.Start(t.Context()))
		n, err := h.Send(t.Context(), bytes.Repeat([]byte("w"), 1<<20))
		require.NoError(t, err, "accepted means queued")
		h.exec.started[0].signals <- executor.StepTerm
		synctest.Wait()
		writes := h.entries(session.KindWrite)
		require.Len(t, writes, 1)
		require.Contains(t, writes[0], fmt.Sprintf("write of entry %d: stdin-closed, 0 bytes", n))
	})
}

// TestClosedStdinIsToldOnce checks that responses that a closed stdin cannot take are
// counted after the first: such a server may send requests as fast as it can.
func TestClosedStdinIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pings = 100
		h := open(t, legacy(func(p *fakeProcess, _ message) {
			_ = p.In.Close()
			for i := range pings {
				p.out(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", i))
				if i == 0 {
					<-time.After(time.Second) // until the response has failed
				}
			}
			<-p.killed
		}), nil)
		_, err := h.Send(t.Context(), []byte(`{"jsonrpc":"2.0","method":"notifications/close"}`))
		require.NoError(t, err)
		time.Sleep(time.Minute) // in the bubble
		require.Len(t, h.entries(session.KindWrite), 1)
		unsent := 0
		for _, row := range session.RowsFrom(h.log, 0) {
			e, err := h.log.Entry(row, 0)
			require.NoError(t, err)
			var note session.NoteBody
			if e.Kind == session.KindNote && e.DecodeBody(&note) == nil && note.Text == "message not sent: stdin is closed" {
				unsent += max(note.Times, 1)
			}
		}
		require.Equal(t, pings-1, unsent)
		require.LessOrEqual(t, len(h.entries(session.KindNote)), 2)
		require.NoError(t, h.Kill())
	})
}

func TestLogIsCompleteJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(nil), nil)
		h.Act("kill", "by a person", 3)
		h.Note("a note", "a hint")
		h.finish()
		rows := make([]session.Row, h.log.Len())
		for _, row := range rows[:h.log.Rows(0, rows)] {
			line := make([]byte, row.Len)
			_, err := h.log.ReadLine(row, line, 0)
			require.NoError(t, err)
			require.True(t, json.Valid(line), "%s", line)
		}
	})
}

// A slowLog takes a second for a batch that begins with stdout.
type slowLog struct{ session.Log }

func (l slowLog) Append(entries []session.Entry) error {
	if entries[0].Kind == session.KindStdout {
		<-time.After(time.Second)
	}
	return l.Log.Append(entries)
}

func TestEntriesAfterAFloodAreLoggedAfterIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := make(chan struct{})
		h := newHarness(t, func(p *fakeProcess) int {
			<-started
			p.out(strings.Repeat("flood\n", 10_000))
			return 3
		}, func(c *session.Config) { c.Log = slowLog{c.Log} })
		require.NoError(t, h.Start(t.Context()))
		close(started)
		<-h.Done()
		kinds := []string{}
		rows := make([]session.Row, h.log.Len())
		for _, row := range rows[:h.log.Rows(0, rows)] {
			if kind := row.Kind.String(); slices.Contains([]string{"stdout", "exited", "closed"}, kind) && !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
		require.Equal(t, []string{"stdout", "exited", "closed"}, kinds)
	})
}
