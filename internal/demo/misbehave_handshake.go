package demo

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

func handshakeKinds() []misbehaviour {
	return []misbehaviour{
		{Kind{Name: "dies-at-start", Lint: "PRC03",
			Description: "reports a missing environment variable on stderr, and exits with 3"}, diesAtStart},
		{Kind{Name: "exit-7",
			Description: "writes out to stdout, err to stderr, and exits with 7"}, exit7},
		{Kind{Name: "dies-on-probe",
			Description: "exits with 1 if its first message is server/discover, and is healthy otherwise"}, diesOnProbe},
		{Kind{Name: "never-answers", Lint: "RPC19",
			Description: "reads everything and never responds"}, neverAnswers},
		{Kind{Name: "answers-error",
			Description: "responds to initialize with an error"}, answersError},
		{Kind{Name: "wrong-version", Lint: "LIF07", Param: "VERSION=1999-01-01",
			Description: "responds to initialize with an unknown protocol version"}, wrongVersion},
		{Kind{Name: "junk-only", Lint: "FRM01",
			Description: "writes only lines to stdout that are not messages"}, junkOnly},
		{Kind{Name: "slow-start", Lint: "PRC09", Param: "MILLISECONDS=6000",
			Description: "waits before it reads anything"}, withTime(time.Millisecond, slowStart)},
		{Kind{Name: "slow-modern", Param: "MILLISECONDS=3000",
			Description: "waits before it reads anything, and supports the modern era only"}, withTime(time.Millisecond, slowModern)},
		{Kind{Name: "slow-both", Param: "MILLISECONDS=4000",
			Description: "speaks both eras, and responds to its first server/discover only after that time, or after it has responded to initialize"}, withTime(time.Millisecond, slowBoth)},
		{Kind{Name: "echo",
			Description: "sends back each line that it reads, as a terminal does"}, echo},
		{Kind{Name: "stderr-flood", Lint: "FRM16", Param: "BYTES=327680",
			Description: "writes a lot to stderr before it first reads stdin"}, withNumber(stderrFlood)},
		{Kind{Name: "stderr-no-newline",
			Description: "writes a line without a newline to stderr"}, stderrNoNewline},
		{Kind{Name: "not-reading-stdin", Param: "SECONDS=600", HasNowForm: true,
			Description: "completes the handshake, stops reading stdin at the next request, and does not notice its end"}, withTime(time.Second, notReading)},
		{Kind{Name: "ping-flood", Param: "SECONDS=600",
			Description: "completes the handshake, stops reading stdin at the next request, and pings as fast as it can"}, withTime(time.Second, pingFlood)},
	}
}

func diesAtStart(_ context.Context, c *culprit) (int, error) {
	_, _ = fmt.Fprintln(c.errw, "error: environment variable DEMO_API_KEY is not set")
	return 3, nil
}

func exit7(_ context.Context, c *culprit) (int, error) {
	_, _ = fmt.Fprintln(c.out, "out")
	_, _ = fmt.Fprintln(c.errw, "err")
	return 7, nil
}

func diesOnProbe(ctx context.Context, c *culprit) (int, error) {
	first := true
	return c.serve(ctx, faults{request: func(_ context.Context, s *server, r *request) bool {
		probed := first && r.method == "server/discover"
		first = false
		if probed {
			s.logf("fatal: expected initialize, got %s", r.method)
			s.stop(exitCode(1))
		}
		return probed
	}})
}

func neverAnswers(ctx context.Context, c *culprit) (int, error) {
	return c.serve(ctx, faults{request: func(context.Context, *server, *request) bool { return true }})
}

func answersError(ctx context.Context, c *culprit) (int, error) {
	return c.serve(ctx, legacyOnly(func(s *server, r *request) {
		s.reply(r, nil, errorf(codeInternal, "the database is locked"))
	}))
}

func wrongVersion(ctx context.Context, c *culprit) (int, error) {
	return c.serve(ctx, legacyOnly(func(s *server, r *request) {
		s.reply(r, object{"protocolVersion": c.param, "capabilities": serverCapabilities(legacyRevisions[0]),
			"serverInfo": s.info(legacyRevisions[0])}, nil)
	}))
}

func legacyOnly(f func(s *server, r *request)) faults {
	return faults{request: func(_ context.Context, s *server, r *request) bool {
		switch r.method {
		case "initialize":
			f(s, r)
		case "server/discover":
			s.reply(r, nil, errorf(codeMethodNotFound, "no method %q", r.method))
		default:
			return false
		}
		return true
	}}
}

func junkOnly(ctx context.Context, c *culprit) (int, error) {
	_, _ = fmt.Fprintln(c.out, "Server listening on stdio")
	return c.serve(ctx, faults{request: func(_ context.Context, _ *server, r *request) bool {
		_, _ = fmt.Fprintf(c.out, "handling %s\n", r.method)
		return true
	}})
}

func slowStart(ctx context.Context, c *culprit, wait time.Duration) (int, error) {
	linger(ctx, wait)
	return c.serve(ctx, faults{})
}

// slowModern rejects initialize with an error that names the revision it
// supports.
func slowModern(ctx context.Context, c *culprit, wait time.Duration) (int, error) {
	linger(ctx, wait)
	return c.serve(ctx, faults{request: func(_ context.Context, s *server, r *request) bool {
		if r.method != "initialize" {
			return false
		}
		s.reply(r, nil, &rpcError{Code: codeUnsupportedVer, Message: "unsupported protocol version",
			Data: object{"supported": []string{modernRevision}, "requested": legacyRevisions[0]}})
		return true
	}})
}

// slowBoth is busy at its start: by the time it responds to server/discover, a client has
// sent initialize too.
func slowBoth(ctx context.Context, c *culprit, wait time.Duration) (int, error) {
	ready := make(chan struct{})
	var once sync.Once
	begin := func() { once.Do(func() { close(ready) }) }
	return c.serve(ctx, faults{
		request: func(ctx context.Context, s *server, r *request) bool {
			if r.method != "server/discover" {
				return false
			}
			s.calls.Go(func() {
				select {
				case <-ready:
				case <-time.After(wait):
					begin()
				case <-ctx.Done():
				}
				select {
				case <-ready: // stdin may have ended since
					ctx = context.WithoutCancel(ctx)
				default:
				}
				s.answer(ctx, r)
			})
			return true
		},
		answered: func(_ context.Context, _ *server, r *request) {
			if r.method == "initialize" {
				begin()
			}
		},
	})
}

func echo(_ context.Context, c *culprit) (int, error) {
	if _, err := io.Copy(c.out, c.in); err != nil {
		return 0, fmt.Errorf("echo stdin: %w", err)
	}
	return 0, nil
}

func stderrFlood(ctx context.Context, c *culprit, size int) (int, error) {
	line := "warning: " + strings.Repeat("w", 118) + "\n"
	for left := size; left > 0; left -= len(line) {
		_, _ = c.errw.WriteString(line[max(0, len(line)-left):])
	}
	return c.serve(ctx, faults{})
}

func stderrNoNewline(ctx context.Context, c *culprit) (int, error) {
	code, err := c.serve(ctx, faults{answered: func(_ context.Context, _ *server, r *request) {
		if r.handshake() {
			_, _ = c.errw.WriteString("Loading the model... 42%")
		}
	}})
	return code, err
}

func notReading(ctx context.Context, c *culprit, life time.Duration) (int, error) {
	if c.now {
		linger(ctx, life)
		return 0, nil
	}
	return c.stopReading(ctx, func(ctx context.Context, _ *server) { linger(ctx, life) })
}

// stopReading stops at the request after the handshake, and calls do before the process
// ends.
func (c *culprit) stopReading(ctx context.Context, do func(ctx context.Context, s *server)) (int, error) {
	// A Read of the server's goroutine may already be running: it gets that result and
	// nothing more.
	deaf := make(chan struct{})
	s := newServer(c.out, c.errw, c.opts)
	s.faults.request = func(ctx context.Context, s *server, r *request) bool {
		if r.handshake() {
			return false
		}
		close(deaf)
		do(ctx, s)
		s.stop(exitCode(0))
		return true
	}
	return s.run(ctx, deafReader{c.in, deaf, ctx}), nil
}

func pingFlood(ctx context.Context, c *culprit, life time.Duration) (int, error) {
	return c.stopReading(ctx, func(ctx context.Context, _ *server) {
		ctx, cancel := context.WithTimeout(ctx, life)
		defer cancel()
		for id := 0; ctx.Err() == nil; id++ {
			if _, err := fmt.Fprintf(c.out, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", id); err != nil {
				return
			}
		}
	})
}

// deafReader reads until deaf is closed, and then blocks until its context ends.
type deafReader struct {
	r    io.Reader
	deaf <-chan struct{}
	ctx  context.Context
}

func (d deafReader) Read(p []byte) (int, error) {
	select {
	case <-d.deaf:
		<-d.ctx.Done()
		return 0, d.ctx.Err()
	default:
		return d.r.Read(p)
	}
}
