package tap

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"mcpdbg/session/mcp"
)

// changeNoticed makes requests wait for new code, until restart, buildFailed or
// changeDropped.
func (r *relay) changeNoticed(now time.Time) []act {
	r.now = now
	if !r.building && !r.closed {
		r.building, r.noticed = true, now
	}
	return r.take()
}

// changeDropped ends the wait for a change that needs no restart.
func (r *relay) changeDropped(now time.Time) []act {
	r.now = now
	r.building = false
	if r.state == up {
		r.release()
	}
	return r.take()
}

// buildFailed answers the requests that wait for the build with the first line of its
// output. Later ones go to the server that is there.
func (r *relay) buildFailed(line string, now time.Time) []act {
	r.now = now
	if r.building {
		r.building = false
		f := buildFailure(quotable(line, maxQuoted))
		for _, h := range r.held.take(func(h *heldLine) bool { return h.call == nil && !h.since.Before(r.noticed) }) {
			r.dismiss(&h, f)
		}
	}
	if r.state == up {
		r.release()
	}
	r.expire()
	return r.take()
}

// restart begins a restart. The server may finish calls until drain has passed. If one is
// in progress, another one follows it.
func (r *relay) restart(reason string, drain time.Duration, now time.Time) []act {
	r.now = now
	r.building = false
	switch {
	case r.closed:
	case r.state == up:
		r.begin(reason)
		r.state, r.drainBy = draining, now.Add(drain)
		r.drainedNow()
	case r.state == draining:
		if by := now.Add(drain); by.Before(r.drainBy) {
			r.drainBy = by
		}
		r.drainedNow()
	case r.state == starting || r.state == replaying:
		r.again = cmp.Or(reason, "again")
	case r.state == down:
		failed := r.failed // since the server ended
		r.begin(reason)
		r.failed = failed
		r.start()
	default: // the process to come has the change
	}
	return r.take()
}

func (r *relay) begin(reason string) {
	r.reason, r.began, r.failed, r.look, r.again = reason, r.now, 0, look{}, ""
}

// start starts a process, once there is none.
func (r *relay) start() {
	switch {
	case r.closed:
		r.state = down
	case r.alive:
		r.state = ending
	default:
		r.state = starting
		r.emit(act{do: startServer})
	}
}

// drainedNow cuts if nothing is left to wait for.
func (r *relay) drainedNow() {
	if r.state == draining && (!r.now.Before(r.drainBy) || r.calls.drained() && !r.long[clientSide].passing) {
		r.cut()
	}
}

// cut ends the use of the process: nothing of it is forwarded from here on.
func (r *relay) cut() {
	r.state, r.downSince = ending, r.now
	r.lose(restartedFailure(r.reason), "the server was restarted")
	r.emit(act{do: stopServer})
}

// lose ends the requests in flight on both sides. What may be sent to another process
// waits for it, in front of the lines that are held.
func (r *relay) lose(f failure, reason string) {
	r.cutLong()
	r.steer.lose()
	clear(r.own.open)
	r.look = look{}
	var kept []heldLine
	batches := map[int][]byte{}
	lost := r.calls.sorted()
	for _, c := range lost {
		switch {
		case c.listen != nil:
			continue
		case c.cancelled:
		case c.batch != 0:
			batches[c.batch] = append(append(batches[c.batch], ','), f.response(c.id, c.method, r.now.Sub(c.sent))...)
			r.failed++
			r.calls.died(c.token)
		case c.method == mcp.MethodPing:
			r.send(clientSide, resultLine(c.id), whyAnswered)
		case c.line != nil:
			kept = append(kept, heldLine{unit: readUnit(c.line), since: r.now, call: c})
		default:
			r.send(clientSide, append(f.response(c.id, c.method, r.now.Sub(c.sent)), '\n'), whyRestart)
			r.failed++
			r.calls.died(c.token)
		}
		r.calls.remove(keyOf(c.id))
	}
	for _, c := range lost {
		if out := batches[c.batch]; out != nil {
			r.send(clientSide, slices.Concat([]byte("["), out[1:], []byte("]\n")), whyRestart)
			delete(batches, c.batch)
		}
	}
	for _, h := range kept {
		r.held.bytes += len(h.unit.line) + lineCost
	}
	r.held.lines = append(kept, r.held.lines...)
	r.loseAsks(reason)
}

// loseAsks cancels the requests of the process at the client, which may answer them all
// the same. VS Code looks the id up among its own requests, so it must not be one of
// them.
func (r *relay) loseAsks(reason string) {
	for _, a := range r.asks.sorted() {
		if a.stale {
			continue
		}
		a.stale = true
		if !a.cancelled && !r.clientHas(keyOf(a.shown)) {
			r.send(clientSide, cancelLine(a.shown, reason), whyRestart)
		}
	}
	clear(r.asks.server)
}

// ended takes the end of the process, which stopServer may have asked for, or the failure
// to start one. exit is such as "exit code 1", stderr the last line that it wrote there.
func (r *relay) ended(exit, stderr string, now time.Time) []act {
	r.now = now
	if r.noStderr {
		stderr = ""
	}
	stderr = quotable(stderr, maxQuoted)
	r.alive = false
	switch {
	case r.closed: // the client sees the end of our output
		r.state = down
		r.cutLong()
		r.dropHeld()
	case r.state == ending:
		r.start()
	case r.state == down: // it was refused, and the reason stays
	case r.state.running():
		r.crashed(exit, stderr)
	default:
		r.notStarted("it did not start ("+exit+")", stderr)
	}
	r.expire()
	return r.take()
}

// crashed takes the end of a process in use. A restart that has begun goes on.
func (r *relay) crashed(exit, stderr string) {
	restarting := r.state == draining
	r.state, r.downSince = down, r.now
	r.why = downFailure("it ended ("+exit+")", stderr, r.name, r.watched)
	r.failed = 0
	r.lose(endedFailure(exit, stderr), "the server ended")
	if restarting {
		r.start()
	}
}

// notStarted takes the failure of a process that never had the state that the client
// knows.
func (r *relay) notStarted(cause, stderr string) {
	replayed := r.state == replaying
	r.state = down
	if r.downSince.IsZero() {
		r.downSince = r.now
	}
	r.why = downFailure(cause, stderr, r.name, r.watched)
	if replayed {
		r.lose(r.why, "the server ended")
	}
	if r.again != "" {
		r.begin(r.again)
		r.start()
	}
}

// refused ends a process that does not accept the handshake.
func (r *relay) refused(cause string) {
	r.emit(act{note: "the server did not start: " + cause, red: true})
	r.emit(act{do: stopServer})
	r.notStarted("it did not start ("+cause+")", "")
	r.expire()
}

// clientClosed takes the end of the client's stream. Nothing starts any more. Held lines
// are dropped, unless the first process is being started: it gets all that came before.
func (r *relay) clientClosed(now time.Time) []act {
	r.now = now
	if r.closed {
		return nil
	}
	r.steer.close()
	first := r.process == 0 && r.state == starting
	r.closed, r.building, r.again, r.look = true, false, "", look{}
	switch {
	case first:
	case r.state.running():
		r.dropHeld()
		r.state = up
		r.emit(act{do: closeServer})
	case r.state != down:
		r.dropHeld()
		r.state = ending
		r.emit(act{do: stopServer})
	default:
		r.dropHeld()
	}
	return r.take()
}

func (r *relay) dropHeld() {
	for i := range r.held.lines {
		r.note("dropped, because the client closed its side: " + r.held.lines[i].unit.name())
	}
	r.held = heldLines{}
}

// started begins the use of a process: it gets the state that its predecessor had.
func (r *relay) started(now time.Time) []act {
	r.now = now
	r.alive = true
	if r.closed && r.process > 0 {
		r.emit(act{do: stopServer})
		return r.take()
	}
	r.process++
	r.state, r.startBy = replaying, now.Add(r.startup)
	r.hello.replayed, r.hello.pending = false, ""
	switch i := slices.IndexFunc(r.held.lines, func(h heldLine) bool { return h.call != nil && h.unit.is(mcp.MethodInitialize) }); {
	case i >= 0:
		c := r.held.lines[i].call
		r.held.remove(i)
		r.hello.pending = keyOf(c.id)
		r.calls.resume(c, r.now)
		r.send(serverSide, c.line, whyRestart)
	case r.hello.legacy():
		r.replayHandshake()
	default:
		r.reopen()
		r.finish()
	}
	r.runLater()
	return r.take()
}

// finish ends a restart: requests go to the server again.
func (r *relay) finish() {
	r.state = up
	first := r.began.IsZero()
	if !first {
		r.emit(act{done: &outcome{reason: r.reason, took: r.now.Sub(r.began), failed: r.failed, resent: r.held.again()}})
	}
	switch {
	case r.closed:
		r.release()
		r.emit(act{do: closeServer})
		return
	case r.again != "":
		r.begin(r.again)
		r.state, r.drainBy = draining, r.now
		r.drainedNow()
		return
	case r.holding():
	default:
		r.release()
	}
	if !first {
		r.lookFirst()
	}
}

func limitText(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'g', -1, 64) + " s" }

// startTimedOut ends the wait for the handshake. A server that leaves only the requests
// after it unanswered has started.
func (r *relay) startTimedOut() {
	if r.hello.replayed {
		r.note("the server did not answer all requests that gave its state back")
		r.finish()
		return
	}
	r.refused("no response to initialize within " + limitText(r.startup))
}
