package cli

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

// A signalled is an interrupts with what it did.
type signalled struct {
	*interrupts
	running, urgent context.Context
	code            int // of its exit; 0 for none
	restored        bool
	stderr          strings.Builder
}

func newSignalled(t *testing.T) *signalled {
	s := &signalled{interrupts: new(interrupts)}
	s.running, s.cancel = context.WithCancelCause(t.Context())
	s.urgent, s.hurry = context.WithCancel(t.Context())
	s.exit = func(code int) { s.code = code }
	s.interrupts.stderr = &s.stderr
	s.atExit(func() { s.restored = true })
	s.atExit(func() { t.Error("this terminal is as it was") })()
	return s
}

func TestWhatSignalsMean(t *testing.T) {
	begins := func(after time.Duration) func(s *signalled) {
		return func(s *signalled) {
			context.AfterFunc(s.running, func() {
				time.Sleep(after) // of the bubble's clock
				s.begin()
			})
		}
	}
	const instant = time.Millisecond
	for name, c := range map[string]struct {
		shutdown func(s *signalled) // nil: nothing begins one
		signals  []time.Duration    // when they come; the first is SIGTERM, the others SIGINT
		exits    time.Duration      // when the program exits by itself; 0: it does not
		urgent   time.Duration      // when the servers are to be killed; 0: not
	}{
		"a shutdown begins":                              {shutdown: begins(instant), signals: []time.Duration{0}},
		"a shutdown begins late":                         {shutdown: begins(2 * time.Second), signals: []time.Duration{0}},
		"no shutdown begins":                             {signals: []time.Duration{0}, exits: 3 * time.Second},
		"no shutdown begins, and a second signal":        {signals: []time.Duration{0, time.Second}, exits: time.Second},
		"a second signal during a shutdown":              {shutdown: begins(instant), signals: []time.Duration{0, time.Second}, urgent: time.Second},
		"a third signal during a shutdown":               {shutdown: begins(instant), signals: []time.Duration{0, time.Second, 2 * time.Second}, urgent: time.Second, exits: 2 * time.Second},
		"two signals at once":                            {shutdown: begins(instant), signals: []time.Duration{0, 0}, urgent: signalSettle},
		"two signals at once and no shutdown":            {signals: []time.Duration{0, 0}, exits: signalSettle},
		"three signals at once":                          {shutdown: begins(instant), signals: []time.Duration{0, 0, 0}, exits: instant},
		"a shutdown is over before":                      {shutdown: func(s *signalled) { s.begin()() }, signals: []time.Duration{0}, exits: 3 * time.Second},
		"a shutdown has begun before":                    {shutdown: func(s *signalled) { s.begin() }, signals: []time.Duration{0, time.Second}, urgent: time.Second},
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
				exit := s.exit
				s.exit = func(code int) { exited = max(time.Since(begin), instant); exit(code) }
				for i, at := range c.signals {
					time.Sleep(at - time.Since(begin))
					s.take([]os.Signal{syscall.SIGTERM, os.Interrupt, os.Interrupt}[i])
				}
				synctest.Wait()
				cause := new(signalError)
				require.ErrorAs(t, context.Cause(s.running), &cause)
				require.Equal(t, syscall.SIGTERM, cause.signal)
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

func TestAProgramThatIsDoneTakesNoSignals(t *testing.T) {
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

// TestATerminalThatTakesNothingDoesNotKeepTheProgram: restoring it may wait for
// ever.
func TestATerminalThatTakesNothingDoesNotKeepTheProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSignalled(t)
		stopped := make(chan struct{})
		s.atExit(func() { <-stopped })
		s.take(os.Interrupt)
		time.Sleep(signalPatience + restoreLimit + 1)
		synctest.Wait()
		require.Equal(t, 130, s.code)
		close(stopped)
	})
}

func TestInterruptedReadsKeepTheirSignal(t *testing.T) {
	sig := &signalError{syscall.SIGTERM}
	require.Equal(t, 143, codeOf(unreadInput("--in", sig)))
	require.Equal(t, 2, codeOf(unreadInput("--in", errors.New("no such file"))))
	require.Equal(t, 2, codeOf(unreadInput("--in", usagef("--in and --scenario cannot both read standard input"))))
}
