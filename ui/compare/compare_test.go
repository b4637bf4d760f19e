package compare

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	diff "mcpdbg/recordings/compare"
	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

// tools is a list of tools, with the minimum of a number.
const tools = `{"tools":[` +
	`{"name":"echo","title":"Echo","description":"Says it again.\nAs often as you like.","inputSchema":{"type":"object","properties":{"text":{"type":"string","description":"what to say"},"times":{"type":"integer","minimum":%d,"default":1},"how":{"type":"string","enum":["loud","low"]}},"required":["text"]},"annotations":{"readOnlyHint":true,"openWorldHint":false}},` +
	`{"name":"remove","description":"Removes a file.","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}]}`

// build returns the recording of a session with a build of a server: n is in its schema
// and in a response. lines follow.
func build(t *testing.T, n int, lines ...string) session.Source {
	all := []string{
		rectest.Started,
		`> {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		`< {"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1"}}}`,
		`> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`< {"jsonrpc":"2.0","id":1,"result":` + fmt.Sprintf(tools, n) + `}`,
		`> {"jsonrpc":"2.0","id":2,"method":"ping"}`,
		`< {"jsonrpc":"2.0","id":2,"result":{}}`,
		`> {"jsonrpc":"2.0","id":3,"method":"sleep"}`,
		`< {"jsonrpc":"2.0","id":3,"result":{"at":"2026-11-2` + fmt.Sprint(n) + `T10:00:00Z","n":` + fmt.Sprint(n) + `}}`,
	}
	return rectest.Session(t, append(all, lines...)...)
}

const gone = `> {"jsonrpc":"2.0","id":4,"method":"gone"}`

// A stage has several sessions, the first of which is visible.
type stage struct {
	*uitest.Room
	state *State
}

func newStage(t *testing.T, sources ...session.Source) *stage {
	var all []*workspace.Workspace
	for i, source := range sources {
		all = append(all, uitest.NewNamed(t, source, []string{"fake (local)", "changed (local)", "third", "fourth"}[i], i+1))
	}
	s := &stage{Room: uitest.NewRoom(uitest.NewHost(t, all[0], 160, 36))}
	s.All = all
	s.state = &State{Idle: func(host.Context) bool { return len(s.Opened) == 0 }}
	s.Actions = Actions(func(host.Context) *State { return s.state })
	return s
}

// newPair compares two builds of a server.
func newPair(t *testing.T) *stage {
	s := newStage(t, build(t, 1, gone), build(t, 2))
	s.Do(host.ActCompare, "compare-with-pick")
	require.Contains(t, s.Text(), " calls: ")
	return s
}

var (
	exchangeAtCursor = regexp.MustCompile(`(?m)^>. (.*?)  `)
	linesAtCursor    = regexp.MustCompile(`(?m)>[x~+ -] *(.*?) *[│┃]>[x~+ -] *(.*?) *$`)
)

// exchange returns the name of the exchange under the cursor.
func (s *stage) exchange(t *testing.T) string {
	found := exchangeAtCursor.FindStringSubmatch(s.Text())
	require.NotNil(t, found, s.Text())
	return found[1]
}

// besides returns the line under the cursor in both messages.
func (s *stage) besides(t *testing.T) string {
	found := linesAtCursor.FindStringSubmatch(s.Text())
	require.NotNil(t, found, s.Text())
	return found[1] + " | " + found[2]
}

// accept replaces the text of the prompt, and accepts it.
func (s *stage) accept(text string) {
	s.Line.Text = text
	s.Do("accept")
}

func TestActions(t *testing.T) {
	tests := map[string]func(*testing.T){}
	for id, test := range pairTests {
		tests[id] = func(t *testing.T) { test(t, newPair(t)) }
	}
	for way, want := range map[string]int{kit.Down: 2, kit.Up: 1, kit.PageDown: 2, kit.PageUp: 0, kit.Top: 0, kit.Bottom: 2} {
		tests["compare-with-"+way] = func(t *testing.T) {
			s := newStage(t, build(t, 1), build(t, 1), build(t, 1), build(t, 1))
			s.Do(host.ActCompare)
			s.Text()
			if way == kit.Up || way == kit.PageUp {
				s.Do("compare-with-bottom")
			} else if way != kit.Bottom {
				s.Do("compare-with-down")
			}
			s.Do("compare-with-" + way)
			require.Equal(t, want, s.Context().View.(host.Picking).Picks().At)
		}
	}
	tests[host.ActCompare] = func(t *testing.T) {
		s := newStage(t, build(t, 1))
		s.Do(host.ActCompare)
		require.Equal(t, "x compare with: there is no other session: open one first", s.Said())
		s = newPair(t)
		require.Contains(t, s.Text(), "5 calls: 2 same, 2 differ, 1 only A")
		require.Contains(t, s.Text(), " A fake (local), recorded · B changed (local), recorded ━", "the older session is A")
		v := s.Context().View
		s.Do("compare-quit", host.ActCompare)
		require.Contains(t, s.Text(), "> reopen the comparison of fake (local) and changed (local)")
		s.Do("compare-with-pick")
		require.Same(t, v, s.Context().View)
	}
	tests[host.ActCompareCalls] = TestCompareCalls
	tests["compare-call-again"] = TestCallAgain
	tests["compare-with-close"] = func(t *testing.T) {
		s := newStage(t, build(t, 1), build(t, 2))
		s.Do(host.ActCompare, "compare-with-close")
		require.Nil(t, s.Context().View)
	}
	uitest.TestActions(t, Actions(nil), tests, func(t *testing.T, test func(*testing.T)) { test(t) })
}

var pairTests = map[string]func(t *testing.T, s *stage){
	"compare-with-pick": func(t *testing.T, s *stage) {
		require.Equal(t, "tools/list", s.exchange(t), "the first difference")
		require.Regexp(t, `>≠ tools/list .* echo: inputSchema: .*/minimum: 1 -> 2`, s.Text())
		require.Equal(t, "minimum: 1 | minimum: 2", s.besides(t))
		require.Regexp(t, `>- +minimum: 1 .*>\+ +minimum: 2 `, s.Text())
		require.Regexp(t, `- gone .*no answer +only in A`, s.Text())
	},
	"compare-down": func(t *testing.T, s *stage) {
		s.Do("compare-down")
		require.Equal(t, "ping", s.exchange(t))
		require.NotContains(t, s.Text(), "properties: {")
		s.Do("compare-up", "compare-enter")
		line := func() int { return slices.IndexFunc(strings.Split(s.Text(), "\n"), linesAtCursor.MatchString) }
		before := line()
		s.Do("compare-down")
		require.Equal(t, before+1, line())
	},
	"compare-up": func(t *testing.T, s *stage) {
		s.Do("compare-up")
		require.Equal(t, "initialize", s.exchange(t))
		s.Do("compare-up")
		require.Equal(t, "initialize", s.exchange(t))
	},
	"compare-page-down": func(t *testing.T, s *stage) {
		s.Do("compare-page-down")
		require.Equal(t, "gone", s.exchange(t))
	},
	"compare-page-up": func(t *testing.T, s *stage) {
		s.Do("compare-page-up")
		require.Equal(t, "initialize", s.exchange(t))
	},
	"compare-first": func(t *testing.T, s *stage) {
		s.Do("compare-first")
		require.Equal(t, "initialize", s.exchange(t))
		s.Do("compare-first-difference", "compare-enter", "compare-first")
		require.Regexp(t, `[│┃\n]>  {`, s.Text())
	},
	"compare-last": func(t *testing.T, s *stage) {
		s.Do("compare-last")
		require.Equal(t, "gone", s.exchange(t))
		require.Contains(t, s.Text(), "not in B")
		s.Do("compare-first-difference", "compare-enter", "compare-last")
		require.Regexp(t, `[│┃\n]>  }`, s.Text())
	},
	"compare-right": func(t *testing.T, s *stage) {
		s.Do("compare-right")
		require.Contains(t, s.Text(), "│  ove: { 3 } ")
	},
	"compare-left": func(t *testing.T, s *stage) {
		before := s.Text()
		s.Do("compare-right", "compare-left", "compare-left")
		require.Equal(t, before, s.Text())
	},
	"compare-next": func(t *testing.T, s *stage) {
		s.Do("compare-next")
		require.Equal(t, "sleep", s.exchange(t))
		require.Equal(t, "n: 1 | n: 2", s.besides(t))
		s.Do("compare-next")
		require.Equal(t, "gone", s.exchange(t))
		s.Do("compare-next")
		require.Equal(t, "no more differences below", s.Said())
	},
	"compare-previous": func(t *testing.T, s *stage) {
		s.Do("compare-last", "compare-previous")
		require.Equal(t, "sleep", s.exchange(t))
		s.Do("compare-previous")
		require.Equal(t, "minimum: 1 | minimum: 2", s.besides(t))
		s.Do("compare-previous")
		require.Equal(t, "no more differences above", s.Said())
	},
	"compare-first-difference": func(t *testing.T, s *stage) {
		s.Do("compare-last", "compare-first-difference")
		require.Equal(t, "minimum: 1 | minimum: 2", s.besides(t))
	},
	"compare-enter": func(t *testing.T, s *stage) {
		s.Do("compare-enter")
		require.Contains(t, s.Text(), "━━ [calls] ")
		s.Do("compare-enter")
		require.Contains(t, s.Text(), "── [calls] ")
		s.Do("compare-next-list", "compare-last", "compare-enter")
		require.Equal(t, "gone", s.exchange(t), "the call of the values")
		require.Contains(t, s.Text(), "━━ [calls] values 3 · only types 1 · times +0 % ━")
	},
	"compare-next-list": func(t *testing.T, s *stage) {
		s.Do("compare-next-list")
		require.Regexp(t, `≠ +1 tools/list +echo: inputSchema: .*/minimum: 1 -> 2`, s.Text())
		require.Regexp(t, `≠ +1 sleep +n: 1 → 2`, s.Text())
		require.Regexp(t, `≠ +1 gone +only in A`, s.Text())
		s.Do("compare-next-list")
		require.Regexp(t, `1 time +sleep +at `, s.Text())
		s.Do("compare-next-list")
		require.Regexp(t, `initialize +1 +1 ms `, s.Text())
		require.Contains(t, s.Text(), " · [times +0 %] ─")
		s.Do("compare-next-list")
		require.Contains(t, s.Text(), "── [calls] values 3 · only types 1 · times +0 % ─")
	},
	"compare-previous-list": func(t *testing.T, s *stage) {
		s.Do("compare-previous-list")
		require.Contains(t, s.Text(), " · [times +0 %] ─")
	},
	"compare-open-a": func(t *testing.T, s *stage) {
		s.Do("compare-open-a")
		require.Nil(t, s.Context().View)
		require.Equal(t, s.All[:1], s.Shown)
		require.Equal(t, []int{4}, s.Selected, "the response")
		require.Equal(t, "[compare] reopens the comparison", s.Said())
	},
	"compare-open-b": func(t *testing.T, s *stage) {
		s.Do("compare-last", "compare-open-b")
		require.Equal(t, "x go to B: that session does not have the call", s.Said())
		s.Do("compare-first-difference", "compare-open-b")
		require.Equal(t, s.All[1:], s.Shown)
		require.Equal(t, []int{4}, s.Selected)
	},
	"compare-ignore": func(t *testing.T, s *stage) {
		s.Do("compare-ignore")
		require.Equal(t, "ignore tools/list /result/tools/echo/inputSchema/properties/times/minimum", s.Said())
		require.Contains(t, s.Text(), "5 calls: 3 same, 1 differ, 1 only A")
		require.Equal(t, "tools/list", s.exchange(t), "the cursor stays")
		s.Do("compare-ignore")
		require.Equal(t, "x ignore: no difference under the cursor", s.Said())
		s.Do("compare-next-list", "compare-ignore")
		require.Equal(t, "ignore sleep /result/n", s.Said())
		require.Contains(t, s.Text(), "your rules: 2;")
		s.Do("compare-ignore")
		require.Contains(t, s.Text(), "5 calls: 4 same, 1 only A ━")
	},
	"compare-undo": func(t *testing.T, s *stage) {
		s.Do("compare-undo")
		require.Contains(t, s.Said(), "you have not added a rule")
		s.Do("compare-ignore", "compare-undo")
		require.Contains(t, s.Text(), "5 calls: 2 same, 2 differ")
	},
	"compare-accept": func(t *testing.T, s *stage) {
		file := filepath.Join(t.TempDir(), "mine.rules")
		s.Do("compare-ignore", "compare-accept")
		require.Equal(t, "add rules to", s.Line.Label)
		s.accept(file)
		require.Contains(t, s.Said(), "1 rule added to ")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.True(t, strings.HasSuffix(string(text), "\nignore tools/list /result/tools/echo/inputSchema/properties/times/minimum\n"))
	},
	"compare-rules": func(t *testing.T, s *stage) {
		file := filepath.Join(t.TempDir(), "mine.rules")
		s.Do("compare-rules")
		s.accept(file)
		require.Contains(t, s.Said(), "no such file")
		require.NoError(t, os.WriteFile(file, []byte("ignore sleep /result/n\n"), 0o600))
		s.Do("compare-rules")
		s.accept(file)
		require.Contains(t, s.Text(), "5 calls: 3 same, 1 differ")
		require.Contains(t, s.Text(), "your rules: 1;")
		s.Do("compare-undo")
		require.Equal(t, "rule removed: ignore sleep /result/n", s.Said())
	},
	"compare-reveal": func(t *testing.T, s *stage) {
		s.Do("compare-next")
		require.Regexp(t, `~ +at: <time>.*~ +at: <time>`, s.Text())
		s.Do("compare-reveal")
		require.Regexp(t, `~ +at: "2026-11-21.*~ +at: "2026-11-22`, s.Text())
		s.Do("compare-next-list", "compare-next-list")
		require.Contains(t, s.Text(), `at: "2026-11-21T10:00:00Z" → `)
	},
	"compare-view": func(t *testing.T, s *stage) {
		s.Do("compare-view")
		require.Regexp(t, `>- +minimum: 1 `, s.Text())
		require.Regexp(t, `(?m)^ \+ +minimum: 2 `, s.Text())
		s.Do("compare-enter", "compare-down")
		require.Regexp(t, `>\+ +minimum: 2 `, s.Text())
		s.Do("compare-view")
		require.Equal(t, "minimum: 1 | minimum: 2", s.besides(t), "the cursor stays")
		s.Do("compare-view", "compare-next")
		require.Equal(t, "sleep", s.exchange(t))
		require.Regexp(t, `~ +at: <time>`, s.Text())
		s.Do("compare-reveal")
		require.Regexp(t, `~ +at: "2026-11-21.* -> "2026-11-22`, s.Text())
		s.Do("compare-enter", "compare-last")
		require.Equal(t, "gone", s.exchange(t))
		require.Contains(t, s.Text(), " B  not in B ")
		require.Regexp(t, `(?m)^>- {`, s.Text())
	},
	"compare-half": func(t *testing.T, s *stage) {
		s.Do("compare-next")
		require.Equal(t, "n: 1 | n: 2", s.besides(t))
		s.Do("compare-half")
		require.NotRegexp(t, `>- +n: 1`, s.Text(), "only the requests")
		s.Do("compare-half")
		require.Equal(t, "n: 1 | n: 2", s.besides(t))
	},
	"compare-unfold": func(t *testing.T, s *stage) {
		require.Contains(t, s.Text(), "required: [ 1 ]")
		s.Do("compare-unfold")
		require.NotContains(t, s.Text(), "required: [ 1 ]")
		require.Contains(t, s.Text(), "required: [ ")
		require.Equal(t, "minimum: 1 | minimum: 2", s.besides(t), "the cursor stays")
		s.Do("compare-unfold")
		require.Equal(t, "minimum: 1 | minimum: 2", s.besides(t))
	},
	"compare-only": func(t *testing.T, s *stage) {
		s.Do("compare-only")
		require.NotContains(t, s.Text(), "ping")
		require.Equal(t, "tools/list", s.exchange(t))
		s.Do("compare-only")
		require.Contains(t, s.Text(), "ping")
	},
	"compare-again": func(t *testing.T, s *stage) {
		s.Context().View.(*view).logs[1] = build(t, 2, gone) // the session has gone on
		s.Do("compare-again")
		require.Contains(t, s.Text(), "5 calls: 3 same, 2 differ")
	},
	"compare-close": func(t *testing.T, s *stage) {
		s.Do("compare-enter")
		require.Contains(t, s.Text(), "━━ [calls] ")
		s.Do("compare-close")
		require.Contains(t, s.Text(), "── [calls] ")
		s.Do("compare-next-list", "compare-close")
		require.Contains(t, s.Text(), "── [calls] values 3 · only types 1 · times +0 % ─")
		s.Do("compare-close")
		require.Nil(t, s.Context().View)
		s.Do(host.ActCompare)
		require.Contains(t, s.Text(), "> reopen the comparison of fake (local) and changed (local)")
	},
	"compare-quit": func(t *testing.T, s *stage) {
		s.Do("compare-enter", "compare-quit")
		require.Nil(t, s.Context().View)
	},
}

// TestCompareFrames shows a comparison at every size: the responses next to each
// other, one above the other, and its other lists.
func TestCompareFrames(t *testing.T) {
	s := newPair(t)
	var frames uitest.Sheet
	for _, size := range [][2]int{{200, 60}, {200, 50}, {120, 36}, {80, 24}, {60, 20}, {40, 10}} {
		s.Resize(size[0], size[1])
		frames.Add(fmt.Sprintf("%dx%d", size[0], size[1]), s.Text())
	}
	s.Resize(80, 24)
	s.Colours()
	for _, step := range []struct{ name, action string }{{"inside", "compare-enter"}, {"groups", "compare-next-list"}, {"masked", "compare-next-list"}} {
		s.Do(step.action)
		frames.Add(step.name, s.Frame())
	}
	s.Do("compare-previous-list", "compare-previous-list")
	s.Screen().Theme = paint.NewTheme(paint.Options{})
	frames.Add("nocolor", s.Frame())
	frames.Golden(t, "compare")
}

// TestCompareAtEverySize checks that frames stay exact, also with hostile text from a
// server.
func TestCompareAtEverySize(t *testing.T) {
	for _, text := range []string{`\u001b[2J\u001b[H`, `\u001b]0;title\u0007`} {
		sleeps := []string{rectest.Started, `> {"jsonrpc":"2.0","id":3,"method":"sleep"}`}
		s := newStage(t, rectest.Session(t, append(sleeps, `< {"jsonrpc":"2.0","id":3,"result":{"content":[]}}`)...), rectest.Session(t, append(sleeps, `< {"jsonrpc":"2.0","id":3,"result":{"漢字":"`+text+`"}}`)...))
		s.All[1].Title = "漢字 \x1b[2J\x1b[H"
		s.Do(host.ActCompare, "compare-with-pick")
		require.Contains(t, s.Text(), " 1 call: 1 differ ")
		for range listCount {
			s.EverySize()
			s.Do("compare-enter")
			s.EverySize()
			s.Do("compare-next-list")
		}
	}
}

// TestComparisonIsGivenUp checks that esc cancels a comparison, and that its result is
// not shown.
func TestComparisonIsGivenUp(t *testing.T) {
	log := &unreadableLog{Source: build(t, 1)}
	s := newStage(t, build(t, 1), log)
	cmd := s.state.Show(s.Context(), s.All[0], s.All[1], diff.Options{}, nil)
	require.Contains(t, s.Text(), "comparing ... 0 %   [compare-close] cancels")
	s.Do("compare-close")
	require.Nil(t, s.Context().View)
	s.Run(cmd)
	s.Do(host.ActCompare)
	require.NotContains(t, s.Text(), "reopen")
	s.Do("compare-with-close")

	log.fails = true
	s.Run(s.state.Show(s.Context(), s.All[0], s.All[1], diff.Options{}, nil))
	require.Contains(t, s.Text(), "x the second session: an entry can't be read")
}

// TestOpenPage: a difference in a later page of a list opens that page.
func TestOpenPage(t *testing.T) {
	list := func(last string) session.Source {
		return rectest.Session(t, rectest.Started, `> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
			`< {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"x"}],"nextCursor":"p"}}`,
			`> {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"p"}}`,
			`< {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"y","title":"`+last+`"}]}}`)
	}
	for _, side := range []string{"a", "b"} {
		s := newStage(t, list("Y"), list("Why"))
		s.Do(host.ActCompare, "compare-with-pick", "compare-first-difference", "compare-open-"+side)
		require.Equal(t, []int{4}, s.Selected, "the second page")
	}
}

// An unreadableLog is a log whose entries cannot be read if fails is set.
type unreadableLog struct {
	session.Source
	fails bool
}

func (l *unreadableLog) Entry(row session.Row, limit int) (session.Entry, error) {
	if l.fails {
		return session.Entry{}, errors.New("an entry can't be read")
	}
	return l.Source.Entry(row, limit)
}

// TestComparisonOfWhatIsClosed checks that a comparison reports a closed session, and
// opens nothing there.
func TestComparisonOfWhatIsClosed(t *testing.T) {
	s := newPair(t)
	s.All[1].Close()
	require.Contains(t, s.Text(), "B, changed (local), was closed")
	s.Do("compare-open-b")
	require.Contains(t, s.Said(), "was closed")
	s.Do("compare-quit", host.ActCompare)
	require.NotContains(t, s.Text(), "reopen")
}

// reports is a session with a call of the tool report, whose long text has a word at
// character 4,951; it says that it took a number of seconds.
func reports(t *testing.T, word string, seconds int) session.Source {
	text := strings.Repeat("abcde ", 825) + word + strings.Repeat(" fghij", 100)
	return build(t, 1, `> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"report","arguments":{"k":3333}}}`,
		fmt.Sprintf(`< {"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"%s"}],"port":%d}}`, text, seconds))
}

func TestLongTextsShowTheDifference(t *testing.T) {
	for width, want := range map[int][]string{
		160: {`>≠ report .* k=3333 .* content 0 text at character 4,951: \[old\] → \[new\]`, `>- +text: \.\.\.e abcde abcde abcde old fghij fghij.*>\+ +text: \.\.\.e abcde abcde abcde new fghij fghij`, `~ +port: 8080 .*~ +port: 9090`},
		80:  {`>≠ report .* k=3333 .* content 0 text at char`, `(?m)^>- +text: \.\.\.e abcde abcde abcde old fghij`, `(?m)^ \+ +text: \.\.\.e abcde abcde abcde new fghij`, `~ +port: 8080 -> 9090`},
	} {
		s := newStage(t, reports(t, "old", 8080), reports(t, "new", 9090))
		s.Resize(width, 36)
		s.Do(host.ActCompare, "compare-with-pick")
		for _, line := range want {
			require.Regexp(t, line, s.Text())
		}
		s.Do("compare-next-list")
		require.Regexp(t, ` 1 report k=3333 +content 0 text at char`, s.Text())
		s.Do("compare-next-list")
		require.Regexp(t, ` port +report +port: 8080 → 9090`, s.Text())
		s.Do("compare-next-list")
		require.Regexp(t, `(?m)^   tools/call .*\n     report +1 `, s.Text())
	}
}
