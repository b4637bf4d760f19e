package ui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/ui/keymap"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/theme"
)

const (
	// callShownAfter is how long a call takes at least to get a line: most are
	// over before anybody could read it.
	callShownAfter = 300 * time.Millisecond
	// callObeys is how long a server has to answer a call that is cancelled in
	// spite of that; an answer may cross the notification.
	callObeys = 2 * time.Second
	// maxCallLines is how many lines there are at most.
	maxCallLines = 3
	// callsWatched is how many cancelled calls are watched for a late answer.
	callsWatched = 32
)

// actCancelCall cancels the latest call.
const actCancelCall = "cancel-call"

var errCancelled = errors.New("cancelled by the user")

// A call is a request that the person made by form. It is theirs until it is
// answered; one that they cancel is watched for longer, because a server may
// answer all the same.
type call struct {
	title    string // its method and the name of what is called
	began    time.Time
	give     context.CancelCauseFunc
	number   atomic.Uint64            // of the request's entry, 0 before it is written; of the latest round
	rounds   atomic.Int32             // requests that were written
	progress atomic.Pointer[progress] // of the latest notification

	listens   bool // it lasts as long as a subscription, and has no line
	cancelled time.Time
	row       int // its number plus one, once it was looked for
	id        string
	since     int  // notifications of progress since it was cancelled
	over      bool // nobody waits for it: only its late answer is news
}

func calling() []action {
	return []action{
		{entry{ID: actCancelCall, Keys: []string{"ctrl+x"}, Scope: keymap.Global, Title: "cancel call", Help: "Cancel the call that was made last and is still under way.", Everywhere: true, Enabled: hasCall}, nothing((*App).cancelCall)},
	}
}

func hasCall(a *App) (bool, string) {
	return a.lastCall() != nil, "no call is under way"
}

// request makes a call. In the modern era it has all that a request needs, and
// several rounds count as one.
func (a *App) request(title, method string, params json.RawMessage, timeout time.Duration) tea.Cmd {
	ctx, give := context.WithCancelCause(a.ctx)
	c := &call{title: title, began: time.Now(), give: give}
	a.calls = append(a.calls, c)
	s := a.session
	run := func() tea.Msg {
		resp, err := s.Request(ctx, method, params, session.CallOptions{Timeout: timeout, Progress: c.heard, Sent: c.sent})
		failed := saysError(resp.Result) // which may be long
		give(nil)
		return result{then: func(a *App) tea.Cmd { return a.answered(c, resp, err, failed) }}
	}
	look := result{then: func(a *App) tea.Cmd { a.stale = true; return nil }}
	return tea.Batch(run, a.later(callShownAfter, look))
}

// A progress is what a progress notification says.
type progress struct {
	Done    json.Number `json:"progress"`
	Total   json.Number `json:"total"`
	Message string      `json:"message"`
	wrong   string      // why it can't be read
}

// sent takes the number of a request's entry. Like heard it is called by the
// session.
func (c *call) sent(n uint64) {
	c.number.Store(n)
	c.rounds.Add(1)
}

// heard takes progress. It is called by the session, on another goroutine, which
// must not be kept long.
func (c *call) heard(params json.RawMessage) {
	p := &progress{}
	switch {
	case len(params) > loadInline:
		p.wrong = "progress of " + size(int64(len(params)))
	case json.Unmarshal(params, p) != nil:
		p.wrong = "progress that can't be read"
	}
	c.progress.Store(p)
}

// answered takes the end of a call; failed is what a tool itself says.
func (a *App) answered(c *call, resp session.Response, err error, failed bool) tea.Cmd {
	cmd := a.refresh()
	if !c.cancelled.IsZero() && errors.Is(err, context.Canceled) || errors.Is(err, errCancelled) {
		return tea.Batch(cmd, a.later(callObeys, result{then: func(a *App) tea.Cmd {
			a.obeyed(c)
			return nil
		}}))
	}
	a.dropCall(c)
	listened := a.listened(c)
	switch {
	case err != nil && a.ctx.Err() != nil:
	case err != nil:
		a.complain(err.Error() + ": " + c.title)
	case resp.Error != nil:
		a.complain(resp.Error.Error() + ": " + c.title)
	case listened:
		a.complain("the server has ended the subscription: " + c.title)
	case failed:
		a.complain("the tool failed; the server answered" + a.serverTime(c, resp.N) + ": " + c.title)
	default:
		a.say("the server answered" + a.serverTime(c, resp.N) + ": " + c.title)
	}
	if number, ok := a.rowOf(resp.N); ok {
		a.showAnswer(number)
	}
	return cmd
}

// serverTime says how long the server took for the response in an entry: the time
// that its row shows, from the log, without the time that this program took to
// take notice. Of several rounds it is the last, as others may have waited for a person.
func (a *App) serverTime(c *call, n uint64) string {
	number, found := a.rowOf(n)
	row, _ := a.rows.at(number)
	request, paired := a.rows.at(int(row.Pair) - 1)
	if !found || !paired {
		return ""
	}
	text := " in " + roundedTime(time.Duration(row.T-request.T)*time.Microsecond)
	if rounds := c.rounds.Load(); rounds > 1 {
		text += fmt.Sprintf(" (the last of %d rounds)", rounds)
	}
	return text
}

// showAnswer selects a row of the traffic pane, which goes on following if that
// shows it anyway.
func (a *App) showAnswer(number int) {
	if at, ok := a.traffic.Cursor(); ok && at == number {
		return
	}
	a.selectTraffic(number)
}

func saysError(result json.RawMessage) bool {
	var tool struct {
		IsError bool `json:"isError"`
	}
	return json.Unmarshal(result, &tool) == nil && tool.IsError
}

// rowOf finds the row of an entry.
func (a *App) rowOf(n uint64) (number int, ok bool) {
	const near = 64 // rows that a log may have without a number of their own
	for number := int(n) - 1; n > 0 && number >= 0 && number > int(n)-near; number-- {
		row, ok := a.rows.at(number)
		if !ok {
			continue
		}
		if e, err := a.source.Entry(row, 1); err == nil && e.N == n {
			return number, true
		}
	}
	return 0, false
}

// cancelCall cancels the call that was made last.
func (a *App) cancelCall() {
	c := a.lastCall()
	a.session.Act("cancel", "", c.number.Load())
	a.giveUp(c)
}

// giveUp tells the server that nobody waits for a call any more.
func (a *App) giveUp(c *call) {
	c.cancelled = time.Now()
	c.give(errCancelled)
	a.stale = true
}

// lastCall is the latest call that is under way, nil if there is none.
func (a *App) lastCall() *call {
	for i := len(a.calls) - 1; i >= 0; i-- {
		if c := a.calls[i]; c.cancelled.IsZero() && !c.listens {
			return c
		}
	}
	return nil
}

func (a *App) dropCall(c *call) {
	for i, other := range a.calls {
		if other == c {
			a.calls = append(a.calls[:i:i], a.calls[i+1:]...)
			a.stale = true
			return
		}
	}
}

// shownCalls are the calls that have a line.
func (a *App) shownCalls() (shown []*call) {
	for _, c := range a.calls {
		if !c.over && !c.listens && time.Since(c.began) >= callShownAfter {
			shown = append(shown, c)
		}
	}
	return shown
}

// callLines is how many lines the calls take.
func (a *App) callLines() int {
	n := min(len(a.shownCalls()), maxCallLines)
	if a.replay != nil {
		n++
	}
	return n
}

// paintCalls paints the calls under way above the footer, the latest last.
func (a *App) paintCalls() {
	r := a.layout.calls
	if r.Empty() {
		return
	}
	shown := a.shownCalls()
	block := &paint.Lines{Options: a.look()}
	block.Resize(r.W, r.H)
	first := 0
	if a.replay != nil {
		a.replay.paint(a, block.Line(0))
		first = 1
	}
	more := max(len(shown)-r.H+first, 0)
	for y, c := range shown[more:] {
		c.paint(a, block.Line(first+y), c == a.lastCall(), more*(1-min(y, 1)))
	}
	a.canvas.Draw(r, block)
}

// paint paints one call: what it is, how far it is, and the key that ends it.
func (c *call) paint(a *App, l *paint.Line, last bool, more int) {
	l.Text(a.theme.Request, " > ")
	l.Text(a.theme.Strong, c.title)
	l.Text(a.theme.Text, fmt.Sprintf("  %d s", int(time.Since(c.began).Seconds())))
	if !c.cancelled.IsZero() {
		text := "  cancelled; does the server obey?"
		if c.since > 0 {
			text = "  cancelled, but the server works on"
		}
		l.Text(a.theme.Warn, text)
	} else if last {
		l.Text(theme.Style{}, "  ")
		l.Text(a.theme.Key, "ctrl+x")
		l.Text(a.theme.Text, " cancel")
	}
	if more > 0 {
		l.Text(a.theme.Warn, fmt.Sprintf("  and %d more calls", more))
	}
	if p := c.progress.Load(); p != nil {
		l.Text(theme.Style{}, "  ")
		p.paint(a, l)
	}
}

// paint paints how far a call is.
func (p *progress) paint(a *App, l *paint.Line) {
	if p.wrong != "" {
		l.Text(a.theme.Warn, p.wrong)
		return
	}
	text := p.Done.String()
	done, err := p.Done.Float64()
	if total, totalErr := p.Total.Float64(); err == nil && totalErr == nil && total > 0 {
		const cells = 20
		full := between(0, int(done/total*cells), cells)
		l.Text(a.theme.OK, "["+strings.Repeat("#", full)+strings.Repeat("-", cells-full)+"] ")
		text += "/" + p.Total.String()
	}
	l.Text(a.theme.Text, text)
	if p.Message != "" {
		l.Text(a.theme.Dim, "  "+p.Message)
	}
}

// use does with an item of the catalog what it is for.
func (a *App) use(item *catalogItem) tea.Cmd {
	if item.member == memberResources {
		a.pop() // its answer is in the traffic
		return a.readResource(item.key)
	}
	return a.composeFor(item)
}

// readResource asks for the contents of a resource.
func (a *App) readResource(uri string) tea.Cmd {
	a.session.Act("compose", "resources/read", 0)
	return a.request("resources/read "+uri, "resources/read", uriParams(uri), 0)
}

func uriParams(uri string) json.RawMessage {
	params, _ := json.Marshal(map[string]string{"uri": uri}) // always encodes
	return params
}
