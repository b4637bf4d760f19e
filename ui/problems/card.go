package problems

import (
	"fmt"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/session/diagnosis"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// The names of the choices of a card.
const (
	actGoFromCause = "trouble-evidence"
	actAgain       = "trouble-restart"
	actReport      = "trouble-report"
	actProcess     = "trouble-process"
)

func cardActions(of func(host.Context) *State) []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: actGoFromCause, Keys: []string{"enter"}, Scope: ScopeCauses, Title: "go to the row", Help: "Go to the row that shows the selected cause.", Priority: 90, Enabled: hasRow}, Do: host.On(func(c host.Context, v *card) tea.Cmd { return of(c).goFromCause(c, v) })},
		{Entry: host.Entry{ID: actAgain, Keys: []string{"ctrl+r"}, Scope: ScopeCauses, Title: "restart", Help: "Restart the server.", Priority: 88, Enabled: host.CanRestart}, Do: then(host.ActRestart, true)},
		{Entry: host.Entry{ID: actReport, Keys: []string{"y"}, Scope: ScopeCauses, Title: "copy report", Help: "Copy the causes, their evidence and what to do as text.", Priority: 86, Enabled: host.HasSession}, Do: copyReport},
		{Entry: host.Entry{ID: actProcess, Keys: []string{"I"}, Scope: ScopeCauses, Title: "process", Help: "Show the process: its command, its start, its environment and how it ended.", Priority: 84, Enabled: host.HasSession}, Do: then(host.ActProcess, false)},
		{Entry: host.Entry{ID: "cause-problems", Keys: []string{"L"}, Scope: ScopeCauses, Title: "problems", Help: "List the problems.", Priority: 83, Enabled: hasProblems}, Do: then(host.ActProblems, false)},
		host.Override(host.Entry{Name: kit.Down, Scope: ScopeCauses, Title: "next problem", Help: "Select the next problem.", Priority: 60, Hint: key.Help{Key: "j/k", Desc: "choose"}}),
		host.Override(host.Entry{Name: kit.Up, Scope: ScopeCauses, Help: "Select the previous problem."}),
		host.Override(host.Entry{Name: host.CloseName, ID: "close-trouble", Scope: ScopeCauses, Keys: []string{"esc", "q", "!"}}),
	}
}

// then returns an effect that carries out another action.
func then(action string, closes bool) func(host.Context) tea.Cmd {
	return func(c host.Context) tea.Cmd {
		if closes {
			c.Host.Close(c.View)
		}
		return c.Host.Do(c.Workspace, action, "")
	}
}

func hasRow(c host.Context) (bool, string) {
	v, ok := c.View.(*card)
	if !ok {
		return false, "the card is closed"
	}
	found, ok := v.cause(c)
	return ok && found.Row >= 0, "no row shows this"
}

// The selected cause, with its evidence and what can be done, over a line for each other
// one.
type card struct {
	at      string // the selected cause; may have disappeared
	text    kit.Text
	block   paint.Lines
	lines   []cardLine
	reached string // the cause that was last scrolled to
	shown   evidence
}

// A cardLine is one line of the text of a cause.
type cardLine struct {
	mark  kit.Mark
	text  string
	style paint.Style
	cause int // whose line it is; -1 for none
}

func (s *State) openCauses(c host.Context) tea.Cmd {
	if c.Workspace.Unbuilt != nil {
		showBuild(c)
		return nil
	}
	v := &card{}
	if found := c.Workspace.Shown.Causes.Found; len(found) > 0 {
		v.at = found[0].ID
	}
	c.Host.Open(c.Workspace, v)
	return nil
}

func (v *card) Scope() string { return ScopeCauses }

func (v *card) Update(host.Context, tea.Msg) tea.Cmd { return nil }

func (v *card) Scroll(n int) { v.text.By(n) }

// place returns the position of the selected cause; the first if it has
// disappeared.
func (v *card) place(c host.Context) int {
	for i, found := range c.Workspace.Shown.Causes.Found {
		if found.ID == v.at {
			return i
		}
	}
	return 0
}

// ok is false if there is none.
func (v *card) cause(c host.Context) (found diagnosis.Cause, ok bool) {
	if all := c.Workspace.Shown.Causes.Found; len(all) > 0 {
		return all[v.place(c)], true
	}
	return found, false
}

func (v *card) Move(c host.Context, way string) tea.Cmd {
	all := c.Workspace.Shown.Causes.Found
	by, _ := kit.LinesOf(way, 1)
	if len(all) > 0 {
		v.at = all[kit.Between(0, v.place(c)+by, len(all)-1)].ID
		return nil
	}
	v.text.By(by)
	return nil
}

func (v *card) Draw(c host.Context) {
	screen := c.Host.Screen()
	width := min(screen.Width, kit.SheetWidth)
	v.build(c, max(width-4, 1))
	r := screen.Body().Center(width, min(len(v.lines)+2, screen.Height-2))
	in := r.Inner()
	c.Block(&v.block, in)
	show := func() string {
		return v.text.Paint(&v.block, 0, in.H, len(v.lines), func(l *paint.Line, i int) { v.lines[i].paint(screen, l) })
	}
	right := show()
	if v.reached != v.at {
		v.reach(c)
		right = show()
	}
	title := "Why"
	if n := len(c.Workspace.Shown.Causes.Found); n > 1 {
		title = fmt.Sprintf("Why: cause %d of %d", v.place(c)+1, n)
	}
	c.Dialog(ScopeCauses, r, title, right, &v.block)
}

func (v *card) reach(c host.Context) {
	v.reached = v.at
	first, last, at := -1, -1, v.place(c)
	for i, l := range v.lines {
		if l.cause == at {
			last = i
			if first < 0 {
				first = i
			}
		}
	}
	if first >= 0 {
		v.text.SetYOffset(min(max(v.text.YOffset(), last+1-v.text.Height()), first))
	}
}

func (line *cardLine) paint(screen *kit.Screen, l *paint.Line) {
	l.PadTo(1)
	l.Text(screen.Mark(line.mark))
	l.PadTo(3)
	l.Text(line.style, line.text)
}

func (v *card) build(c host.Context, width int) {
	v.lines = v.lines[:0]
	found, at := c.Workspace.Shown.Causes.Found, v.place(c)
	if len(found) == 0 {
		v.nothing(c, width)
		return
	}
	for i, cause := range found {
		if i == at {
			v.open(c, i, cause, width)
			continue
		}
		mark, style := kit.SeverityMark(cause.Severity, c.Host.Screen().Theme)
		v.add(i, mark, title(cause), style, width)
	}
	v.gap()
	v.add(-1, kit.NoMark, checkedText(c), c.Host.Screen().Theme.Dim, width)
}

func (v *card) open(c host.Context, i int, cause diagnosis.Cause, width int) {
	th := c.Host.Screen().Theme
	if i > 0 {
		v.gap()
	}
	mark, _ := kit.SeverityMark(cause.Severity, th)
	v.add(i, mark, title(cause), th.Strong, width)
	if label, text := v.shown.of(c, cause.Row); text != "" {
		v.add(i, kit.NoMark, label+"  "+text, th.Text, width)
	}
	if advice := diagnosis.WithoutPath(cause.Advice); advice != "" {
		v.add(i, kit.NoMark, sentence(advice), th.Text, width)
	}
	if text := followed(c, cause); text != "" {
		v.add(i, kit.NoMark, text, th.Dim, width)
	}
	if i < len(c.Workspace.Shown.Causes.Found)-1 {
		v.gap()
	}
}

// followed names the problems that follow from a cause, "" if there are none.
func followed(c host.Context, cause diagnosis.Cause) string {
	p := c.Workspace.Shown.Problems
	for i := range p.Groups {
		g := &p.Groups[i]
		if !g.Follows(cause) {
			continue
		}
		if _, rest := consequences(p.List, g); len(rest) > 0 {
			return wording.Counted(len(rest), "consequence") + ": " + diagnosis.RuleNames(p.List, rest)
		}
	}
	return ""
}

func title(cause diagnosis.Cause) string {
	if cause.Probable {
		return "Probably: " + cause.Brief
	}
	return sentence(cause.Brief)
}

func (v *card) nothing(c host.Context, width int) {
	th := c.Host.Screen().Theme
	count := c.Workspace.Shown.Problems.Count
	if failed := failedCalls(c); failed > 0 {
		v.add(-1, kit.Failed, wording.Counted(failed, "request")+" failed: close this, then "+c.Host.Key(nextError)+" goes to the next one", th.Failed, width)
	}
	switch far := c.Workspace.CheckProgress(); {
	case !c.Workspace.FullyRead() || c.Workspace.CausesPending():
		v.add(-1, kit.NoMark, "Looking for problems up to this point", th.Dim, width)
	case count.Problems() > 0:
		v.add(-1, kit.Warning, "No likely cause, but "+wording.Counted(count.Problems(), "problem")+": "+c.Host.Key(host.ActProblems)+" lists them", th.Odd, width)
	case far != "":
		v.add(-1, kit.NoMark, "No problems in the first "+far, th.Good, width)
	default:
		v.add(-1, kit.NoMark, "No protocol problems detected", th.Good, width)
	}
	v.add(-1, kit.NoMark, sentence(checked(c)), th.Dim, width)
}

// nextError is the action that goes to the next failed request.
const nextError = "next-error"

// failedCalls returns how many requests the server answered with an error; 0 at an
// earlier moment of a recording, of which nothing is counted.
func failedCalls(c host.Context) int {
	latencies := c.Workspace.Shown.Index.Latencies
	if latencies == nil {
		return 0
	}
	return int(latencies.All().Errors)
}

func checkedText(c host.Context) string {
	count := none(c)
	if n := c.Workspace.Shown.Problems.Count; n != (diagnosis.Count{}) {
		count = n.String()
	}
	if far := c.Workspace.CheckProgress(); far != "" {
		count += " in the first " + far
	}
	if len(c.Workspace.Shown.Problems.List) > 0 {
		count += "; " + c.Host.Key(host.ActProblems) + " lists them"
	}
	return sentence(count + ". " + sentence(checked(c)))
}

// none is the number of problems if the rules found none: a cause may be known all the same.
func none(c host.Context) string {
	if len(c.Workspace.Shown.Causes.Found) > 0 {
		return "no other problem"
	}
	return "no problems"
}

func (v *card) gap() { v.lines = append(v.lines, cardLine{cause: -1}) }

// add adds a text, wrapped, with a mark in front of its first line.
func (v *card) add(cause int, mark kit.Mark, text string, style paint.Style, width int) {
	for _, row := range termsafe.Wrap(text, width-3) {
		v.lines = append(v.lines, cardLine{mark: mark, text: row, style: style, cause: cause})
		mark = kit.NoMark
	}
}

func (s *State) goFromCause(c host.Context, v *card) tea.Cmd {
	found, ok := v.cause(c)
	if !ok {
		return nil
	}
	c.Host.Close(v)
	c.Workspace.Shown.Causes.Shown = found.Row
	c.Panes().GoTo(found.Row)
	return nil
}
