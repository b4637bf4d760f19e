package ui

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/copies"
	"mcpdbg/ui/detail"
	"mcpdbg/ui/help"
	"mcpdbg/ui/home"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/send"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/widget/filter"
)

// inScope runs a test in a scope at a size, opened in one of the ways to it.
func inScope(t *testing.T, scope string, w, h int, test func(t *testing.T, d *driver)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newHostileServer(t)
		s.take(tea.WindowSizeMsg{Width: w, Height: h})
		hostileWays[scope](s)
		s.pull()
		require.Equal(t, scope, s.visible.scope())
		test(t, s.driver)
	})
}

// hintsShown returns the hints of the frame: those in the border of a dialog, or of the
// last line.
func (d *driver) hintsShown() (hints []key.Help, row int) {
	d.t.Helper()
	d.front.notice, d.canvas.stale = notice{}, true
	d.content()
	row = d.screen.Height - 1
	if d.screen.HasDialog() {
		for y, text := range d.rows() {
			for x := range []rune(text) {
				if id := d.screen.Key(x, y); id != "" && (len(hints) == 0 || hints[len(hints)-1].Key != id) {
					hints, row = append(hints, key.Help{Key: id}), y
				}
			}
		}
		return hints, row
	}
	for _, b := range d.canvas.hints.shown {
		hints = append(hints, b.Help())
	}
	return hints, row
}

// keyPress is the press of a key by its name.
func keyPress(name string) tea.KeyPressMsg {
	special := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "space": tea.KeySpace, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd, "delete": tea.KeyDelete, "backspace": tea.KeyBackspace,
		"f1": tea.KeyF1, "f2": tea.KeyF2, "f3": tea.KeyF3, "f4": tea.KeyF4, "f5": tea.KeyF5, "f6": tea.KeyF6, "f7": tea.KeyF7, "f8": tea.KeyF8, "f9": tea.KeyF9,
	}
	k := tea.KeyPressMsg{}
	name, ctrl := strings.CutPrefix(name, "ctrl+")
	if ctrl {
		k.Mod |= tea.ModCtrl
	}
	name, shift := strings.CutPrefix(name, "shift+")
	if shift {
		k.Mod |= tea.ModShift
	}
	if code, ok := special[name]; ok {
		k.Code = code
		if name == "space" {
			k.Text = " "
		}
		return k
	}
	k.Code = []rune(name)[0]
	if !ctrl {
		k.Text = name
	}
	return k
}

// did returns the screen, and all that leaves the program: everything that a key can change.
func (d *driver) did(others int) string {
	return fmt.Sprintln(d.content(), "\n", d.clip, d.quit, others, d.front.ask != nil, d.visible.ws.Shown.Source.Len())
}

// useHint uses a hint by its n-th key, or by a click on it.
func (d *driver) useHint(hint key.Help, way, row int) {
	if way > 0 {
		names := []string{hint.Key}
		if _, one := d.actions.keys.Lookup(d.visible.scope(), hint.Key); !one {
			names = strings.FieldsFunc(hint.Key, func(r rune) bool { return r == '/' || r == ' ' })
		}
		name := names[min(way, len(names))-1]
		action, ok := d.actions.keys.Lookup(d.visible.scope(), name)
		require.True(d.t, ok, "no action for %s", hint.Key)
		possible, why := action.State(d.visible.context())
		require.True(d.t, possible, "%s: %s", hint.Key, why)
		d.take(keyPress(name))
		return
	}
	for x := range d.screen.Width {
		at, _ := d.canvas.hints.at(x)
		if d.screen.HasDialog() {
			at = d.screen.Key(x, row)
		}
		if at == hint.Key {
			d.press(x, row)
			return
		}
	}
	require.Fail(d.t, "no place for "+hint.Key)
}

// idleHints are those that do nothing in the state that the scope is opened in.
var idleHints = []string{
	send.ScopeComposerText + " tab",                    // the draft has nothing to complete
	copies.ScopeExport + " enter",                      // says again why it cannot
	home.Scope + " ctrl+r",                             // finds the same
	detail.ScopeJQ + " enter", detail.ScopeJQ + " tab", // not an expression
	home.ScopeInputs + " ctrl+n", // there is one
}

// TestHintsAct checks in each scope that each hint acts, by its key and by a click, and
// that no hint is of an action that is not possible.
func TestHintsAct(t *testing.T) {
	t.Parallel()
	for _, scope := range scopes {
		t.Run(scope.ID, func(t *testing.T) {
			t.Parallel()
			var hints []key.Help
			inScope(t, scope.ID, 120, 36, func(_ *testing.T, d *driver) { hints, _ = d.hintsShown() })
			require.Equal(t, scope.ID != scopePrompt && scope.ID != help.Scope, len(hints) > 0)
			for _, hint := range hints {
				after := make([]string, 2, 3) // a click, the first key, and the second of "j/k"
				if strings.ContainsAny(hint.Key[1:], "/ ") {
					after = after[:3]
				}
				coarse := make([]string, len(after))
				acted, logged := false, false
				for way := range after {
					inScope(t, scope.ID, 120, 36, func(t *testing.T, d *driver) {
						others := 0
						d.outside.exec = func(tea.ExecCommand, tea.ExecCallback) tea.Cmd { others++; return nil }
						d.outside.save = func(string, string) error { others++; return nil }
						_, row := d.hintsShown()
						before, rows := d.did(others), d.visible.ws.Shown.Source.Len()
						d.useHint(hint, way, row)
						synctest.Wait()
						after[way] = d.did(others)
						coarse[way] = fmt.Sprintln(d.visible.scope(), d.clip, d.quit, others, d.front.ask != nil)
						acted = acted || after[way] != before
						logged = logged || d.visible.ws.Shown.Source.Len() != rows
					})
				}
				assert.Equal(t, !slices.Contains(idleHints, scope.ID+" "+hint.Key), acted, "%s does nothing", hint.Key)
				if scope.ID == scopeAsk {
					continue // which takes keys only
				}
				if logged { // the server, the person and timers write at the same time, in any order
					after = coarse
				}
				assert.Equal(t, after[1], after[0], "a click on %s", hint.Key)
			}
		})
	}
}

// oldWords are words of the code and of earlier versions that are not on the screen.
var oldWords = regexp.MustCompile(`(?i)\b(exchanges?|wire|stray|not-json|orphan|lost:|lagged|acts?|phases?|probe|canned|polic(y|ies)|ladder|evidence|legacy|modern|replay)\b`)

// shownOldWords are parts of names of files, tools and actions, and of screens that are about to get other words.
var shownOldWords = regexp.MustCompile(`\[replay-\w+\]|stray\.jsonl|^-- .* --$|its policy responds|\bcanned +after|policy +inherit|key exchange`)

// TestNoOldWords checks that no frame in a file shows an old word, or tools/call in a cell of the calls.
func TestNoOldWords(t *testing.T) {
	require.NoError(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".golden" {
			return err
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for line := range strings.Lines(stripped(string(text))) {
			assert.NotRegexp(t, oldWords, shownOldWords.ReplaceAllString(strings.TrimSpace(line), ""), path)
		}
		return nil
	}))
}

// TestProblemsStay checks that a process that ended stops its timers: later frames count
// the same problems, and one cause with its consequences is one.
func TestProblemsStay(t *testing.T) {
	inBubble(t, 120, 36, func(*fakeProcess, message) {}, func(t *testing.T, d *driver, x *fakeExecutor) {
		for id := range 3 {
			d.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"sleep"}`, id))
		}
		x.Latest().Exit(executor.Exit{Kind: executor.ExitCode, Code: 1})
		d.hear()
		count := func() string { return regexp.MustCompile(`\d+ problems?`).FindString(d.rows()[0]) }
		require.Equal(t, "1 problem", count(), "%s", d.plain())
		time.Sleep(2 * time.Minute)
		d.visible.ws.Session.Note("later", "") // rules know the time from the log
		d.hear()
		require.Equal(t, "1 problem", count())
	})
}

// TestQuestionsAreNoProblem checks that neither a question that waits for a person nor
// the call during which it was asked counts as a problem of the server.
func TestQuestionsAreNoProblem(t *testing.T) {
	answeringAt(t, 120, 36, false, false, except(mcp.MethodToolsCall, offersAndEchoes), func(t *testing.T, d *driver, x *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo"}}`)
		d.asked(x, 1, mcp.MethodElicit, `{"message":"Which?","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`)
		for range 3 {
			time.Sleep(time.Minute)
			x.Latest().Err("later")
			d.hear()
			require.NotContains(t, d.rows()[0], "problem", "%+v", d.visible.ws.Shown.Problems.List)
			require.Contains(t, d.rows()[0], "1 waits for you")
		}
		d.do(host.ActAnswer, "answer-send")
		time.Sleep(2 * time.Minute)
		x.Latest().Err("later")
		d.hear()
		require.Contains(t, d.rows()[0], "1 problem", "the call has no answer")
	})
}

// TestNextErrorInEachView checks that the next failed call is the same in each view.
func TestNextErrorInEachView(t *testing.T) {
	var found [3][]int
	for view := range found {
		inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
			uitest.Busy(t, d.visible.ws.Session, x)
			d.pull()
			for range view {
				d.do("timeline")
			}
			d.do(actTraffic, kit.Top)
			for range 3 {
				d.do(actNextError)
				found[view] = append(found[view], d.viewed())
			}
		})
	}
	require.Len(t, found[0], 3)
	require.Equal(t, found[0], found[1])
	require.Equal(t, found[0], found[2])
}

// TestNoCellIsCutForNothing checks that no text in the calls is cut while a column next to it
// is empty in all visible rows, and that no cell is a tools/call.
func TestNoCellIsCutForNothing(t *testing.T) {
	for name, fill := range map[string]func(t *testing.T, d *driver, x *fakeExecutor){
		"busy": func(t *testing.T, d *driver, x *fakeExecutor) { uitest.Busy(t, d.visible.ws.Session, x) },
		"without arguments": func(t *testing.T, d *driver, _ *fakeExecutor) {
			for i := range 30 {
				d.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a_tool_with_a_name_that_is_long_%d"}}`, i, i))
			}
		},
		"without results": func(t *testing.T, d *driver, _ *fakeExecutor) {
			for i := range 30 {
				d.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"%s"}}`, strings.Repeat("text ", 40+i)))
			}
		},
	} {
		inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
			fill(t, d, x)
			d.pull()
			for _, size := range [][2]int{{200, 60}, {160, 40}, {120, 36}, {100, 30}, {80, 24}, {60, 20}} {
				d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				for _, end := range []string{kit.Top, kit.Bottom} {
					d.do(actTraffic, end)
					d.requireNoneCut(fmt.Sprint(name, size, end))
				}
			}
		})
	}
}

// requireNoneCut checks the cells of the calls on the screen.
func (d *driver) requireNoneCut(where string) {
	d.t.Helper()
	in := d.panes.layout.pane[trafficID].Body()
	rows := d.rows()[in.Y : in.Y+in.H]
	var starts []int
	for _, title := range []string{"call", "arguments", "result", "took"} {
		if at := strings.Index(rows[0], " "+title); at >= 0 {
			starts = append(starts, at+1)
		}
	}
	starts[len(starts)-1] -= len("   ") // it is aligned at the right
	empty, cut := make([]bool, len(starts)), make([]bool, len(starts))
	for i := range starts[:len(starts)-1] {
		empty[i] = true
		for _, row := range rows[1:] {
			line := []rune(row)
			cell := strings.TrimSpace(string(line[min(starts[i], len(line)):min(starts[i+1], len(line))]))
			require.NotContains(d.t, cell, "tools/call", where)
			empty[i] = empty[i] && cell == ""
			cut[i] = cut[i] || strings.HasSuffix(cell, "…") && utf8.RuneCountInString(cell) > starts[i+1]-starts[i]-3
		}
	}
	for i := range cut[:len(cut)-1] {
		beside := i > 0 && empty[i-1] || i+1 < len(cut)-1 && empty[i+1]
		require.False(d.t, cut[i] && beside, "%s: column %d is cut next to an empty one in\n%s", where, i, strings.Join(rows, "\n"))
	}
}

// requireDimmed checks that all cells around a dialog are dimmed, if there is one.
func (d *driver) requireDimmed() {
	d.t.Helper()
	if !d.screen.HasDialog() || d.front.ask != nil {
		return
	}
	rows := d.rows()
	top := slices.IndexFunc(rows, func(row string) bool { return strings.Contains(row, "╭") })
	end := slices.IndexFunc(rows, func(row string) bool { return strings.Contains(row, "╰") })
	require.Less(d.t, top, end)
	left, right := ansi.StringWidth(rows[top][:strings.Index(rows[top], "╭")]), ansi.StringWidth(rows[top][:strings.LastIndex(rows[top], "╮")])
	for y, line := range strings.Split(d.content(), "\n")[:d.screen.Height-1] { // below are messages
		style, x := "", 0
		for line != "" {
			part, width, n, _ := ansi.DecodeSequence(line, ansi.NormalState, nil)
			line = line[n:]
			if strings.HasPrefix(part, "\x1b[") {
				style = part
				continue
			}
			if y < top || y > end || x < left || x > right {
				require.True(d.t, part == " " || style == d.screen.Theme.Backdrop.On, "column %d of row %d: %q in %q", x, y, part, style)
			}
			x += width
		}
	}
}

// TestColorsChangeNoCell checks in each scope that a frame has the same text with colors and
// without, and that all around a dialog is dimmed.
func TestColorsChangeNoCell(t *testing.T) {
	t.Parallel()
	for _, scope := range scopes {
		t.Run(scope.ID, func(t *testing.T) {
			var frames [2][]string
			for i, look := range []string{"colors", "nocolor"} {
				t.Run(look, func(t *testing.T) {
					inScope(t, scope.ID, 120, 36, func(t *testing.T, d *driver) {
						for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}} {
							d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
							requireExact(t, d.content(), size[0], size[1])
							d.requireDimmed()
							frames[i] = append(frames[i], d.plain())
						}
					})
				})
			}
			require.Equal(t, frames[0], frames[1])
		})
	}
}

// TestSourcesFilter checks that each word in the source cell of an event, typed as a filter
// of the log in view all, keeps its row.
func TestSourcesFilter(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		uitest.Busy(t, d.visible.ws.Session, x)
		d.crashes(x)
		d.do("timeline", "timeline")
		source, tried := d.visible.ws.Shown.Source, map[string]bool{}
		for _, number := range d.visible.ws.Shown.Problems.Events {
			row, _ := d.visible.ws.Shown.Rows.At(int(number))
			word := filter.EventSource(row.Kind)
			if tried[word] || row.Kind.IsStream() {
				continue
			}
			tried[word] = true
			f, err := filter.Parse(word)
			require.NoError(t, err, word)
			require.True(t, f.Matcher(source).Match(int(number), row), word)
		}
		require.Greater(t, len(tried), 4)
	})
}

// stateWords are those at the beginning of a result that name a state.
var stateWords = regexp.MustCompile(`^>?(.).*?  +(failed|cancelled by you|running|waits for you|no answer)\b`)

// TestStatesFilter checks that the words of the state of a call, typed as a filter, keep its
// row.
func TestStatesFilter(t *testing.T) {
	tried := map[string]bool{}
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		uitest.Busy(t, d.visible.ws.Session, x)
		d.pull()
		d.do(kit.Top)
		in := d.panes.layout.pane[trafficID].Body()
		for _, row := range d.rows()[in.Y+1 : in.Y+in.H] {
			m := stateWords.FindStringSubmatch(row)
			if m == nil || tried[m[2]] {
				continue
			}
			tried[m[2]] = true
			call := strings.Fields(row[2:])[1:3]
			d.do(actFilter)
			d.write(m[2])
			d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
			require.Contains(t, d.plain(), call[0], "%s in %s", m[2], row)
			require.Contains(t, strings.Join(d.rows()[in.Y+1:in.Y+in.H], "\n"), m[2])
			d.do(host.ActBack)
		}
	})
	require.Greater(t, len(tried), 2, "%v", tried)
}
