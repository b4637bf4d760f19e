package send

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/form"
	"mcpdbg/ui/widget/paint"
)

const (
	// MaxChecked is the longest text that is checked while the user types, in bytes.
	MaxChecked = 2 << 20
	// TooLongToCheck is shown below a longer one.
	TooLongToCheck = "! too long to check while typing"
)

// jsonStatus describes a text that should be JSON, with the problems found in it; err
// is why it could not be checked.
func jsonStatus(th *paint.Theme, text []byte, problems []form.Problem, err error) (string, paint.Style) {
	switch {
	case len(problems) > 0:
		more := ""
		if n := len(problems) - 1; n > 0 {
			more = fmt.Sprintf("  (and %d more)", n)
		}
		return "x " + placedProblem(text, problems[0]) + more, th.Failed
	case err != nil:
		return "! cannot be checked: " + err.Error(), th.Odd
	}
	return "valid", th.Good
}

// placedProblem formats a problem with its place in a text.
func placedProblem(text []byte, p form.Problem) string {
	if syntax := syntaxError(text); syntax != "" {
		return syntax
	}
	line, col := form.Locate(text, p.Path)
	return fmt.Sprintf("%d:%d: %s", line, col, p.String())
}

// syntaxError describes the first syntax error of a JSON text and its place, "" without
// one.
func syntaxError(text []byte) string {
	var syntax *json.SyntaxError
	if err := framing.Unmarshal(text, new(json.RawMessage)); !errors.As(err, &syntax) {
		return ""
	}
	line, col := textPosition(text, int(syntax.Offset))
	return fmt.Sprintf("%d:%d: %s", line, col, syntax.Error())
}

// textPosition returns the line and column, from 1, of the last of the first n bytes
// of a text.
func textPosition(text []byte, n int) (line, col int) {
	before := text[:kit.Between(0, n-1, len(text))]
	return 1 + bytes.Count(before, []byte{'\n'}), len(before) - bytes.LastIndexByte(before, '\n')
}

// spreadJSON formats JSON over several lines, for editing. Text that is not JSON, or too long
// to edit, stays as it is.
func spreadJSON(line []byte) string {
	var out bytes.Buffer
	if json.Indent(&out, line, "", "  ") != nil || bytes.Count(out.Bytes(), []byte{'\n'}) > kit.MaxDraftLines {
		return string(line)
	}
	return out.String()
}

// editField opens the field under the cursor in the user's editor. then follows even
// without a change.
func editField(c host.Context, f *form.Form, then func(host.Context) tea.Cmd) tea.Cmd {
	path := f.Path()
	text, err := f.Text(path)
	if err != nil {
		c.Host.Warn(err.Error())
		return nil
	}
	suffix := ".txt"
	if !f.Info().Typed {
		suffix = ".json"
	}
	return host.Edit(c, []byte(text), suffix, func(c host.Context, text []byte, err error) tea.Cmd {
		if err == nil {
			err = f.SetText(path, string(text))
		}
		if err != nil {
			c.Host.Warn("editor: " + err.Error())
		}
		c.Host.Redraw()
		return then(c)
	})
}

// editBox opens a text in the user's editor. then follows a change; suffix is that of the
// file's name, such as ".json".
func editBox(c host.Context, b *kit.TextBox, suffix string, then func(host.Context) tea.Cmd) tea.Cmd {
	return host.Edit(c, []byte(b.Value()), suffix, func(c host.Context, text []byte, err error) tea.Cmd {
		if err != nil {
			c.Host.Warn("editor: " + err.Error())
			return nil
		}
		b.SetValue(strings.TrimSuffix(string(text), "\n"))
		c.Host.Redraw()
		return then(c)
	})
}
