package executor

import (
	"sync"
	"time"
)

const reportHoldAfter = time.Second

// A hold is an interval in which pumps are blocked because the pinned subscriber is too
// far behind. It ends when a quarter of the limit is free again, so that a slow reader
// does not make the pumps stutter.
type hold struct {
	since    time.Time // zero if there is none
	streams  [2]bool
	ongoing  *time.Timer
	released sync.Cond
}

func (j *Journal) waitForRoom(stream Stream) {
	if !j.full() {
		return
	}
	if j.hold.since.IsZero() {
		begin := time.Now()
		j.hold.since = begin
		j.hold.ongoing = time.AfterFunc(reportHoldAfter, func() { j.reportOngoing(begin) })
	}
	j.hold.streams[stream] = true
	if j.oneWindow {
		j.hold.streams = [2]bool{true, true}
	}
	for begin := j.hold.since; j.hold.since.Equal(begin); {
		j.hold.released.Wait()
	}
}

func (j *Journal) full() bool {
	p := j.pinned
	return p != nil && p.opts.Overrun == OverrunHold && j.kept.untaken() >= p.opts.PinLimit &&
		j.endings == 0 && !j.over
}

func (j *Journal) releaseIfRoom() {
	if limit := j.pinned.opts.PinLimit; j.kept.untaken() <= limit-(limit+3)/4 {
		j.release()
	}
}

// release ends the hold, if there is one, and reports it if it was at least MinHold long.
func (j *Journal) release() {
	if j.hold.since.IsZero() {
		return
	}
	info := j.hold.info()
	info.End = time.Now()
	j.hold.ongoing.Stop()
	j.hold.since, j.hold.streams = time.Time{}, [2]bool{}
	j.hold.released.Broadcast()
	if info.End.Sub(info.Begin) >= MinHold {
		j.emit(Event{Kind: Held, Hold: info})
	}
}

func (j *Journal) reportOngoing(begin time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.hold.since.Equal(begin) {
		j.emit(Event{Kind: Held, Hold: j.hold.info()})
	}
}

func (h *hold) info() *HoldInfo {
	return &HoldInfo{Begin: h.since, Stdout: h.streams[Stdout], Stderr: h.streams[Stderr]}
}
