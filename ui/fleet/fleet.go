package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/grid"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

// A View is the first screen of a run over many targets. It fills the screen except the
// footer, and is closed while a session or a recording is shown.
type View struct {
	Run  *host.GridRun
	Grid *grid.Grid

	stopping bool // Stop was called

	opening string
	giveUp  context.CancelFunc

	list, about, top, frame paint.Lines
}

// New returns the screen of a run.
func New(screen *kit.Screen, run *host.GridRun) *View {
	look := grid.Look{Theme: screen.Theme, Options: screen.Look(), ASCII: screen.ASCII}
	return &View{Run: run, Grid: grid.New(run.Source, look)}
}

// Scope is the scope of its actions.
func (*View) Scope() string { return Scope }

// Update takes no keys but those of actions.
func (*View) Update(host.Context, tea.Msg) tea.Cmd { return nil }

// Scroll handles the mouse wheel.
func (v *View) Scroll(n int) { v.Grid.Scroll(n) }

// Click moves the cursor to the target on a cell. again reports that it was already
// there.
func (v *View) Click(x, y int) (again, hit bool) {
	list := v.list.Place()
	if !list.Contains(x, y) {
		return false, false
	}
	return v.Grid.SelectLine(y - list.Y)
}

// Over reports whether the run has ended.
func (v *View) Over() bool { return v.Grid.Totals().Over }

// CanStop reports whether the run can be stopped from here.
func (v *View) CanStop() bool { return v.Run.Stop != nil }

// Stopping reports whether the run has been stopped, even before it has ended.
func (v *View) Stopping() bool { return v.stopping }

// Stop stops the run, unless it is stopping.
func (v *View) Stop() {
	if !v.stopping {
		v.stopping = true
		v.Run.Stop()
	}
}

// StopQuestion returns the question before the run is stopped, without its effect.
func (v *View) StopQuestion(quits bool) *host.Dialog {
	t := v.Grid.Totals()
	d := &host.Dialog{Title: "Stop the run?", No: "go on", Lines: []string{
		fmt.Sprintf("%s running, %s waiting.", wording.Thousands(t.Active()), wording.Thousands(t.Waiting)),
		"Running targets end cleanly, waiting ones are skipped; both count as cancelled.",
	}}
	if quits {
		d.Title = "Stop the run and quit?"
	}
	return d
}

// Finished returns the message about the end of the run.
func (v *View) Finished(c host.Context) string {
	t := v.Grid.Totals()
	unsure := ""
	if t.Unsure > 0 {
		unsure = fmt.Sprintf("%s %s, ", wording.Thousands(t.Unsure), grid.Unsure)
	}
	return fmt.Sprintf("run finished: %s ok, %s%s failed; %s shows it", wording.Thousands(t.Passed), unsure, wording.Thousands(t.Failed), c.Host.Key(actShow))
}

func (v *View) picked() (target int, row grid.Row, ok bool) {
	if target, ok = v.Grid.Cursor(); ok {
		row = v.Run.Source.Row(target)
	}
	return target, row, ok
}

func nameOf(row grid.Row) string { return strings.TrimSpace(row.Server + " on " + row.Host) }

func openTarget(c host.Context, v *View) tea.Cmd {
	target, row, _ := v.picked()
	for _, w := range c.Host.Workspaces() {
		if w.Target == target && w.Session == nil {
			c.Host.Close(v)
			c.Host.Show(w)
			return nil
		}
	}
	return v.openFrom(c, target, row, v.Run.Open)
}

// Start starts a new session of a target's server, on its host.
func (v *View) Start(c host.Context, target int) tea.Cmd {
	return v.openFrom(c, target, v.Run.Source.Row(target), v.Run.StartNew)
}

func (v *View) openFrom(c host.Context, target int, row grid.Row, open func(context.Context, int) (workspace.Opened, error)) tea.Cmd {
	name := nameOf(row)
	ctx, giveUp := context.WithCancel(c.Host.Lifetime())
	v.opening, v.giveUp = name, giveUp
	return func() tea.Msg {
		opened, err := open(ctx, target)
		late := ctx.Err() != nil
		giveUp()
		return host.Result{Then: func(c host.Context) tea.Cmd {
			v.opening = ""
			c.Host.Redraw()
			switch {
			case err != nil && !errors.Is(err, context.Canceled):
				c.Host.Warn(fmt.Sprintf("%s: %v", name, err))
				return nil
			case err != nil:
				return nil
			case late:
				return host.End(c, name, opened)
			}
			c.Host.Close(v)
			cmd := c.Host.Add(opened)
			all := c.Host.Workspaces()
			all[len(all)-1].SetTarget(target)
			return cmd
		}}
	}
}

func copyTarget(_ host.Context, v *View) tea.Cmd {
	_, row, _ := v.picked()
	words := []string{row.Host, row.Server, row.State.String(), row.Phase, row.Cause, row.Message, row.Recording}
	var texts []string
	for _, word := range words {
		if word != "" {
			texts = append(texts, word)
		}
	}
	return func() tea.Msg { return host.Clipboard(nameOf(row), "", strings.Join(texts, "  "), "", false) }
}

// The filter applies while it is typed.
func askFilter(c host.Context, v *View) tea.Cmd {
	before := v.Grid.Filter()
	c.Host.Prompt(c.Workspace, host.Prompt{
		Label: "show targets with", Hint: "words in host, server, step, state or message", Text: before,
		Check: func(text string) error {
			v.Grid.SetFilter(text)
			return nil
		},
		Cancelled: func() { v.Grid.SetFilter(before) },
		Accept: func(_ host.Context, text string) (tea.Cmd, error) {
			v.Grid.SetFilter(text)
			return nil, nil
		},
	})
	return nil
}

// Back cancels opening, or removes the filters.
func (v *View) Back(c host.Context) tea.Cmd {
	switch {
	case v.opening != "":
		v.giveUp()
	case v.Grid.Filter() != "" || v.Grid.FailedOnly():
		v.Grid.SetFailedOnly(false)
		v.Grid.SetFilter("")
	default:
		c.Host.Notify(c.Host.Key(actQuit) + " quits")
	}
	return nil
}
