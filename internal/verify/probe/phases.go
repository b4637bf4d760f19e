package probe

import (
	"math"
	"time"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/wording"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// phaseOf returns the phase of a step, as named by executors and sessions, or "". On this
// machine everything before the handshake belongs to the start.
func phaseOf(host, step string) verify.Phase {
	switch step {
	case mcp.MethodDiscover, mcp.MethodInitialize:
		return verify.PhaseHandshake
	}
	if host == verify.Local {
		return verify.PhaseStart
	}
	switch step {
	case "wait":
		return verify.PhaseWait
	case "resolve":
		return verify.PhaseResolve
	case "connect":
		return verify.PhaseConnect
	case "host-key":
		return verify.PhaseHostKey
	case "login":
		return verify.PhaseAuth
	case "open", "start":
		return verify.PhaseStart
	}
	return ""
}

// An opening measures the steps of an attempt, adding up those of one phase, such as
// several hops.
type opening struct {
	host   string
	begins func(verify.Phase)
	times  timings

	handshakeBegan time.Time // beginning of the handshake, or zero
}

func (o *opening) step(p executor.Phase) {
	phase := phaseOf(o.host, p.Name)
	if phase != verify.PhaseHandshake && !o.handshakeBegan.IsZero() {
		o.replaced(p.Begin)
	}
	if phase == verify.PhaseHandshake && o.handshakeBegan.IsZero() {
		o.handshakeBegan = p.Begin
	}
	if p.End.IsZero() {
		if phase != "" {
			o.begins(phase)
		}
		return
	}
	switch phase {
	case verify.PhaseResolve, verify.PhaseConnect, verify.PhaseHostKey:
		o.times.add(verify.PhaseConnect, p.End.Sub(p.Begin))
	case verify.PhaseAuth:
		o.times.add(verify.PhaseAuth, p.End.Sub(p.Begin))
	case verify.PhaseStart:
		o.times.add(verify.PhaseStart, p.End.Sub(p.Begin))
	}
}

// replaced puts the time of a process apart when another takes its place, because it
// serves one era only.
func (o *opening) replaced(at time.Time) {
	spent := at.Sub(o.handshakeBegan)
	spent += time.Duration(o.times[verify.PhaseStart] * float64(time.Millisecond))
	o.times.add(phaseReplaced, spent)
	delete(o.times, verify.PhaseStart)
	o.handshakeBegan = time.Time{}
}

func (o *opening) over() {
	if !o.handshakeBegan.IsZero() {
		o.times.add(verify.PhaseHandshake, time.Since(o.handshakeBegan))
	}
}

// Steps without a phase of their own.
const (
	phaseReplaced verify.Phase = "replaced" // processes that were replaced by another one
	phasePing     verify.Phase = "ping"
)

// timings are durations in milliseconds.
type timings map[verify.Phase]float64

func (t timings) add(phase verify.Phase, d time.Duration) { t[phase] = sum(t[phase], d) }

func sum(ms float64, d time.Duration) float64 {
	return math.Round((ms+wording.Milliseconds(d))*1000) / 1000 // removes rounding errors
}

// phaseSteps returns the phases that were reached.
func (c *target) phaseSteps() []verify.Step {
	failed := c.result.Phase
	switch failed {
	case verify.PhaseResolve, verify.PhaseHostKey:
		failed = verify.PhaseConnect
	}
	var all []verify.Step
	for _, phase := range []verify.Phase{
		verify.PhaseConnect, verify.PhaseAuth, phaseReplaced, verify.PhaseStart, verify.PhaseHandshake, verify.PhaseList, phasePing,
		verify.PhaseScenario, verify.PhaseShutdown, verify.PhaseBaseline,
	} {
		ms, reached := c.times[phase]
		step := verify.Step{Name: string(phase), Status: verify.Passed, DurationMS: ms}
		if phase == failed {
			step.Status, step.Reason = verify.Failed, c.result.Message
		}
		if reached || phase == failed {
			all = append(all, step)
		}
	}
	return all
}
