package session_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/session/spool"
)

// waitLimit is how long a test waits for anything before it gives up, however busy
// the machine is.
const waitLimit = 5 * time.Minute

// longText is the text of a long result: more than is held in memory.
var longText = strings.Repeat(`0123456789 \"abc\" \u00e9 é 世界 `, 20_000)

// spooled lists responses to a call. ID stands for its id, LONG for a long text.
var spooled = []struct {
	name, line  string
	modern      bool
	copied      bool // the result is copied
	early       bool // before the line ends
	eol         string
	restored    bool // into memory
	short, lost bool // not spooled; not the response
}{
	{name: "id first", line: `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"LONG"}],"isError":true}}`, copied: true, early: true},
	{name: "space", line: `{ "id" : ID , "result" : { "a" : "LONG" , "isError" : true , "b" : [ 1 ] } , "x" : 1 }`, copied: true, early: true},
	{name: "no error", line: `{"jsonrpc":"2.0","id":ID,"result":{"isError":false,"structuredContent":{"isError":true,"a":"LONG"}}}`, copied: true, early: true},
	{name: "result first", line: `{"result":{"isError":true,"content":["LONG"]},"jsonrpc":"2.0","id":ID}`, copied: true},
	{name: "CR", line: `{"jsonrpc":"2.0","id":ID,"result":{"a":"LONG"}}`, eol: "\r\n", copied: true, early: true, restored: true},
	{name: "a lone surrogate", line: `{"jsonrpc":"2.0","id":ID,"result":{"a":"LONG","b":"\ud800","c":"LONG"}}`, copied: true, early: true, restored: true},
	{name: "space at the end", line: `{"jsonrpc":"2.0","id":ID,"result":{"a":"LONG"}} `, copied: true, early: true, restored: true},
	{name: "a task id", line: `{"jsonrpc":"2.0","id":ID,"result":{"a":"LONG","taskId":"t"}}`, copied: true, early: true, restored: true},
	{name: "a long error member", line: `{"jsonrpc":"2.0","id":ID,"result":{"a":"LONG","ISerror":["LONG"]}}`, copied: true, early: true, restored: true},
	{name: "error after the result", line: `{"jsonrpc":"2.0","id":ID,"result":{"a":"LONG"},"error":{}}`, copied: true, early: true, restored: true},
	{name: "an array", line: `{"jsonrpc":"2.0","id":ID,"result":["LONG"]}`, short: true},
	{name: "an error", line: `{"jsonrpc":"2.0","id":ID,"error":{"code":-1,"message":"LONG"}}`, short: true},
	{name: "short", line: `{"jsonrpc":"2.0","id":ID,"result":{"a":"b"}}`, short: true},
	{name: "batch", line: `[{"jsonrpc":"2.0","id":ID,"result":{"a":"LONG"}}]`, short: true},
	{name: "modern, complete first", line: `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete","a":"LONG","isError":true}}`, modern: true, copied: true, early: true},
	{name: "modern, complete last", line: `{"jsonrpc":"2.0","id":ID,"result":{"a":"LONG","resultType":"complete"}}`, modern: true, copied: true},
	{name: "modern, without a type", line: `{"jsonrpc":"2.0","id":ID,"result":{"a":"LONG"}}`, modern: true, copied: true},
	{name: "modern, of another type", line: `{"jsonrpc":"2.0","id":ID,"result":{"a":"LONG","resultType":"other"}}`, modern: true},
	{name: "another id last", line: `{"result":{"a":"LONG"},"jsonrpc":"2.0","id":"other"}`, lost: true},
	{name: "another id twice", line: `{"jsonrpc":"2.0","id":ID,"result":{"a":"LONG"},"id":5}`, lost: true, early: true},
	{name: "invalid", line: `{"jsonrpc":"2.0","id":ID,"result":{"a":"LONG","b":01}}`, lost: true, early: true},
	{name: "invalid UTF-8", line: `{"jsonrpc":"2.0","id":ID,"result":{"a":"LONG` + "\xff" + `"}}`, lost: true, early: true},
	{name: "unfinished", line: `{"jsonrpc":"2.0","id":ID,"result":{"a":"LONG"`, eol: "none", lost: true, early: true},
}

// inPieces is a server that responds to a call in pieces. It waits for next before
// the last tenth of the line, and ends after it if ends is set.
func inPieces(line func(id []byte) []byte, modern, ends bool, most chan<- struct{}, next <-chan struct{}) func(p *fakeProcess) int {
	random := rand.New(rand.NewPCG(1, 2))
	send := func(p *fakeProcess, data []byte) {
		for len(data) > 0 {
			n := min(len(data), 1+random.IntN(128<<10))
			p.out(string(data[:n]))
			data = data[n:]
			p.err("meanwhile\n")
		}
	}
	call := func(p *fakeProcess, m message) {
		if m.Method != "tools/call" {
			return
		}
		data := line(m.ID)
		send(p, data[:len(data)*9/10])
		close(most)
		<-next
		send(p, data[len(data)*9/10:])
		if ends {
			p.exit(0)
		}
	}
	if !modern {
		return legacy(call)
	}
	return func(p *fakeProcess) int {
		return p.each(func(m message) {
			if m.Method == mcp.MethodDiscover {
				p.result(m, discoverResult)
			}
			call(p, m)
		})
	}
}

// A long response gives the same result, log and counts whether its result is copied
// while it arrives or not.
func TestLongResultIsTheSame(t *testing.T) {
	for _, tc := range spooled {
		t.Run(tc.name, func(t *testing.T) {
			text := func(id []byte) []byte {
				line := strings.NewReplacer("ID", string(id), "LONG", longText).Replace(tc.line)
				switch tc.eol {
				case "none":
					return []byte(line)
				case "":
					return []byte(line + "\n")
				}
				return []byte(line + tc.eol)
			}
			held := callLong(t, tc.modern, tc.lost, false, text, nil)
			copied := callLong(t, tc.modern, tc.lost, false, text, new(counting))
			if tc.early {
				copied = callLong(t, tc.modern, tc.lost, true, text, new(counting))
			}
			require.Equal(t, held.log, copied.log)
			for i, payload := range held.payloads {
				if payload != copied.payloads[i] { // the report of require.Equal would hide the difference
					require.Failf(t, "lines differ", "line %d: %.200q... and %.200q...", i, payload, copied.payloads[i])
				}
			}
			require.Equal(t, held.stats, copied.stats)
			require.Equal(t, held.failed, copied.failed)
			require.Equal(t, tc.early, copied.early > 0, "%d bytes were there before the end", copied.early)
			require.Equal(t, tc.copied, copied.resp.Long != nil)
			switch {
			case tc.lost:
				require.True(t, held.failed)
				require.Equal(t, tc.early, len(copied.out) > 0)
			case tc.copied:
				require.Equal(t, string(held.resp.Result), copied.out)
				if tc.restored {
					require.Equal(t, string(held.resp.Result), string(copied.resp.Result))
				} else {
					require.Less(t, len(copied.resp.Result), 1000)
				}
			default:
				require.Empty(t, copied.out)
				require.Equal(t, string(held.resp.Result), string(copied.resp.Result))
				require.Equal(t, held.resp.Error, copied.resp.Error)
			}
			require.Empty(t, copied.files, "temporary files")
		})
	}
}

// An outcome is all that a call leads to.
type outcome struct {
	resp   session.Response
	err    error
	failed bool   // timed out
	out    string // the copy
	early  int64  // how much of it before the line ended
	log    []string
	stats  session.Stats
	files  []os.DirEntry

	payloads []string // of the log
}

// A counting buffer can be measured while it grows.
type counting struct {
	bytes.Buffer
	n atomic.Int64
}

func (c *counting) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return c.Buffer.Write(p)
}

// callLong sends a call to a server that responds with a line, and ends after it if
// ends is set. The result is copied to out unless that is nil. With early the line
// is not completed before all that can be copied was copied.
func callLong(t *testing.T, modern, ends, early bool, line func(id []byte) []byte, out *counting) (o outcome) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		most, next, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
		dir := t.TempDir()
		h := open(t, inPieces(line, modern, ends, most, next), func(cfg *session.Config) { cfg.SpoolDir = dir })
		var opts session.CallOptions
		if out != nil {
			opts.Long = func(l *spool.Line) {
				_, err := l.CopyResult(out)
				require.Equal(t, !l.Kept(), errors.Is(err, spool.ErrCut))
			}
		}
		go func() {
			defer close(done)
			var err error
			o.resp, err = h.Request(t.Context(), "tools/call", nil, opts)
			o.failed = err != nil
		}()
		<-most
		if early {
			synctest.Wait()
		}
		if out != nil {
			o.early = out.n.Load()
		}
		close(next)
		<-done
		synctest.Wait()
		if out != nil {
			o.out = out.String()
		}
		o.readLog(t, h)
		o.files, _ = os.ReadDir(dir)
	})
	return o
}

// readLog takes what the log has of the lines on stdout.
func (o *outcome) readLog(t *testing.T, h *harness) {
	t.Helper()
	s := h.log.Stats()
	o.stats = session.Stats{BytesIn: s.BytesIn, In: s.In, Errors: s.Errors, Stray: s.Stray, Unmatched: s.Unmatched, PendingOut: s.PendingOut}
	rows := make([]session.Row, h.log.Len())
	for _, row := range rows[:h.log.Rows(0, rows)] {
		e, err := h.log.Entry(row, 0)
		require.NoError(t, err)
		if e.Kind == session.KindStdout {
			o.payloads = append(o.payloads, string(e.Payload))
			o.log = append(o.log, fmt.Sprintf("%d bytes %q %v %v %v %v %v %d %v", len(e.Payload), e.EOL, row.Paired(), row.Flags, row.State, row.Msg, e.Why, len(e.Cuts), e.Encoded))
		}
	}
}

// longCall sends a call whose result is copied to out.
func (h *harness) longCall(opts session.CallOptions) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		resp, err := h.Request(h.t.Context(), "tools/call", nil, opts)
		done <- outcome{resp: resp, err: err, failed: errors.Is(err, session.ErrTimeout)}
	}()
	return done
}

// received waits until the log has a line of n bytes or more from stdout: it counts a line
// before it shows its row.
func (h *harness) received(n int) {
	h.t.Helper()
	require.Eventually(h.t, func() bool {
		rows := make([]session.Row, h.log.Len())
		return slices.ContainsFunc(rows[:h.log.Rows(0, rows)], func(r session.Row) bool {
			return r.Kind == session.KindStdout && int(r.Len) >= n
		})
	}, waitLimit, time.Millisecond)
}

const longHead = `{"jsonrpc":"2.0","id":"mcpdbg-3","result":{"a":"`

// A call that is given up while its result arrives ends. The rest is recorded.
func TestGivingUpEndsTheCopy(t *testing.T) {
	var server *fakeProcess
	h := open(t, legacy(func(p *fakeProcess, m message) {
		if m.Method == "tools/call" {
			server = p
			p.out(longHead + longText)
		}
	}), nil)
	ctx, giveUp := context.WithCancel(t.Context())
	defer giveUp()
	out := new(counting)
	var copying error
	done := make(chan error, 1)
	go func() {
		_, err := h.Request(ctx, "tools/call", nil, session.CallOptions{Long: func(l *spool.Line) { _, copying = l.CopyResult(out) }})
		done <- err
	}()
	require.Eventually(t, func() bool { return out.n.Load() == int64(len(`{"a":"`+longText)) }, waitLimit, time.Millisecond)
	giveUp()
	require.ErrorIs(t, <-done, context.Canceled)
	require.ErrorIs(t, copying, spool.ErrCut)
	require.Equal(t, `{"a":"`+longText, out.String())
	server.out(`"}}` + "\n")
	h.received(len(longText))
	e, err := h.log.Entry(h.row(session.KindStdout, longText), 0)
	require.NoError(t, err)
	require.Equal(t, longHead+longText+`"}}`, string(e.Payload))
	require.Zero(t, h.log.Stats().PendingOut)
}

// Nothing waits for a slow copy but the request.
func TestSlowCopyDelaysNothing(t *testing.T) {
	h := open(t, legacy(func(p *fakeProcess, m message) {
		switch m.Method {
		case "tools/call":
			p.out(longHead + longText)
			p.out(`"}}` + "\n")
		case "ping":
			p.result(m, `{}`)
		}
	}), nil)
	slow := make(chan struct{})
	out := new(counting)
	done := h.longCall(session.CallOptions{Long: func(l *spool.Line) {
		<-slow
		_, err := l.CopyResult(out)
		require.NoError(t, err)
	}})
	h.received(len(longText))
	_, err := h.Request(t.Context(), "ping", nil, session.CallOptions{})
	require.NoError(t, err)
	select {
	case <-done:
		t.Fatal("the request must wait for the copy")
	default:
	}
	close(slow)
	require.NotNil(t, (<-done).resp.Long)
	require.Equal(t, `{"a":"`+longText+`"}`, out.String())
}

// A line over the limit is not a response, whether it is spooled or not.
func TestSpooledLineOverTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(func(p *fakeProcess, m message) {
			if m.Method == "tools/call" {
				p.out(longHead)
				for range 100 {
					p.out(longText[:20<<10])
				}
				p.out(`"}}` + "\n")
			}
		}), func(cfg *session.Config) { cfg.LineLimit = 1 << 20 })
		out := new(counting)
		done := h.longCall(session.CallOptions{Timeout: time.Second, Long: func(l *spool.Line) { _, _ = l.CopyResult(out) }})
		var unread *session.UnreadError
		require.ErrorAs(t, (<-done).err, &unread)
		require.Positive(t, out.Len())
		synctest.Wait()
		var all string
		rows := make([]session.Row, h.log.Len())
		for _, row := range rows[:h.log.Rows(0, rows)] {
			if e, err := h.log.Entry(row, 0); err == nil && e.Kind == session.KindStdout && row.Flags&session.FlagPart != 0 {
				all += string(e.Payload)
			}
		}
		require.Equal(t, longHead+strings.Repeat(longText[:20<<10], 100)+`"}}`, all)
	})
}

// A spool whose bytes can't be read back is a loss, which is logged.
func TestUnreadableSpool(t *testing.T) {
	for _, tail := range []string{`"}}`, `"}} `} { // recorded from the spool, or restored
		synctest.Test(t, func(t *testing.T) {
			released := make(chan struct{})
			h := open(t, legacy(func(p *fakeProcess, m message) {
				switch m.Method {
				case "tools/call":
					p.out(longHead + longText)
					<-released
					p.out(tail + "\n")
				case "ping":
					p.result(m, `{}`)
				}
			}), nil)
			done := h.longCall(session.CallOptions{Timeout: time.Second, Long: func(l *spool.Line) {
				l.Release()
				l.Release() // the file is closed
				close(released)
			}})
			<-done
			_, err := h.Request(t.Context(), "ping", nil, session.CallOptions{})
			require.NoError(t, err, "the session goes on")
			stats := h.log.Stats()
			if tail == `"}}` {
				require.Contains(t, stats.RecordingError, "not recorded from entry")
				_, err := h.Close(t.Context())
				require.NoError(t, err)
				require.ErrorIs(t, h.log.Close(), os.ErrClosed)
			} else {
				require.Equal(t, uint64(1), stats.Gaps)
				require.Positive(t, stats.LostBytes)
			}
		})
	}
}
