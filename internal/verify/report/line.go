package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/wording"
	"mcpdbg/session/diagnosis"
	"mcpdbg/ui/widget/termsafe"
)

// The maximum widths of columns.
const (
	maxHost   = 28
	maxServer = 20
)

// lineColumns are widths in cells; 0 fits the content.
type lineColumns struct {
	Host   int
	Server int // negative: omit the server
	Width  int // of the whole line; 0 for no limit
}

// columnsFor returns the columns of lines of width cells; 0 means no limit. The server is
// omitted if it is the same for all.
func columnsFor(targets []verify.Target, width int) lineColumns {
	c := lineColumns{Server: -1, Width: width}
	for _, t := range targets {
		c.Host = max(c.Host, min(termsafe.Width(cmp.Or(t.Place, t.Host)), maxHost))
		if t.Server != targets[0].Server {
			c.Server = 0
		}
	}
	if c.Server < 0 {
		return c
	}
	for _, t := range targets {
		c.Server = max(c.Server, min(termsafe.Width(t.Server), maxServer))
	}
	return c
}

// Line describes a finished target in one line without a newline, safe for a terminal:
// status, host, server, own duration, and what the server offers, or what went wrong in
// which phase.
func (c lineColumns) Line(r *verify.Result) string {
	line := fmt.Sprintf("%-4s  %s", status(r), pad(r.Where(), c.Host))
	if c.Server >= 0 {
		line += "  " + pad(r.Server, c.Server)
	}
	line += fmt.Sprintf("  %7s  %s", duration(r.DurationMS), withWait(OneLine(r), r))
	line = strings.TrimRight(line, " ")
	if c.Width > 0 {
		line = termsafe.Truncate(line, c.Width, termsafe.Ellipsis)
	}
	return line
}

func status(r *verify.Result) string {
	switch r.Outcome {
	case verify.OutcomeTolerated:
		return string(r.Outcome)
	case verify.OutcomeSkipped:
		return "skip"
	}
	switch outcome := r.Verdict(); outcome {
	case verify.VerdictFailed:
		return "FAIL"
	case verify.VerdictCancelled:
		return "stop"
	default:
		return outcome
	}
}

// OneLine describes a target in one line, safe for a terminal: what it offers, or what
// went wrong in which phase.
func OneLine(r *verify.Result) string {
	switch {
	case r.Outcome == verify.OutcomeSkipped:
		return termsafe.Line(r.Message)
	case r.Tolerated != nil:
		return termsafe.Line(r.Tolerated.Owner + ", until " + r.Tolerated.Expires + "; " + failure(r))
	case !r.OK:
		return termsafe.Line(failure(r))
	}
	parts := slices.Clone(r.CannotTell) // first, because a line may be cut
	if r.Outcome == verify.OutcomeFlaky {
		parts = append(parts, flaky(r))
	}
	if has := offers(r); has != "" {
		parts = append(parts, has)
	}
	if r.Count != (diagnosis.Count{}) {
		parts = append(parts, r.Count.String())
	}
	if n := len(r.Spared); n > 0 {
		parts = append(parts, fmt.Sprintf("%d left running (--leave)", n))
	}
	for i := range r.Notices {
		parts = append(parts, r.Notices[i].Code)
	}
	return termsafe.Line(strings.Join(parts, ", "))
}

// flaky is such as "second attempt; first: connection refused", or "7 of 10; first: ...",
// with the first failure.
func flaky(r *verify.Result) string {
	n := len(r.Attempts) + 1
	text := fmt.Sprintf("attempt %d", n)
	switch {
	case r.Repeats != nil:
		text = fmt.Sprintf("%d of %d", r.Repeats.Passed, r.Repeats.Of)
	case n == 2:
		text = "second attempt"
	case n == 3:
		text = "third attempt"
	}
	if len(r.Attempts) == 0 {
		return text
	}
	what := r.Attempts[0].Message
	if _, short, found := strings.Cut(what, ": "); found && r.Repeats == nil { // the row has the host
		what = short
	}
	return text + "; first: " + what
}

func failure(r *verify.Result) string {
	text := string(r.Cause)
	switch r.Cause {
	case verify.CauseTimeout, verify.CauseProtocol, verify.CauseLinkLost, verify.CauseCancelled:
		if r.Phase != verify.PhaseDone {
			text += " (" + string(r.Phase) + ")"
		}
	}
	if r.Message == "" {
		return text
	}
	return text + ": " + r.Message
}

func duration(ms float64) string { return wording.Took(int64(ms * 1000)) }

func withWait(text string, r *verify.Result) string {
	waits := waited(r)
	switch {
	case waits == "":
		return text
	case text == "":
		return "waited " + waits
	}
	return text + "; waited " + waits
}

// leastWait is the shortest wait worth mentioning, in milliseconds.
const leastWait = 100

// waited includes earlier attempts; "" if not worth mentioning.
func waited(r *verify.Result) string {
	if ms := r.WaitedMS(); ms >= leastWait {
		return duration(ms)
	}
	return ""
}

// pad returns a safe text in exactly cells cells; 0 means as many as needed.
func pad(text string, cells int) string {
	text = wording.OneLine(text)
	if cells == 0 {
		return termsafe.String(text)
	}
	return string(termsafe.AppendAligned(nil, []byte(text), cells, termsafe.Left, termsafe.Options{Ellipsis: termsafe.Ellipsis}))
}
