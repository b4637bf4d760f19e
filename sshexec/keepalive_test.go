package sshexec

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
	"mcpdbg/session/executor/guard"
)

// peer is the other side of a heartbeat.
type peer struct {
	answers atomic.Bool   // it replies to the beat
	talks   bool          // it sends other data
	rtt     time.Duration // of a reply
	gone    bool          // the beat fails at once
	last    atomic.Int64  // time of the last data, in nanoseconds
	beats   atomic.Int32
}

func (p *peer) say()             { p.last.Store(time.Now().UnixNano()) }
func (p *peer) heard() time.Time { return time.Unix(0, p.last.Load()) }

func (p *peer) beat(ctx context.Context) error {
	p.beats.Add(1)
	switch {
	case p.gone:
		return guard.ErrGone
	case p.answers.Load():
		time.Sleep(p.rtt)
		p.say()
		return nil
	case p.talks:
		time.Sleep(time.Second)
		p.say()
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// told records the reports of a heartbeat.
type told struct {
	states []executor.LinkState
	rtt    time.Duration
	lost   time.Time
	quiet  time.Duration
}

func (p *peer) heartbeat(t *told) *heartbeat {
	p.say()
	return &heartbeat{
		every: beatEvery,
		beat:  p.beat,
		heard: p.heard,
		tell: func(s executor.LinkState, rtt time.Duration) {
			t.states = append(t.states, s)
			if rtt > 0 {
				t.rtt = rtt
			}
		},
		lost: func(quiet time.Duration) { t.lost, t.quiet = time.Now(), quiet },
	}
}

func TestHeartbeatFindsASilentPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, said := &peer{rtt: 20 * time.Millisecond}, &told{}
		p.answers.Store(true)
		done := make(chan struct{})
		go func() { defer close(done); p.heartbeat(said).run(t.Context()) }()
		time.Sleep(time.Minute)
		p.answers.Store(false)
		silent := p.heard()
		<-done
		require.Equal(t, 20*time.Millisecond, said.rtt)
		require.Len(t, said.states, 12, "one each five seconds and the time that it takes, and the last one")
		require.NotContains(t, said.states[:11], executor.LinkStalled)
		require.LessOrEqual(t, said.lost.Sub(silent), 15*time.Second, "the promise")
		require.Equal(t, said.lost.Sub(silent), said.quiet)
		require.Equal(t, executor.LinkStalled, said.states[len(said.states)-1], "told before it is given up")
	})
}

func TestHeartbeatToleratesABusyPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p, said := &peer{talks: true}, &told{}
		done := make(chan struct{})
		go func() { defer close(done); p.heartbeat(said).run(ctx) }()
		time.Sleep(10 * time.Minute)
		cancel()
		<-done
		require.Zero(t, said.lost, "bytes come: it is exectest.Alive, whatever its guard does")
		require.Greater(t, p.beats.Load(), int32(60))
	})
}

func TestHeartbeatRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p, said := &peer{}, &told{}
		done := make(chan struct{})
		go func() { defer close(done); p.heartbeat(said).run(ctx) }()
		time.Sleep(beatEvery + beatReply - time.Second)
		p.answers.Store(true) // the second beat
		time.Sleep(time.Minute)
		cancel()
		<-done
		require.Zero(t, said.lost)
		require.Equal(t, []executor.LinkState{executor.LinkStalled, executor.LinkUp}, said.states[:2])
		require.NotContains(t, said.states[1:], executor.LinkStalled)
	})
}

func TestHeartbeatStopsAtAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, said := &peer{gone: true}, &told{}
		p.heartbeat(said).run(t.Context())
		require.Equal(t, &told{}, said)
		require.Equal(t, int32(1), p.beats.Load())
	})
}

func TestAbsenceText(t *testing.T) {
	begin := time.Now()
	for _, c := range []struct {
		name       string
		mono, wall time.Duration // time between two notes
		since      time.Duration // then, until within is called
		want       string
	}{
		{"none", time.Second, time.Second, 0, ""},
		{"stopped", 20 * time.Second, 20 * time.Second, 0, "mcpdbg was paused for 20 s"},
		{"asleep, or the clock set", 400 * time.Millisecond, 20 * time.Second, 0, "this machine slept for 20 s, or its clock was set forward"},
		{"long ago", 20 * time.Second, 20 * time.Second, 11 * time.Second, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := absenceDetector{mono: begin.Add(-c.mono), wall: begin.Round(0).Add(-c.wall)}
			a.note(begin)
			for at := time.Second; at <= c.since; at += time.Second {
				a.note(begin.Add(at))
			}
			require.Equal(t, c.want, a.within(begin.Add(c.since), 10*time.Second))
		})
	}
}
