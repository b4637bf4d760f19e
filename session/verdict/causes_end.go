package verdict

import (
	"cmp"
	"fmt"

	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// early tells whether the process ended by itself before it answered anything.
func (w *view) early() bool { return w.endedByItself() && w.answered == 0 }

// remote tells whether the process was on a host.
func (w *view) remote() bool { return w.start.Host != "" }

func (w *view) argv() []string {
	if w.start.Argv != nil {
		return w.start.Argv
	}
	return w.src.Header().Argv
}

// tooEarly is how and when it ended, without an answer as far as is known.
func (w *view) tooEarly() string {
	if w.gap.n > 0 { // which may have held one
		return fmt.Sprintf("the server %s, after %s", w.howEnded(), took(w.exitedAt.t-w.begun.t))
	}
	return fmt.Sprintf("the server %s before it answered, after %s", w.howEnded(), took(w.exitedAt.t-w.begun.t))
}

func variableMissing(w *view) (found, bool) {
	if !w.early() {
		return found{}, false
	}
	said := w.lastWords(0)
	line, _, advice := session.AdviceVariable(said.lines, w.env, w.remote())
	if line < 0 {
		return found{}, false
	}
	return found{text: w.tooEarly() + ": " + clip(said.lines[line], quoteBytes), try: advice, row: said.rows[line]}, true
}

func commandMissing(w *view) (found, bool) {
	if !w.early() || w.exited.Code == nil || session.AdviceCommand(*w.exited.Code, w.remote()) == "" {
		return found{}, false
	}
	f := w.quoting(w.tooEarly(), 0, false)
	f.try = session.AdviceCommand(*w.exited.Code, w.remote())
	return f, true
}

func exitedEarly(w *view) (found, bool) {
	if !w.early() {
		return found{}, false
	}
	f := w.quoting(w.tooEarly(), 0, false)
	f.try = w.tryEnd("run its command in a shell: it should wait for input there")
	return f, true
}

// outside finds a server that the guard or the watchdog ended: that is not the
// server's fault.
func outside(w *view) (found, bool) {
	by := w.by()
	return found{
		text: fmt.Sprintf("the server %s, after %s", w.howEnded(), took(w.exitedAt.t-w.begun.t)),
		try:  session.AdviceEnd(executor.Exit{By: by}), row: w.exitedAt.row,
	}, session.Outside(by)
}

// quoting adds what stderr said about an end since a time: its evidence, if it
// says something. With sure it has to speak of an error.
func (w *view) quoting(text string, since int64, sure bool) found {
	said := w.lastWords(since)
	at, speaks := telling(said.lines)
	if at < 0 || sure && !speaks {
		return found{text: text, row: w.exitedAt.row}
	}
	return found{text: text + ": " + clip(said.lines[at], quoteBytes), row: said.rows[at]}
}

// crashed finds a server that died of a call, or at least in one.
func crashed(w *view) (found, bool) {
	calls := w.waitingFor()
	if !w.endedByItself() || w.answered == 0 || len(calls) == 0 {
		return found{}, false
	}
	text := fmt.Sprintf("the server %s during %s", w.howEnded(), w.call(calls[0].row))
	if n := len(calls) - 1; n > 0 {
		text += " and " + count(n, "other request", "other requests")
	}
	f := w.quoting(text, calls[0].t, true)
	f.try = w.tryEnd("no answer can come any more; stderr around that moment may say why")
	return f, true
}

// endedUnasked finds a server that went while nobody waited for it.
func endedUnasked(w *view) (found, bool) {
	if !w.endedByItself() || w.answered == 0 || len(w.waitingFor()) > 0 {
		return found{}, false
	}
	how := w.howEnded()
	if w.by() == executor.EndedByServer {
		how += " by itself"
	}
	f := w.quoting(fmt.Sprintf("the server %s, after %s", how, took(w.exitedAt.t-w.begun.t)), w.exitedAt.t-1e6, true)
	f.try = w.tryEnd("a server lives until its standard input is closed")
	return f, true
}

// tryEnd is what to try about an end: what is known about a signal that others
// sent, else the usual.
func (w *view) tryEnd(usual string) string {
	exit := w.exited.Exit()
	exit.By = w.by()
	return cmp.Or(session.AdviceEnd(exit), usual)
}

// heldAfter is how long streams may stay open when the process has ended.
const heldAfter = 500_000

func heldPipe(w *view) (found, bool) {
	if !w.exitedAt.seen || w.lostAt.seen {
		return found{}, false
	}
	if w.closedAt.seen {
		open := w.closedAt.t - w.exitedAt.t
		return found{
			text: fmt.Sprintf("the server had ended, and its streams stayed open for %s: a process that it started held them", took(open)),
			try:  "end what it starts, or do not let it inherit stdout and stderr", row: w.exitedAt.row,
		}, open >= heldAfter
	}
	open := w.now - w.exitedAt.t
	return found{
		text: fmt.Sprintf("the server %s, and its streams are still open after %s: a process that it started holds them", w.howEnded(), took(open)),
		try:  "what is left of it has to be killed before it can be started again", row: w.exitedAt.row, clock: true,
	}, open >= heldAfter
}

func couldNotBeKilled(w *view) (found, bool) {
	if !w.survivors.seen {
		return found{}, false
	}
	first := w.left.Tree[0]
	return found{
		text: fmt.Sprintf("%s could not be killed, such as pid %d %s", count(len(w.left.Tree), "process", "processes"), first.PID, clip(first.Command, quoteShort)),
		row:  w.survivors.row,
	}, true
}

// stubborn finds a server that did not go when it was asked to.
func stubborn(w *view) (found, bool) {
	n := len(w.ending.ignored)
	if n < 2 || !w.ending.row.seen {
		return found{}, false
	}
	return found{
		text: "the server went on when its standard input was closed, and at TERM: it took a KILL to end it",
		try:  "clients may leave it running: end it at the end of its standard input", row: w.ending.row.row,
	}, true
}

func leftBehind(w *view) (found, bool) {
	if w.ending.killed == 0 || !w.exitedAt.seen || w.ending.killT < w.exitedAt.t {
		return found{}, false
	}
	return found{
		text: "the server left " + count(w.ending.killed, "process", "processes") + " behind, which had to be killed",
		try:  "end what it starts before it ends", row: w.ending.row.row,
	}, true
}
