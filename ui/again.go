package ui

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/recordings/replay"
	"mcpdbg/session"
	"mcpdbg/ui/keymap"
	"mcpdbg/ui/paint"
)

const scopeAgain = "again"

// The actions of running a recording again.
const (
	actAgain         = "replay"
	actAgainStart    = "replay-start"
	actAgainClose    = "replay-close"
	actAgainDown     = "replay-down"
	actAgainUp       = "replay-up"
	actAgainPageDown = "replay-page-down"
	actAgainPageUp   = "replay-page-up"
	actAgainToggle   = "replay-include"
	actAgainAll      = "replay-all-tools"
	actAgainLess     = "replay-less"
	actAgainMore     = "replay-more"
	actAgainClear    = "replay-clear"
)

func againActions() []action {
	move := func(id string, n int, title, help string, keys ...string) action {
		return action{entry{ID: id, Keys: keys, Scope: scopeAgain, Title: title, Help: help}, on(func(_ *App, g *again) tea.Cmd { g.move(n); return nil })}
	}
	down := move(actAgainDown, 1, "down", "Go to the next field or message.", "down", "tab")
	down.Priority, down.Hint = 60, keymap.Hint{Keys: "up/down", Title: "choose"}
	return []action{
		{entry{ID: actAgain, Keys: []string{"U"}, Scope: keymap.Global, Title: "run again", Help: "Send what the recording sent to a new process, and compare the answers. Shows first what would be sent.", Priority: 31, Destructive: true, Enabled: canRunAgain}, (*App).runAgain},
		{entry{ID: actAgainStart, Keys: []string{"enter"}, Scope: scopeAgain, Title: "start", Help: "Start the command and send what is marked; asks first.", Priority: 90, Destructive: true, Enabled: canStartAgain}, on((*App).askAgain)},
		{entry{ID: actAgainClose, Keys: []string{"esc"}, Scope: scopeAgain, Title: "cancel", Help: "Start nothing.", Priority: 80}, on(func(a *App, g *again) tea.Cmd { g.close(a); return nil })},
		down,
		move(actAgainUp, -1, "up", "Go to the field or message before.", "up", "shift+tab"),
		move(actAgainPageDown, 10, "page down", "Go down by ten lines.", "pgdown", "ctrl+d"),
		move(actAgainPageUp, -10, "page up", "Go up by ten lines.", "pgup"),
		{entry{ID: actAgainToggle, Keys: []string{"space"}, Scope: scopeAgain, Title: "include", Help: "Call the tool under the cursor though it is not known to be read-only, or not; in a text, a blank.", Priority: 70}, on(func(_ *App, g *again) tea.Cmd { g.toggle(); return nil })},
		{entry{ID: actAgainAll, Keys: []string{"ctrl+a"}, Scope: scopeAgain, Title: "all tools", Help: "Call all tools that were called, or only those that are read-only.", Priority: 50}, on(func(_ *App, g *again) tea.Cmd { g.all = !g.all; return nil })},
		{entry{ID: actAgainMore, Keys: []string{"right"}, Scope: scopeAgain, Title: "other", Help: "Change when messages are sent: causal (when the answers before have come), serial (one request at a time) or timed (at the recorded times), and how fast.", Priority: 55, Hint: keymap.Hint{Keys: "left/right", Title: "other mode, speed"}}, on(func(_ *App, g *again) tea.Cmd { g.change(1); return nil })},
		{entry{ID: actAgainLess, Keys: []string{"left"}, Scope: scopeAgain, Title: "other, backwards", Help: "Change the mode or the speed the other way."}, on(func(_ *App, g *again) tea.Cmd { g.change(-1); return nil })},
		{entry{ID: actAgainClear, Keys: []string{"ctrl+u"}, Scope: scopeAgain, Title: "clear", Help: "Empty the text under the cursor."}, on(func(_ *App, g *again) tea.Cmd {
			if f := g.field(); f != nil {
				f.wipe()
			}
			return nil
		})},
	}
}

func canRunAgain(a *App) (bool, string) {
	switch {
	case a.subject == a.nobody:
		return false, errNoSession.Error()
	case a.opts.Launcher == nil:
		return false, "nothing can be started here"
	case a.session != nil && a.status.State != session.Closed && a.status.State != session.Failed:
		return false, "the session is live: stop the server first"
	case a.reading != nil:
		return false, fmt.Sprintf("the recording is being read: %d %%", a.percentRead())
	}
	return true, ""
}

func canStartAgain(a *App) (bool, string) {
	g, ok := a.top().(*again)
	switch {
	case !ok:
		return false, "nothing is planned"
	case g.starting:
		return false, "it is being started"
	case g.plan == nil:
		return false, "the recording is still being read"
	case len(g.plan.Items()) == 0:
		return false, "nothing was sent but a handshake"
	}
	return true, ""
}

// A line of the plan that is no message.
type againLine uint8

// The kinds of line.
const (
	lineCommand againLine = iota
	lineValue
	lineMode
	lineSpeed
)

// again is what would be run: the command, and what would be sent.
type again struct {
	of       *subject
	header   session.Header
	env      session.EnvBody
	plan     *replay.Plan // nil while the recording is read
	wrong    string
	starting bool
	stop     context.CancelFunc // ends what reads or starts

	command *field
	names   []string // of values that are asked for
	values  []*field
	mode    int
	speed   int
	tools   map[string]bool // that are called though they are not known to be read-only
	all     bool

	includeKey string // that switches the message under the cursor on

	at, top int // of fields and messages
	block   paint.Lines
}

// speeds are those of the mode timed.
var speeds = []float64{0.25, 0.5, 1, 2, 4, 8, 16, replay.MaxSpeed}

// placeholder is where a value stood that is in no recording.
var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{([^}]+)\}`) })

// runAgain shows what would be sent, and to which command.
func (a *App) runAgain() tea.Cmd {
	header := a.log.Header()
	g := &again{of: a.subject, header: header, env: a.whole.story.env, tools: map[string]bool{}, command: newField(false), speed: slices.Index(speeds, 1), includeKey: a.keyOf(actAgainToggle)}
	g.command.add(shellWords(header.Argv))
	g.names = slices.Clone(g.env.Named)
	for _, word := range header.Argv {
		for _, m := range placeholder().FindAllStringSubmatch(word, -1) {
			if !slices.Contains(g.names, m[1]) {
				g.names = append(g.names, m[1])
			}
		}
	}
	for range g.names {
		g.values = append(g.values, newField(true))
	}
	ctx, stop := context.WithCancel(a.ctx)
	g.stop = stop
	a.push(g)
	source := a.log
	return func() tea.Msg {
		plan, err := replay.New(ctx, source, replay.Options{})
		stop()
		return result{then: func(a *App) tea.Cmd {
			a.stale = true
			if g.plan = plan; err != nil {
				g.wrong = err.Error()
			}
			return nil
		}}
	}
}

func (*again) scope() string { return scopeAgain }

func (g *again) typed(_ *App, msg tea.Msg) tea.Cmd {
	if f := g.field(); f != nil {
		f.update(msg)
		g.wrong = ""
	}
	return nil
}

func (g *again) close(a *App) {
	g.stop()
	for _, f := range g.values {
		f.wipe()
	}
	a.remove(g)
}

// lines is how many lines there are with a cursor before the messages.
func (g *again) fields() int {
	n := 1 + len(g.values) + 1
	if g.timed() {
		n++
	}
	return n
}

func (g *again) timed() bool { return replay.Modes()[g.mode] == replay.Timed }

// kind is what a line before the messages is.
func (g *again) kind(line int) (kind againLine, value int) {
	switch {
	case line == 0:
		return lineCommand, 0
	case line <= len(g.values):
		return lineValue, line - 1
	case line == 1+len(g.values):
		return lineMode, 0
	}
	return lineSpeed, 0
}

// field is the text under the cursor, nil if there is none.
func (g *again) field() *field {
	if g.at >= g.fields() {
		return nil
	}
	switch kind, value := g.kind(g.at); kind {
	case lineCommand:
		return g.command
	case lineValue:
		return g.values[value]
	}
	return nil
}

// item is the message under the cursor, nil if there is none.
func (g *again) item() *replay.Item {
	if i := g.at - g.fields(); g.plan != nil && i >= 0 && i < len(g.plan.Items()) {
		return &g.plan.Items()[i]
	}
	return nil
}

func (g *again) move(n int) {
	all := g.fields()
	if g.plan != nil {
		all += len(g.plan.Items())
	}
	g.at = between(0, g.at+n, all-1)
}

// scroll is what the wheel does.
func (g *again) scroll(n int) { g.move(n) }

// toggle includes the tool under the cursor, or leaves it out.
func (g *again) toggle() {
	if f := g.field(); f != nil {
		f.add(" ")
		return
	}
	if it := g.item(); it != nil && it.Gated() {
		on := !g.switchedOn(it)
		for _, tool := range it.Calls() {
			g.tools[tool] = on
		}
	}
}

// change changes the mode or the speed under the cursor.
func (g *again) change(by int) {
	if g.at >= g.fields() {
		return
	}
	switch kind, _ := g.kind(g.at); kind {
	case lineMode:
		g.mode = (g.mode + by + len(replay.Modes())) % len(replay.Modes())
	case lineSpeed:
		g.speed = between(0, g.speed+by, len(speeds)-1)
	}
}

// switchedOn reports whether a message is to be sent because somebody says so.
func (g *again) switchedOn(it *replay.Item) bool {
	off := func(tool string) bool { return !g.tools[tool] }
	return it.Gated() && (g.all || !slices.ContainsFunc(it.Calls(), off))
}

// sends reports whether a message will be sent, and returns a text with the reason.
// For a single call that is not switched on, the list of tools that the server has by
// then decides.
func (g *again) sends(it *replay.Item) (sent bool, text string) {
	isCall := it.Kind == replay.Request && it.Tool != ""
	switch {
	case g.switchedOn(it):
		return true, "will be sent, switched on; may change things"
	case it.Unsure:
		return true, "will be sent if the server marks it read-only"
	case it.Gated() && isCall:
		return false, "not sent unless now marked read-only; " + g.includeKey + " includes it"
	case it.Gated():
		return false, "not sent: not marked read-only; " + g.includeKey + " includes it"
	case it.Skip != "":
		return false, "not sent: " + it.Skip
	case isCall:
		return true, "will be sent if still marked read-only"
	}
	return true, "will be sent"
}

// counts is how many messages would be sent, and which tools because somebody
// says so.
func (g *again) counts() (sent, held int, tools []string) {
	items := g.plan.Items()
	for i := range items {
		it := &items[i]
		if ok, _ := g.sends(it); !ok {
			held++
			continue
		}
		sent++
		if g.switchedOn(it) {
			for _, tool := range it.Calls() {
				if !slices.Contains(tools, tool) {
					tools = append(tools, tool)
				}
			}
		}
	}
	return sent, held, tools
}

// options are the choices as a plan takes them.
func (g *again) options() replay.Options {
	opts := replay.Options{Mode: replay.Modes()[g.mode], AllTools: g.all, Person: true}
	if g.timed() {
		opts.Speed = speeds[g.speed]
	}
	for tool, yes := range g.tools {
		if yes {
			opts.Tools = append(opts.Tools, tool)
		}
	}
	return opts
}

// askAgain asks before anything is started.
func (a *App) askAgain(g *again) tea.Cmd {
	argv, err := splitWords(string(g.command.text))
	switch {
	case err != nil:
		g.wrong, g.at = "the command: "+err.Error(), 0
		return nil
	case len(argv) == 0:
		g.wrong, g.at = "the command is empty", 0
		return nil
	}
	sent, held, tools := g.counts()
	lines := []string{"Starts a new process" + where(g.header) + ":", "  " + shellWords(argv), fmt.Sprintf("and sends it %s messages (%s).", paint.Thousands(sent), replay.Modes()[g.mode])}
	if held > 0 {
		lines = append(lines, fmt.Sprintf("Not sent: %s.", paint.Thousands(held)))
	}
	if len(tools) > 0 {
		lines = append(lines, "", "Calls tools that may change things: files, accounts, whatever the server has its hands on:", "  "+brief(strings.Join(tools, ", "), maxParameterText))
	}
	a.dialog = &dialog{title: "Run the recording again?", lines: lines, yes: func(a *App) tea.Cmd { return a.startAgain(g, argv) }}
	return nil
}

// where says where a recording ran.
func where(h session.Header) string {
	if h.Host != "" {
		return " on " + h.Host
	}
	return ""
}
