package lint

import (
	"math"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// never is a time that does not come.
const never = math.MaxInt64

// A run is what is known of one process: it begins at its start entry.
type run struct {
	revision string // of the protocol that was agreed on; "" not known

	ids     ids
	shakes  shakes
	stdout  stdoutRun
	stderr  stderrRun
	process processRun

	open       openLine // of stdin
	lastSent   sentKind // what the last message sent to the server was
	unreadable int      // lines sent that are no request: each may be answered without an id
	progressed int64    // when the server last told progress
}

// sentKind is what a message sent to the server was, as far as its answer goes.
type sentKind uint8

const (
	sentNothing sentKind = iota
	sentRequest
	sentNotification
)

// start begins anew with the start entry of another process.
func (r *run) start(row session.Row) {
	*r = run{}
	r.stderr.windowAt = row.T
	r.process.waitedAt, r.process.eofAt, r.process.exitedAt = never, never, never
}

// due is the next time at which something is over.
func (r *run) due() int64 {
	return min(r.stdout.joining.due(), r.ids.due(r.progressed), r.process.due())
}

// elapse finds what is due by now.
func (l *Linter) elapse() {
	if l.now >= l.run.stdout.joining.due() {
		l.stopJoining()
	}
	if l.now >= l.run.ids.due(l.run.progressed) {
		l.overdue()
	}
	if l.now >= l.run.process.due() {
		l.processDue()
	}
}

// endRun finds what can only be found when nothing more comes of a process.
func (l *Linter) endRun() {
	l.judgeCut()
	l.stopJoining()
	l.endProcess()
}

// agree notes the revision that a message names, if it is one we know.
func (r *run) agree(version string) {
	if mcp.IsLegacy(version) || mcp.IsModern(version) {
		r.revision = version
	}
}
