package digest

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

const (
	// claimedGroups is how many groups of failures have claims, and maxClaims how many of each
	// kind.
	claimedGroups, maxClaims = 20, 2
	// latestLines on stderr are known when a call fails, of which linesOfCall at most are read;
	// lineBytes of each.
	latestLines, linesOfCall, lineBytes = 64, 16, 160
	// byChance is how often numbers must not have a common divisor by chance.
	byChance = 1000
)

// A claim is that all failures of a group have something, and no call that succeeded has it.
type claim struct {
	of      *Failure
	line    *stderrLine // from the request until the client writes after the response
	last    int         // row of the latest such line
	tool    string      // or else: whose argument is always a multiple of the divisor
	name    string
	divisor int64
	refuted bool
}

// A stderrLine is a line on stderr, and what lines that differ only in numbers have in common.
type stderrLine struct{ text, key string }

// A watch is for lines on stderr that are recorded after the response of a call that failed:
// the two streams have no common order. It ends when the client writes.
type watch struct {
	of      *Failure
	request int // row
}

func (d *reader) watch(f *Failure, request int) {
	if len(d.watched) == latestLines {
		d.endWatch()
	}
	d.watched = append(d.watched, watch{f, request})
}

func (d *reader) endWatch() {
	for _, w := range d.watched {
		w.of.evidence.addLines(d.linesSince(w.request))
	}
	d.watched = d.watched[:0]
}

// linesSince reads the latest lines on stderr after a row.
func (d *reader) linesSince(request int) (lines []stderrLine) {
	for i := len(d.stderr) - 1; i >= 0 && int(d.stderr[i]) > request && len(lines) < linesOfCall; i-- {
		row, _ := session.RowAt(d.src, int(d.stderr[i]))
		if e, err := d.src.Entry(row, lineBytes); err == nil {
			text := lineText(&e)
			lines = append(lines, stderrLine{text, withoutNumbers(text)})
		}
	}
	slices.Reverse(lines)
	return lines
}

func lineText(e *session.Entry) string {
	text := bytes.TrimSpace(e.Payload[:min(len(e.Payload), lineBytes)])
	return string(text[:wording.Whole(text)])
}

// addLines keeps the lines that all failures of a group have.
func (v *evidence) addLines(lines []stderrLine) {
	if !v.watched {
		v.lines, v.watched = lines, true
		return
	}
	v.lines = slices.DeleteFunc(v.lines, func(l stderrLine) bool {
		return !slices.ContainsFunc(lines, func(o stderrLine) bool { return o.key == l.key })
	})
	for i := range v.lines {
		l := &v.lines[i]
		if !slices.ContainsFunc(lines, func(o stderrLine) bool { return o.text == l.text }) {
			l.text = l.key
		}
	}
}

// claims makes the claims of groups, without those that a call refutes, and states the others.
func (d *reader) claims(ctx context.Context, groups []*Failure) {
	if d.succeeded == nil {
		return
	}
	var all []claim
	for _, f := range groups[:min(len(groups), claimedGroups)] {
		for i := range f.evidence.lines[:min(len(f.evidence.lines), maxClaims)] {
			all = append(all, claim{of: f, line: &f.evidence.lines[i]})
		}
		all = append(all, f.divisors(d.succeeded)...)
	}
	succeeded := d.refute(ctx, all)
	for i := range all {
		if c := &all[i]; !c.refuted && succeeded > 0 {
			c.of.evidence.claimed = append(c.of.evidence.claimed, c.text(succeeded, d.succeeded[c.tool]))
		}
	}
}

// divisors claims that an argument of the only tool is always a multiple of a number, if that
// is unlikely by chance.
func (f *Failure) divisors(succeeded map[string]*callSet) (all []claim) {
	for tool, failed := range f.evidence.calls {
		fine := succeeded[tool]
		if len(f.evidence.calls) > 1 || failed.calls != f.Count || failed.unread || fine == nil || fine.unread || fine.unsure {
			return nil
		}
		for name, v := range failed.arguments {
			other := fine.arguments[name]
			if v.numbers != f.Count || v.divisor < 2 || other == nil || other.numbers == 0 || len(all) == maxClaims {
				continue
			}
			rarer := v.divisor / gcd(v.divisor, other.divisor)
			if math.Pow(float64(rarer), float64(len(v.some)-1)) >= byChance {
				all = append(all, claim{of: f, tool: tool, name: name, divisor: v.divisor})
			}
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].name < all[j].name })
	return all
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// refute compares claims with all requests of the client that succeeded, and returns their
// number.
func (d *reader) refute(ctx context.Context, all []claim) (succeeded int) {
	isOpen := func(c claim) bool { return !c.refuted }
	if !slices.ContainsFunc(all, isOpen) {
		return 0
	}
	d.in = session.InOrder(d.src)
	fine := false // a request succeeded, and the client has not written since then
	for number, row := range session.RowsFrom(d.src, 0) {
		if number%1024 == 0 && (ctx.Err() != nil || !slices.ContainsFunc(all, isOpen)) {
			return 0
		}
		fine = fine && row.Kind != session.KindStdin
		switch {
		case row.Kind == session.KindStderr:
			d.findLine(all, number, row, fine)
		case row.Kind == session.KindStdout && row.Msg == framing.Response && row.Flags&session.FlagError == 0:
			request, ok := row.Partner()
			if !ok {
				continue
			}
			succeeded, fine = succeeded+1, true
			for i := range all {
				all[i].refuted = all[i].refuted || all[i].line != nil && all[i].last > request
			}
		case row.Kind == session.KindStdin && row.Msg == framing.Request && row.Flags&session.FlagError == 0 && row.State == session.ReqAnswered && d.src.Method(row.Method) == mcp.MethodToolsCall:
			d.refuteNumber(all, row)
		}
	}
	return succeeded
}

// findLine notes the row of a line on stderr that claims are about, and refutes them if it
// belongs to a request that succeeded.
func (d *reader) findLine(all []claim, number int, row session.Row, fine bool) {
	e, err := d.in.EntryInto(row, lineBytes, d.buf[:0])
	if err != nil {
		return
	}
	key := withoutNumbers(lineText(&e))
	for i := range all {
		if c := &all[i]; c.line != nil && c.line.key == key {
			c.last, c.refuted = number, c.refuted || fine
		}
	}
}

// refuteNumber compares the claims about arguments with a call that succeeded.
func (d *reader) refuteNumber(all []claim, row session.Row) {
	if !slices.ContainsFunc(all, func(c claim) bool { return c.divisor > 0 && !c.refuted }) {
		return
	}
	e, err := d.requestAt(row, mcp.MethodToolsCall)
	if err != nil {
		return // then the calls that succeeded are not known
	}
	tool := CallOf(mcp.MethodToolsCall, e.Payload).Tool
	arguments, _ := argumentsOf(&e)
	for i := range all {
		c := &all[i]
		if c.divisor == 0 || c.tool != tool {
			continue
		}
		for name, value := range members(arguments) {
			if n, err := strconv.ParseInt(string(value), 10, 64); string(name) == c.name && err == nil && n%c.divisor == 0 {
				c.refuted = true
			}
		}
	}
}

// text states a claim, given the number of requests that succeeded and the calls of the tool.
func (c *claim) text(succeeded int, fine *callSet) string {
	if c.line == nil {
		return fmt.Sprintf("each %s is a multiple of %d; none of the %s of %s that succeeded has such a %s",
			c.name, c.divisor, wording.Plural(fine.calls, "call"), wording.Clip(c.tool, maxValue, wording.Ellipsis), c.name)
	}
	which := "the call"
	if c.of.Count > 1 {
		which = fmt.Sprintf("each of the %d calls", c.of.Count)
	}
	return fmt.Sprintf("stderr has %q during or right after %s, and with none of the %s that succeeded",
		wording.Clip(c.line.text, maxQuoted, wording.Ellipsis), which, wording.Plural(succeeded, "request"))
}
