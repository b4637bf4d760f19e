package server

import (
	"strings"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/host"
	"mcpdbg/ui/workspace"
)

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
		f.add(th.Error, "failed")
	case l.Starting:
		f.add(th.Warn, "in progress")
	case !l.Ready && l.Exited != nil:
		f.add(th.Error, "ended before it was ready")
	case !l.Ready:
		f.add(th.Dim, "not recorded")
	default:
		f.add(th.Text, wording.RoundedTime(time.Duration(l.ReadyT-l.Began)*time.Microsecond))
		for _, p := range startParts(l, s) {
			f.pieces = append(f.pieces, piece{lead: p.name, leads: th.Dim, text: startBar(p.took, l.ReadyT-l.Began, c.Host.Screen().ASCII), style: th.OK})
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
