package ui

import (
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/recordings/compare"
	"mcpdbg/recordings/match"
	"mcpdbg/ui/keymap"
	"mcpdbg/ui/table"
)

const scopeCompareWith = "compare-with"

// The actions of comparisons.
const (
	actCompare        = "compare"
	actCompareDown    = "compare-down"
	actCompareUp      = "compare-up"
	actComparePgDown  = "compare-page-down"
	actComparePgUp    = "compare-page-up"
	actCompareTop     = "compare-first"
	actCompareBottom  = "compare-last"
	actCompareLeft    = "compare-left"
	actCompareRight   = "compare-right"
	actCompareTab     = "compare-next-list"
	actCompareBackTab = "compare-previous-list"
	actCompareEnter   = "compare-enter"
	actCompareClose   = "compare-close"
	actCompareQuit    = "compare-quit"
	actCompareNext    = "compare-next"
	actComparePrev    = "compare-previous"
	actCompareFirst   = "compare-first-difference"
	actCompareOnly    = "compare-only"
	actCompareReveal  = "compare-reveal"
	actCompareAll     = "compare-unfold"
	actCompareIgnore  = "compare-ignore"
	actCompareUndo    = "compare-undo"
	actCompareAccept  = "compare-accept"
	actCompareRules   = "compare-rules"
	actCompareOpenA   = "compare-open-a"
	actCompareOpenB   = "compare-open-b"
	actCompareAgain   = "compare-again"
	actPickCompare    = "compare-with-pick"
	actCloseCompare   = "compare-with-close"
)

func compareActions() []action {
	do := func(f func(a *App, v *comparing) tea.Cmd) func(*App) tea.Cmd { return on(f) }
	move := func(id, way, title, help string, keys ...string) action {
		return action{entry{ID: id, Keys: keys, Scope: scopeCompare, Title: title, Help: help}, do(func(a *App, v *comparing) tea.Cmd { return v.move(a, way) })}
	}
	down := move(actCompareDown, actDown, "down", "Move down by a line.", "j", "down")
	down.Priority, down.Hint = 50, keymap.Hint{Keys: "j/k", Title: "move"}
	return append([]action{
		{entry{ID: actCompare, Keys: []string{"D"}, Scope: keymap.Global, Title: "compare with", Help: "Compare what is shown with another session or recording that is open, or go back to a comparison.", Priority: 12, Enabled: canCompareShown}, nothing((*App).openCompareWith)},
		{entry{ID: actPickCompare, Keys: []string{"enter"}, Scope: scopeCompareWith, Title: "compare", Help: "Compare with what is under the cursor.", Priority: 90}, on((*App).pickCompare)},
		{entry{ID: actCloseCompare, Keys: []string{"esc"}, Scope: scopeCompareWith, Title: "close", Help: "Compare nothing.", Priority: 80}, nothing((*App).pop)},

		down,
		move(actCompareUp, actUp, "up", "Move up by a line.", "k", "up"),
		move(actComparePgDown, actPageDown, "page down", "Move down by a screen.", "pgdown", "ctrl+d", "space"),
		move(actComparePgUp, actPageUp, "page up", "Move up by a screen.", "pgup", "ctrl+u"),
		move(actCompareTop, actTop, "first", "Go to the first line.", "g", "home"),
		move(actCompareBottom, actBottom, "last", "Go to the last line.", "G", "end"),
		move(actCompareLeft, actLeft, "left", "Scroll to the left.", "h", "left"),
		move(actCompareRight, actRight, "right", "Scroll to the right.", "l", "right"),
		{entry{ID: actCompareNext, Keys: []string{"n"}, Scope: scopeCompare, Title: "next difference", Help: "Go to the next difference, in the next exchange that has one.", Priority: 80, Hint: keymap.Hint{Keys: "n/N", Title: "next, previous"}, Enabled: hasComparison}, do(func(a *App, v *comparing) tea.Cmd { return v.step(a, 1) })},
		{entry{ID: actComparePrev, Keys: []string{"N"}, Scope: scopeCompare, Title: "previous difference", Help: "Go to the difference before.", Enabled: hasComparison}, do(func(a *App, v *comparing) tea.Cmd { return v.step(a, -1) })},
		{entry{ID: actCompareFirst, Keys: []string{"f"}, Scope: scopeCompare, Title: "first difference", Help: "Go to where the sessions begin to differ.", Priority: 40, Enabled: hasDifference}, do(func(a *App, v *comparing) tea.Cmd { return v.goFirst(a) })},
		{entry{ID: actCompareEnter, Keys: []string{"enter"}, Scope: scopeCompare, Title: "go in", Help: "Move in the two answers, or from there back in the list; in another list, go to the exchange.", Priority: 90, Enabled: hasComparison}, do(func(a *App, v *comparing) tea.Cmd { return v.enter(a) })},
		{entry{ID: actCompareTab, Keys: []string{"tab"}, Scope: scopeCompare, Title: "next list", Help: "Go on to the differences in groups, what is equal by its type, and the times of answers.", Priority: 60, Hint: keymap.Hint{Keys: "tab", Title: "lists"}}, do(func(_ *App, v *comparing) tea.Cmd { v.turn(1); return nil })},
		{entry{ID: actCompareBackTab, Keys: []string{"shift+tab"}, Scope: scopeCompare, Title: "previous list", Help: "Go to the list before."}, do(func(_ *App, v *comparing) tea.Cmd { v.turn(-1); return nil })},
		{entry{ID: actCompareOpenA, Keys: []string{"a"}, Scope: scopeCompare, Title: "open A", Help: "Go to the exchange in the first session.", Priority: 45, Hint: keymap.Hint{Keys: "a/b", Title: "open"}, Enabled: standsIn(0)}, do(func(a *App, v *comparing) tea.Cmd { return v.open(a, 0) })},
		{entry{ID: actCompareOpenB, Keys: []string{"b"}, Scope: scopeCompare, Title: "open B", Help: "Go to the exchange in the second session.", Enabled: standsIn(1)}, do(func(a *App, v *comparing) tea.Cmd { return v.open(a, 1) })},
		{entry{ID: actCompareIgnore, Keys: []string{"i"}, Scope: scopeCompare, Title: "ignore", Help: "Leave out what is under the cursor from now on, in all exchanges of its kind, and compare again.", Priority: 55, Enabled: hasPlace}, do(func(a *App, v *comparing) tea.Cmd { return v.ignore(a) })},
		{entry{ID: actCompareUndo, Keys: []string{"u"}, Scope: scopeCompare, Title: "undo ignore", Help: "Take the latest rule back, and compare again.", Enabled: hasRule}, do(func(a *App, v *comparing) tea.Cmd { return v.undo(a) })},
		{entry{ID: actCompareAccept, Keys: []string{"w"}, Scope: scopeCompare, Title: "write rules", Help: "Add your rules to a file, for mcpdbg diff --rules and mcpdbg replay --rules.", Priority: 30, Enabled: hasRule}, do(func(a *App, v *comparing) tea.Cmd { v.askFile(a); return nil })},
		{entry{ID: actCompareRules, Keys: []string{"r"}, Scope: scopeCompare, Title: "read rules", Help: "Compare with the rules of a file besides.", Enabled: hasComparison}, do(func(a *App, v *comparing) tea.Cmd { v.askRules(a); return nil })},
		{entry{ID: actCompareReveal, Keys: []string{"v"}, Scope: scopeCompare, Title: "values", Help: "Show the values that are equal by their type only, or their types.", Priority: 35}, do(func(a *App, v *comparing) tea.Cmd { return v.toggleReveal(a) })},
		{entry{ID: actCompareAll, Keys: []string{"z"}, Scope: scopeCompare, Title: "unfold", Help: "Show what is equal in the two answers line by line, or folded."}, do(func(a *App, v *comparing) tea.Cmd { return v.unfold(a) })},
		{entry{ID: actCompareOnly, Keys: []string{"d"}, Scope: scopeCompare, Title: "only differences", Help: "List only the exchanges that differ, or all.", Priority: 38, Enabled: hasComparison}, do(func(a *App, v *comparing) tea.Cmd { return v.toggleOnly(a) })},
		{entry{ID: actCompareAgain, Keys: []string{"ctrl+r"}, Scope: scopeCompare, Title: "compare again", Help: "Compare the sessions as they are now."}, do(func(a *App, v *comparing) tea.Cmd { return v.compare(a) })},
		{entry{ID: actCompareClose, Keys: []string{"esc"}, Scope: scopeCompare, Title: "back", Help: "Give up comparing, leave the two answers, then close.", Priority: 85}, do(func(a *App, v *comparing) tea.Cmd { v.back(a); return nil })},
		{entry{ID: actCompareQuit, Keys: []string{"q"}, Scope: scopeCompare, Title: "close", Help: "Close the comparison; compare with goes back to it."}, do(func(a *App, v *comparing) tea.Cmd { v.close(a); return nil })},
	}, pickerActions(scopeCompareWith)...)
}

func canCompareShown(a *App) (bool, string) {
	if why := a.canCompare(a.subject); why != "" {
		return false, why
	}
	return len(a.subjects) > 1 || a.comparedBefore() != nil, "there is no other session: open another first"
}

func shownComparison(a *App) *comparing {
	v, _ := a.top().(*comparing)
	if v == nil || v.c == nil {
		return nil
	}
	return v
}

func hasComparison(a *App) (bool, string) {
	return shownComparison(a) != nil, "nothing is compared yet"
}

func hasDifference(a *App) (bool, string) {
	v := shownComparison(a)
	return v != nil && v.c.Report.First != nil, "the sessions are the same"
}

func hasRule(a *App) (bool, string) {
	v, _ := a.top().(*comparing)
	return v != nil && len(v.rules.List) > 0, "there is no rule of yours"
}

func hasPlace(a *App) (bool, string) {
	if v := shownComparison(a); v != nil {
		if _, ok := v.rule(); ok {
			return true, ""
		}
	}
	return false, "no difference is under the cursor"
}

// standsIn tells whether the exchange under the cursor is in a session.
func standsIn(side int) func(*App) (bool, string) {
	return func(a *App) (bool, string) {
		v := shownComparison(a)
		if v == nil {
			return false, "nothing is compared yet"
		}
		if why := v.closed(); why != "" {
			return false, why
		}
		pair, ok := v.current()
		if !ok {
			return false, "no exchange is selected"
		}
		p := v.c.Pair(pair)
		return [2]*compare.End{p.A, p.B}[side] != nil, "that session does not have it"
	}
}

func (*comparing) scope() string               { return scopeCompare }
func (*comparing) typed(*App, tea.Msg) tea.Cmd { return nil }

// move moves the cursor of what has the keys.
func (v *comparing) move(a *App, way string) tea.Cmd {
	if v.inside && v.list == listExchanges || way == actLeft || way == actRight {
		v.moveInside(way)
		return nil
	}
	moveTable(v.tables[v.list], way)
	return v.lookAnew(a)
}

// lookAnew shows the exchange under the cursor, if it is another one.
func (v *comparing) lookAnew(a *App) tea.Cmd {
	if pair, ok := v.current(); v.list == listExchanges && ok && pair != v.beside.pair {
		return v.look(a, "")
	}
	return nil
}

func moveTable(t *table.Table, way string) {
	switch way {
	case actDown:
		t.Move(1)
	case actUp:
		t.Move(-1)
	case actPageDown:
		t.Page(1)
	case actPageUp:
		t.Page(-1)
	case actTop:
		t.Home()
	case actBottom:
		t.Move(t.Len())
	}
}

// sideways is how far the answers scroll to a side.
const sideways = 8

func (v *comparing) moveInside(way string) {
	b := &v.beside
	switch way {
	case actLeft:
		b.x = max(b.x-sideways, 0)
	case actRight:
		b.x = min(b.x+sideways, 1<<13)
	default:
		if n, ok := linesOf(way, max(b.height-1, 1)); ok {
			b.move(n)
		}
	}
}

// scroll is what the wheel does.
func (v *comparing) scroll(n int) {
	if v.inside {
		v.beside.move(n)
		return
	}
	v.tables[v.list].Scroll(n)
}

// enter goes into the answers, or to the exchange of a group.
func (v *comparing) enter(a *App) tea.Cmd {
	switch v.list {
	case listExchanges:
		v.inside = !v.inside
	case listGroups:
		if row, ok := v.tables[listGroups].Cursor(); ok {
			v.inside = true
			return v.goTo(a, &v.c.Report.Groups[row].Example)
		}
	}
	return nil
}

func (v *comparing) turn(way int) {
	v.list = (v.list + way + listCount) % listCount
	v.inside = false
}

// back gives up comparing, leaves the answers, or closes.
func (v *comparing) back(a *App) {
	switch {
	case v.busy != nil && v.c != nil:
		v.giveUp()
	case v.inside:
		v.inside = false
	case v.list != listExchanges:
		v.list = listExchanges
	default:
		v.close(a)
	}
}

// close takes the comparison off the screen, and keeps it if there is one.
func (v *comparing) close(a *App) {
	v.giveUp()
	a.remove(v)
	if v.c != nil && v.closed() == "" {
		a.compared = v
		a.say(a.keyOf(actCompare) + " goes back to the comparison")
	}
}

// rule is what would leave out the difference under the cursor.
func (v *comparing) rule() (match.Rule, bool) {
	rule := match.Rule{Action: match.ActionIgnore}
	about := func(method, subject string, p match.Pointer) (match.Rule, bool) {
		rule.Method, rule.Pointer = method, p
		if subject != "" {
			rule.Method += ":" + subject
		}
		return rule, p != ""
	}
	switch v.list {
	case listGroups:
		if row, ok := v.tables[listGroups].Cursor(); ok && row < len(v.c.Report.Groups) {
			g := &v.c.Report.Groups[row]
			return about(g.Method, g.Subject, g.Pointer)
		}
	case listExchanges:
		b := &v.beside
		p, ok := b.pointer(b.at)
		if !ok || b.pair < 0 || b.pair >= v.c.Len() || !b.differs(b.at) {
			return rule, false
		}
		pair := v.c.Pair(b.pair)
		return about(pair.Method, pair.Subject, starred(p))
	}
	return rule, false
}

// starred is a pointer with * for the numbers of elements, as groups have it.
func starred(p match.Pointer) match.Pointer {
	tokens := p.Tokens()
	for i, t := range tokens {
		if i > 0 && t != "" && len(t) < 10 && strings.Trim(t, "0123456789") == "" {
			tokens[i] = "*"
		}
	}
	return match.PointerTo(tokens...)
}

// ignore adds a rule, and compares again.
func (v *comparing) ignore(a *App) tea.Cmd {
	rule, _ := v.rule()
	v.rules.List = append(v.rules.List[:len(v.rules.List):len(v.rules.List)], rule)
	a.say(rule.String())
	return v.compare(a)
}

func (v *comparing) undo(a *App) tea.Cmd {
	last := len(v.rules.List) - 1
	a.say("taken back: " + v.rules.List[last].String())
	v.rules.List = v.rules.List[:last:last]
	return v.compare(a)
}

// askFile asks for the file that the rules are added to.
func (v *comparing) askFile(a *App) {
	rules := v.rules.List
	a.prompt = newPrompt("add rules to", "a file, kept beside your code", v.file, func(a *App, path string) (tea.Cmd, error) {
		if path = strings.TrimSpace(path); path == "" {
			return nil, errors.New("it needs a name")
		}
		v.file = path
		return func() tea.Msg {
			added, err := match.AddToFile(path, rules)
			return result{what: "rules", err: err, text: fmt.Sprintf("%d rules added to %s: look at them, and keep the file beside your code", added, path)}
		}, nil
	})
}

// askRules asks for a file of rules to be read.
func (v *comparing) askRules(a *App) {
	a.prompt = newPrompt("read rules of", "a file of rules", v.file, func(a *App, path string) (tea.Cmd, error) {
		path = strings.TrimSpace(path)
		return func() tea.Msg {
			rules, err := match.LoadRules(path)
			if err != nil {
				return result{what: "rules", err: err}
			}
			return result{then: func(a *App) tea.Cmd {
				before := len(v.rules.List)
				for _, rule := range rules.List {
					v.rules.Add(rule)
				}
				a.say(fmt.Sprintf("%d rules of %s", len(v.rules.List)-before, path))
				v.file = path
				return v.compare(a)
			}}
		}, nil
	})
}

func (v *comparing) toggleReveal(a *App) tea.Cmd {
	v.reveal = !v.reveal
	if v.c != nil {
		v.report(a) // rows of the list look different
	}
	return nil
}

func (v *comparing) unfold(a *App) tea.Cmd {
	v.all = !v.all
	p, _ := v.beside.pointer(v.beside.at)
	return v.look(a, p)
}

func (v *comparing) toggleOnly(a *App) tea.Cmd {
	v.only = !v.only
	v.filter()
	return v.lookAnew(a)
}

// open goes to the exchange in one of the sessions, to its answer if it has one.
func (v *comparing) open(a *App, side int) tea.Cmd {
	pair, _ := v.current()
	p := v.c.Pair(pair)
	s, e := v.a, p.A
	if side == 1 {
		s, e = v.b, p.B
	}
	row := e.Request
	if e.Answered {
		row = e.Answer
	}
	v.close(a)
	a.show(s)
	var cmd tea.Cmd
	if s.projection != s.whole {
		cmd = a.showWhole()
	}
	a.selectTraffic(row)
	return cmd
}
