package tap

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// A memoryLog keeps entries. Its other methods are not called.
type memoryLog struct {
	session.Log
	began   time.Time
	blocked chan struct{} // Append waits until it is closed; nil for never

	mu      sync.Mutex
	entries []session.Entry
}

func newMemoryLog() *memoryLog { return &memoryLog{began: time.Now()} }

func (l *memoryLog) Now() int64 { return time.Since(l.began).Microseconds() }

func (l *memoryLog) Append(entries []session.Entry) error {
	if l.blocked != nil {
		<-l.blocked
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range entries {
		e.Payload, e.Body = []byte(string(e.Payload)), []byte(string(e.Body))
		if e.T == 0 {
			e.T = l.Now()
		}
		e.Cuts = append([]framing.Cut(nil), e.Cuts...)
		l.entries = append(l.entries, e)
	}
	return nil
}

// lines returns the entries as text: time, kind, numbers and content.
func (l *memoryLog) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, e := range l.entries {
		text := string(e.Body)
		if e.Kind.IsStream() {
			text = string(e.Payload)
			if e.EOL == framing.NoEOL {
				text += "[no end]"
			}
		}
		if len(e.Cuts) > 0 {
			text += fmt.Sprint(" from ", e.First, " cuts ", e.Cuts)
		}
		out = append(out, fmt.Sprintf("%dms %s %d %s", e.T/1000, e.Kind, e.Seq, text))
	}
	return out
}

func TestReadsBecomeLines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := newMemoryLog()
		r := newRecorder(log)
		r.read(session.KindStdin, []byte("one\ntw"))
		time.Sleep(5 * time.Millisecond)
		r.read(session.KindStdout, []byte("answer\n"))
		r.read(session.KindStdin, []byte("o\n"))
		synctest.Wait()
		require.Equal(t, []string{"0ms stdin 1 one"}, log.lines(), "the log follows after the gathering time")
		time.Sleep(gather)
		synctest.Wait()
		r.close()
		require.Equal(t, []string{
			"0ms stdin 1 one",
			"5ms stdout 2 answer",
			"5ms stdin 3 two from 1 cuts [{3 2}]",
		}, log.lines())
	})
}

func TestReadsBeyondTheQueueAreAGap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := newMemoryLog()
		log.blocked = make(chan struct{})
		r := newRecorder(log)
		r.mu.Lock()
		r.limit = 4000
		r.mu.Unlock()
		r.read(session.KindStdin, []byte("open"))
		synctest.Wait()
		time.Sleep(gather)
		synctest.Wait() // the writer waits for the log
		for range 2 {
			r.read(session.KindStdout, []byte(strings.Repeat("x", 1500)+"\n"))
		}
		began := time.Now()
		r.read(session.KindStdout, []byte(strings.Repeat("y", 1000)))
		require.Equal(t, roomWait, time.Since(began), "it waits for the log before it is lost")
		r.read(session.KindStderr, []byte(strings.Repeat("z", 2000)))
		require.Equal(t, roomWait, time.Since(began), "the next one does not wait")
		close(log.blocked)
		synctest.Wait()
		r.read(session.KindStdout, []byte("again\n"))
		r.end(nil)
		r.close()
		lines := log.lines()
		require.Equal(t, `52ms gap 0 {"from":4,"to":5,"bytes":3000,"streams":["stdout","stderr"]}`, lines[2])
		require.Equal(t, "52ms stdout 6 again", lines[3])
		require.Equal(t, "52ms stdin 1 open[no end]", lines[4], "a stream without a loss goes on")
		require.Contains(t, lines[5], `closed 7 {"stdout":{"bytes":3008,`)
		require.Contains(t, lines[5], `"complete":false},"stderr":{"bytes":0`)
	})
}

func TestOpenLines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := newMemoryLog()
		r := newRecorder(log)
		time.Sleep(time.Millisecond)
		r.read(session.KindStderr, []byte("loading"))
		r.read(session.KindStdout, []byte(`{"half":`))
		time.Sleep(3*time.Second - time.Millisecond)
		r.read(session.KindStderr, []byte("...\n"))
		r.end(nil)
		r.close()
		lines := log.lines()
		require.Equal(t, []string{
			"1ms stderr 1 loading[no end]",
			`1003ms waiting 0 {"stream":"stdout","bytes":8,"head":"{\"half\":"}`,
			"3000ms stderr 3 ...",
			`3000ms stdout 2 {"half":[no end]`,
		}, lines[:4])
		require.Len(t, lines, 6)
	})
}

func TestClientIsNamed(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string]string{
		"legacy":  `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{"name":"hand","version":"1"}}}`,
		"modern":  `{"jsonrpc":"2.0","id":0,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"hand","version":"1"}}}}`,
		"second":  `{"jsonrpc":"2.0","id":0,"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"hand","version":"1"}}}`,
		"no name": `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":7}}`,
	} {
		log := newMemoryLog()
		r := newRecorder(log)
		r.read(session.KindStdin, []byte(lines+"\n"+lines+"\n"))
		r.close()
		var notes []string
		for _, e := range log.entries {
			if e.Kind == session.KindNote {
				notes = append(notes, string(e.Body))
			}
		}
		if name == "no name" {
			require.Empty(t, notes)
			continue
		}
		require.Equal(t, []string{`{"text":"client: hand 1","code":"tap.client","data":{"name":"hand","version":"1"}}`}, notes, name)
	}
}

func TestServerIsNamed(t *testing.T) {
	t.Parallel()
	for want, lines := range map[string][2]string{
		`{"state":"ready","era":"legacy","protocol":"2025-06-18","server":"notes 2"}`: {
			`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`,
			`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"notes","version":"2"}}}`,
		},
		`{"state":"ready","era":"modern","protocol":"2026-07-28","server":"notes"}`: {
			`{"jsonrpc":"2.0","id":"a","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`,
			`{"jsonrpc":"2.0","id":"a","result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"notes"}}}}`,
		},
		"": {
			`{"jsonrpc":"2.0","id":0,"method":"initialize"}`,
			`{"jsonrpc":"2.0","id":"0","result":{"serverInfo":{"name":"notes"}}}`,
		},
	} {
		log := newMemoryLog()
		r := newRecorder(log)
		r.read(session.KindStdin, []byte(lines[0]+"\n"))
		r.read(session.KindStdout, []byte(lines[1]+"\n"))
		r.close()
		got := ""
		for _, e := range log.entries {
			if e.Kind == session.KindState {
				got = string(e.Body)
			}
		}
		require.Equal(t, want, got)
	}
}

// TestManySmallReads: a read costs more than its bytes, so that one-byte reads do not
// fill the memory.
func TestManySmallReads(t *testing.T) {
	t.Parallel()
	log := newMemoryLog()
	log.blocked = make(chan struct{})
	r := newRecorder(log)
	r.mu.Lock()
	r.limit = 100 * (pieceCost + 1)
	r.mu.Unlock()
	for range 1000 {
		r.read(session.KindStdin, []byte("x"))
	}
	r.mu.Lock()
	require.LessOrEqual(t, len(r.queue), 100)
	r.mu.Unlock()
	close(log.blocked)
	r.close()
}
