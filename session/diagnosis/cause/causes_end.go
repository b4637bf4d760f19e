package cause

import (
	"cmp"
	"fmt"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/executor"
)

// early reports whether the process exited by itself before any response, or the client
// of an engine did.
func (w *view) early() bool { return (w.endedByItself() || w.unreachable()) && w.answered == 0 }

func (w *view) remote() bool { return w.Start.Host != "" }

func (w *view) argv() []string {
	if w.Start.Argv != nil {
		return w.Start.Argv
	}
	return w.src.Header().Argv
}

// tooEarly describes how and when the process exited without a known response.
func (w *view) tooEarly() string {
	if w.gap.n > 0 { // which may have contained a response
		return fmt.Sprintf("the server %s, after %s", w.howEnded(), took(w.Exited.T-w.Begun.T))
	}
	return fmt.Sprintf("the server %s before it answered, after %s", w.howEnded(), took(w.Exited.T-w.Begun.T))
}

// tooEarlyFor has no time, but the request that got no response.
func (w *view) tooEarlyFor() string {
	text := "the server " + w.howEnded()
	if w.gap.n > 0 {
		return text
	}
	text += " before it answered"
	if open := w.asked; len(open) > 0 {
		if row, ok := w.row(open[len(open)-1].row); ok {
			text += " " + clip(w.src.Method(row.Method), quoteShort)
		}
	}
	return text
}

// bridgeFailed finds a bridge to a URL that reports why it has no server. Before an
// exit it may still wait, such as for a login.
func bridgeFailed(w *view) (found, bool) {
	if w.answered > 0 || w.Exited.Seen && !w.early() {
		return found{}, false
	}
	said := w.lastWords(0)
	line, text, advice := diagnosis.BridgeFailure(w.argv(), said.lines)
	if line < 0 {
		return found{}, false
	}
	return found{text: text + ": " + clip(strings.TrimSpace(said.lines[line]), quoteBytes), brief: text, try: advice, row: said.rows[line]}, true
}

func variableMissing(w *view) (found, bool) {
	if !w.early() {
		return found{}, false
	}
	said := w.lastWords(0)
	line, _, advice := diagnosis.AdviceVariable(said.lines, diagnosis.Environ{Policy: w.Env.Policy, Named: w.Env.Named, Passed: w.Env.Passed, Omitted: w.Env.Omitted}, w.remote())
	if line < 0 {
		return found{}, false
	}
	return found{text: w.tooEarly() + ": " + clip(said.lines[line], quoteBytes), brief: w.tooEarlyFor(), try: advice, row: said.rows[line]}, true
}

func commandMissing(w *view) (found, bool) {
	if !w.early() || w.Exit.Code == nil || diagnosis.AdviceCommand(*w.Exit.Code, w.remote()) == "" {
		return found{}, false
	}
	f := w.quoting(w.tooEarly(), 0, false)
	f.brief = w.tooEarlyFor()
	f.try = diagnosis.AdviceCommand(*w.Exit.Code, w.remote())
	return f, true
}

func exitedEarly(w *view) (found, bool) {
	if !w.early() {
		return found{}, false
	}
	f := w.quoting(w.tooEarly(), 0, false)
	f.brief = w.tooEarlyFor()
	f.try = w.tryEnd(cmp.Or(diagnosis.AdviceLine(w.line(f.row)), "run its command in a shell: it should wait for input there"))
	return f, true
}

// outside finds a server that the guard or the watchdog ended, or that lost the client of
// an engine, which is not the server's fault.
func outside(w *view) (found, bool) {
	by, lost := w.by(), w.unreachable() && w.answered > 0
	if !lost && !session.EndedFromOutside(by) {
		return found{}, false
	}
	text := fmt.Sprintf("the server %s, after %s", w.howEnded(), took(w.Exited.T-w.Begun.T))
	if !lost {
		return found{text: text, try: diagnosis.AdviceEnd(executor.Exit{By: by}), row: w.Exited.Row}, true
	}
	f := w.quoting(text, w.Exited.T-1e6, true)
	f.try = "the client of the engine ended; the server may still run"
	return f, true
}

// quoting appends the stderr line since a time that explains an exit, if any, as its
// evidence. With sure, the line must mention an error.
func (w *view) quoting(text string, since int64, sure bool) found {
	said := w.lastWords(since)
	at, isError := telling(said.lines)
	if at < 0 || sure && !isError {
		return found{text: text, row: w.Exited.Row}
	}
	return found{text: text + ": " + clip(said.lines[at], quoteBytes), brief: text, row: said.rows[at]}
}

// crashed finds a server that exited during a call.
func crashed(w *view) (found, bool) {
	calls := w.waitingFor()
	if !w.endedByItself() || w.answered == 0 || len(calls) == 0 {
		return found{}, false
	}
	call, _, _ := strings.Cut(w.call(calls[0].row), " (id ") // the process ended: no other call has to be told apart
	text := fmt.Sprintf("the server %s during %s", w.howEnded(), call)
	if n := len(calls) - 1; n > 0 {
		text += " and " + wording.Plural(n, "other request")
	}
	f := w.quoting(text, calls[0].t, true)
	f.try = w.tryEnd("")
	if f.try == "" && f.brief == "" { // no line of stderr is quoted
		f.try = "no response will come; check stderr around that time"
	}
	return f, true
}

// endedUnasked finds a server that exited by itself with no call pending.
func endedUnasked(w *view) (found, bool) {
	if !w.endedByItself() || w.answered == 0 || len(w.waitingFor()) > 0 {
		return found{}, false
	}
	how := w.howEnded()
	if w.by() == executor.EndedByServer {
		how += " by itself"
	}
	f := w.quoting(fmt.Sprintf("the server %s, after %s", how, took(w.Exited.T-w.Begun.T)), w.Exited.T-1e6, true)
	f.try = w.tryEnd("a server must keep running until its stdin is closed")
	return f, true
}

// tryEnd returns advice about an exit: specific to a signal that something else
// sent, otherwise the default.
func (w *view) tryEnd(usual string) string {
	exit := w.Exit.Exit()
	exit.By = w.by()
	return cmp.Or(diagnosis.AdviceEnd(exit), usual)
}

const heldAfter = 500_000

func heldPipe(w *view) (found, bool) {
	if !w.Exited.Seen || w.Lost.Seen || w.leftover {
		return found{}, false
	}
	if w.Closed.Seen {
		open := w.Closed.T - w.Exited.T
		return found{
			text: fmt.Sprintf("the streams stayed open for %s after the server's exit: a child process held them", took(open)),
			try:  "terminate child processes, or do not let them inherit stdout and stderr", row: w.Exited.Row,
		}, open >= heldAfter
	}
	open := w.now - w.Exited.T
	return found{
		text: fmt.Sprintf("the server %s, but its streams are still open after %s: a child process holds them", w.howEnded(), took(open)),
		try:  "kill the remaining processes before restarting it", row: w.Exited.Row, clock: true,
	}, open >= heldAfter
}

func couldNotBeKilled(w *view) (found, bool) {
	if !w.survivors.Seen {
		return found{}, false
	}
	first := w.left.Tree[0]
	return found{
		text: fmt.Sprintf("%s could not be killed, such as pid %d %s", wording.PluralOf(len(w.left.Tree), "process", "processes"), first.PID, clip(first.Command, quoteShort)),
		row:  w.survivors.Row,
	}, true
}

// stubborn finds a server that ignored stdin EOF and SIGTERM.
func stubborn(w *view) (found, bool) {
	n := len(w.ending.ignored)
	if n < 2 || !w.ending.row.Seen {
		return found{}, false
	}
	return found{
		text: "the server ignored stdin EOF and SIGTERM; killed with SIGKILL",
		try:  "clients may leave it running: exit when stdin is closed", row: w.ending.row.Row,
	}, true
}

func leftBehind(w *view) (found, bool) {
	if w.ending.killed == 0 || !w.Exited.Seen || w.ending.killT < w.Exited.T {
		return found{}, false
	}
	return found{
		text: "the server leaked " + wording.PluralOf(w.ending.killed, "child process", "child processes") + " (killed)",
		try:  "terminate child processes before exiting", row: w.ending.row.Row,
	}, true
}
