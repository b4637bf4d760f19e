package server

import (
	"slices"
	"strconv"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/rule"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

// maxCommand is how much of a command is shown, in bytes.
const maxCommand = 300

// arranged returns what is known about the server of a workspace, in lines of a width. If
// they are more than most, the facts that matter first are on top.
func arranged(c host.Context, width, most int) (all []placed, lines int) {
	s, label := c.Workspace.Server(), c.Host.Screen().Theme.Dim
	all, lines = flowFacts([]fact{
		nameFact(c, s), protocolFact(c, s), runsFact(c), startFact(c, s), offersFact(c, s), givesFact(c, s), problemsFact(c), keysFact(c),
	}, width, label)
	if lines <= most {
		return all, lines
	}
	return flowFacts([]fact{
		nameFact(c, s), protocolFact(c, s), offersFact(c, s), problemsFact(c), keysFact(c), runsFact(c), startFact(c, s), givesFact(c, s),
	}, width, label)
}

func nameFact(c host.Context, s *workspace.Server) fact {
	th := c.Host.Screen().Theme
	f := fact{}
	text := strings.TrimSpace(s.Name + " " + s.Version)
	if text == "" {
		text = c.Workspace.SessionName()
	}
	f.add(th.Strong, text)
	if s.Title != s.Name {
		f.add(th.Dim, s.Title)
	}
	return f
}

func protocolFact(c host.Context, s *workspace.Server) fact {
	th := c.Host.Screen().Theme
	f := fact{label: "protocol"}
	switch {
	case s.Method == "":
		f.add(th.Dim, "no handshake yet")
	case s.Refused:
		f.add(th.Failed, "the server refused "+s.Method)
	case !s.Answered && c.Workspace.Session != nil && !c.Workspace.NoReply():
		f.add(th.Dim, "waits for the response to "+s.Method)
	case !s.Answered:
		f.add(th.Odd, "no response to "+s.Method)
	default:
		f.add(th.Text, s.Protocol)
	}
	switch {
	case s.Asked == "" || s.Asked == s.Protocol:
	case s.Answered:
		f.more(th.Dim, "("+s.Asked+" tried first, not supported)")
	default:
		f.more(th.Dim, "("+s.Asked+" asked)")
	}
	return f
}

func runsFact(c host.Context) fact {
	th, ws := c.Host.Screen().Theme, c.Workspace
	f := fact{label: "runs"}
	text := ws.Place()
	argv := ws.Shown.Header().Argv
	dot := separator(c)
	if len(argv) > 0 {
		text += dot + wording.Clip(kit.QuoteWords(argv), maxCommand, wording.Dots)
	}
	f.add(th.Text, text)
	if pid := ws.Shown.Lifecycle.Start.PID; pid != 0 {
		f.more(th.Text, strings.TrimSpace(dot)+" pid "+strconv.Itoa(pid))
	}
	switch l := ws.Shown.Lifecycle; {
	case l.Lost != nil:
		f.add(th.Failed, "connection lost")
	case l.Exited != nil:
		f.add(th.Odd, ws.ExitText())
	}
	return f
}

func separator(c host.Context) string {
	if c.Host.Screen().ASCII {
		return " - "
	}
	return " · "
}

// offersFact returns the capabilities of the server, with the number of items in each list
// that is known.
func offersFact(c host.Context, s *workspace.Server) fact {
	th := c.Host.Screen().Theme
	f := fact{label: "offers"}
	if !s.Answered {
		f.add(th.Dim, "not known without a handshake")
		return f
	}
	for _, list := range c.Workspace.Shown.Catalog.Lists {
		if !s.Has(list.Capability()) && list.Items == nil {
			continue
		}
		text := list.Name
		if list.Items != nil {
			text += " " + wording.Thousands(len(list.Items)+list.LeftOut)
			if !list.Complete {
				text += "+" // only some pages were requested
			}
		}
		f.pieces = append(f.pieces, piece{text: text, style: th.Text, place: factTarget{List: list.Name}})
	}
	for _, other := range ordered(s.Offers, "logging", "completions") {
		if c.Workspace.Shown.Catalog.List(other) == nil {
			f.add(th.Text, other)
		}
	}
	if f.pieces == nil {
		f.add(th.Dim, "nothing")
	}
	return f
}

// ordered returns names with the most common ones first.
func ordered(names []string, first ...string) []string {
	rest := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(first, n) })
	first = slices.DeleteFunc(first, func(n string) bool { return !slices.Contains(names, n) })
	return append(first, rest...)
}

func givesFact(c host.Context, s *workspace.Server) fact {
	th := c.Host.Screen().Theme
	f := fact{label: "we offer"}
	if c.Workspace.Shown.Tap() {
		f.label = "client offers"
	}
	for _, name := range ordered(s.Gives, "roots", "sampling") {
		f.add(th.Text, name)
	}
	if f.pieces == nil && s.Method != "" {
		f.add(th.Dim, "nothing")
	} else if f.pieces == nil {
		f.add(th.Dim, "nothing yet")
	}
	return f
}

func problemsFact(c host.Context) fact {
	th, ws := c.Host.Screen().Theme, c.Workspace
	f := fact{label: "problems"}
	count := ws.Shown.Problems.Count
	switch found := ws.Shown.Causes.Found; {
	case len(found) > 0:
		style := th.Odd
		if found[0].Severity == diagnosis.Error {
			style = th.Failed
		}
		f.pieces = append(f.pieces, piece{text: found[0].Brief, style: style, place: factTarget{Action: host.ActCauses}})
		f.pieces = append(f.pieces, piece{lead: c.Host.Key(host.ActCauses), leads: th.Accent, text: "why", style: th.Text, place: factTarget{Action: host.ActCauses}})
	case count.Problems() > 0:
		f.pieces = append(f.pieces, piece{text: count.String(), style: th.Odd, place: factTarget{Action: host.ActProblems}})
	case ws.CheckProgress() != "":
		f.add(th.Text, "none in the first "+ws.CheckProgress())
	default:
		made, not, partly := strings.Cut(checked(ws), "; ")
		f.add(th.Text, "none in "+made)
		if partly {
			f.more(th.Dim, "("+not+")")
		}
	}
	return f
}

func checked(ws *workspace.Workspace) string {
	if checker := ws.Shown.Problems.Checker; checker != nil {
		return checker.Checked()
	}
	return rule.Checked // of a past moment
}

func keysFact(c host.Context) fact {
	th := c.Host.Screen().Theme
	f := fact{}
	add := func(action, text string, style paint.Style) {
		f.pieces = append(f.pieces, piece{lead: c.Host.Key(action), leads: th.Accent, text: text, style: style, place: factTarget{Action: action}})
	}
	live := c.Workspace.Session != nil
	if sends, _ := host.CanReach(c); sends {
		add(host.ActCatalog, "call a tool", th.Text)
	} else {
		add(host.ActCatalog, "catalog", th.Text)
	}
	add(host.ActProcess, "process", th.Text)
	switch sends, _ := host.CanSend(c); {
	case live && sends:
		add(host.ActKill, "stop", th.Text)
		add(host.ActRestart, "restart", th.Text)
	case live:
		add(host.ActRestart, "restart", th.Text)
	case c.Workspace.OfTarget():
		add(host.ActRestart, "debug", th.Text)
	default:
		add(host.ActReplay, "run again", th.Text)
	}
	return f
}

func shortMethod(method string) string {
	if method == mcp.MethodDiscover {
		return "discover"
	}
	return method
}

// barCells is the length of the bar of a whole start, in cells.
const barCells = 20

type startPart struct {
	name string
	took int64 // in microseconds
}

func startFact(c host.Context, s *workspace.Server) fact {
	th, l := c.Host.Screen().Theme, c.Workspace.Shown.Lifecycle
	f := fact{label: "start"}
	switch {
	case l.Failed != nil:
		f.add(th.Failed, "failed")
	case l.Starting:
		f.add(th.Odd, "in progress")
	case !l.Ready && l.Exited != nil:
		f.add(th.Failed, "ended before it was ready")
	case !l.Ready:
		f.add(th.Dim, "not recorded")
	default:
		f.add(th.Text, wording.Took(l.ReadyT-l.Began))
		for _, p := range startParts(l, s) {
			f.pieces = append(f.pieces, piece{lead: p.name, leads: th.Dim, text: startBar(p.took, l.ReadyT-l.Began, c.Host.Screen().ASCII), style: th.Good})
		}
	}
	return f
}

// startParts returns the parts of a start that is over.
func startParts(l *workspace.Lifecycle, s *workspace.Server) []startPart {
	spawn := "spawn"
	if l.Link != nil {
		spawn = "connect, spawn"
	}
	var all []startPart
	began := l.Began
	if l.AgainT > 0 {
		all, began = append(all, startPart{"earlier process", l.AgainT - l.Began}), l.AgainT
	}
	all = append(all, startPart{spawn, l.StartT - began})
	shakes := l.StartT
	if s.Output > l.StartT && s.Output <= l.ReadyT {
		all = append(all, startPart{"no response yet", s.Output - l.StartT})
		shakes = s.Output
	}
	return append(all, startPart{shortMethod(s.Method), l.ReadyT - shakes})
}

// startBar returns a bar for a part of a whole: at least a thin one.
func startBar(part, whole int64, ascii bool) string {
	full, thin := "█", "▏"
	if ascii {
		full, thin = "#", "|"
	}
	if whole <= 0 || part*barCells < whole {
		return thin
	}
	return strings.Repeat(full, int(min((part*barCells+whole/2)/whole, barCells)))
}
