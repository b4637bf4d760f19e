package problems

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/cause"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

// panelLines is the maximum height of the panel, by the severity of the likeliest
// cause.
var panelLines = [...]int{diagnosis.Info: 1, diagnosis.Warning: 2, diagnosis.Error: 2}

func causeText(c host.Context, text string) string {
	first := c.Workspace.Shown.Causes.Found[0]
	if first.Probable {
		text = "Probably: " + first.Brief
	}
	mark, _ := kit.SeverityMark(first.Severity, c.Host.Screen().Theme)
	_, glyph := c.Host.Screen().Mark(mark)
	return strings.TrimLeft(glyph+" "+sentence(text), " ")
}

// causeKeys names the keys that help, the most important first. What to do is on
// the card.
func causeKeys(c host.Context) []string {
	parts := make([]string, 0, maxParts)
	first := c.Workspace.Shown.Causes.Found[0]
	if first.ID == cause.ResponseNeeded && c.Workspace.Session != nil {
		parts = append(parts, c.Host.Key(host.ActAnswer)+" answers it")
	}
	parts = append(parts, c.Host.Key(host.ActCauses)+" why")
	if restarts := restartHint(c); restarts != "" {
		parts = append(parts, restarts)
	}
	if n := len(c.Workspace.Shown.Causes.Found) - 1; n > 0 {
		parts = append(parts, wording.PluralOf(n, "more cause", "more causes"))
	}
	return parts
}

// restartHint names the key that restarts a server that is gone, "" if there is
// none.
func restartHint(c host.Context) string {
	gone := c.Workspace.Status.State == session.Failed || c.Workspace.Status.State == session.Closed
	switch {
	case c.Workspace.Session == nil || !gone || c.Workspace.Starting:
		return ""
	case c.Workspace.LostLink():
		return c.Host.Key(host.ActRestart) + " reconnects and restarts"
	}
	return c.Host.Key(host.ActRestart) + " restarts it"
}

// Lines returns the lines of the panel, nil if there is nothing to show. Parts that
// do not fit are dropped from the end.
func (s *State) Lines(c host.Context) []string {
	screen := c.Host.Screen()
	t := &c.Workspace.Shown.Causes.Summary
	if !t.Fresh || t.Width != screen.Width || t.Height != screen.Height {
		*t = workspace.Summary{Rows: s.makeLines(c), Width: screen.Width, Height: screen.Height, Fresh: true}
	}
	return t.Rows
}

func (s *State) makeLines(c host.Context) []string {
	if c.Workspace.CausesPending() {
		rows := make([]string, s.height) // so that the panes do not move
		if len(rows) > 0 {
			rows[0] = "... looking for problems up to this point"
		}
		return rows
	}
	rows := s.fitCauses(c)
	s.height = len(rows)
	return rows
}

// fitCauses returns the lines about a failed build, or else about the likeliest
// cause.
func (s *State) fitCauses(c host.Context) []string {
	if rows := buildRows(c); rows != nil {
		return rows
	}
	if len(c.Workspace.Shown.Causes.Found) == 0 {
		return nil
	}
	first := c.Workspace.Shown.Causes.Found[0]
	most := panelLines[first.Severity]
	parts := append(make([]string, 1, maxParts), causeKeys(c)...)
	for lines := 1; lines <= most; lines++ { // one, if the text and a key fit
		for n := len(parts); n > 1; n-- {
			for _, text := range []string{first.Text, first.Brief}[:lines] {
				parts[0] = causeText(c, text)
				if rows := termsafe.Wrap(strings.Join(parts[:n], keyGap), c.Host.Screen().Width-2); len(rows) <= lines {
					return rows
				}
			}
		}
	}
	rows := termsafe.Wrap(causeText(c, first.Text), c.Host.Screen().Width-2)
	if len(rows) > most { // painting truncates the last line, and marks that
		rows = append(rows[:most-1], strings.Join(rows[most-1:], " "))
	}
	return rows
}

// keyGap parts the text of a cause from the keys.
const keyGap = "   "

// maxParts is the number of a text and its keys.
const maxParts = 5

// Paint paints the panel in a rectangle below the header.
func (s *State) Paint(c host.Context, r paint.Rect) {
	screen := c.Host.Screen()
	style, mark := screen.Theme.Dim, kit.NoMark
	switch found := c.Workspace.Shown.Causes.Found; {
	case r.Empty():
		return
	case c.Workspace.Unbuilt != nil:
		style = screen.Theme.Failed
	case len(found) > 0:
		if mark, style = kit.SeverityMark(found[0].Severity, screen.Theme); mark == kit.NoMark {
			style = screen.Theme.Text
		}
	}
	sign, glyph := screen.Mark(mark)
	block := &paint.Lines{Options: screen.Look()}
	block.Resize(r.W, r.H)
	rows := s.Lines(c)
	for y, row := range rows[:min(r.H, len(rows))] {
		l := block.Line(y)
		l.PadTo(1)
		if y == 0 && glyph != "" && strings.HasPrefix(row, glyph) {
			l.Text(sign, glyph)
			row = row[len(glyph):]
		}
		l.Text(style, row)
	}
	screen.Canvas.Draw(r, block)
}

const actEvidence = "evidence"

func causeActions(of func(host.Context) *State) []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: actEvidence, Keys: []string{"V"}, Scope: keymap.Global, Title: "to the cause", Synonyms: []string{"evidence"}, Help: "Go to the row that shows the likeliest cause; again, to that of the next cause.", Enabled: hasEvidence}, Do: func(c host.Context) tea.Cmd { return of(c).goToEvidence(c) }},
		{Entry: host.Entry{ID: host.ActCauses, Keys: []string{"!"}, Scope: keymap.Global, Title: "why", Synonyms: []string{"what is wrong", "wrong", "diagnose", "causes", "report"}, Help: "Show the likeliest cause of the problems, why, and what to do; or what was checked.", Priority: 60, Now: host.Ranks{Failed: 96}.Now, Enabled: host.HasSession}, Do: func(c host.Context) tea.Cmd { return of(c).openCauses(c) }},
	}
}

// noCause reports that there is no likely cause, and what was checked.
func noCause(c host.Context) string {
	in := ""
	if far := c.Workspace.CheckProgress(); far != "" {
		in = " in the first " + far
	}
	if n := c.Workspace.Shown.Problems.Count.Problems(); n > 0 {
		return "no likely cause" + in + "; " + c.Host.Key(host.ActProblems) + " lists " + wording.Counted(n, "problem")
	}
	return "no problems" + in + "; " + checked(c)
}

func hasEvidence(c host.Context) (bool, string) {
	if len(c.Workspace.Shown.Causes.Found) == 0 {
		return false, noCause(c)
	}
	shows := func(v diagnosis.Cause) bool { return v.Row >= 0 }
	return slices.ContainsFunc(c.Workspace.Shown.Causes.Found, shows), "no row shows a likely cause"
}

// goToEvidence selects the row with the evidence of a cause; if it is selected
// already, that of the next cause that has one.
func (s *State) goToEvidence(c host.Context) tea.Cmd {
	var rows []int
	for _, v := range c.Workspace.Shown.Causes.Found {
		if v.Row >= 0 && !slices.Contains(rows, v.Row) {
			rows = append(rows, v.Row)
		}
	}
	next := 0
	if at := slices.Index(rows, c.Workspace.Shown.Causes.Shown); at >= 0 && c.Workspace.Selected.OK && c.Workspace.Selected.Number == c.Workspace.Shown.Causes.Shown {
		next = (at + 1) % len(rows)
	}
	c.Workspace.Shown.Causes.Shown = rows[next]
	c.Panes().GoTo(rows[next])
	return nil
}

// sentence returns a text with a capital first letter, unless it begins with a name
// such as that of a method.
func sentence(text string) string {
	first, _, _ := strings.Cut(text, " ")
	if first == "ping" || first == mcp.MethodInitialize || strings.Trim(first, "abcdefghijklmnopqrstuvwxyz,:;") != "" {
		return text
	}
	return strings.ToUpper(text[:min(1, len(text))]) + text[min(1, len(text)):]
}
