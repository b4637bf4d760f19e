package compare

import (
	"errors"
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	diff "mcpdbg/recordings/compare"
	"mcpdbg/recordings/match"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
)

// The scopes of comparisons.
const (
	Scope     = "compare"      // a comparison
	ScopeMenu = "compare-with" // the menu of sessions to compare with
)

// The actions of comparisons.
const (
	actTab     = "compare-next-list"
	actBackTab = "compare-previous-list"
	actEnter   = "compare-enter"
	actClose   = "compare-close"
	actQuit    = "compare-quit"
	actNext    = "compare-next"
	actPrev    = "compare-previous"
	actFirst   = "compare-first-difference"
	actOnly    = "compare-only"
	actReveal  = "compare-reveal"
	actForm    = "compare-view"
	actHalf    = "compare-half"
	actAll     = "compare-unfold"
	actIgnore  = "compare-ignore"
	actUndo    = "compare-undo"
	actAccept  = "compare-accept"
	actRules   = "compare-rules"
	actOpenA   = "compare-open-a"
	actOpenB   = "compare-open-b"
	actAgain   = "compare-again"
	actCall    = "compare-call-again"
	actPick    = "compare-with-pick"
)

// Actions returns the actions of comparisons, which are those of the state that
// of returns.
func Actions(of func(host.Context) *State) []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: host.ActCompare, Keys: []string{"D"}, Scope: keymap.Global, Title: "compare with", Synonyms: []string{"diff", "difference"}, Help: "Compare this session with another open session or recording, or return to a comparison.", Enabled: canCompare(of)}, Do: openMenu(of)},
		{Entry: host.Entry{ID: host.ActCompareCalls, Keys: []string{"="}, Scope: keymap.Global, Title: "compare calls", Synonyms: []string{"diff", "equal", "earlier", "before the restart"}, Help: "Compare the selected call with the marked one, or else with the last earlier call of the same tool and arguments, also across restarts.", Priority: 82, Hint: key.Help{Key: "=", Desc: "compare"}, Now: host.Ranks{Recording: 73, Running: -1, Failed: 97}.Now, Enabled: canCompareCalls}, Do: compareCalls(of)},
		{Entry: host.Entry{ID: actPick, Keys: []string{"enter"}, Scope: ScopeMenu, Title: "compare", Help: "Compare with the selected session.", Priority: 90}, Do: host.On(func(c host.Context, m *menu) tea.Cmd { return m.pick(c) })},
		host.Override(host.Entry{Name: host.CloseName, Scope: ScopeMenu, Help: "Close without comparing."}),

		host.Override(host.Entry{Name: kit.Down, Scope: Scope, Priority: 20, Hint: key.Help{Key: "j/k", Desc: "move"}}),
		host.Override(host.Entry{Name: kit.PageDown, Scope: Scope, Keys: []string{"pgdown", "ctrl+d", "space"}}),
		host.Override(host.Entry{Name: kit.PageUp, Scope: Scope, Keys: []string{"pgup", "ctrl+u"}}),
		host.Override(host.Entry{Name: kit.Top, Scope: Scope}),
		{Entry: host.Entry{ID: "compare-left", Keys: []string{"h", "left"}, Scope: Scope, Title: "left", Help: "Scroll to the left."}, Do: host.On(func(c host.Context, v *view) tea.Cmd { return v.Move(c, kit.Left) })},
		{Entry: host.Entry{ID: "compare-right", Keys: []string{"l", "right"}, Scope: Scope, Title: "right", Help: "Scroll to the right."}, Do: host.On(func(c host.Context, v *view) tea.Cmd { return v.Move(c, kit.Right) })},
		{Entry: host.Entry{ID: actNext, Keys: []string{"e"}, Scope: Scope, Title: "next difference", Help: "Go to the next difference, continuing in the next call that has one.", Priority: 80, Hint: key.Help{Key: "e E", Desc: "difference"}, Enabled: hasComparison}, Do: host.On(func(c host.Context, v *view) tea.Cmd { return v.step(c, 1) })},
		{Entry: host.Entry{ID: actPrev, Keys: []string{"E"}, Scope: Scope, Title: "previous difference", Help: "Go to the previous difference.", Enabled: hasComparison}, Do: host.On(func(c host.Context, v *view) tea.Cmd { return v.step(c, -1) })},
		{Entry: host.Entry{ID: actFirst, Keys: []string{"f"}, Scope: Scope, Title: "first difference", Help: "Go to the first difference.", Priority: 40, Enabled: hasDifference}, Do: host.On(func(c host.Context, v *view) tea.Cmd { return v.goToFirst(c) })},
		{Entry: host.Entry{ID: actEnter, Keys: []string{"enter"}, Scope: Scope, Title: "step in", Help: "Move the cursor into the two responses, or back to the list; in another list, go to the call.", Priority: 90, Hint: key.Help{Key: "enter", Desc: "the answers"}, Enabled: ofSessions}, Do: host.On(func(c host.Context, v *view) tea.Cmd { return v.enter(c) })},
		{Entry: host.Entry{ID: actTab, Keys: []string{"tab"}, Scope: Scope, Title: "next list", Help: "Go to the next list: calls, grouped differences, values equal by type, response times.", Priority: 70, Hint: key.Help{Key: "tab", Desc: "list"}, Enabled: hasLists}, Do: host.On(func(_ host.Context, v *view) tea.Cmd { v.turn(1); return nil })},
		{Entry: host.Entry{ID: actBackTab, Keys: []string{"shift+tab"}, Scope: Scope, Title: "previous list", Help: "Go to the previous list.", Enabled: hasLists}, Do: host.On(func(_ host.Context, v *view) tea.Cmd { v.turn(-1); return nil })},
		{Entry: host.Entry{ID: actOpenA, Keys: []string{"a"}, Scope: Scope, Title: "go to A", Help: "Go to the call in the first session.", Priority: 45, Hint: key.Help{Key: "a b", Desc: "go to"}, Enabled: inSession(0)}, Do: host.On(func(c host.Context, v *view) tea.Cmd { return v.open(c, 0) })},
		{Entry: host.Entry{ID: actOpenB, Keys: []string{"b"}, Scope: Scope, Title: "go to B", Help: "Go to the call in the second session.", Enabled: inSession(1)}, Do: host.On(func(c host.Context, v *view) tea.Cmd { return v.open(c, 1) })},
		{Entry: host.Entry{ID: actIgnore, Keys: []string{"i"}, Scope: Scope, Title: "ignore", Help: "Ignore the value under the cursor in all calls of its kind, and compare again.", Priority: 55, Enabled: hasPlace}, Do: host.On(func(c host.Context, v *view) tea.Cmd { return v.ignore(c) })},
		{Entry: host.Entry{ID: actUndo, Keys: []string{"u"}, Scope: Scope, Title: "undo ignore", Help: "Remove the latest rule and compare again.", Enabled: hasRule}, Do: host.On(func(c host.Context, v *view) tea.Cmd { return v.undo(c) })},
		{Entry: host.Entry{ID: actAccept, Keys: []string{"w"}, Scope: Scope, Title: "write rules", Help: "Add your rules to a file, for mcpdbg diff --rules and mcpdbg replay --rules.", Priority: 30, Enabled: hasRule}, Do: host.On(func(c host.Context, v *view) tea.Cmd { v.askFile(c); return nil })},
		{Entry: host.Entry{ID: actRules, Keys: []string{"O"}, Scope: Scope, Title: "read rules", Help: "Add the rules of a file and compare again.", Enabled: hasComparison}, Do: host.On(func(c host.Context, v *view) tea.Cmd { v.askRules(c); return nil })},
		{Entry: host.Entry{ID: actForm, Keys: []string{"v"}, Scope: Scope, Title: "view", Synonyms: []string{"unified", "side by side", "split"}, Help: "Show the two responses side by side, or unified: one below the other, line by line.", Priority: 48}, Do: host.On(func(c host.Context, v *view) tea.Cmd {
			v.form = map[bool]form{true: formBeside, false: formUnified}[v.isUnified(c.Host.Screen())]
			return nil
		})},
		{Entry: host.Entry{ID: actHalf, Keys: []string{"p"}, Scope: Scope, Title: "request or answer", Synonyms: []string{"half", "params", "response"}, Help: "Show the two answers, or the two requests.", Priority: 47, Enabled: hasComparison}, Do: host.On(turnHalf)},
		{Entry: host.Entry{ID: actReveal, Keys: []string{"V"}, Scope: Scope, Title: "values", Help: "Show the values that are equal by type only, or just their types.", Priority: 35}, Do: host.On(func(c host.Context, v *view) tea.Cmd { return v.toggleReveal(c) })},
		{Entry: host.Entry{ID: actAll, Keys: []string{"z"}, Scope: Scope, Title: "equal parts", Synonyms: []string{"unfold"}, Help: "Show the equal parts of the two responses line by line, or folded."}, Do: host.On(func(c host.Context, v *view) tea.Cmd { return v.unfold(c) })},
		{Entry: host.Entry{ID: actOnly, Keys: []string{"d"}, Scope: Scope, Title: "only differences", Help: "List only the calls that differ, or all.", Priority: 75, Enabled: ofSessions}, Do: host.On(func(c host.Context, v *view) tea.Cmd { return v.toggleOnly(c) })},
		{Entry: host.Entry{ID: actCall, Keys: []string{"r"}, Scope: Scope, Title: "call again", Synonyms: []string{"resend"}, Help: "Send the second of two calls again, and compare the first with the new answer.", Priority: 56, Yields: true, Enabled: canCallAgain}, Do: host.On(again)},
		{Entry: host.Entry{ID: actAgain, Keys: []string{"ctrl+r"}, Scope: Scope, Title: "compare again", Help: "Compare the sessions, or the two calls, as they are now."}, Do: host.On(func(c host.Context, v *view) tea.Cmd { return v.compare(c) })},
		host.Override(host.Entry{Name: host.CloseName, ID: actClose, Scope: Scope, Title: "back", Help: "Cancel comparing, leave the two responses, then close the comparison.", Priority: 46}),
		{Entry: host.Entry{ID: actQuit, Keys: []string{"q"}, Scope: Scope, Title: "close", Help: "Close the comparison; the compare action reopens it."}, Do: host.On(func(c host.Context, v *view) tea.Cmd { v.close(c); return nil })},
	}
}

func canCompare(of func(host.Context) *State) func(host.Context) (bool, string) {
	return func(c host.Context) (bool, string) {
		if why := cannotCompare(c.Workspace); why != "" {
			return false, why
		}
		return len(c.Host.Workspaces()) > 1 || of(c).previous() != nil, "there is no other session: open one first"
	}
}

// Nil while the comparison is being made.
func complete(c host.Context) *view {
	v, _ := c.View.(*view)
	if v == nil || v.result == nil {
		return nil
	}
	return v
}

func hasComparison(c host.Context) (bool, string) {
	return complete(c) != nil, "there is no comparison yet"
}

// hasLists reports whether the comparison has more than two calls.
func hasLists(c host.Context) (bool, string) {
	v, _ := c.View.(*view)
	return v != nil && v.calls == nil, "a comparison of two calls has no lists"
}

func ofSessions(c host.Context) (bool, string) {
	if ok, why := hasLists(c); !ok {
		return false, why
	}
	return hasComparison(c)
}

func hasDifference(c host.Context) (bool, string) {
	v := complete(c)
	return v != nil && v.result.Report.First != nil, "the sessions do not differ"
}

func hasRule(c host.Context) (bool, string) {
	v, _ := c.View.(*view)
	return v != nil && len(v.rules.List) > 0, "you have not added a rule"
}

func hasPlace(c host.Context) (bool, string) {
	if v := complete(c); v != nil {
		if _, ok := v.rule(); ok {
			return true, ""
		}
	}
	return false, "no difference under the cursor"
}

// inSession reports whether the exchange under the cursor is in a session, and
// if not, why.
func inSession(side int) func(host.Context) (bool, string) {
	return func(c host.Context) (bool, string) {
		v := complete(c)
		if v == nil {
			return false, "there is no comparison yet"
		}
		if why := v.closed(); why != "" {
			return false, why
		}
		pair, ok := v.current()
		if !ok {
			return false, "no call is selected"
		}
		p := v.result.Pair(pair)
		return [2]*diff.End{p.A, p.B}[side] != nil, "that session does not have the call"
	}
}

func (v *view) Move(c host.Context, way string) tea.Cmd {
	if v.inside && v.list == listCalls || way == kit.Left || way == kit.Right {
		v.moveInside(way)
		return nil
	}
	if t := v.tables[v.list]; way == kit.Bottom {
		t.Move(t.Len()) // without following
	} else {
		kit.MoveCursor(t, way)
	}
	return v.followCursor(c)
}

func (v *view) followCursor(c host.Context) tea.Cmd {
	if pair, ok := v.current(); v.list == listCalls && ok && pair != v.beside.pair {
		return v.look(c, "")
	}
	return nil
}

const sideways = 8

func (v *view) moveInside(way string) {
	b := &v.beside
	switch way {
	case kit.Left:
		b.x = max(b.x-sideways, 0)
	case kit.Right:
		b.x = min(b.x+sideways, 1<<13)
	default:
		if n, ok := kit.LinesOf(way, max(b.height-1, 1)); ok {
			b.move(n)
		}
	}
}

func (v *view) Scroll(n int) {
	if v.inside {
		v.beside.move(n)
		return
	}
	v.tables[v.list].Scroll(n)
}

func (v *view) enter(c host.Context) tea.Cmd {
	switch v.list {
	case listCalls:
		v.inside = !v.inside
	case listValues:
		if row, ok := v.tables[listValues].Cursor(); ok {
			v.inside = true
			return v.goTo(c, &v.result.Report.Groups[row].Example)
		}
	}
	return nil
}

func (v *view) turn(way int) {
	v.list = (v.list + way + listCount) % listCount
	v.inside = false
}

// Back cancels comparing, leaves the responses, or closes.
func (v *view) Back(c host.Context) tea.Cmd {
	switch {
	case v.busy != nil && v.result != nil:
		v.cancel()
	case v.inside && v.calls == nil:
		v.inside = false
	case v.list != listCalls:
		v.list = listCalls
	default:
		v.close(c)
	}
	return nil
}

// close keeps a complete comparison.
func (v *view) close(c host.Context) {
	v.cancel()
	c.Host.Close(v)
	if v.result != nil && v.closed() == "" && v.calls == nil {
		v.state.latest = v
		c.Host.Notify(c.Host.Key(host.ActCompare) + " reopens the comparison")
	}
}

func (v *view) rule() (match.Rule, bool) {
	rule := match.Rule{Action: match.ActionIgnore}
	about := func(method, subject string, p match.Pointer) (match.Rule, bool) {
		rule.Method, rule.Pointer = method, p
		if subject != "" {
			rule.Method += ":" + subject
		}
		return rule, p != ""
	}
	switch v.list {
	case listValues:
		if row, ok := v.tables[listValues].Cursor(); ok && row < len(v.result.Report.Groups) {
			g := &v.result.Report.Groups[row]
			return about(g.Method, g.Subject, g.Pointer)
		}
	case listCalls:
		b := &v.beside
		p, ok := b.pointer(b.at)
		if !ok || b.pair < 0 || b.pair >= v.result.Len() || !b.differs(b.at) {
			return rule, false
		}
		pair := v.result.Pair(b.pair)
		return about(pair.Method, pair.Subject, withoutIndexes(p))
	}
	return rule, false
}

// withoutIndexes returns a pointer with * in place of array indexes, as groups have
// it.
func withoutIndexes(p match.Pointer) match.Pointer {
	tokens := p.Tokens()
	for i, t := range tokens {
		if i > 0 && t != "" && len(t) < 10 && strings.Trim(t, "0123456789") == "" {
			tokens[i] = "*"
		}
	}
	return match.PointerTo(tokens...)
}

func (v *view) ignore(c host.Context) tea.Cmd {
	rule, _ := v.rule()
	v.rules.List = append(v.rules.List[:len(v.rules.List):len(v.rules.List)], rule)
	c.Host.Notify(rule.String())
	return v.compare(c)
}

func (v *view) undo(c host.Context) tea.Cmd {
	last := len(v.rules.List) - 1
	c.Host.Notify("rule removed: " + v.rules.List[last].String())
	v.rules.List = v.rules.List[:last:last]
	return v.compare(c)
}

func (v *view) askFile(c host.Context) {
	rules := v.rules.List
	c.Host.Prompt(c.Workspace, host.Prompt{
		Label: "add rules to", Hint: "rules file, kept with your code", Text: v.file,
		Accept: func(c host.Context, path string) (tea.Cmd, error) {
			if path = strings.TrimSpace(path); path == "" {
				return nil, errors.New("enter a file name")
			}
			v.file = path
			return func() tea.Msg {
				added, err := match.AddToFile(path, rules)
				return host.Result{What: "rules", Err: err, Text: fmt.Sprintf("%s added to %s: review, and keep the file with your code", wording.Counted(added, "rule"), path)}
			}, nil
		},
	})
}

func (v *view) askRules(c host.Context) {
	c.Host.Prompt(c.Workspace, host.Prompt{
		Label: "read rules from", Hint: "rules file", Text: v.file,
		Accept: func(c host.Context, path string) (tea.Cmd, error) {
			path = strings.TrimSpace(path)
			return func() tea.Msg {
				rules, err := match.LoadRules(path)
				if err != nil {
					return host.Result{What: "rules", Err: err}
				}
				return host.Result{Then: func(c host.Context) tea.Cmd {
					before := len(v.rules.List)
					for _, rule := range rules.List {
						v.rules.Add(rule)
					}
					c.Host.Notify(fmt.Sprintf("%s from %s", wording.Counted(len(v.rules.List)-before, "rule"), path))
					v.file = path
					return v.compare(c)
				}}
			}, nil
		},
	})
}

func (v *view) toggleReveal(c host.Context) tea.Cmd {
	v.reveal = !v.reveal
	if v.result != nil {
		v.report(c.Host.Screen()) // redraws the rows of the list
	}
	return nil
}

func (v *view) unfold(c host.Context) tea.Cmd {
	v.all = !v.all
	p, _ := v.beside.pointer(v.beside.at)
	return v.look(c, p)
}

// turnHalf shows the other half. The cursor goes to its first difference.
func turnHalf(c host.Context, v *view) tea.Cmd {
	v.half = answers + requests - v.half
	return v.look(c, "")
}

func (v *view) toggleOnly(c host.Context) tea.Cmd {
	v.only = !v.only
	v.filter()
	return v.followCursor(c)
}

// open goes to the exchange in one of the sessions, to its response if it has
// one, and in a list to the page with the item under the cursor.
func (v *view) open(c host.Context, side int) tea.Cmd {
	pair, _ := v.current()
	p := v.result.Pair(pair)
	ws, e := v.a, p.A
	if side == 1 {
		ws, e = v.b, p.B
	}
	row := e.Request
	if e.Answered {
		row = e.Response
	}
	if place, ok := v.beside.pointer(v.beside.at); ok && v.beside.pair == pair {
		if page, ok := v.result.Page(pair, side == 1, place); ok {
			row = page
		}
	}
	v.close(c)
	c.Host.Show(ws)
	var cmd tea.Cmd
	if ws.Shown != ws.Whole {
		cmd = c.Host.Do(ws, host.ActWhole, "")
	}
	c.Host.Panes(ws).Select(row)
	return cmd
}
