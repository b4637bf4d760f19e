package console

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A signalled is an interrupts with its effects.
type signalled struct {
	*Interrupts
	running, urgent context.Context
	code            int // exit code; 0 for none
	restored        bool
	stderr          strings.Builder
}

func newSignalled(t *testing.T) *signalled {
	s := &signalled{Interrupts: new(Interrupts)}
	s.running, s.cancel = context.WithCancelCause(t.Context())
	s.urgent, s.cancelUrgent = context.WithCancel(t.Context())
	s.exit = func(code int) { s.code = code }
	s.Interrupts.stderr = &s.stderr
	s.AtExit(func() { s.restored = true })
	s.AtExit(func() { t.Error("restored a terminal that needed no restoring") })()
	return s
}

func TestInterrupts(t *testing.T) {
	begins := func(after time.Duration) func(s *signalled) {
		return func(s *signalled) {
			context.AfterFunc(s.running, func() {
				time.Sleep(after) // of the bubble's clock
				s.Begin()
			})
		}
	}
	const instant = time.Millisecond
	for name, c := range map[string]struct {
		shutdown func(s *signalled) // nil: none
		signals  []time.Duration    // when they come; the first is SIGTERM, the others SIGINT
		exits    time.Duration      // when the program exits by itself; 0: it does not
		urgent   time.Duration      // when the servers are killed; 0: not
	}{
		"a shutdown begins":                              {shutdown: begins(instant), signals: []time.Duration{0}},
		"a shutdown begins late":                         {shutdown: begins(2 * time.Second), signals: []time.Duration{0}},
		"no shutdown begins":                             {signals: []time.Duration{0}, exits: 3 * time.Second},
		"no shutdown begins, and a second signal":        {signals: []time.Duration{0, time.Second}, exits: time.Second},
		"a second signal during a shutdown":              {shutdown: begins(instant), signals: []time.Duration{0, time.Second}, urgent: time.Second},
		"a third signal during a shutdown":               {shutdown: begins(instant), signals: []time.Duration{0, time.Second, 2 * time.Second}, urgent: time.Second, exits: 2 * time.Second},
		"two signals at once":                            {shutdown: begins(instant), signals: []time.Duration{0, 0}, urgent: secondSignalAfter},
		"two signals at once and no shutdown":            {signals: []time.Duration{0, 0}, exits: secondSignalAfter},
		"three signals at once":                          {shutdown: begins(instant), signals: []time.Duration{0, 0, 0}, exits: instant},
		"a shutdown is over before":                      {shutdown: func(s *signalled) { s.Begin()() }, signals: []time.Duration{0}, exits: 3 * time.Second},
		"a shutdown has begun before":                    {shutdown: func(s *signalled) { s.Begin() }, signals: []time.Duration{0, time.Second}, urgent: time.Second},
		"the second signal comes before a late shutdown": {shutdown: begins(2 * time.Second), signals: []time.Duration{0, time.Second}, exits: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSignalled(t)
				if c.shutdown != nil {
					c.shutdown(s)
				}
				begin := time.Now()
				var urgent time.Duration
				context.AfterFunc(s.urgent, func() { urgent = time.Since(begin) })
				var exited time.Duration
				quit := s.exit
				s.exit = func(code int) { exited = max(time.Since(begin), instant); quit(code) }
				for i, at := range c.signals {
					time.Sleep(at - time.Since(begin))
					s.take([]os.Signal{syscall.SIGTERM, os.Interrupt, os.Interrupt}[i])
				}
				synctest.Wait()
				cause := new(SignalError)
				require.ErrorAs(t, context.Cause(s.running), &cause)
				require.Equal(t, syscall.SIGTERM, cause.Signal)
				time.Sleep(time.Minute)
				synctest.Wait()
				require.Equal(t, c.exits, exited)
				require.Equal(t, c.urgent, urgent)
				if c.exits > 0 {
					require.Equal(t, 143, s.code, "of the first signal")
					require.True(t, s.restored)
					require.Equal(t, "mcpdbg: ended by signal: terminated; exited without a complete shutdown\n", s.stderr.String())
				} else {
					require.Zero(t, s.code)
					require.False(t, s.restored)
				}
			})
		})
	}
}

func TestFinishedProgramIgnoresSignals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSignalled(t)
		s.take(os.Interrupt)
		s.close()
		s.take(os.Interrupt)
		s.take(os.Interrupt)
		time.Sleep(time.Minute)
		require.Zero(t, s.code)
	})
}

// TestStoppedTerminalDoesNotBlockExit: restoring the terminal may block forever.
func TestStoppedTerminalDoesNotBlockExit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSignalled(t)
		stopped := make(chan struct{})
		s.AtExit(func() { <-stopped })
		s.take(os.Interrupt)
		time.Sleep(signalTimeout + restoreLimit + 1)
		synctest.Wait()
		require.Equal(t, 130, s.code)
		close(stopped)
	})
}

func TestInterruptedReadKeepsSignal(t *testing.T) {
	sig := &SignalError{Signal: syscall.SIGTERM}
	require.Equal(t, 143, ExitCode(UnreadInput("--in", sig)))
	require.Equal(t, 2, ExitCode(UnreadInput("--in", errors.New("no such file"))))
	require.Equal(t, 2, ExitCode(UnreadInput("--in", Usagef("--in and --scenario cannot both read standard input"))))
}
