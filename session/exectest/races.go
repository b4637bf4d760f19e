package exectest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

var raceTests = []test{
	{"item01_concurrent_starts_of_one_id", concurrentStarts},
	{"item28_terminate_while_starting", terminateWhileStarting},
	{"handler_order_under_two_pumps", handlerOrder},
	{"handler_answers_inline", handlerAnswers},
	{"concurrent_terminates", concurrentTerminates},
}

func concurrentStarts(s *suite) {
	for i := range 5 {
		cmd := s.command("hang")
		cmd.ID = fmt.Sprintf("same-%d", i)
		var won, lost atomic.Int32
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				_, err := s.Executor.Start(s.ctx, cmd)
				if err == nil {
					won.Add(1)
					return
				}
				if failed, ok := errors.AsType[*executor.StartError](err); ok && failed.Code == executor.StartDuplicate {
					lost.Add(1)
				}
			})
		}
		all.Wait()
		require.Equal(s, int32(1), won.Load())
		require.Equal(s, int32(1), lost.Load())
	}
}

func terminateWhileStarting(s *suite) {
	cmd := s.command("pid", "hang")
	cmd.ID = "unwanted"
	ended := make(chan executor.StopReport, 1)
	var once sync.Once
	cmd.OnPhase = func(executor.Phase) {
		once.Do(func() {
			h := s.Executor.Process("unwanted")
			require.Equal(s, executor.StateStarting, h.Info().State)
			go func() {
				r, err := h.Terminate(s.ctx)
				if err == nil {
					ended <- r
				}
				close(ended)
			}()
			require.Eventually(s, func() bool { return h.Info().State == executor.StateUnknown }, waitLimit, pollInterval)
		})
	}
	_, err := s.Executor.Start(s.ctx, cmd)
	var failed *executor.StartError
	require.ErrorAs(s, err, &failed)
	require.Equal(s, executor.StartCancelled, failed.Code)
	require.True(s, (<-ended).Running)
	require.Equal(s, executor.StateUnknown, s.Executor.Process("unwanted").Info().State)
	cmd.OnPhase = nil
	s.startCommand(cmd).pids(1)
}

func handlerOrder(s *suite) {
	p, err := s.Executor.Start(s.ctx, s.command("line", "spawn", "child", "flood", "3000", "50", "end",
		"floode", "3000", "50", "reap", "exit", "0"))
	require.NoError(s, err)
	l := newLedger()
	var busy sync.Mutex
	var problem error
	subscribed, closed := make(chan struct{}), make(chan struct{})
	var sub *executor.Subscription
	sub, err = p.Subscribe(executor.SubscribeOptions{Pin: true, Handler: func(e executor.Event) {
		<-subscribed
		if !busy.TryLock() {
			problem = fmt.Errorf("two calls at once")
			return
		}
		defer busy.Unlock()
		err := l.event(e)
		if e.Kind == executor.Lagged {
			err = l.recover(s.ctx, sub)
		}
		if err != nil && problem == nil {
			problem = err
		}
		if e.Kind == executor.Closed {
			close(closed)
		}
	}})
	require.NoError(s, err)
	close(subscribed)
	_, err = p.Write(s.ctx, "", []byte("\n"))
	require.NoError(s, err)
	<-closed
	require.NoError(s, problem)
	require.Equal(s, uint64(2*3000*50), l.bytes)
	require.Zero(s, l.gaps)
}

func handlerAnswers(s *suite) {
	p, err := s.Executor.Start(s.ctx, s.command("echo"))
	require.NoError(s, err)
	const trips = 200
	got := 0
	closed := make(chan struct{})
	sub, err := p.Subscribe(executor.SubscribeOptions{Handler: func(e executor.Event) {
		switch e.Kind {
		case executor.Output:
			if got += len(e.Data); got < trips {
				_, _ = p.Write(s.ctx, "", []byte("x")) // a failure shows in the output
			} else {
				p.CloseStdin()
			}
		case executor.Closed:
			close(closed)
		}
	}})
	require.NoError(s, err)
	defer sub.Close()
	_, err = p.Write(s.ctx, "", []byte("x"))
	require.NoError(s, err)
	<-closed
	require.Equal(s, trips, got)
}

func concurrentTerminates(s *suite) {
	p := s.start("spawn", "child", "ignore", "TERM", "hang", "end", "pid", "hang")
	p.pids(1)
	var running atomic.Int32
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			r, err := p.Terminate(s.ctx)
			if err != nil {
				s.Errorf("terminate: %v", err)
			}
			if r.Running {
				running.Add(1)
			}
		})
	}
	all.Wait()
	require.Equal(s, int32(1), running.Load(), "only the first caller gets Running")
}
