//go:build soak && linux

package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"mcpdbg/internal/demo/demotest"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// A starter starts and ends servers, each with a session of its own.
type starter struct {
	lab  *lab
	name string
	rng  *rand.Rand
	exec executor.Executor
}

// run makes a number of rounds, spread over the time. If a round takes longer than
// its share, fewer are made.
func (s *starter) run(ctx context.Context, rounds int, over time.Duration) {
	tick := time.NewTicker(over / time.Duration(rounds))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		how := endings[s.rng.IntN(len(endings))]
		if err := s.round(how); err != nil {
			s.lab.fail(s.name, fmt.Errorf("%s: %w", how.name, err))
		}
		s.lab.count(s.name + ": " + how.name)
	}
}

// An ending is one way in which a session ends.
type ending struct {
	name   string
	server string // its fault
	run    func(s *starter, x *session.Session) error
}

var endings = []ending{
	{"close", "", endByClose},
	{"kill", "", endByKill},
	{"urgent close", "not-reading-stdin", endUrgently},
	{"close with a daemon", "daemon", endWithDaemon},
	{"start cancelled", "", endStart},
	{"crash", "crash-mid-call", endByCrash},
}

// round is one session without a recording that stays.
func (s *starter) round(how ending) error {
	mark := newMark()
	log, err := recordings.Create(recordings.Options{NoRecord: true, Header: session.Header{Tool: "soak", Argv: []string{"demo"}}})
	if err != nil {
		return err
	}
	x := session.New(session.Config{Executor: s.exec, Log: log,
		Command: executor.Command{Argv: demotest.Command(how.server), Env: []executor.EnvVar{markVar(mark)}}})
	err = how.run(s, x)
	_, closed := x.Close(context.Background())
	return errors.Join(err, closed, log.Close(), log.Release(), allGone(mark))
}

func open(x *session.Session) error {
	if err := x.Open(context.Background()); err != nil {
		return err
	}
	if state := x.Status().State; state != session.Ready {
		return fmt.Errorf("opened, and %s", state)
	}
	return nil
}

func endByClose(_ *starter, x *session.Session) error {
	if err := open(x); err != nil {
		return err
	}
	report, err := x.Close(context.Background())
	if err == nil && (report.LastStep != executor.StepCloseStdin || report.Exit == nil || report.Exit.Kind != executor.ExitCode || report.Exit.Code != 0 || len(report.Leaked) > 0) {
		err = fmt.Errorf("a healthy server ended like this: %+v", report)
	}
	return err
}

func endByKill(_ *starter, x *session.Session) error {
	if err := open(x); err != nil {
		return err
	}
	if err := x.Kill(); err != nil {
		return err
	}
	<-x.Done()
	if exit := x.Status().Process.Exit; exit == nil || exit.Signal != "KILL" || exit.By != executor.EndedByPerson {
		return fmt.Errorf("killed, and the exit is %+v", exit)
	}
	return nil
}

// endUrgently ends a server that does not notice the end of its input at once.
func endUrgently(_ *starter, x *session.Session) error {
	if err := open(x); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, _ = x.Request(ctx, "ping", nil, session.CallOptions{Quiet: true}) // it stops reading
	report, err := x.Close(ctx)
	if err == nil && (report.Exit == nil || report.LastStep != executor.StepKill) {
		err = fmt.Errorf("ended by %v: %+v", report.LastStep, report)
	}
	return err
}

// endWithDaemon ends a server that leaks a daemon.
func endWithDaemon(_ *starter, x *session.Session) error {
	if err := open(x); err != nil {
		return err
	}
	report, err := x.Close(context.Background())
	if err == nil && (len(report.Leaked) != 1 || len(report.Survivors) > 0) {
		err = fmt.Errorf("not one leaked daemon: %+v", report)
	}
	return err
}

// endStart cancels the start, at any of its steps or just after.
func endStart(s *starter, x *session.Session) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(s.rng.Int64N(int64(300*time.Millisecond))))
	defer cancel()
	err := x.Open(ctx)
	var failed *session.OpenError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &failed) || ctx.Err() == nil:
		return fmt.Errorf("a cancelled start: %w", err)
	}
	return nil
}

// endByCrash lets the server die during a call.
func endByCrash(_ *starter, x *session.Session) error {
	if err := open(x); err != nil {
		return err
	}
	_, err := x.Request(context.Background(), "tools/call", []byte(`{"name":"echo","arguments":{"message":"hi"}}`), session.CallOptions{Timeout: waitLimit})
	var ended *session.EndedError
	if !errors.As(err, &ended) || ended.Exit.Signal != "SEGV" {
		return fmt.Errorf("the call during a crash: %w", orNone(err))
	}
	return nil
}
