package replay

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings/compare"
	"mcpdbg/recordings/replay"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/widget/termsafe"
)

// Document is what replay --json prints.
type Document struct {
	File       string                 `json:"file"`
	Process    int                    `json:"process"` // of the recording, from 1
	Processes  int                    `json:"processes"`
	Recorded   string                 `json:"recorded_era"`
	Live       string                 `json:"era,omitempty"`
	Recording  string                 `json:"recording,omitempty"` // of the replay
	Items      []Item                 `json:"items"`
	Variables  []replay.Variable      `json:"variables"`
	Asked      []replay.ServerRequest `json:"asked"`     // not recorded; n of the new recording
	NotAsked   []replay.ServerRequest `json:"not_asked"` // n of the old recording
	Lost       string                 `json:"lost,omitempty"`
	Accepted   int                    `json:"accepted_rules,omitempty"`
	Comparison *compare.Report        `json:"comparison,omitempty"`
}

// Item is a message of the recording. With --dry-run the status is send, skip, or ask:
// the server's list of tools decides.
type Item struct {
	N      uint64   `json:"n"`
	Kind   string   `json:"kind"`
	Method string   `json:"method,omitempty"`
	Tool   string   `json:"tool,omitempty"`
	Status string   `json:"status"`
	Why    string   `json:"why,omitempty"`
	Live   []uint64 `json:"live_n,omitempty"` // entries sent, one per round
	// Arguments are shortened. NeededBy is the entry of the chosen call that depends on it.
	Arguments string `json:"arguments,omitempty"`
	NeededBy  uint64 `json:"needed_by,omitempty"`
	Response  uint64 `json:"response,omitempty"`      // recorded
	LiveReply uint64 `json:"live_response,omitempty"` // the entry in the new recording
}

func (r *replaying) document() Document {
	run, of := r.plan.Process()
	return Document{
		File: r.path, Process: run, Processes: of, Recorded: r.plan.Client().Era.String(), Items: []Item{},
		Variables: []replay.Variable{}, Asked: []replay.ServerRequest{}, NotAsked: []replay.ServerRequest{},
	}
}

func (r *replaying) item(i int, status, why string) Item {
	it := &r.plan.Items()[i]
	var recorded uint64
	if row, ok := session.RowAt(r.rec, r.plan.Response(i)); ok {
		if e, err := r.rec.Entry(row, 1); err == nil {
			recorded = e.N
		}
	}
	return Item{N: it.N, Kind: it.Kind.String(), Method: it.Method, Tool: it.Tool, Status: status, Why: why, Arguments: r.arguments(i), NeededBy: it.NeededBy, Response: recorded}
}

func (r *replaying) printPlan() error {
	doc := r.document()
	var numbers []int
	for i := range r.plan.Items() {
		it := &r.plan.Items()[i]
		status, why := "send", ""
		switch {
		case !it.Chosen():
			continue
		case it.Skip != "":
			status, why = "skip", it.Skip
		case it.Unsure:
			status, why = "ask", "depends on the server's tools/list"
		}
		if it.NeededBy > 0 {
			why = wording.Join("; ", fmt.Sprintf("entry %d depends on it", it.NeededBy), why)
		}
		doc.Items, numbers = append(doc.Items, r.item(i, status, why)), append(numbers, i)
	}
	if r.flags.compare.asJSON {
		return r.env.PrintDocument(doc)
	}
	p := safePrinter{}
	p.line("%s: %s era, %s", r.what(), doc.Recorded, wording.Plural(len(doc.Items), "message"))
	if n := r.plan.ServerRequests(); n > 0 {
		p.line("%s to server requests", wording.Plural(n, "recorded response"))
	}
	for i, it := range doc.Items {
		p.line("  %-4s  n %-6d %-12s %s", it.Status, it.N, it.Kind, cmp.Or(wording.Join(" ", it.Method, it.Tool, it.Arguments, dash(it.Why)), r.firstBytes(numbers[i])))
	}
	return printSafe(r.env, &p)
}

func (r *replaying) firstBytes(item int) string {
	const shown = 60
	b, err := r.plan.Bytes(item, shown)
	if err != nil {
		return ""
	}
	return string(b[:min(len(b), shown)])
}

func dash(why string) string {
	if why == "" {
		return ""
	}
	return "(" + why + ")"
}

func (r *replaying) what() string {
	if run, of := r.plan.Process(); of > 1 {
		return fmt.Sprintf("process %d of the %d in %s", run, of, r.path)
	}
	return r.path
}

func (r *replaying) print(at *attempt, report *compare.Report, accepted int) error {
	if r.flags.compare.junit != "" {
		if err := writeJUnit(r.flags.compare.junit, report, "replay of "+r.path); err != nil {
			return err
		}
	}
	if r.flags.compare.asJSON {
		return r.env.PrintDocument(r.result(at, report, accepted))
	}
	p := safePrinter{}
	r.summary(&p, at.res)
	if report.Compared != at.res.Count(replay.Answered) {
		p.line("compared: %s", comparedText(report))
	}
	r.also(&p, func(item int) bool { return at.res.Outcomes[item].Status != replay.Skipped })
	if r.flags.choice.given() {
		r.chosen(&p, at)
	}
	r.without(&p, at.res, "Not answered", func(s replay.Status) bool { return s == replay.Unanswered || s == replay.Missing || s == replay.Lost })
	if r.without(&p, at.res, "Not sent", func(s replay.Status) bool { return s == replay.Skipped }) {
		p.line("  try: --tool NAME to call a tool, or --all to call every one")
	}
	r.carried(&p, at.res)
	p.line("")
	text := compare.TextOptions{Clean: termsafe.String, Reveal: r.flags.compare.reveal, NameA: r.path, NameB: cmp.Or(at.live.Log.Path(), "the replay")}
	if err := report.WriteText(&p.b, text); err != nil {
		return err
	}
	if r.flags.compare.accept != "" && at.res.Lost == nil {
		p.line("")
		p.line("%s added to %s", wording.Plural(accepted, "rule"), r.flags.compare.accept)
	}
	return printSafe(r.env, &p)
}

func (r *replaying) result(at *attempt, report *compare.Report, accepted int) Document {
	doc := r.document()
	res := at.res
	doc.Live, doc.Recording, doc.Accepted, doc.Comparison = res.Live.String(), at.live.Log.Path(), accepted, report
	for i, o := range res.Outcomes {
		if !r.plan.Items()[i].Chosen() {
			continue
		}
		it := r.item(i, o.Status.String(), o.Why)
		it.Live, it.LiveReply = o.Live, o.Response
		doc.Items = append(doc.Items, it)
	}
	doc.Variables = append(doc.Variables, res.Variables...)
	doc.Asked = append(doc.Asked, res.NewServerRequests...)
	doc.NotAsked = append(doc.NotAsked, res.MissingServerRequests...)
	if res.Lost != nil {
		doc.Lost = res.Lost.Error()
	}
	return doc
}

func (r *replaying) summary(p *safePrinter, res *replay.Result) {
	unchosen := map[replay.Status]int{replay.Skipped: r.plan.Unchosen()}
	var parts []string
	for _, status := range []replay.Status{replay.Answered, replay.Sent, replay.Unanswered, replay.Missing, replay.Lost, replay.Skipped} {
		if n := res.Count(status) - unchosen[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, statusText(status)))
		}
	}
	p.line("replayed %s: %s", r.what(), strings.Join(parts, ", "))
	if res.EraDiffers() {
		p.line("the recording uses the %s era, the server the %s era", res.Recorded, res.Live)
	}
	for _, q := range res.NewServerRequests {
		p.line("server request %s has no recorded response (n %d of the replay)", q.Method, q.N)
	}
	for _, q := range res.MissingServerRequests {
		p.line("server request %s, recorded at n %d, was not sent", q.Method, q.N)
	}
	if res.Lost != nil {
		p.line("connection lost: %v", res.Lost)
	}
}

// comparedText names the compared calls that are not requests of the plan.
func comparedText(report *compare.Report) string {
	requests, handshake, fromServer := 0, 0, 0
	for _, c := range report.Calls {
		switch {
		case c.From == "server":
			fromServer += c.Compared
		case c.Method == mcp.MethodInitialize || c.Method == mcp.MethodDiscover:
			handshake += c.Compared
		default:
			requests += c.Compared
		}
	}
	parts := []string{wording.Plural(requests, "request")}
	if report.A.Pages > 0 {
		parts[0] += " (the pages of a list are one)"
	}
	if handshake > 0 {
		parts = append(parts, "the handshake")
	}
	if fromServer > 0 {
		parts = append(parts, wording.Plural(fromServer, "server request"))
	}
	return strings.Join(parts, ", ")
}

func statusText(s replay.Status) string {
	switch s {
	case replay.Sent:
		return "without a response to expect"
	case replay.Unanswered:
		return "unanswered, as recorded"
	case replay.Missing:
		return "timed out"
	case replay.Skipped:
		return "not sent"
	}
	return s.String()
}

const shownSkipped = 20

// without lists the items with a status, and reports whether one calls a tool.
func (r *replaying) without(p *safePrinter, res *replay.Result, title string, has func(replay.Status) bool) (calls bool) {
	n := 0
	for i, o := range res.Outcomes {
		if !has(o.Status) || !r.plan.Items()[i].Chosen() {
			continue
		}
		if n++; n > shownSkipped {
			continue
		}
		if n == 1 {
			p.title(title)
		}
		it := &r.plan.Items()[i]
		calls = calls || it.Tool != ""
		p.line("  n %-6d %s %s", it.N, cmp.Or(r.words(i), it.Kind.String()), dash(cmp.Or(o.Why, statusText(o.Status))))
	}
	if n > shownSkipped {
		p.line("  and %d more", n-shownSkipped)
	}
	return calls
}

func (r *replaying) carried(p *safePrinter, res *replay.Result) {
	if len(res.Variables) == 0 {
		return
	}
	p.title("Carried over")
	for _, v := range res.Variables {
		now := fmt.Sprintf("%q now", v.Live)
		if v.Absent {
			now = "gone"
		}
		p.line("  %s %s of n %d: %q is %s, in %s", v.Method, v.From, v.Request, v.Text, now, targets(v.To))
	}
}

func targets(to []replay.Target) string {
	const shown = 3
	var parts []string
	for _, t := range to[:min(len(to), shown)] {
		parts = append(parts, fmt.Sprintf("n %d %s", t.N, t.Pointer))
	}
	if len(to) > shown {
		parts = append(parts, fmt.Sprintf("and %d more places", len(to)-shown))
	}
	return strings.Join(parts, ", ")
}

// Each line is sanitized for a terminal.
type safePrinter struct{ b bytes.Buffer }

func (p *safePrinter) line(format string, args ...any) {
	p.b.WriteString(termsafe.String(strings.TrimRight(fmt.Sprintf(format, args...), " ")))
	p.b.WriteByte('\n')
}

func (p *safePrinter) title(text string) {
	p.line("")
	p.line("%s", text)
}

func printSafe(env *console.Env, p *safePrinter) error {
	_, err := env.Stdout.Write(p.b.Bytes())
	return err
}
