package send

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/termsafe"
)

// The columns of the policies, in cells from the left.
const (
	policyModeAt  = 26
	policyDelayAt = 37
	policyTextAt  = 49

	leastPolicyText = 24 // with less room the text takes that of a missing delay
)

func (p *policyView) Draw(c host.Context) {
	policies, methods := c.Workspace.Session.Policies(), p.methods(c)
	width := min(kit.SheetWidth, c.Host.Screen().Width-2)
	notes := p.notes(c, width-4)
	r := c.Host.Screen().Body().Center(width, min(len(methods)+len(notes)+2, c.Host.Screen().Height-2))
	in := r.Inner()
	out := c.Block(&p.block, in)
	room := max(in.H-len(notes), min(len(methods), in.H))
	top := max(0, p.at-room+1)
	y := 0
	for i := top; i < len(methods) && y < room; i++ {
		method := methods[i]
		policy := policies[method]
		l, mark, style := out.Line(y), "  ", c.Host.Screen().Theme.Text
		if i == p.at {
			mark, style = "> ", c.Host.Screen().Theme.Strong
		}
		l.Text(c.Host.Screen().Theme.Accent, mark)
		l.Field(style, []byte(wording.Clip(method, inSentence, wording.Dots)), policyModeAt-3, termsafe.Left)
		l.PadTo(policyModeAt)
		l.Text(c.Host.Screen().Theme.Accent, modeText(method, policy.Mode))
		l.PadTo(policyDelayAt)
		l.Text(c.Host.Screen().Theme.Odd, delayText(policy.Delay))
		if policy.Delay > 0 || in.W >= policyTextAt+leastPolicyText {
			l.PadTo(policyTextAt)
		}
		l.Text(c.Host.Screen().Theme.Dim, wording.Clip(policyText(method, policy), inSentence, wording.Dots))
		y++
	}
	for _, row := range notes[:kit.Between(0, in.H-y, len(notes))] {
		l := out.Line(y)
		l.PadTo(1)
		l.Text(row.Style, row.Text)
		y++
	}
	c.Dialog(p.Scope(), r, "Server request rules", "", out)
}

// notes returns the lines below the table: the capabilities sent to the server,
// and pending requests.
func (p *policyView) notes(c host.Context, width int) []kit.Row {
	rows := []kit.Row{{}}
	declared, now := c.Workspace.Session.Declared()
	switch {
	case c.Workspace.Status.Server.Era == mcp.Modern:
		rows = addText(rows, "Capabilities declared in each request: "+capabilities(now)+".", c.Host.Screen().Theme.Text, width)
	case declared == nil:
		rows = addText(rows, "Capabilities declared at the next start: "+capabilities(now)+".", c.Host.Screen().Theme.Text, width)
	case string(declared) == string(now):
		rows = addText(rows, "Capabilities declared at start: "+capabilities(declared)+".", c.Host.Screen().Theme.Text, width)
	default:
		rows = addText(rows, "Capabilities declared at start: "+capabilities(declared)+".", c.Host.Screen().Theme.Text, width)
		rows = addText(rows, "! The next start declares: "+capabilities(now)+". "+c.Host.Key(actPolicyRestart)+" restarts it.", c.Host.Screen().Theme.Odd, width)
	}
	const most = 5
	for i, q := range c.Workspace.Requests() {
		if i == 0 {
			rows = append(rows, kit.Row{})
		}
		if i == most {
			return append(rows, kit.Row{Text: fmt.Sprintf("and %d more", len(c.Workspace.Requests())-i), Style: c.Host.Screen().Theme.Odd})
		}
		style := c.Host.Screen().Theme.Text
		if q.Due.IsZero() {
			style = c.Host.Screen().Theme.Odd
		}
		rows = append(rows, kit.Row{Text: wording.Clip(q.Method, inSentence, wording.Dots) + "  " + waitText(q), Style: style})
	}
	return rows
}

// The refusal of ping is its response.
func modeText(method string, mode session.PolicyMode) string {
	if method == mcp.MethodPing && mode == session.PolicyRefuse {
		return "answer"
	}
	return string(mode)
}

func capabilities(caps json.RawMessage) string {
	var all map[string]map[string]json.RawMessage
	if json.Unmarshal(caps, &all) != nil || len(all) == 0 {
		return "none"
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
