package ui

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/termsafe"
)

// The columns of the policies, in cells from the left.
const (
	policyModeAt  = 26
	policyDelayAt = 37
	policySaysAt  = 49
)

func (p *policyPane) paint(a *App) {
	policies, methods := a.session.Policies(), p.methods(a)
	width := min(sheetWidth, a.width-2)
	notes := p.notes(a, width-4)
	r := a.below().Center(width, min(len(methods)+len(notes)+2, a.height-2))
	in := r.Inner()
	out := &p.block
	out.Options = a.look()
	out.Resize(in.W, in.H)
	room := max(in.H-len(notes), min(len(methods), in.H))
	top := max(0, p.at-room+1)
	y := 0
	for i := top; i < len(methods) && y < room; i++ {
		method := methods[i]
		policy := policies[method]
		l, mark, style := out.Line(y), "  ", a.theme.Text
		if i == p.at {
			mark, style = "> ", a.theme.Strong
		}
		l.Text(a.theme.Key, mark)
		l.Field(style, []byte(brief(method, inSentence)), policyModeAt-3, termsafe.Left)
		l.PadTo(policyModeAt)
		l.Text(a.theme.Key, modeText(method, policy.Mode))
		l.PadTo(policyDelayAt)
		l.Text(a.theme.Warn, delayText(policy.Delay))
		l.PadTo(policySaysAt)
		l.Text(a.theme.Dim, brief(policySays(method, policy), inSentence))
		y++
	}
	for _, row := range notes[:between(0, in.H-y, len(notes))] {
		l := out.Line(y)
		l.PadTo(1)
		l.Text(row.style, row.text)
		y++
	}
	a.canvas.Box(r, a.border("Who answers what the server asks", "", true), out)
}

// notes are the lines below the table: what the server was told, and what waits.
func (p *policyPane) notes(a *App, width int) []askRow {
	rows := []askRow{{}}
	told, now := a.session.Declared()
	switch {
	case a.status.Server.Era == mcp.Modern:
		rows = ours(rows, "Each request tells the server what the client can do: "+declares(now)+".", a.theme.Text, width)
	case told == nil:
		rows = ours(rows, "The next start tells the server: "+declares(now)+".", a.theme.Text, width)
	case string(told) == string(now):
		rows = ours(rows, "The server was told at its start: "+declares(told)+".", a.theme.Text, width)
	default:
		rows = ours(rows, "The server was told at its start: "+declares(told)+".", a.theme.Text, width)
		rows = ours(rows, "! The next start tells it: "+declares(now)+". "+a.keyOf(actPolicyRestart)+" restarts it.", a.theme.Warn, width)
	}
	const most = 5
	for i, q := range a.questions() {
		if i == 0 {
			rows = append(rows, askRow{})
		}
		if i == most {
			return append(rows, askRow{text: fmt.Sprintf("and %d more", len(a.questions())-i), style: a.theme.Warn})
		}
		style := a.theme.Text
		if q.Due.IsZero() {
			style = a.theme.Warn
		}
		rows = append(rows, askRow{text: brief(q.Method, inSentence) + "  " + waits(q), style: style})
	}
	return rows
}

// modeText is a mode in a word: to refuse ping is to answer it.
func modeText(method string, mode session.PolicyMode) string {
	if method == mcp.MethodPing && mode == session.PolicyRefuse {
		return "answer"
	}
	return string(mode)
}

// declares lists capabilities in a few words.
func declares(caps json.RawMessage) string {
	var all map[string]map[string]json.RawMessage
	if json.Unmarshal(caps, &all) != nil || len(all) == 0 {
		return "no capabilities"
	}
	var words []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if modes := slices.Sorted(maps.Keys(all[name])); len(modes) > 0 {
			name += fmt.Sprintf(" (%s)", strings.Join(modes, ", "))
		}
		words = append(words, name)
	}
	return strings.Join(words, ", ")
}
