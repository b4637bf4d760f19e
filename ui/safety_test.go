package ui

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
)

// requireExact checks that a frame is w by h cells by both rules for the width of
// text, and that it contains no escape sequences except for our own colours.
func requireExact(t testing.TB, frame string, w, h int) {
	t.Helper()
	lines := strings.Split(frame, "\n")
	require.Len(t, lines, h)
	for i, line := range lines {
		if _, ok := exact.Load(exactLine{line, w}); ok {
			continue
		}
		require.Equal(t, w, ansi.StringWidth(line), "line %d by graphemes: %q", i, line)
		require.Equal(t, w, ansi.StringWidthWc(line), "line %d by wcwidth: %q", i, line)
		requireSafe(t, line)
		exact.Store(exactLine{line, w}, nil)
	}
}

// exact caches the checked lines: successive frames have most lines in common.
var exact sync.Map

type exactLine struct {
	text  string
	width int
}

func requireSafe(t testing.TB, line string) {
	t.Helper()
	require.True(t, utf8.ValidString(line), "%q", line)
	for at := 0; at < len(line); {
		if line[at] == '\x1b' {
			end := strings.IndexByte(line[at:], 'm')
			require.Greater(t, end, 1, "escape sequence other than a style: %q", line)
			require.Empty(t, strings.Trim(line[at+2:at+end], "0123456789;"), "%q", line)
			require.Equal(t, byte('['), line[at+1], "%q", line)
			at += end + 1
			continue
		}
		r, n := utf8.DecodeRuneInString(line[at:])
		require.False(t, unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || unicode.Is(unicode.Cf, r), "%q in %q", r, line)
		at += n
	}
}

// hostile are texts that try to leave their place on the screen.
var hostile = []string{
	"\x1b[2J\x1b[H", "\x1b]0;title\x07", "\x1b]52;c;ZWNobw==\x07", "\x9b31m", "\u009b31m", "\u202eright to left", "\u2066isolate",
	"a\u200bb\ufeffc", "\x1b]8;;http://evil\x07link\x1b]8;;\x07", "tab\tcr\rlf", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\u2764\ufe0f", "e\u0301\u0301\u0301\u0301\u0301\u0301",
	"\xff\xfe\x80", "漢字", "\x00\x7f", "\u2028\u2029", "\U000e0001", strings.Repeat("\u0300", 50),
}

// hostileLog returns a log with each hostile text in every place that a server
// can fill.
func hostileLog(t testing.TB, texts ...string) session.Log {
	t.Helper()
	log := newLog(t)
	add := func(kind session.Kind, payload string) {
		e := session.Entry{Kind: kind, Seq: 1, Payload: []byte(payload), EOL: framing.LF}
		if kind != session.KindStderr {
			e.Msg = framing.Scan(e.Payload)
		}
		require.NoError(t, log.Append([]session.Entry{e}))
	}
	for _, text := range texts {
		add(session.KindStderr, text)
		add(session.KindStdout, text)
		add(session.KindStdout, `{"jsonrpc":"2.0","id":"`+text+`","method":"`+text+`","params":{"`+text+`":"`+text+`"}}`)
		add(session.KindStdin, `{"jsonrpc":"2.0","id":"`+text+`","error":{"code":1,"message":"`+text+`"}}`)
		require.NoError(t, log.Append([]session.Entry{session.NewEntry(session.KindNote, 0, session.NoteBody{Text: text, Hint: text})}))
	}
	return log
}

// TestHostileText shows every hostile row in every pane, at alternating sizes.
func TestHostileText(t *testing.T) {
	t.Parallel()
	log := hostileLog(t, hostile...)
	const turns = 3
	for turn, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {60, 20}, {40, 10}} {
		d := drive(t, Options{Source: log, Title: hostile[0] + "\u202e"}, size[0], size[1])
		for _, pane := range []string{actTraffic, actStderr, actEvents} {
			d.do(pane, kit.Top)
			for row := range log.Len() {
				requireExact(t, d.content(), size[0], size[1])
				if row%turns != turn%turns {
					d.do(kit.Down)
					continue
				}
				d.do(host.ActOpen)
				for range 5 { // views
					requireExact(t, d.content(), size[0], size[1])
					d.do(actView)
				}
				d.do(host.ActBack, kit.Down)
			}
		}
	}
}

// TestHostileTimeline shows every hostile row in the timeline, in floods, and in
// the notes on lost requests.
func TestHostileTimeline(t *testing.T) {
	t.Parallel()
	log := hostileLog(t, hostile...)
	for i, text := range hostile {
		method, err := json.Marshal(text)
		require.NoError(t, err)
		lines := []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%s}`, i, method)}
		for range 7 {
			lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","method":%s}`, method))
		}
		for _, line := range lines {
			e := session.Entry{Kind: session.KindStdout, Seq: 1, Payload: []byte(line), EOL: framing.LF}
			e.Msg = framing.Scan(e.Payload)
			require.NoError(t, log.Append([]session.Entry{e}))
		}
		require.NoError(t, log.Append([]session.Entry{
			session.NewEntry(session.KindWaiting, 0, session.WaitingBody{Stream: text, Bytes: 1, Head: text}),
			session.NewEntry(session.KindFailed, 0, session.FailedBody{Error: text, Hint: text}),
		}))
	}
	for _, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {40, 10}} {
		d := drive(t, Options{Source: log}, size[0], size[1])
		d.do("timeline", "mark", "time-zero")
		for _, change := range []string{kit.Top, "fold-floods", "time-clock"} {
			d.do(change, kit.Top)
			for range 2 * log.Len() / size[1] {
				requireExact(t, d.content(), size[0], size[1])
				d.do(kit.HalfPageDown, kit.Right)
			}
		}
		require.Equal(t, log.Len(), d.visible.rows.Traffic.Len())
	}
}

func FuzzFrame(f *testing.F) {
	for _, text := range hostile {
		f.Add(text, uint8(80), uint8(24))
	}
	f.Fuzz(func(t *testing.T, text string, w, h uint8) {
		h = max(h, 1)
		log := hostileLog(t, text)
		d := drive(t, Options{Source: log}, int(w), int(h))
		requireExact(t, d.content(), int(w), int(h))
		d.do(host.ActOpen)
		requireExact(t, d.content(), int(w), int(h))
	})
}
