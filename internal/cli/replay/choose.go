package replay

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/recordings/digest"
	"mcpdbg/recordings/replay"
	"mcpdbg/session"
	"mcpdbg/session/elements"
	"mcpdbg/session/summary"

	"github.com/spf13/cobra"
)

// A choice is the calls of a recording to replay, by the flags --only and --filter.
type choice struct {
	only   []string
	filter string

	elsewhere, next int // matching entries of other processes, and one of these
}

func (c *choice) given() bool { return len(c.only) > 0 || c.filter != "" }

// check rejects an empty choice, which would be of all.
func (c *choice) check(cmd *cobra.Command) error {
	for _, name := range []string{"only", "filter"} {
		if cmd.Flags().Changed(name) && !c.given() {
			return console.Usagef("--%s must not be empty", name)
		}
	}
	return nil
}

// plan plans to send the chosen calls, or all. Without --run it takes the process of the
// first of them.
func (c *choice) plan(ctx context.Context, rec *recordings.Recording, opts replay.Options) (*replay.Plan, error) {
	if !c.given() {
		return replay.New(ctx, rec, opts)
	}
	rows, err := c.rows(ctx, rec)
	if err != nil {
		return nil, err
	}
	runs := []int{opts.Run}
	if opts.Run == 0 {
		for number, row := range session.RowsFrom(rec, 0) {
			if _, found := slices.BinarySearch(rows, number); found && !slices.Contains(runs, int(row.Run)) && row.Run > 0 {
				runs = append(runs, int(row.Run))
			}
		}
	}
	var first *replay.Plan
	for _, run := range runs {
		opts.Run = run
		plan, err := replay.New(ctx, rec, opts)
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = plan
		}
		if items, other := c.items(plan, rows); len(items) > 0 {
			if len(c.only) > 0 && other >= 0 {
				return nil, c.notCall(plan, rec, other)
			}
			c.others(plan, rec, rows)
			return plan.Choose(items, len(c.only) > 0), nil
		}
	}
	if len(c.only) > 0 {
		return nil, c.notCall(first, rec, rows[0])
	}
	return nil, console.WithHint(fmt.Errorf("--filter %s: %s match, and none is of a call that can be replayed; %s searched",
		c.filter, wording.Plural(len(rows), "entry"), wording.Plural(rec.Len(), "entry")), "--dry-run without --filter to list the calls")
}

// others counts the matching rows of other processes.
func (c *choice) others(plan *replay.Plan, rec *recordings.Recording, rows []int) {
	run, _ := plan.Process()
	for _, number := range rows {
		if row, ok := session.RowAt(rec, number); ok && row.Kind.IsStream() && row.Run > 0 && int(row.Run) != run {
			c.elsewhere++
			c.next = int(row.Run)
		}
	}
}

// items returns the items of rows, and a row that belongs to none, or -1.
func (c *choice) items(plan *replay.Plan, rows []int) (items []int, other int) {
	other = -1
	for _, row := range rows {
		before := len(items)
		if items = plan.AppendItems(items, row); len(items) == before {
			other = row
		}
	}
	slices.Sort(items)
	return slices.Compact(items), other
}

func (c *choice) notCall(plan *replay.Plan, rec *recordings.Recording, row int) error {
	r, _ := session.RowAt(rec, row)
	e, err := rec.Entry(r, 1)
	if err != nil {
		return err
	}
	if run, of := plan.Process(); int(r.Run) != run && of > 1 && r.Run > 0 {
		return console.WithHint(fmt.Errorf("--only %d: entry %d is of process %d, not of process %d", e.N, e.N, r.Run, run), fmt.Sprintf("--run %d", r.Run))
	}
	return fmt.Errorf("--only %d: entry %d is %s", e.N, e.N, plan.Describe(row))
}

// rows returns the matching rows, in order.
func (c *choice) rows(ctx context.Context, rec *recordings.Recording) (rows []int, err error) {
	for _, text := range c.only {
		n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("--only %q: must be the number of an entry, such as 131, or several: 131,140", text)
		}
		row, ok := replay.RowOf(rec, n)
		if !ok {
			return nil, fmt.Errorf("--only %d: the recording has no entry %d", n, n)
		}
		rows = append(rows, row)
	}
	slices.Sort(rows)
	if c.filter == "" {
		return rows, nil
	}
	shown, err := flags.Filter("--filter", c.filter)
	if err != nil {
		return nil, err
	}
	src := rec.ReadAhead()
	matcher := shown.Matcher(elements.New(src))
	for number, row := range session.RowsFrom(src, 0) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if matcher.Match(number, row) {
			rows = append(rows, number)
		}
	}
	if len(rows) == 0 {
		return nil, console.WithHint(fmt.Errorf("--filter %s: no match in %s", c.filter, wording.Plural(rec.Len(), "entry")), "--dry-run without --filter to list the calls")
	}
	return rows, nil
}

// call describes an item as reports on recordings do.
func (r *replaying) call(item int) digest.Call {
	it := &r.plan.Items()[item]
	line, err := r.plan.Bytes(item, summary.Limit)
	if err != nil || it.Kind == replay.Raw {
		return digest.Call{Method: it.Method, Tool: it.Tool}
	}
	return digest.CallOf(it.Method, line)
}

// words returns the name and the arguments of an item.
func (r *replaying) words(item int) string {
	c := r.call(item)
	return wording.Clip(c.Words(), shownWords, "…")
}

// arguments returns the arguments of a call of a tool, or the name or URI that another
// request is about with its arguments.
func (r *replaying) arguments(item int) string {
	c := r.call(item)
	text := c.Arguments
	if r.plan.Items()[item].Tool == "" {
		text = wording.Join(" ", c.Tool, text)
	}
	return wording.Clip(text, shownWords, "…")
}

const (
	shownWords  = 120
	shownResult = 300
	shownChosen = 20
)

// also names the requests that come along.
func (r *replaying) also(p *safePrinter, sent func(item int) bool) {
	for i, it := range r.plan.Items() {
		if it.NeededBy > 0 && sent(i) {
			p.line("also sent: entry %d %s, on which entry %d depends", it.N, r.words(i), it.NeededBy)
		}
	}
}

// chosen shows the recorded and the new response of each chosen call, one below the other.
func (r *replaying) chosen(p *safePrinter, at *attempt) {
	n := 0
	for i, it := range r.plan.Items() {
		o := at.res.Outcomes[i]
		if it.NeededBy > 0 || !it.Chosen() || o.Status == replay.Skipped || it.Kind != replay.Request {
			continue
		}
		if n++; n > shownChosen {
			continue
		}
		p.title(fmt.Sprintf("entry %d %s", it.N, r.words(i)))
		old, was := response(r.rec, r.plan.Response(i))
		answer := -1
		if o.Response > 0 {
			answer = int(o.Response) - 1
		}
		current, is := response(at.live.Log, answer)
		was.text, is.text = texts(it.Method, old, current)
		p.line("  recorded  %s", was.line(it.Took.Microseconds(), "no response"))
		took := int64(0)
		if len(o.Live) > 0 {
			sent, _ := session.RowAt(at.live.Log, int(o.Live[0])-1)
			took = is.t - sent.T
		}
		p.line("  now       %s", is.line(took, statusText(o.Status)))
	}
	if n > shownChosen {
		p.line("")
		p.line("and %s more", wording.Plural(n-shownChosen, "call"))
	}
}

// A reply is a response to show.
type reply struct {
	n    uint64 // 0: none
	t    int64
	text string
}

func (r reply) line(took int64, none string) string {
	if r.n == 0 {
		return none
	}
	return fmt.Sprintf("entry %-5d %8s  %s", r.n, wording.Took(max(took, 0)), r.text)
}

func response(src session.Source, number int) (session.Entry, reply) {
	row, ok := session.RowAt(src, number)
	if number < 0 || !ok {
		return session.Entry{}, reply{}
	}
	e, err := src.Entry(row, 0)
	if err != nil {
		return session.Entry{}, reply{}
	}
	return e, reply{n: e.N, t: row.T}
}

// texts returns two responses in short: as lists show them, or if these are equal and the
// responses are not, around the first difference.
func texts(method string, a, b session.Entry) (one, other string) {
	one, other = short(method, a), short(method, b)
	x, y := value(a), value(b)
	if one != other || bytes.Equal(x, y) {
		return one, other
	}
	at := 0
	for at < min(len(x), len(y)) && x[at] == y[at] {
		at++
	}
	return around(x, at), around(y, at)
}

func short(method string, e session.Entry) string {
	return wording.Clip(summary.Response(method, e.Payload, int64(len(e.Payload))), shownResult, "…")
}

func value(e session.Entry) []byte {
	if v := e.Msg.Result.Of(e.Payload); v != nil {
		return v
	}
	return e.Msg.Error.Of(e.Payload)
}

// around shows the text around a place.
func around(text []byte, at int) string {
	const before, after = 40, 100
	from, to := max(0, at-before), min(len(text), at+after)
	mark := map[bool]string{true: "…"}
	return mark[from > 0] + strings.ToValidUTF8(string(text[from:to]), "") + mark[to < len(text)]
}
