package ui

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/tty"
	"mcpdbg/ui/uitest"
)

// askNow shows a question, ready for keys. The returned function waits for the
// answer.
func (d *driver) askNow(prompt executor.Prompt) (wait func() (executor.Answer, error)) {
	d.t.Helper()
	wait = asking(d.t.Context(), d.opts.Prompter, prompt)
	synctest.Wait()
	d.take(asked{})
	d.content()
	d.hush()
	return wait
}

// hush waits for the pause without keys.
func (d *driver) hush() {
	d.t.Helper()
	g := d.front.guarded()
	d.take(quiet{g, g.dropped})
	require.True(d.t, g.ready)
}

// inQuestion runs a test with a question on the screen of a running session.
func inQuestion(t *testing.T, w, h int, prompt executor.Prompt, test func(t *testing.T, d *driver, wait func() (executor.Answer, error))) {
	t.Helper()
	inBubble(t, w, h, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		test(t, d, d.askNow(prompt))
	})
}

func TestHostKeyAnswers(t *testing.T) {
	const print = "SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDOnfZbWKjRnXc9wxk"
	for text, want := range map[string]executor.Answer{
		"": {}, "n": {}, "No": {}, "y": {Yes: true}, " YES ": {Yes: true}, print: {Values: []string{print}},
	} {
		inQuestion(t, 80, 24, uitest.PromptHostKey, func(t *testing.T, d *driver, wait func() (executor.Answer, error)) {
			d.write(text)
			d.do(actAskAccept)
			answer, err := wait()
			require.NoError(t, err)
			require.Equal(t, want, answer, "%q", text)
			require.Nil(t, d.front.ask)
		})
	}
	inQuestion(t, 80, 24, uitest.PromptHostKey, func(t *testing.T, d *driver, wait func() (executor.Answer, error)) {
		d.write("maybe")
		d.do(actAskAccept)
		require.Contains(t, d.plain(), "x enter yes, no or the fingerprint")
		d.do(actAskClear)
		d.take(tea.PasteMsg{Content: print + "\nrm -rf /\n"})
		require.Contains(t, d.plain(), print+"  ")
		d.do(actAskAccept)
		answer, err := wait()
		require.NoError(t, err)
		require.Equal(t, []string{print}, answer.Values)
	})
	inQuestion(t, 80, 24, uitest.PromptHostKey, func(t *testing.T, d *driver, wait func() (executor.Answer, error)) {
		d.take(tea.KeyPressMsg{Code: tea.KeyEscape})
		answer, err := wait()
		require.NoError(t, err)
		require.Equal(t, executor.Answer{}, answer, "esc is no")
	})
}

// TestSecrets checks that a typed secret is only in the answer.
func TestSecrets(t *testing.T) {
	inQuestion(t, 80, 24, uitest.PromptPassphrase, func(t *testing.T, d *driver, wait func() (executor.Answer, error)) {
		memory := d.front.ask.fields[0].Text[:0]
		d.write("hunter7")
		d.take(tea.KeyPressMsg{Code: tea.KeyBackspace})
		d.take(tea.PasteMsg{Content: "2 größe\r\n"})
		require.Contains(t, d.plain(), "passphrase: "+strings.Repeat("•", 13)+" ")
		require.NotContains(t, d.plain(), "hunter")
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
		answer, err := wait()
		require.NoError(t, err)
		require.Equal(t, []string{"hunter2 größe"}, answer.Values)

		d.pull()
		require.NotContains(t, d.plain(), "hunter")
		require.Empty(t, strings.Trim(string(memory[:20]), "\x00"), "the memory is wiped")
		for i := range d.visible.ws.Shown.Source.Len() {
			row, _ := d.visible.ws.Shown.Rows.At(i)
			e, err := d.visible.ws.Shown.Source.Entry(row, 0)
			require.NoError(t, err)
			require.NotContains(t, string(e.Payload)+string(e.Body), "hunter")
		}
	})
}

func TestChallenge(t *testing.T) {
	inQuestion(t, 80, 24, uitest.PromptChallenge, func(t *testing.T, d *driver, wait func() (executor.Answer, error)) {
		require.Contains(t, d.plain(), "answer 1 of 2:")
		d.write("123456")
		require.Contains(t, d.plain(), "answer 1 of 2: ••••••")
		d.do(actAskNext)
		d.write("dev\u202e")
		require.Contains(t, d.plain(), `answer 2 of 2: dev\u202e`)
		d.do(actAskNext, actAskAccept) // back to the first, then the second
		require.NotNil(t, d.front.ask)
		d.take(tea.KeyPressMsg{Code: tea.KeyBackspace})
		d.do(actAskAccept)
		answer, err := wait()
		require.NoError(t, err)
		require.Equal(t, []string{"123456", "dev"}, answer.Values)
	})
	inQuestion(t, 80, 24, executor.Prompt{Kind: executor.PromptChallenge, Remote: "just so you know"}, func(t *testing.T, d *driver, wait func() (executor.Answer, error)) {
		d.write("keys without a field")
		d.do(actAskAccept)
		answer, err := wait()
		require.NoError(t, err)
		require.Empty(t, answer.Values)
	})
	inQuestion(t, 80, 24, uitest.PromptChallenge, func(t *testing.T, d *driver, wait func() (executor.Answer, error)) {
		d.take(tea.KeyPressMsg{Code: tea.KeyEscape})
		_, err := wait()
		require.ErrorIs(t, err, tty.ErrDeclined)
	})
}

// TestTypedAhead checks that keys typed for something else do not answer a
// question, whether they came before or just after the question was drawn.
func TestTypedAhead(t *testing.T) {
	inBubble(t, 80, 24, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		wait := asking(t.Context(), d.opts.Prompter, uitest.PromptHostKey)
		synctest.Wait()
		d.take(asked{})
		typed := func() {
			d.write("yes")
			d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
			d.take(tea.KeyPressMsg{Code: tea.KeyEscape})
			d.take(tea.PasteMsg{Content: "yes"})
			require.NotNil(t, d.front.ask, "nothing was answered")
			require.Empty(t, d.front.ask.fields[0].Text)
		}
		typed() // before the question is drawn
		d.take(quiet{&d.front.ask.guard, d.front.ask.dropped})
		require.False(t, d.front.ask.ready, "a pause while the question is not visible does not count")
		d.content()
		typed() // drawn, and more keys
		d.take(quiet{&d.front.ask.guard, d.front.ask.dropped - 1})
		require.False(t, d.front.ask.ready, "a pause with keys does not count")
		require.Contains(t, d.plain(), "ignores keys until you stop typing")

		d.hush()
		d.take(tea.WindowSizeMsg{Width: 30, Height: 8})
		typed() // the question is not visible
		d.take(tea.WindowSizeMsg{Width: 80, Height: 24})
		d.write("yes")
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
		answer, err := wait()
		require.NoError(t, err)
		require.True(t, answer.Yes)
	})
}

// TestTypedAheadOfDialog checks that a box that asks drops the keys of its first 150 ms
// and says so, that one that a key opened does not, and that ctrl+c always works.
func TestTypedAheadOfDialog(t *testing.T) {
	inBubble(t, 80, 24, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.keepTime()
		d.send(`{"jsonrpc":"2.0","id":"slow","method":"sleep"}`)
		restart := tea.KeyPressMsg{Code: 'r', Mod: tea.ModCtrl}
		d.take(restart)
		d.write("y")
		require.Contains(t, d.plain(), kit.DropsKeys)
		time.Sleep(quietTime - time.Millisecond)
		d.write("y")
		time.Sleep(quietTime - time.Millisecond)
		d.arrive()
		require.Contains(t, d.plain(), kit.DropsKeys, "the pause begins again with each key")
		require.Empty(t, d.acts())
		time.Sleep(time.Millisecond)
		d.arrive()
		require.Contains(t, d.plain(), "enter no, go on with the call")
		d.write("n")
		require.Nil(t, d.front.dialog)

		d.take(restart)
		d.take(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl})
		require.Contains(t, d.plain(), "Quit? 1 call is pending")
		d.take(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl})
		require.True(t, d.quit)

		d.visible.confirm(&host.Dialog{Title: "Told", Lines: []string{"something"}})
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
		require.Nil(t, d.front.dialog, "a key has opened it")
		d.visible.confirm(&host.Dialog{Title: "Not started", About: host.AboutStart})
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
		require.NotNil(t, d.front.dialog, "it opened by itself")
	})
}

// TestQuestionsFollow checks that the next question appears when the first is
// closed in any way, and must be visible before it accepts keys.
func TestQuestionsFollow(t *testing.T) {
	inBubble(t, 80, 24, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		first := d.askNow(uitest.PromptHostKey)
		second := asking(t.Context(), d.opts.Prompter, uitest.PromptPassphrase)
		synctest.Wait()
		d.take(asked{})
		require.Contains(t, d.plain(), "1 more after this")
		d.write("y")
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
		_, err := first()
		require.NoError(t, err)
		require.Contains(t, d.plain(), "Passphrase of")
		require.False(t, d.front.ask.ready)
		d.hush()
		d.do("decline")
		_, err = second()
		require.ErrorIs(t, err, tty.ErrDeclined)
		require.Nil(t, d.front.ask)
		require.Contains(t, d.plain(), "2 Calls")
	})
}

// TestQuestionStandsOut checks that only the question has styles and a heavy
// border, and that the first and last line are the program's.
func TestQuestionStandsOut(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		inBubble(t, 80, 24, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
			d.screen.ASCII = ascii
			x.Latest().Err("\u2554\u2550 mcpdbg asks \u2550\u2557 what a server prints")
			d.hear()
			d.do(actStderr)
			require.Contains(t, d.plain(), "mcpdbg asks")
			d.askNow(uitest.PromptPassphrase)
			lines := strings.Split(d.content(), "\n")
			require.Equal(t, d.screen.Theme.PromptTitle.On, lines[0][:len(d.screen.Theme.PromptTitle.On)])
			require.Contains(t, stripped(lines[0]), "mcpdbg asks, for dev@build-7:22: key passphrase")
			require.Contains(t, d.plain(), map[bool]string{false: "╚═", true: "**"}[ascii]+" enter answer")
			corner := "╔═ mcpdbg asks"
			if ascii {
				corner = "** mcpdbg asks"
			}
			framed := 0
			for _, line := range lines[1:23] {
				if !strings.ContainsAny(stripped(line), "╔║╚") || strings.Contains(stripped(line), "what a server prints") {
					if !ascii {
						require.Equal(t, d.screen.Theme.Backdrop.On, line[:len(d.screen.Theme.Backdrop.On)])
						require.Zero(t, strings.LastIndex(line, d.screen.Theme.Backdrop.On), "no other style: %q", line)
					}
				}
				if strings.Contains(stripped(line), corner) && !strings.Contains(stripped(line), "what a server prints") {
					framed++
				}
			}
			require.Equal(t, 1, framed)
			d.do("decline")
		})
	}
}

// TestQuestionFrames shows the questions in front of a server that sends
// messages.
func TestQuestionFrames(t *testing.T) {
	for name, prompt := range map[string]executor.Prompt{
		"hostkey": uitest.PromptHostKey, "passphrase": uitest.PromptPassphrase, "challenge": uitest.PromptChallenge,
	} {
		t.Run(name, func(t *testing.T) {
			requireFrames(t, "ask-"+name, name == "challenge", func(t *testing.T, show func(*driver)) {
				inQuestion(t, 120, 36, prompt, func(_ *testing.T, d *driver, wait func() (executor.Answer, error)) {
					show(d)
					d.do("decline")
					_, _ = wait()
				})
			})
		})
	}
}

// TestQuestionAtEverySize checks that a question stays exact while the screen
// is resized, that all of it can be scrolled to, and that the session behind it
// continues.
func TestQuestionAtEverySize(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		uitest.Busy(t, d.visible.ws.Session, x)
		d.pull()
		for _, prompt := range []executor.Prompt{uitest.PromptHostKey, uitest.PromptPassphrase, uitest.PromptChallenge} {
			wait := d.askNow(prompt)
			d.write("text that is too long for the smallest of all screens that there are")
			d.everySize(13, 5)
			d.take(tea.WindowSizeMsg{Width: 40, Height: 10})
			x.Latest().Out(`{"jsonrpc":"2.0","method":"notifications/behind"}`)
			d.hear()
			requireExact(t, d.content(), 40, 10)
			for range 500 {
				d.do("ask-page-down")
			}
			requireExact(t, d.content(), 40, 10)
			require.True(t, d.front.ask.text.AtBottom())
			d.do("decline")
			_, _ = wait()
			d.take(tea.WindowSizeMsg{Width: 120, Height: 36})
		}
		require.Contains(t, d.plain(), "← behind")
	})
}

func FuzzQuestion(f *testing.F) {
	for _, text := range hostile {
		f.Add(text, text, text, uint8(80), uint8(24))
	}
	f.Fuzz(func(t *testing.T, ours, remote, text string, w, h uint8) {
		h = max(h, 1)
		d := drive(t, Options{Source: newLog(t), Prompter: tty.NewPrompter()}, int(w), int(h))
		d.front.ask = newAsk(d.App, &tty.Question{Prompt: executor.Prompt{
			Kind: executor.PromptChallenge, Hop: ours, User: ours, Text: ours, Remote: remote,
			Questions: []executor.Question{{Text: text, Echo: true}},
		}})
		d.front.ask.ready, d.canvas.stale = true, true
		d.front.ask.paste(tea.PasteMsg{Content: text})
		requireExact(t, d.content(), int(w), int(h))
	})
}

// TestQuestionInTheProgram checks a question during a start, in a terminal:
// keys typed before the question is visible are ignored, and quitting ends it.
func TestQuestionInTheProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := tty.NewPrompter()
		early := asking(t.Context(), p, uitest.PromptHostKey) // there is no screen yet
		s, _ := newSession(t, newLog(t), nil)
		term := inTerminal(t, Options{Session: s, Prompter: p}, 80, 24)
		require.Contains(t, term.Text(), "mcpdbg asks, for dev@build-7.example.org:2222")
		term.Press("y", "\r")
		require.Contains(t, term.Text(), "ignores keys until you stop typing")
		time.Sleep(quietTime)
		term.Wait()
		require.NotContains(t, term.Text(), "ignores keys until you stop typing")
		term.RequireShown()
		term.Press("y", "\r")
		answer, err := early()
		require.NoError(t, err)
		require.True(t, answer.Yes)
		require.NotContains(t, term.Text(), "mcpdbg asks")

		open := asking(t.Context(), p, uitest.PromptPassphrase)
		term.Wait()
		require.Contains(t, term.Text(), "passphrase:")
		term.Press(keyCtrlC) // from anywhere, immediately
		_, err = open()
		require.ErrorIs(t, err, executor.ErrNoPrompter)
		term.Wait()
		require.NoError(t, term.Err)
		_, err = p.Ask(t.Context(), uitest.PromptPassphrase)
		require.ErrorIs(t, err, executor.ErrNoPrompter)
	})
}

// asking asks a question in a goroutine; the returned function waits for the
// result.
func asking(ctx context.Context, p *tty.Prompter, prompt executor.Prompt) (wait func() (executor.Answer, error)) {
	var r tty.Reply
	var wg sync.WaitGroup
	wg.Go(func() { r.Answer, r.Err = p.Ask(ctx, prompt) })
	return func() (executor.Answer, error) {
		wg.Wait()
		return r.Answer, r.Err
	}
}
