package detail

import (
	"encoding/json"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/jsonschema"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/detail/content"
	"mcpdbg/ui/host"
	"mcpdbg/ui/workspace"
)

// maxConformed is the longest structured content that is checked, in bytes.
const maxConformed = 1 << 20

type conformed struct {
	pane    *Pane
	view    *content.View
	verdict content.Verdict
}

// conform returns a command that checks the structured content of a tool's result against
// the tool's outputSchema, once; nil if there is nothing to check. Only one is checked at
// a time, so while the cursor moves over results most are skipped.
func (d *Pane) conform() tea.Cmd {
	row := d.wanted.Row
	if d.conforming || d.content == nil || d.content == d.conformed || row.Msg != framing.Response || d.ws.Shown.Source.Method(row.Method) != mcp.MethodToolsCall {
		return nil
	}
	d.conformed = d.content
	value, view, shown := d.content.Structured(), d.content, d.ws.Shown
	request, ok := shown.Rows.PartnerOf(row)
	if value == nil || !ok {
		return nil
	}
	d.conforming = true
	before, _ := slices.BinarySearch(shown.Index.Offers, uint32(d.wanted.Number))
	rows := shown.Index.Offers[:before:before]
	return func() tea.Msg { return conformed{d, view, verdictOf(shown.Source, request, rows, value)} }
}

// Deliver shows the verdict, if its view is still shown.
func (msg conformed) Deliver(c host.Context) tea.Cmd {
	msg.pane.conforming = false
	if msg.view == msg.pane.content {
		msg.view.SetVerdict(msg.verdict)
		c.Host.Redraw()
	}
	return nil
}

// rows are those before the request that may have the schema. Without a schema it says
// nothing.
func verdictOf(source session.Source, request session.Row, rows []uint32, value []byte) content.Verdict {
	e, err := source.Entry(request, content.MaxBytes)
	if err != nil || e.Cut {
		return content.Verdict{}
	}
	var params struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(e.Msg.Params.Of(e.Payload), &params) != nil {
		return content.Verdict{}
	}
	outputs, changed := workspace.OutputSchema(source, rows, params.Name)
	if outputs == nil {
		return content.Verdict{}
	}
	if len(value) > maxConformed {
		return content.Verdict{Text: "not checked: only values of up to " + wording.Size(maxConformed) + " are"}
	}
	problems, unchecked, err := jsonschema.Check(outputs, value, maxConformed)
	return verdict(problems, unchecked, changed, err)
}

func verdict(problems []jsonschema.Problem, unchecked []string, changed bool, err error) (v content.Verdict) {
	switch {
	case err != nil:
		return content.Verdict{Text: "not checked: outputSchema: " + err.Error()}
	case len(problems) > 0:
		v = content.Verdict{Text: "not valid for outputSchema: " + problems[0].String(), Bad: true}
		if len(problems) > 1 {
			v.Text += fmt.Sprintf(" (%d problems)", len(problems))
		}
	case len(unchecked) > 0:
		v.Text = "valid for outputSchema, without " + wording.Counted(len(unchecked), "pattern") + " that cannot be checked"
	default:
		v.Text = "valid for outputSchema"
	}
	if changed {
		v.Text += "; the list of tools has changed since"
	}
	return v
}
