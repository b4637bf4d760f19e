package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"mcpdbg/recordings/compare"
	"mcpdbg/recordings/replay"
	"mcpdbg/ui/termsafe"
)

// replayDocument is what replay --json prints.
type replayDocument struct {
	File       string            `json:"file"`
	Process    int               `json:"process"` // of the recording, from 1
	Processes  int               `json:"processes"`
	Recorded   string            `json:"recorded_era"`
	Live       string            `json:"era,omitempty"`
	Recording  string            `json:"recording,omitempty"` // of the replay itself
	Items      []replayItem      `json:"items"`
	Variables  []replay.Variable `json:"variables"`
	Asked      []replay.Question `json:"asked"`     // n of the new recording: the old one has no answer
	NotAsked   []replay.Question `json:"not_asked"` // n of the old recording
	Lost       string            `json:"lost,omitempty"`
	Accepted   int               `json:"accepted_rules,omitempty"`
	Comparison *compare.Report   `json:"comparison,omitempty"`
}

// replayItem is one message of the recording. With --dry-run the status is
// send, skip, or ask: the server's list of tools decides.
type replayItem struct {
	N      uint64   `json:"n"`
	Kind   string   `json:"kind"`
	Method string   `json:"method,omitempty"`
	Tool   string   `json:"tool,omitempty"`
	Status string   `json:"status"`
	Why    string   `json:"why,omitempty"`
	Live   []uint64 `json:"live_n,omitempty"` // what was sent, one a round
}

func (r *replaying) document() replayDocument {
	run, of := r.plan.Process()
	return replayDocument{
		File: r.path, Process: run, Processes: of, Recorded: r.plan.Client().Era.String(), Items: []replayItem{},
		Variables: []replay.Variable{}, Asked: []replay.Question{}, NotAsked: []replay.Question{},
	}
}

func newReplayItem(it *replay.Item, status, why string) replayItem {
	return replayItem{N: it.N, Kind: it.Kind.String(), Method: it.Method, Tool: it.Tool, Status: status, Why: why}
}

// printPlan prints what would be sent.
func (r *replaying) printPlan() error {
	doc := r.document()
	for i := range r.plan.Items() {
		it := &r.plan.Items()[i]
		status, why := "send", ""
		switch {
		case it.Skip != "":
			status, why = "skip", it.Skip
		case it.Unsure:
			status, why = "ask", "the server's list of tools decides"
		}
		doc.Items = append(doc.Items, newReplayItem(it, status, why))
	}
	if r.flags.compare.asJSON {
		return r.a.printReplay(doc)
	}
	p := safePrinter{}
	p.line("%s: %s era, %s", r.what(), doc.Recorded, plural(uint64(len(doc.Items)), "message"))
	if n := r.plan.Questions(); n > 0 {
		p.line("%s to what the server asks", plural(uint64(n), "recorded answer"))
	}
	for i, it := range doc.Items {
		p.line("  %-4s  n %-6d %-12s %s", it.Status, it.N, it.Kind, cmp.Or(join(join(it.Method, it.Tool), dash(it.Why)), r.firstBytes(i)))
	}
	return r.a.printSafe(&p)
}

// firstBytes shows what a raw item begins with.
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

func join(a, b string) string { return strings.TrimSpace(a + " " + b) }

// what names what is replayed.
func (r *replaying) what() string {
	if run, of := r.plan.Process(); of > 1 {
		return fmt.Sprintf("process %d of the %d in %s", run, of, r.path)
	}
	return r.path
}

// print prints what a replay came to.
func (r *replaying) print(at *attempt, report *compare.Report, accepted int) error {
	if r.flags.compare.junit != "" {
		if err := writeJUnit(r.flags.compare.junit, report, "replay of "+r.path); err != nil {
			return err
		}
	}
	if r.flags.compare.asJSON {
		return r.a.printReplay(r.result(at, report, accepted))
	}
	p := safePrinter{}
	r.summary(&p, at.res)
	r.skipped(&p, at.res)
	r.carried(&p, at.res)
	p.line("")
	text := compare.TextOptions{Clean: termsafe.String, Reveal: r.flags.compare.reveal, NameA: r.path, NameB: cmp.Or(at.live.log.Path(), "the replay")}
	if err := report.WriteText(&p.b, text); err != nil {
		return err
	}
	if r.flags.compare.accept != "" && at.res.Lost == nil {
		p.line("")
		p.line("%s added to %s", plural(uint64(accepted), "rule"), r.flags.compare.accept)
	}
	return r.a.printSafe(&p)
}

func (r *replaying) result(at *attempt, report *compare.Report, accepted int) replayDocument {
	doc := r.document()
	res := at.res
	doc.Live, doc.Recording, doc.Accepted, doc.Comparison = res.Live.String(), at.live.log.Path(), accepted, report
	for i, o := range res.Outcomes {
		it := newReplayItem(&r.plan.Items()[i], o.Status.String(), o.Why)
		it.Live = o.Live
		doc.Items = append(doc.Items, it)
	}
	doc.Variables = append(doc.Variables, res.Variables...)
	doc.Asked = append(doc.Asked, res.Asked...)
	doc.NotAsked = append(doc.NotAsked, res.Unasked...)
	if res.Lost != nil {
		doc.Lost = res.Lost.Error()
	}
	return doc
}

// summary is the first lines: how many messages came to what.
func (r *replaying) summary(p *safePrinter, res *replay.Result) {
	var parts []string
	for _, status := range []replay.Status{replay.Answered, replay.Sent, replay.Unanswered, replay.Missing, replay.Lost, replay.Skipped} {
		if n := res.Count(status); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, statusText(status)))
		}
	}
	p.line("replayed %s: %s", r.what(), strings.Join(parts, ", "))
	if res.EraDiffers() {
		p.line("the recording is of the %s era, the server speaks the %s one", res.Recorded, res.Live)
	}
	for _, q := range res.Asked {
		p.line("the server asked %s, to which the recording has no answer (n %d of the replay)", q.Method, q.N)
	}
	for _, q := range res.Unasked {
		p.line("the server did not ask %s, as it did at n %d", q.Method, q.N)
	}
	if res.Lost != nil {
		p.line("connection lost: %v", res.Lost)
	}
}

// statusText spells a status behind a number.
func statusText(s replay.Status) string {
	switch s {
	case replay.Sent:
		return "without an answer to come"
	case replay.Unanswered:
		return "unanswered, as recorded"
	case replay.Missing:
		return "not answered in time"
	case replay.Skipped:
		return "not sent"
	}
	return s.String()
}

// shownSkipped is how many messages are listed that were not sent.
const shownSkipped = 20

// skipped lists what was not sent, and why.
func (r *replaying) skipped(p *safePrinter, res *replay.Result) {
	n := 0
	calls := false
	for i, o := range res.Outcomes {
		if o.Status != replay.Skipped {
			continue
		}
		if n++; n > shownSkipped {
			continue
		}
		if n == 1 {
			p.title("Not sent")
		}
		it := &r.plan.Items()[i]
		calls = calls || it.Tool != ""
		p.line("  n %-6d %s (%s)", it.N, cmp.Or(join(it.Method, it.Tool), it.Kind.String()), o.Why)
	}
	if n > shownSkipped {
		p.line("  and %d more", n-shownSkipped)
	}
	if calls {
		p.line("  try: --tool NAME calls a tool, --all calls every one")
	}
}

// carried lists the variables.
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

// commandLine shows a recorded command.
func commandLine(argv []string) string {
	words := make([]string, len(argv))
	for i, arg := range argv {
		words[i] = word(arg)
	}
	return strings.Join(words, " ")
}

// word is a word of a command line as a shell takes it.
func word(text string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_@%+=:,./~-", c)
	}
	if text != "" && strings.IndexFunc(text, func(c rune) bool { return !plain(c) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// A safePrinter collects lines, each safe for a terminal.
type safePrinter struct{ b bytes.Buffer }

func (p *safePrinter) line(format string, args ...any) {
	p.b.WriteString(termsafe.String(strings.TrimRight(fmt.Sprintf(format, args...), " ")))
	p.b.WriteByte('\n')
}

// title begins a section.
func (p *safePrinter) title(text string) {
	p.line("")
	p.line("%s", text)
}

// printReplay prints what is asked for with --json.
func (a *app) printReplay(doc replayDocument) error {
	text, err := json.Marshal(doc)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	return a.printJSON(text)
}

// printSafe writes what was collected.
func (a *app) printSafe(p *safePrinter) error {
	_, err := a.stdout.Write(p.b.Bytes())
	return err
}
