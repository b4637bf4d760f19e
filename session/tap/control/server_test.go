package control

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/tap"
)

// A bench is a Server without a socket, whose tap obeys every order.
type bench struct {
	*Server
	t     *testing.T
	armed []bool // for each order to arm: whether it holds something
	got   [][]byte
}

func newBench(t *testing.T) *bench {
	commands := make(chan tap.Command)
	b := &bench{t: t, Server: newServer(Options{
		Tap: Tap{Name: "notes", PID: 1}, Commands: commands,
		Filter: func(string) (tap.Match, error) { return func(*tap.Message) bool { return true }, nil },
	})}
	go func() {
		for {
			select {
			case c := <-commands:
				if c.Do == tap.Arm {
					b.armed = append(b.armed, c.Match != nil)
				}
				b.got = append(b.got, c.Line)
				c.Answer <- ""
			case <-b.over:
				return
			}
		}
	}()
	return b
}

func (b *bench) end() {
	close(b.over)
	b.running.Wait()
}

// dial connects a client that has read the greeting.
func (b *bench) dial() (net.Conn, *bufio.Reader) {
	b.t.Helper()
	ours, theirs := net.Pipe()
	b.running.Go(func() {
		defer theirs.Close()
		b.serve(theirs)
	})
	in := bufio.NewReaderSize(ours, maxReply)
	var hello greeting
	require.NoError(b.t, readLine(in, upTo(maxOrder), &hello))
	require.Equal(b.t, greeting{Version: version, Name: "notes", PID: 1}, hello)
	return ours, in
}

func (b *bench) watch() *Viewer {
	b.t.Helper()
	conn, in := b.dial()
	v, err := (&Tap{Version: version}).view(conn, in)
	require.NoError(b.t, err)
	return v
}

// raw connects a viewer of which nothing is alive but what the test writes.
func (b *bench) raw(pid int) (net.Conn, *bufio.Reader) {
	b.t.Helper()
	conn, in := b.dial()
	require.NoError(b.t, writeLine(conn, order{Do: "watch", N: pid}))
	return conn, in
}

func drain(in io.Reader) { go func() { _, _ = io.Copy(io.Discard, in) }() }

// TestHeartbeat: a viewer without one steers no more, and watches on.
func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		v := b.watch()
		silent, in := b.raw(7)
		drain(in)
		require.NoError(t, writeLine(silent, order{Do: "steer"}))
		require.NoError(t, writeLine(silent, order{Do: "hold", Text: "x"}))
		for range 3 {
			time.Sleep(beatLimit - time.Millisecond)
			synctest.Wait()
			require.Equal(t, 7, v.State().Steerer)
			require.NoError(t, writeLine(silent, order{Do: "beat"}))
		}
		time.Sleep(beatLimit + time.Millisecond)
		synctest.Wait()
		require.Equal(t, State{Viewers: 2, Held: []Held{}}, v.State())
		require.Equal(t, []bool{true, false}, b.armed)

		require.NoError(t, v.Steer(t.Context(), false))
		require.NoError(t, v.Hold(t.Context(), "y"))
		time.Sleep(time.Hour)
		synctest.Wait()
		require.True(t, v.Steers(), "a Viewer has a heartbeat")
		require.NoError(t, v.Release(t.Context()))
		require.False(t, v.Steers())
		require.Equal(t, []bool{true, false, true, false}, b.armed)
		require.NoError(t, v.Close())
		require.NoError(t, silent.Close())
		b.end()
	})
}

// TestSlowViewer: the tap and other viewers do not wait for one that does not read, and
// which then gets the latest state.
func TestSlowViewer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		slow, in := b.raw(7)
		v := b.watch()
		synctest.Wait() // the first state is being written
		begin := time.Now()
		for i := range 1000 {
			b.Publish(tap.News{PID: i, Held: []Held{{N: 1, Line: []byte("one")}}})
		}
		synctest.Wait()
		require.Equal(t, 999, v.State().PID)
		require.Zero(t, time.Since(begin))
		lines, last := 0, reply{}
		for last.State == nil || last.State.PID != 999 {
			last = reply{}
			require.NoError(t, readLine(in, upTo(maxReply), &last))
			lines++
		}
		require.Equal(t, 2, lines)
		b.Publish(tap.News{PID: 1000, Held: []Held{{N: 1, Line: []byte("one")}, {N: 2, Line: []byte("two")}}})
		last = reply{}
		require.NoError(t, readLine(in, upTo(maxReply), &last))
		require.Nil(t, last.State.Held[0].Line, "the viewer has it")
		require.Equal(t, "two", string(last.State.Held[1].Line))
		synctest.Wait()
		require.Equal(t, "one", string(v.State().Held[0].Line))
		b.Publish(tap.News{})
		begin = time.Now()
		b.end() // slow does not read
		require.Equal(t, lastWait, time.Since(begin))
		require.NoError(t, slow.Close())
	})
}

func TestLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		conn, in := b.dial()
		begin := time.Now()
		_, err := in.ReadByte()
		require.ErrorIs(t, err, io.EOF)
		require.Equal(t, firstWait, time.Since(begin))
		require.NoError(t, conn.Close())

		var viewers []*Viewer
		for range maxViewers {
			viewers = append(viewers, b.watch())
		}
		conn, in = b.dial()
		_, err = (&Tap{Version: version}).view(conn, in)
		require.ErrorContains(t, err, "16 viewers watch this tap")
		require.NoError(t, conn.Close())
		synctest.Wait()
		require.Equal(t, maxViewers, viewers[0].State().Viewers)

		_, err = viewers[1].call(t.Context(), order{Do: "hold", Text: strings.Repeat("x", maxOrder)})
		require.ErrorIs(t, err, ErrEnded, "a viewer that does not steer sends short lines")
		<-viewers[1].Done()
		require.NoError(t, viewers[0].Steer(t.Context(), false))
		long := bytes.Repeat([]byte("x"), 8<<20)
		require.NoError(t, viewers[0].LetGo(t.Context(), 1, long, false))
		require.True(t, bytes.Equal(long, b.got[len(b.got)-1]))
		require.ErrorContains(t, viewers[0].LetGo(t.Context(), 1, make([]byte, maxEdit), false), "too long")
		for _, v := range viewers {
			_ = v.Close() // one is closed
		}
		b.end()
	})
}

// FuzzOrders checks that a server survives whatever a viewer sends.
func FuzzOrders(f *testing.F) {
	for i, text := range []string{
		`{"do":"tell"}`, `{"do":"watch","n":5}`, `{"do":"hold","text":"x","seq":1}`, `{"do":"let-go","n":1,"body":"e30=","edited":true,"seq":-1}`,
		`{"do":"line","n":1}`, `{"do":"steer","force":true}`, `[]`, `{"do":`, `{"do":"restart","seq":3}`,
	} {
		f.Add([]byte(`{"do":"watch","n":5}` + "\n" + `{"do":"steer"}` + "\n" + text + "\n"))
		f.Add(fmt.Appendf(nil, "%s\n%d", text, i))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		b := newBench(t)
		b.Publish(tap.News{Held: []Held{{N: 1, Line: []byte("{}")}}})
		conn, in := b.dial()
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = io.Copy(io.Discard, in)
		}()
		_ = conn.SetWriteDeadline(time.Now().Add(time.Minute))
		_, _ = conn.Write(input)
		require.NoError(t, conn.Close())
		<-done
		b.end()
		require.Empty(t, b.viewers)
		require.Nil(t, b.steerer)
	})
}

// FuzzReplies checks that a viewer survives whatever a tap sends.
func FuzzReplies(f *testing.F) {
	f.Add([]byte(`{"state":{"Held":[{"N":1,"Line":"e30="}]}}` + "\n" + `{"seq":1,"error":"x","kind":"steered","pid":4}` + "\n"))
	f.Add([]byte(`{"error":"no"}` + "\n"))
	f.Fuzz(func(t *testing.T, input []byte) {
		ours, theirs := net.Pipe()
		drain(theirs)
		go func() {
			_, _ = theirs.Write(input)
			_ = theirs.Close()
		}()
		v, err := (&Tap{Version: version}).view(ours, bufio.NewReader(ours))
		if err != nil {
			_ = ours.Close()
			return
		}
		<-v.Done()
		require.LessOrEqual(t, len(v.lines), len(v.State().Held))
		_, err = v.Drive(t.Context(), "x", nil)
		require.Error(t, err)
		_ = v.Close()
	})
}
