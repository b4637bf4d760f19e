package tap

import "time"

// decide carries out a steering order.
func (l *live) decide(c Command) {
	steer, now := &l.relay.steer, time.Now()
	var acts []act
	var text string
	var err error
	switch c.Do {
	case Arm:
		acts = steer.arm(c.Match, c.Text, now)
	case LetGo:
		acts, err = steer.letGo(c.N, c.Line, c.Force, now)
	case Drop:
		acts, err = steer.drop(c.N, now)
	case Respond:
		acts, err = steer.answer(c.N, c.Line, now)
	case Drive:
		acts, text, err = steer.drive(c.Text, c.Line, now)
	case TakeOver:
		acts, err = steer.takeOver(c.ID, c.Line, now)
	case Cancel:
		acts, err = steer.cancel(c.ID, now)
	}
	l.perform(acts)
	l.publish()
	switch {
	case err != nil && c.Failed != nil:
		c.Failed <- err
	case err == nil && c.Answer != nil:
		c.Answer <- text
	}
}

// A face is all that News depend on.
type face struct {
	state    relayState
	building bool
	pid      int
	process  int
	client   implementation
	moves    int
}

// publish passes news on, if there are some.
func (l *live) publish() {
	if l.o.Publish == nil {
		return
	}
	r := l.relay
	f := face{state: r.state, building: r.building, process: r.process, client: r.hello.client, moves: r.steer.moves}
	if l.proc != nil {
		f.pid = l.proc.pid
	}
	if l.shown != nil && *l.shown == f {
		return
	}
	l.shown = &f
	n := News{Server: stateWords[f.state], PID: f.pid, Restarts: max(0, f.process-1), Client: f.client.String(), Held: r.steer.held()}
	if f.building {
		n.Server += ", building"
	}
	if n.Restarts > 0 {
		n.LostPID = l.before
	}
	l.o.Publish(n)
}
