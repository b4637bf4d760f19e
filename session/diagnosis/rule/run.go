package rule

import (
	"math"
	"slices"

	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/diagnosis/rule/contents"
	"mcpdbg/session/diagnosis/rule/lifecycle"
	"mcpdbg/session/mcp"
)

// never is later than any time.
const never = math.MaxInt64

// A run is the state for one process, which begins at its start entry.
type run struct {
	revision string // negotiated protocol revision; "" if unknown

	ids       ids
	handshake handshake
	stdout    stdoutRun
	stderr    stderrRun
	process   processRun

	// replaced is set when the process is ended for one of the other era, which is
	// used in its place.
	replaced bool

	legacy, modern bool // the client used the process in these eras

	lastSent   sentKind // kind of the last message sent to the server
	unreadable int      // malformed lines sent: each may be answered without an id
	progressed int64    // time of the last progress notification

	groups    []message.Checker  // of the rules about contents
	lifecycle *lifecycle.Checker // one of the groups
	contents  *contents.Checker  // one of the groups
}

// sentKind classifies a message sent to the server by the response it may get.
type sentKind uint8

const (
	sentNothing sentKind = iota
	sentRequest
	sentNotification
)

// start resets the state at the start entry of another process. started is false if the
// log may begin after it.
func (r *run) start(l *Checker, row session.Row, started bool) {
	order, inside := lifecycle.New(l.reportIn, &l.past, started), contents.New(l.reportIn)
	*r = run{lifecycle: order, contents: inside, stdout: stdoutRun{l: l}}
	r.groups = []message.Checker{contents.NewMethods(l.reportIn), contents.NewShapes(l.reportIn), order, lifecycle.NewTasks(l.reportIn), inside}
	r.stderr.windowAt = row.T
	r.process.waitedAt, r.process.eofAt, r.process.exitedAt = never, never, never
}

// use notes the era of a request of the client. Both eras have ping.
func (r *run) use(q *message.Request) {
	switch {
	case q.Method == mcp.MethodDiscover, q.Versioned && mcp.IsModern(q.Revision):
		r.modern = true
	case q.Method != mcp.MethodPing:
		r.legacy = true
	}
}

// otherEra reports whether a rule is only about the era in which the client has not used
// the process.
func (r *run) otherEra(rule *diagnosis.Rule) bool {
	if r.legacy == r.modern || len(rule.Revisions) == 0 {
		return false
	}
	return !slices.ContainsFunc(rule.Revisions, func(revision string) bool { return mcp.IsModern(revision) == r.modern })
}

// due returns when something is due. Messages are due only while the process lives: its
// end settles what was pending.
func (r *run) due() int64 {
	due := min(r.stdout.joining.due(), r.process.due())
	if r.process.ended() {
		return due
	}
	due = min(due, r.ids.due(r.progressed))
	for _, c := range r.groups {
		due = min(due, c.Due())
	}
	return due
}

func (r *run) limited() bool {
	return r.ids.overflow || slices.ContainsFunc(r.groups, func(c message.Checker) bool {
		group, ok := c.(interface{ Limited() bool })
		return ok && group.Limited()
	})
}

func (l *Checker) elapse() {
	if l.now >= l.run.stdout.joining.due() {
		l.run.stdout.stopJoining()
	}
	if l.now >= l.run.process.due() {
		l.processDue()
	}
	if l.run.process.ended() {
		return
	}
	if l.now >= l.run.ids.due(l.run.progressed) {
		l.overdue()
	}
	for _, c := range l.run.groups {
		if l.now >= c.Due() {
			c.Elapse(l.now)
		}
	}
}

// endRun finds what can only be found when nothing more comes from a process.
func (l *Checker) endRun() {
	l.run.stdout.judgeCut()
	l.run.stdout.stopJoining()
	l.endProcess()
	for _, c := range l.run.groups {
		c.End()
	}
}

// agree sets the revision that a message names, if it is known. Otherwise contents are
// not checked.
func (l *Checker) agree(version string) {
	switch {
	case mcp.IsLegacy(version) || mcp.IsModern(version):
		l.run.revision = version
	case version != "":
		l.found.unknownRevision(version)
	}
}
