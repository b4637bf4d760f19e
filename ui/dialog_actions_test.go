package ui

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/host"
	"mcpdbg/ui/tty"
	"mcpdbg/ui/uitest"
)

// dialogTests are of dialogs, questions and prompts.
var dialogTests = map[string]actionTest{
	"dialog-down":      scrollsDialog(1, "dialog-down"),
	"dialog-up":        scrollsDialog(2, "dialog-down", "dialog-down", "dialog-down", "dialog-up"),
	"dialog-page-down": scrollsDialog(31, "dialog-page-down"),
	"dialog-page-up":   scrollsDialog(0, "dialog-down", "dialog-page-up"),
	"dialog-top":       scrollsDialog(0, "dialog-down", "dialog-top"),
	"dialog-bottom":    scrollsDialog(68, "dialog-bottom"),
	"ask-top":          scrollsQuestion(0, "ask-down", "ask-top"),
	"ask-bottom": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.askNow(uitest.PromptChallenge)
		d.do("ask-bottom")
		require.Regexp(t, `lines \d+-(\d+) of \d+`, d.plain())
		require.Contains(t, d.plain(), fmt.Sprintf("-%[1]d of %[1]d", d.front.ask.text.TotalLineCount()))
		d.do("decline")
	},
	"prompt-clear": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actFilter)
		d.write("err")
		d.do("prompt-clear")
		require.Empty(t, d.front.prompt.input.Value())
	},
	"prompt-earlier": func(t *testing.T, d *driver, _ *fakeExecutor) {
		for _, text := range []string{"err", "tool:x", "err"} {
			d.do(actFilter, "prompt-clear")
			d.write(text)
			d.do(actAccept)
		}
		d.do(actFilter, "prompt-earlier", "prompt-earlier", "prompt-earlier")
		require.Equal(t, "tool:x", d.front.prompt.input.Value(), "each once, and no further")
		d.do("close-prompt", actSearch, "prompt-earlier")
		require.Empty(t, d.front.prompt.input.Value(), "another line")
	},
	"prompt-later": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actFilter)
		d.write("err")
		d.do(actAccept, actFilter, "prompt-clear")
		d.write("tool:x")
		d.do("prompt-earlier", "prompt-later")
		require.Equal(t, "tool:x", d.front.prompt.input.Value(), "after the latest")
	},
	"ask-down":      scrollsQuestion(1, "ask-down"),
	"ask-up":        scrollsQuestion(2, "ask-down", "ask-down", "ask-down", "ask-up"),
	"ask-page-down": scrollsQuestion(28, "ask-page-down"),
	"ask-page-up":   scrollsQuestion(0, "ask-down", "ask-page-up"),
	actAskNext: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.askNow(uitest.PromptChallenge)
		d.take(tea.KeyPressMsg{Code: tea.KeyTab})
		require.Contains(t, d.plain(), "answer 2 of 2:")
		d.do(actAskNext)
		require.Contains(t, d.plain(), "answer 1 of 2:")
		d.do("decline")
		d.askNow(uitest.PromptPassphrase)
		require.NotContains(t, d.rows()[35], "next field")
		d.do(actAskNext, "decline")
		require.Contains(t, d.rows()[35], "x next field: there is only one field")
	},
	actAskPrevious: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.askNow(uitest.PromptChallenge)
		d.take(tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift})
		require.Contains(t, d.plain(), "answer 2 of 2:")
		d.do("decline")
	},
	actAskClear: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.askNow(uitest.PromptPassphrase)
		d.write("wrong")
		d.take(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
		require.NotContains(t, d.plain(), "•")
		d.do("decline")
	},
	actAskAccept: func(t *testing.T, d *driver, _ *fakeExecutor) {
		wait := d.askNow(uitest.PromptHostKey)
		d.write("y")
		require.NotNil(t, d.front.ask, "two keys are required")
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
		answer, err := wait()
		require.NoError(t, err)
		require.True(t, answer.Yes)
	},
	"decline": func(t *testing.T, d *driver, _ *fakeExecutor) {
		wait := d.askNow(uitest.PromptPassphrase)
		d.write("a secret")
		d.take(tea.KeyPressMsg{Code: tea.KeyEscape})
		_, err := wait()
		require.ErrorIs(t, err, tty.ErrDeclined)
		require.NotContains(t, d.plain(), "mcpdbg asks")
	},

	actAccept: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actFilter)
		d.write("methd:x")
		d.do(actAccept)
		require.Contains(t, d.rows()[35], `x column 1: unknown key "methd"`)
		require.NotNil(t, d.front.prompt)
		d.take(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
		d.do(actAccept)
		require.Nil(t, d.front.prompt)
		require.Nil(t, d.visible.rows.Traffic.Shown)
	},
	"close-prompt": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actFilter)
		d.write("err")
		d.do("close-prompt")
		require.Nil(t, d.visible.rows.Traffic.Shown)
		require.Contains(t, d.rows()[35], "C call a tool")
	},
	actAlways: func(t *testing.T, d *driver, _ *fakeExecutor) {
		for id := range 2 {
			d.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"rm"}}`, id))
			d.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"mv"}}`, 10+id))
		}
		d.selects(`"name":"rm"`)
		d.do(actResend)
		d.hush()
		require.Contains(t, d.plain(), "a always for this tool")
		d.take(tea.KeyPressMsg{Code: 'a', Text: "a"})
		require.Nil(t, d.front.dialog)
		require.Equal(t, []string{"resend"}, d.acts())
		d.selects(`"name":"rm"`)
		d.do(actResend)
		require.Nil(t, d.front.dialog, "no second question")
		require.Equal(t, []string{"resend", "resend"}, d.acts())
		d.selects(`"name":"mv"`)
		d.do(actResend)
		require.NotNil(t, d.front.dialog, "another tool")
	},
	actYes: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":"slow","method":"sleep"}`)
		d.do(host.ActRestart)
		d.take(tea.KeyPressMsg{Code: 'y', Text: "y"})
		require.Equal(t, []string{"restart"}, d.acts())
	},
	actNo: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":"slow","method":"sleep"}`)
		d.do(host.ActRestart)
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
		require.Nil(t, d.front.dialog)
		require.Empty(t, d.acts())
	},
}

// scrollsDialog returns a test that actions scroll a long dialog to a line.
func scrollsDialog(line int, actions ...string) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.visible.confirm(&host.Dialog{Title: "Long", Lines: make([]string, 100)})
		for i := range d.front.dialog.asked.Lines {
			d.front.dialog.asked.Lines[i] = fmt.Sprintf("line %d.", i)
		}
		d.canvas.stale = true
		require.Contains(t, d.plain(), "line 0.")
		d.do(actions...)
		require.Contains(t, d.plain(), fmt.Sprintf("line %d.", line))
		require.NotContains(t, d.plain(), fmt.Sprintf("line %d.", line-1))
		require.Contains(t, d.plain(), fmt.Sprintf("lines %d-%d of 100", line+1, line+32))
	}
}

// scrollsQuestion is like scrollsDialog, for a question with a long text.
func scrollsQuestion(line int, actions ...string) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.askNow(uitest.PromptChallenge)
		total := d.front.ask.text.TotalLineCount()
		d.do(actions...)
		require.Contains(t, d.plain(), fmt.Sprintf("lines %d-%d of %d", line+1, line+29, total))
		d.do("decline")
	}
}
