package smoke

import (
	"math"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// phaseOf returns the phase of a step, as named by executors and sessions, or "". On this
// machine everything before the handshake belongs to the start.
func phaseOf(host, step string) Phase {
	switch step {
	case mcp.MethodDiscover, mcp.MethodInitialize:
		return PhaseHandshake
	}
	if host == Local {
		return PhaseStart
	}
	switch step {
	case "wait":
		return PhaseWait
	case "resolve":
		return PhaseResolve
	case "connect":
		return PhaseConnect
	case "host-key":
		return PhaseHostKey
	case "login":
		return PhaseAuth
	case "open", "start":
		return PhaseStart
	}
	return ""
}

// An opening measures the steps of an attempt, adding up those of one phase, such as
// several hops.
type opening struct {
	host   string
	begins func(Phase)
	times  *Timings

	handshakeBegan time.Time // beginning of the handshake, or zero
}

func (o *opening) step(p executor.Phase) {
	phase := phaseOf(o.host, p.Name)
	if phase != PhaseHandshake && !o.handshakeBegan.IsZero() {
		o.replaced(p.Begin)
	}
	if phase == PhaseHandshake && o.handshakeBegan.IsZero() {
		o.handshakeBegan = p.Begin
	}
	if p.End.IsZero() {
		if phase != "" {
			o.begins(phase)
		}
		return
	}
	switch phase {
	case PhaseResolve, PhaseConnect, PhaseHostKey:
		add(&o.times.Connect, p.End.Sub(p.Begin))
	case PhaseAuth:
		add(&o.times.Auth, p.End.Sub(p.Begin))
	case PhaseStart:
		add(&o.times.Start, p.End.Sub(p.Begin))
	}
}

// replaced puts the time of a process apart when another takes its place, because it
// serves one era only.
func (o *opening) replaced(at time.Time) {
	spent := at.Sub(o.handshakeBegan)
	if start := o.times.Start; start != nil {
		spent += time.Duration(*start * float64(time.Millisecond))
	}
	add(&o.times.Replaced, spent)
	o.times.Start, o.handshakeBegan = nil, time.Time{}
}

func (o *opening) over() {
	if !o.handshakeBegan.IsZero() {
		add(&o.times.Handshake, time.Since(o.handshakeBegan))
	}
}

// add takes nil as 0.
func add(to **float64, d time.Duration) {
	if *to == nil {
		*to = new(float64)
	}
	**to = math.Round((**to+wording.Milliseconds(d))*1000) / 1000 // removes rounding errors of the sum
}
