package smoke

import (
	"math"
	"time"

	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// phaseOf is the phase of a step of a start or handshake, as executors and
// sessions name them; "" for a step that is none of its own. On this machine all
// that comes before the handshake is the start.
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

// An opening measures the steps of an attempt to open a session. Steps of one
// phase, such as those of several hops, count together.
type opening struct {
	host   string
	begins func(Phase)
	times  *Timings

	shaking time.Time // when the handshake began; zero before
}

// step takes what a session tells of a step: its begin, or with an End its end.
func (o *opening) step(p executor.Phase) {
	phase := phaseOf(o.host, p.Name)
	if phase == PhaseHandshake && o.shaking.IsZero() {
		o.shaking = p.Begin
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

// over ends the handshake, if there was one.
func (o *opening) over() {
	if !o.shaking.IsZero() {
		add(&o.times.Handshake, time.Since(o.shaking))
	}
}

// add adds to a time, which may not be there yet.
func add(to **float64, d time.Duration) {
	if *to == nil {
		*to = new(float64)
	}
	**to = math.Round((**to+ms(d))*1000) / 1000 // a sum of such fractions has a tail
}
