package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"mcpdbg/internal/verify"
	"mcpdbg/ui/widget/termsafe"
)

// TAP writes one test per target, followed by its details as YAML. Every reader accepts
// version 13, including prove; readers of version 14 read it the same way.
func TAP(w io.Writer, r *verify.Report) error {
	b := bufio.NewWriter(w)
	_, _ = fmt.Fprintf(b, "TAP version 13\n1..%d\n", len(r.Targets)) // Flush reports errors
	for i := range r.Targets {
		tapTest(b, i+1, &r.Targets[i])
	}
	counts := r.Tally()
	_, _ = fmt.Fprintf(b, "# %d passed, %d failed, %d cancelled\n", counts.Passed, counts.Failed, counts.Cancelled)
	if r.Checked != "" {
		_, _ = fmt.Fprintf(b, "# checked: %s\n", termsafe.Line(r.Checked))
	}
	return b.Flush()
}

func tapTest(b *bufio.Writer, number int, t *verify.Result) {
	word := "not ok"
	if t.OK {
		word = "ok"
	}
	text := t.Where() + " " + t.Server
	if t.Verdict() == verify.VerdictDoubtful {
		text += " (" + verify.VerdictDoubtful + ": " + t.CannotTell[0] + ")"
	}
	_, _ = fmt.Fprintf(b, "%s %d - %s\n", word, number, tapText(text))
	y := yaml{b: b}
	_, _ = b.WriteString("  ---\n")
	y.text("host", t.Host)
	y.text("server", t.Server)
	y.text("verdict", t.Verdict())
	y.text("phase", string(t.Phase))
	y.text("cause", string(t.Cause))
	y.text("code", t.Code)
	y.text("message", t.Message)
	y.text("hint", t.Hint)
	y.text("exit", t.Exit)
	y.text("exit_by", t.ExitBy)
	y.list("said", t.Said)
	y.number("duration_ms", t.DurationMS+t.WaitedMS())
	y.timings(t)
	if n := len(t.Attempts); n > 0 {
		y.number("attempts", float64(n+1))
	}
	d, server := linesOf(t), t.First()
	y.text("protocol", server.Protocol)
	y.text("era", server.Era)
	y.text("server_info", server.String())
	y.text("offers", offers(t))
	y.list("steps", d.steps)
	y.list("drift", d.drift)
	y.list("findings", each(t.Problems, func(p *verify.ProcessProblem) string { return problemText(&p.Problem) }))
	y.list("notices", d.notices)
	y.list("orphans", d.orphans)
	y.list("spared", d.spared)
	y.list("cannot_tell", t.CannotTell)
	y.text("recording", t.Recording())
	y.text("debug", t.Debug)
	_, _ = b.WriteString("  ...\n")
}

// A # would begin a directive.
func tapText(text string) string {
	return strings.NewReplacer(`\`, `\\`, "#", `\#`).Replace(termsafe.Line(text))
}

// A yaml uses only the YAML that readers of TAP know: quoted and literal texts, numbers,
// one level of maps.
type yaml struct{ b *bufio.Writer }

func (y yaml) text(name, text string) {
	if text != "" {
		_, _ = fmt.Fprintf(y.b, "  %s: %s\n", name, quote(text))
	}
}

func (y yaml) number(name string, n float64) {
	_, _ = fmt.Fprintf(y.b, "  %s: %s\n", name, milliseconds(n))
}

// list writes texts, one per line, not a YAML list: some readers take a quoted item with
// a colon for a map.
func (y yaml) list(name string, items []string) {
	first := true
	for _, item := range items {
		line := strings.TrimRight(termsafe.Line(item), " ")
		if line == "" {
			continue
		}
		if first {
			_, _ = fmt.Fprintf(y.b, "  %s: |\n", name)
			line = strings.TrimLeft(line, " ") // all lines have the same indent
			first = false
		}
		_, _ = fmt.Fprintf(y.b, "    %s\n", line)
	}
}

func (y yaml) timings(t *verify.Result) {
	first := true
	line := func(phase string, ms float64) {
		if first {
			_, _ = y.b.WriteString("  timings_ms:\n")
			first = false
		}
		_, _ = fmt.Fprintf(y.b, "    %s: %s\n", phase, milliseconds(ms))
	}
	if t.WaitMS > 0 {
		line("wait", t.WaitMS)
	}
	for _, phase := range phases {
		if ms := t.Took(phase); ms != nil {
			line(phase, *ms)
		}
	}
}

func milliseconds(n float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.3f", n), "0"), ".")
}

// quote is valid for both YAML and JSON, with escaped line breaks.
func quote(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(strings.Join(termsafe.Lines(text), "\n")) // encoding a string cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}
