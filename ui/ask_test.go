package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

var (
	promptHostKey = executor.Prompt{
		Kind: executor.PromptHostKey, Hop: "dev@build-7.example.org:2222",
		Text: "The host [build-7.example.org]:2222 is new: no key of it is on record.\nIt sent a key of type ssh-ed25519, fingerprint\n" +
			"SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDOnfZbWKjRnXc9wxk\n" +
			"+--[ED25519 256]--+\n|        .o+.     |\n|       .+o.o     |\n|      .+.=o      |\n|     .o.=..      |\n|      .ooS.      |\n" +
			"|     ..oo..      |\n|    . +o=o.      |\n|     o.B=*.      |\n|      =.@E.      |\n+----[SHA256]-----+\n" +
			"Compare the fingerprint with what its owner says. Accept it, and write it to known_hosts?",
	}
	promptPassphrase = executor.Prompt{
		Kind: executor.PromptPassphrase, Hop: "build-7:22", User: "dev", Text: "Passphrase of ~/.ssh/id_ed25519",
	}
	// hostileRemote wants to be more than words in a box.
	hostileRemote = "Welcome!\r\n\x1b[2J\x1b[H\x1b]0;root\x07 \u202eevil\u202c \u009b31m\n" +
		"╚══════════════════════════╝\n╔═ mcpdbg asks ════════════╗\n║ passphrase: hunter2      ║\n" +
		strings.Repeat("0123456789", 1000) + "\n" + strings.Repeat("│\n", 40)
	promptChallenge = executor.Prompt{
		Kind: executor.PromptChallenge, Hop: "dev@build-7:22", Text: "The server wants to know:", Remote: hostileRemote,
		Questions: []executor.Question{{Text: "\x1b[1mVerification code:\x1b[0m "}, {Text: "Your name\u200b: ", Echo: true}},
	}
)

// askNow puts a question on the screen, ready for keys. The function that it
// returns waits for the answer.
func (d *driver) askNow(prompt executor.Prompt) (wait func() (executor.Answer, error)) {
	d.t.Helper()
	wait = asking(d.t.Context(), d.opts.Prompter, prompt)
	synctest.Wait()
	d.take(asked{})
	d.screen()
	d.hush()
	return wait
}

// hush lets the pause pass in which no key comes.
func (d *driver) hush() {
	d.t.Helper()
	d.take(quiet{d.ask, d.ask.ignored})
	require.True(d.t, d.ask.ready)
}

// inQuestion runs a test with a question on the screen of a session that runs.
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
		inQuestion(t, 80, 24, promptHostKey, func(t *testing.T, d *driver, wait func() (executor.Answer, error)) {
			d.write(text)
			d.do(actAskAccept)
			answer, err := wait()
			require.NoError(t, err)
			require.Equal(t, want, answer, "%q", text)
			require.Nil(t, d.ask)
		})
	}
	inQuestion(t, 80, 24, promptHostKey, func(t *testing.T, d *driver, wait func() (executor.Answer, error)) {
		d.write("maybe")
		d.do(actAskAccept)
		require.Contains(t, d.plain(), "x yes, no, or the fingerprint")
		d.do(actAskClear)
		d.take(tea.PasteMsg{Content: print + "\nrm -rf /\n"})
		require.Contains(t, d.plain(), print+"  ")
		d.do(actAskAccept)
		answer, err := wait()
		require.NoError(t, err)
		require.Equal(t, []string{print}, answer.Values)
	})
	inQuestion(t, 80, 24, promptHostKey, func(t *testing.T, d *driver, wait func() (executor.Answer, error)) {
		d.take(tea.KeyPressMsg{Code: tea.KeyEscape})
		answer, err := wait()
		require.NoError(t, err)
		require.Equal(t, executor.Answer{}, answer, "esc is no")
	})
}

// TestSecrets: what is typed as a secret is nowhere but in the answer.
func TestSecrets(t *testing.T) {
	inQuestion(t, 80, 24, promptPassphrase, func(t *testing.T, d *driver, wait func() (executor.Answer, error)) {
		memory := d.ask.fields[0].text[:0]
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
		require.Empty(t, strings.Trim(string(memory[:20]), "\x00"), "it is wiped")
		for i := range d.source.Len() {
			row, _ := d.rows0(i)
			require.NotContains(t, row, "hunter")
		}
	})
}

// rows0 is the text of a row of the log.
func (d *driver) rows0(i int) (string, bool) {
	row, ok := (&rowReader{source: d.source}).at(i)
	e, err := d.source.Entry(row, 0)
	require.NoError(d.t, err)
	return string(e.Payload) + string(e.Body), ok
}

func TestChallenge(t *testing.T) {
	inQuestion(t, 80, 24, promptChallenge, func(t *testing.T, d *driver, wait func() (executor.Answer, error)) {
		require.Contains(t, d.plain(), "answer 1 of 2:")
		d.write("123456")
		require.Contains(t, d.plain(), "answer 1 of 2: ••••••")
		d.do(actAskNext)
		d.write("dev\u202e")
		require.Contains(t, d.plain(), `answer 2 of 2: dev\u202e`)
		d.do(actAskNext, actAskAccept) // the first again, then the second
		require.NotNil(t, d.ask)
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
	inQuestion(t, 80, 24, promptChallenge, func(t *testing.T, d *driver, wait func() (executor.Answer, error)) {
		d.take(tea.KeyPressMsg{Code: tea.KeyEscape})
		_, err := wait()
		require.ErrorIs(t, err, ErrDeclined)
	})
}

// TestTypedAhead: what was typed for something else does not answer a question,
// whether it came before the question was drawn or just after.
func TestTypedAhead(t *testing.T) {
	inBubble(t, 80, 24, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		wait := asking(t.Context(), d.opts.Prompter, promptHostKey)
		synctest.Wait()
		d.take(asked{})
		typed := func() {
			d.write("yes")
			d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
			d.take(tea.KeyPressMsg{Code: tea.KeyEscape})
			d.take(tea.PasteMsg{Content: "yes"})
			require.NotNil(t, d.ask, "nothing was answered")
			require.Empty(t, d.ask.fields[0].text)
		}
		typed() // before it is drawn
		d.take(quiet{d.ask, d.ask.ignored})
		require.False(t, d.ask.ready, "a pause in which nobody could see it does not count")
		d.screen()
		typed() // drawn, and typed on
		d.take(quiet{d.ask, d.ask.ignored - 1})
		require.False(t, d.ask.ready, "a pause in which keys came does not count")
		require.Contains(t, d.plain(), "takes keys once you stop typing")

		d.hush()
		d.take(tea.WindowSizeMsg{Width: 30, Height: 8})
		typed() // it cannot be seen
		d.take(tea.WindowSizeMsg{Width: 80, Height: 24})
		d.write("yes")
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
		answer, err := wait()
		require.NoError(t, err)
		require.True(t, answer.Yes)
	})
}

// TestQuestionsFollow: the next question comes up when the first is gone,
// however it went, and must be seen before it takes keys.
func TestQuestionsFollow(t *testing.T) {
	inBubble(t, 80, 24, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		first := d.askNow(promptHostKey)
		second := asking(t.Context(), d.opts.Prompter, promptPassphrase)
		synctest.Wait()
		d.take(asked{})
		require.Contains(t, d.plain(), "1 more after this")
		d.write("y")
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
		_, err := first()
		require.NoError(t, err)
		require.Contains(t, d.plain(), "Passphrase of")
		require.False(t, d.ask.ready)
		d.hush()
		d.do(actDecline)
		_, err = second()
		require.ErrorIs(t, err, ErrDeclined)
		require.Nil(t, d.ask)
		require.Contains(t, d.plain(), "2 Traffic")
	})
}

// TestQuestionStandsOut: nothing on the screen but the question has a style or a
// heavy border, and first and last line are the program's.
func TestQuestionStandsOut(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		inBubble(t, 80, 24, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
			d.opts.ASCII = ascii
			x.latest().err("\u2554\u2550 mcpdbg asks \u2550\u2557 what a server prints")
			synctest.Wait()
			d.pull()
			require.Equal(t, 1, strings.Count(d.plain(), "mcpdbg asks"))
			d.askNow(promptPassphrase)
			lines := strings.Split(d.screen(), "\n")
			require.Equal(t, d.theme.Asking.On, lines[0][:len(d.theme.Asking.On)])
			require.Contains(t, stripped(lines[0]), "mcpdbg asks, for dev@build-7:22: the passphrase of a key")
			require.Contains(t, stripped(lines[23]), "enter answer")
			corner := "╔═ mcpdbg asks"
			if ascii {
				corner = "** mcpdbg asks"
			}
			framed := 0
			for _, line := range lines[1:23] {
				if !strings.ContainsAny(stripped(line), "╔║╚") || strings.Contains(stripped(line), "what a server prints") {
					if !ascii {
						require.Equal(t, d.theme.Behind.On, line[:len(d.theme.Behind.On)])
						require.Zero(t, strings.LastIndex(line, d.theme.Behind.On), "no other style: %q", line)
					}
				}
				if strings.Contains(stripped(line), corner) && !strings.Contains(stripped(line), "what a server prints") {
					framed++
				}
			}
			require.Equal(t, 1, framed)
			d.do(actDecline)
		})
	}
}

// TestQuestionFrames shows the questions, with a server behind them that talks.
func TestQuestionFrames(t *testing.T) {
	for name, prompt := range map[string]executor.Prompt{
		"hostkey": promptHostKey, "passphrase": promptPassphrase, "challenge": promptChallenge,
	} {
		for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}, {40, 10}} {
			inQuestion(t, size[0], size[1], prompt, func(t *testing.T, d *driver, wait func() (executor.Answer, error)) {
				requireExact(t, d.screen(), size[0], size[1])
				golden(t, fmt.Sprintf("ask-%s-%dx%d", name, size[0], size[1]), d.plain())
				d.do(actDecline)
				_, _ = wait()
			})
		}
	}
}

// TestQuestionAtEverySize: it stays exact while the screen changes, all of it
// can be scrolled to, and what is behind it goes on.
func TestQuestionAtEverySize(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		everything(t, d.session, x)
		d.pull()
		for _, prompt := range []executor.Prompt{promptHostKey, promptPassphrase, promptChallenge} {
			wait := d.askNow(prompt)
			d.write("text that is too long for the smallest of all screens that there are")
			for w := 0; w < 130; w += 13 {
				for h := 1; h < 50; h += 5 {
					d.take(tea.WindowSizeMsg{Width: w, Height: h})
					requireExact(t, d.screen(), w, h)
				}
			}
			d.take(tea.WindowSizeMsg{Width: 40, Height: 10})
			x.latest().out(`{"jsonrpc":"2.0","method":"notifications/behind"}`)
			synctest.Wait()
			d.pull()
			requireExact(t, d.screen(), 40, 10)
			for range 500 {
				d.do(actAskPageDown)
			}
			requireExact(t, d.screen(), 40, 10)
			_, to := d.ask.scroll.shown()
			require.Equal(t, d.ask.scroll.lines, to)
			d.do(actDecline)
			_, _ = wait()
			d.take(tea.WindowSizeMsg{Width: 120, Height: 36})
		}
		require.Contains(t, d.plain(), "notifications/behind")
	})
}

func FuzzQuestion(f *testing.F) {
	for _, text := range hostile {
		f.Add(text, text, text, uint8(80), uint8(24))
	}
	f.Fuzz(func(t *testing.T, ours, remote, text string, w, h uint8) {
		h = max(h, 1)
		d := drive(t, Options{Source: newLog(t), Prompter: NewPrompter()}, int(w), int(h))
		d.ask = newAsk(&question{prompt: executor.Prompt{
			Kind: executor.PromptChallenge, Hop: ours, User: ours, Text: ours, Remote: remote,
			Questions: []executor.Question{{Text: text, Echo: true}},
		}})
		d.ask.ready, d.stale = true, true
		d.askPaste(tea.PasteMsg{Content: text})
		requireExact(t, d.screen(), int(w), int(h))
	})
}

// TestQuestionInTheProgram: a start that asks, in a terminal: keys typed before
// the question could be seen are not taken, and quitting ends it.
func TestQuestionInTheProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPrompter()
		early := asking(t.Context(), p, promptHostKey) // there is no screen yet
		s, _ := newSession(t, newLog(t), nil)
		term := inTerminal(t, Options{Session: s, Prompter: p}, 80, 24)
		require.Contains(t, term.screen(), "mcpdbg asks, for dev@build-7.example.org:2222")
		term.press("y", "\r")
		require.Contains(t, term.screen(), "takes keys once you stop typing")
		time.Sleep(askPause)
		term.wait()
		require.NotContains(t, term.screen(), "takes keys once you stop typing")
		term.requireShown()
		term.press("y", "\r")
		answer, err := early()
		require.NoError(t, err)
		require.True(t, answer.Yes)
		require.NotContains(t, term.screen(), "mcpdbg asks")

		open := asking(t.Context(), p, promptPassphrase)
		term.wait()
		require.Contains(t, term.screen(), "passphrase:")
		term.press(keyCtrlC) // from anywhere, at once
		_, err = open()
		require.ErrorIs(t, err, executor.ErrNoPrompter)
		term.wait()
		require.NoError(t, term.err)
		_, err = p.Ask(t.Context(), promptPassphrase)
		require.ErrorIs(t, err, executor.ErrNoPrompter)
	})
}
