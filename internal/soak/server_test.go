//go:build soak && linux

package soak

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"mcpdbg/internal/demo"
	"mcpdbg/internal/demo/demotest"
)

// serverArg as the first argument makes the test binary a busy server; the second
// is how many notifications it sends in a second.
const serverArg = "soak-server"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == serverArg {
		os.Exit(serve(os.Args[2]))
	}
	demotest.Main(m)
}

// busy returns the command line of a busy server.
func busy(rate int) []string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return []string{self, serverArg, strconv.Itoa(rate)}
}

// serve is the demo server, which also sends numbered notifications at a rate.
func serve(rate string) int {
	perSecond, err := strconv.Atoi(rate)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	var mu sync.Mutex
	ctx, stop := context.WithCancel(context.Background())
	var numbers sync.WaitGroup
	numbers.Go(func() { sendNumbers(ctx, &lineWriter{mu: &mu, w: os.Stdout}, perSecond) })
	code := demo.Serve(ctx, os.Stdin, &lineWriter{mu: &mu, w: os.Stdout}, os.Stderr, demo.Options{})
	stop()
	numbers.Wait()
	return code
}

// numbered begins the data of each notification, before its number.
const numbered = `"logger":"soak","data":"`

// sendNumbers writes notifications with the numbers 1, 2, 3 and so on, as many
// as are due, some fifty times a second. After a pause it makes up for one second.
func sendNumbers(ctx context.Context, out io.Writer, perSecond int) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	pad := bytes.Repeat([]byte{'x'}, 60)
	begin, sent := time.Now(), 0
	var lines []byte
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		due := min(int(time.Since(begin).Seconds()*float64(perSecond))-sent, perSecond)
		lines = lines[:0]
		for n := sent + 1; n <= sent+due; n++ {
			lines = fmt.Appendf(lines, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info",%s%d %s"}}`+"\n", numbered, n, pad)
		}
		if _, err := out.Write(lines); err != nil {
			return // the session has ended
		}
		sent += due
		if due == perSecond {
			begin = time.Now().Add(-time.Duration(float64(sent) / float64(perSecond) * float64(time.Second)))
		}
	}
}

// A lineWriter keeps its lines apart from those of other writers. A line may be
// written in pieces.
type lineWriter struct {
	mu   *sync.Mutex // of all writers
	w    io.Writer
	open bool // the last line has no newline yet, and mu is held
}

func (l *lineWriter) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if !l.open {
		l.mu.Lock()
	}
	n, err := l.w.Write(p)
	if l.open = err == nil && p[len(p)-1] != '\n'; !l.open {
		l.mu.Unlock()
	}
	return n, err
}
