package replay

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	replayer "mcpdbg/recordings/replay"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

// Scope is the scope of the plan of a replay.
const Scope = "again"

// The actions of replaying a recording.
const (
	actStart  = "replay-start"
	actToggle = "replay-include"
	actAll    = "replay-all-tools"
	actLess   = "replay-less"
	actMore   = "replay-more"
	actClear  = "replay-clear"
)

// Actions returns the actions of replaying a recording. of returns the state of a
// session.
func Actions(of func(host.Context) *State) []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: host.ActReplay, Keys: []string{"U"}, Scope: keymap.Global, Title: "run again", Synonyms: []string{"replay", "rerun"}, Help: "Send the recorded messages to a new process and compare the responses. Shows the plan first; on a call, only that call is planned, with those it depends on, until you clear the field calls.", Asks: "once, by its plan", Enabled: canReplay(of), Now: host.Ranks{Recording: 75}.Now}, Do: func(c host.Context) tea.Cmd { return openPlan(c, of(c)) }},
		{Entry: host.Entry{ID: actStart, Keys: []string{"enter"}, Scope: Scope, Title: "start", Help: "Start the command and send the marked messages, as the plan says.", Priority: 90, Enabled: canStart}, Do: host.On(func(c host.Context, v *view) tea.Cmd { return v.run(c) })},
		host.Override(host.Entry{Name: host.CloseName, ID: "replay-close", Scope: Scope, Title: "cancel", Help: "Close without starting anything."}),
		host.Override(host.Entry{Name: kit.Down, ID: "replay-down", Scope: Scope, Keys: []string{"down", "tab"}, Help: "Go to the next field or message.", Priority: 60, Hint: key.Help{Key: "up/down", Desc: "choose"}}),
		host.Override(host.Entry{Name: kit.Up, ID: "replay-up", Scope: Scope, Keys: []string{"up", "shift+tab"}, Help: "Go to the previous field or message."}),
		host.Override(host.Entry{Name: kit.PageDown, ID: "replay-page-down", Scope: Scope, Keys: []string{"pgdown", "ctrl+d"}, Help: "Go down by ten lines."}),
		host.Override(host.Entry{Name: kit.PageUp, ID: "replay-page-up", Scope: Scope, Help: "Go up by ten lines."}),
		{Entry: host.Entry{ID: actToggle, Keys: []string{"space"}, Scope: Scope, Title: "include", Help: "Include or exclude the call under the cursor if its tool is not known to be read-only; in a text field, type a space.", Priority: 70, Now: host.HideIf(func(v *view) bool { it := v.item(); return v.field() == nil && (it == nil || !it.Gated()) })}, Do: host.On(func(c host.Context, v *view) tea.Cmd { v.toggle(); return v.choose(c) })},
		{Entry: host.Entry{ID: actAll, Keys: []string{"ctrl+a"}, Scope: Scope, Title: "all tools", Help: "Include the calls of all tools, or only of read-only ones.", Priority: 58, Now: host.HideIf(func(v *view) bool {
			return !slices.ContainsFunc(v.listed, func(it replayer.Item) bool { return it.Gated() })
		})}, Do: host.On(func(_ host.Context, v *view) tea.Cmd { v.all = !v.all; return nil })},
		{Entry: host.Entry{ID: actMore, Keys: []string{"right"}, Scope: Scope, Title: "change", Help: "Change when messages are sent: causal (after the preceding responses), serial (one request at a time) or timed (at the recorded times); or change the speed. In a text field, move to the right.", Priority: 55, Hint: key.Help{Key: "left/right", Desc: "mode, speed"}}, Do: host.On(func(_ host.Context, v *view) tea.Cmd { v.change(1); return nil })},
		{Entry: host.Entry{ID: actLess, Keys: []string{"left"}, Scope: Scope, Title: "change back", Help: "Change the mode or the speed in the other direction; in a text field, move to the left."}, Do: host.On(func(_ host.Context, v *view) tea.Cmd { v.change(-1); return nil })},
		{Entry: host.Entry{ID: actClear, Keys: []string{"ctrl+u"}, Scope: Scope, Title: "clear", Help: "Clear the text under the cursor."}, Do: host.On(func(c host.Context, v *view) tea.Cmd {
			if f := v.field(); f != nil {
				f.Wipe()
				v.failure = ""
			}
			return v.choose(c)
		})},
	}
}

func canReplay(of func(host.Context) *State) func(host.Context) (bool, string) {
	return func(c host.Context) (bool, string) {
		ws := c.Workspace
		switch {
		case ws.Empty():
			return false, workspace.ErrNoSession.Error()
		case of(c).Launcher == nil:
			return false, "servers cannot be started from here"
		case ws.Session != nil && ws.Status.State != session.Closed && ws.Status.State != session.Failed:
			return false, "the session is live: stop the server first"
		case ws.Reading != nil:
			return false, fmt.Sprintf("the recording is being read: %d %%", ws.PercentRead())
		}
		return true, ""
	}
}

func canStart(c host.Context) (bool, string) {
	v, ok := c.View.(*view)
	switch {
	case !ok:
		return false, "no plan is open"
	case v.starting:
		return false, "it is starting"
	case v.plan == nil:
		return false, "the recording is still being read"
	case len(v.whole.Items()) == 0:
		return false, "the recording has only a handshake to send"
	case v.choosing:
		return false, "the calls are still being chosen"
	case v.invalid:
		return false, "the field calls has no valid filter"
	case len(v.listed) == 0:
		return false, "no call matches"
	}
	return true, ""
}

type lineKind uint8

const (
	lineCommand lineKind = iota
	lineValue
	lineCalls
	lineMode
	lineSpeed
)

// A view shows what a replay would run: the command and the messages to send.
type view struct {
	state    *State
	of       *workspace.Workspace // the recording
	header   session.Header
	env      session.EnvBody
	whole    *replayer.Plan // nil while the recording is read
	plan     *replayer.Plan // whole, or with only the chosen items
	listed   []replayer.Item
	items    []int // the chosen ones; nil: all
	failure  string
	starting bool
	stop     context.CancelFunc // cancels reading or starting

	command *kit.Field
	names   []string // of values that are asked for
	values  []*kit.Field
	calls   *kit.Field // a filter
	chosen  string     // its text when the items were chosen
	// choosing is set while they are, and invalid if the text is not a filter.
	choosing, invalid bool
	stopChoosing      context.CancelFunc // nil before the first choice
	named             uint64             // the entry of the call that was selected; 0 if none
	process           int                // its process
	mode              int
	speed             int
	tools             map[string]bool // tools to call although they are not known to be read-only
	all               bool

	includeKey string // the key that includes the message under the cursor
	clearKey   string // the key that clears a text

	said    workspace.Summaries
	at, top int // the cursor and the first visible line, over fields and messages
	block   paint.Lines
}

var speeds = []float64{0.25, 0.5, 1, 2, 4, 8, 16, replayer.MaxSpeed}

// placeholder matches the placeholder of a value that was kept out of the
// recording.
var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{([^}]+)\}`) })

func openPlan(c host.Context, state *State) tea.Cmd {
	header := c.Workspace.Whole.Header()
	v := &view{state: state, of: c.Workspace, header: header, env: c.Workspace.Whole.Lifecycle.Env, tools: map[string]bool{}, command: kit.NewField(false), calls: kit.NewField(false), speed: slices.Index(speeds, 1), includeKey: c.Host.Key(actToggle), clearKey: c.Host.Key(actClear)}
	v.command.Add(kit.QuoteWords(header.Argv))
	v.names = slices.Clone(v.env.Named)
	for _, word := range slices.Concat(header.Via, header.Argv) {
		for _, m := range placeholder().FindAllStringSubmatch(word, -1) {
			if !slices.Contains(v.names, m[1]) {
				v.names = append(v.names, m[1])
			}
		}
	}
	for range v.names {
		v.values = append(v.values, kit.NewField(true))
	}
	if v.named, v.process = selected(c.Workspace); v.named > 0 {
		v.calls.Add(entryFilter(v.named))
		v.at = 1 + len(v.values)
	}
	ctx, stop := context.WithCancel(c.Host.Lifetime())
	v.stop = stop
	c.Host.Open(c.Workspace, v)
	source, opts := c.Workspace.Log, replayer.Options{Run: v.process}
	return func() tea.Msg {
		plan, err := replayer.New(ctx, source, opts)
		if err != nil && opts.Run > 0 { // without an entry for its start
			opts.Run = 0
			plan, err = replayer.New(ctx, source, opts)
		}
		stop()
		return host.Result{Then: func(c host.Context) tea.Cmd {
			c.Host.Redraw()
			if err != nil {
				v.failure = err.Error()
				return nil
			}
			v.whole, v.process = plan, opts.Run
			v.show(nil)
			return v.choose(c)
		}}
	}
}

func (*view) Scope() string { return Scope }

func (v *view) Update(c host.Context, msg tea.Msg) tea.Cmd {
	if f := v.field(); f != nil {
		f.Update(msg)
		v.failure = ""
	}
	return v.choose(c)
}

func (v *view) Back(c host.Context) tea.Cmd {
	if v.stopChoosing != nil {
		v.stopChoosing()
	}
	v.stop()
	for _, f := range v.values {
		f.Wipe()
	}
	c.Host.Close(v)
	return nil
}

// fields returns the number of lines with a cursor before the messages.
func (v *view) fields() int {
	n := 1 + len(v.values) + 2
	if v.timed() {
		n++
	}
	return n
}

func (v *view) timed() bool { return replayer.Modes()[v.mode] == replayer.Timed }

func (v *view) kind(line int) (kind lineKind, value int) {
	switch {
	case line == 0:
		return lineCommand, 0
	case line <= len(v.values):
		return lineValue, line - 1
	case line == 1+len(v.values):
		return lineCalls, 0
	case line == 2+len(v.values):
		return lineMode, 0
	}
	return lineSpeed, 0
}

// Nil if there is none.
func (v *view) field() *kit.Field {
	if v.at >= v.fields() {
		return nil
	}
	switch kind, value := v.kind(v.at); kind {
	case lineCommand:
		return v.command
	case lineValue:
		return v.values[value]
	case lineCalls:
		return v.calls
	}
	return nil
}

// Nil if there is none.
func (v *view) item() *replayer.Item {
	if i := v.at - v.fields(); i >= 0 && i < len(v.listed) {
		return &v.listed[i]
	}
	return nil
}

func (v *view) Scroll(n int) {
	v.at = kit.Between(0, v.at+n, v.fields()+len(v.listed)-1)
}

func (v *view) Move(_ host.Context, way string) tea.Cmd {
	n, _ := kit.LinesOf(way, 10)
	v.Scroll(n)
	return nil
}

func (v *view) toggle() {
	if f := v.field(); f != nil {
		f.Add(" ")
		return
	}
	if it := v.item(); it != nil && it.Gated() {
		on := !v.switchedOn(it)
		for _, tool := range it.Calls() {
			v.tools[tool] = on
		}
	}
}

func (v *view) change(by int) {
	if f := v.field(); f != nil {
		f.Step(by)
		return
	}
	if v.at >= v.fields() {
		return
	}
	switch kind, _ := v.kind(v.at); kind {
	case lineMode:
		v.mode = (v.mode + by + len(replayer.Modes())) % len(replayer.Modes())
	case lineSpeed:
		v.speed = kit.Between(0, v.speed+by, len(speeds)-1)
	}
}

// switchedOn reports whether the user has included a message that is not sent
// by default.
func (v *view) switchedOn(it *replayer.Item) bool {
	off := func(tool string) bool { return !v.tools[tool] }
	return it.Gated() && (v.all || !slices.ContainsFunc(it.Calls(), off))
}

// A fate is how a replay treats a message.
type fate uint8

const (
	sent    fate = iota
	perhaps      // the server's tool list decides
	omitted
	impossible
	fates
)

// fate returns whether a message is sent, and why. For a call that is not switched on, the
// server's tool list at the time of sending has the last word.
func (v *view) fate(it *replayer.Item) (becomes fate, why string) {
	switch {
	case v.switchedOn(it):
		return sent, "sent; may change things"
	case it.Unsure:
		return perhaps, "if marked read-only; " + v.includeKey + ": always"
	case it.Gated():
		return omitted, v.includeKey + " sends it: not marked read-only"
	case it.Skip != "":
		return impossible, "not sent: " + it.Skip
	case it.NeededBy > 0:
		return sent, fmt.Sprintf("sent: entry %d depends on it", it.NeededBy)
	case it.Named():
		return sent, "sent, even if not read-only"
	case it.Kind == replayer.Request && it.Tool != "":
		return sent, "sent if still marked read-only"
	}
	return sent, "sent"
}

func (v *view) options() replayer.Options {
	opts := replayer.Options{Run: v.process, Mode: replayer.Modes()[v.mode], AllTools: v.all, Interactive: true}
	if v.timed() {
		opts.Speed = speeds[v.speed]
	}
	for tool, yes := range v.tools {
		if yes {
			opts.Tools = append(opts.Tools, tool)
		}
	}
	return opts
}

// run starts the command of the plan.
func (v *view) run(c host.Context) tea.Cmd {
	argv, err := wording.SplitWords(string(v.command.Text))
	switch {
	case err != nil:
		v.failure, v.at = "command: "+err.Error(), 0
		return nil
	case len(argv) == 0:
		v.failure, v.at = "the command is empty", 0
		return nil
	}
	return v.start(c, argv)
}
