package traffic

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

// composes sends a call of a tool as the form does, and shows it before any answer.
func (s *stage) composes(tool string) {
	s.t.Helper()
	s.Begin(host.SendComposed(s.Context(), tool, "tools/call", []byte(`{"name":"`+tool+`"}`), 0))
	synctest.Wait()
	s.grown()
}

// notes makes the server send notifications of two methods in turn, which do not fold.
func (s *stage) notes(x *uitest.Server, n int) {
	for i := range n {
		x.Latest().Out(`{"jsonrpc":"2.0","method":"notifications/%d"}`, i%2)
	}
	synctest.Wait()
	s.grown()
}

// selected returns the line of the selected row.
func (s *stage) selected() string {
	s.t.Helper()
	for line := range strings.Lines(s.Text()) {
		if strings.HasPrefix(line, ">") {
			return strings.TrimRight(line, " \n")
		}
	}
	s.t.Fatalf("no row is selected\n%s", s.Text())
	return ""
}

// TestSentIsSelected checks that a message that the user sends is selected at once, in
// each view, while new rows are followed and while they are not, and that its answer
// moves nothing.
func TestSentIsSelected(t *testing.T) {
	for view, want := range map[View]string{Exchanges: `^>… +0:00\.00  plan `, Wire: `^>… +- +0:00\.00 → tools/call +3 +plan`, All: `^>… +- +0:00\.00 → tools/call +3 +plan`} {
		for _, following := range []bool{true, false} {
			x := &uitest.Server{}
			live(t, x, view, func(t *testing.T, s *stage) {
				s.notes(x, 10)
				if !following {
					s.act(kit.Up, kit.Up)
				}
				s.composes("plan")
				require.Regexp(t, want, s.selected())
				require.False(t, s.traffic.Following())
				at, before := s.cursor(), len(s.Selected)
				x.Latest().Out(`{"jsonrpc":"2.0","id":"mcpdbg-3","result":{"content":[]}}`)
				s.arrive()
				require.Equal(t, at, s.cursor())
				require.Len(t, s.Selected, before)
				require.NotContains(t, s.selected(), "…")
			})
		}
	}
}

// TestLastOfSeveralSent checks that of several messages the last is selected.
func TestLastOfSeveralSent(t *testing.T) {
	live(t, &uitest.Server{}, Exchanges, func(t *testing.T, s *stage) {
		for _, tool := range []string{"one", "two"} {
			s.Begin(host.SendComposed(s.Context(), tool, "tools/call", []byte(`{"name":"`+tool+`"}`), 0))
			synctest.Wait()
		}
		s.grown()
		require.Regexp(t, `>… +0:00\.00  two `, s.selected())
		s.send(`{"jsonrpc":"2.0","id":9,"method":"three"}`)
		require.Regexp(t, `>… +0:00\.00  two `, s.selected(), "that was not sent from the screen")
	})
}

// TestSentInView checks that the newest rows stay in view after a message is sent until
// its row is the first one, that it stays selected there, and that a move ends that.
func TestSentInView(t *testing.T) {
	for _, view := range []View{Exchanges, Wire} {
		x := &uitest.Server{}
		live(t, x, view, func(t *testing.T, s *stage) {
			s.notes(x, 100)
			s.composes("plan")
			at := s.cursor()
			newest := func() bool {
				row, ok := s.traffic.RowAt(s.traffic.running.height - 1)
				return ok && row == s.ws.Shown.Index.Scanned-1
			}
			s.notes(x, 5)
			s.Text()
			require.Equal(t, at, s.cursor())
			require.True(t, newest(), "there is room for both")
			s.notes(x, 10_000)
			s.Text()
			require.Equal(t, at, s.cursor())
			require.False(t, newest())
			require.Regexp(t, `^>… `, s.line(3), "the first row")
			_, right := s.traffic.Titles()
			require.Regexp(t, `^9,97\d new below`, right)
			for _, size := range [][2]int{{80, 24}, {200, 60}, {60, 20}} {
				s.Resize(size[0], size[1])
				require.Equal(t, at, s.cursor())
				require.Regexp(t, `^>… `, s.selected())
			}
		})

		live(t, x, view, func(t *testing.T, s *stage) {
			s.notes(x, 100)
			s.composes("plan")
			s.act(kit.Up)
			at, first := s.cursor(), s.line(3)
			s.notes(x, 100)
			require.Equal(t, at, s.cursor())
			require.Equal(t, first, s.line(3), "after a move nothing scrolls")
		})
	}
}

// TestSentDespiteFilter checks that a message that the filter hides is listed until the
// filter changes, also when the scan reaches it, and that it counts as one that passes once
// it does.
func TestSentDespiteFilter(t *testing.T) {
	for _, view := range []View{Exchanges, Wire} {
		x := &uitest.Server{}
		live(t, x, view, func(t *testing.T, s *stage) {
			counts := func() string {
				left, _ := s.traffic.Titles()
				return strings.TrimPrefix(left, s.traffic.Name()+" ")
			}
			s.notes(x, 10)
			s.Run(s.traffic.SetFilter(parsed(t, "method:notifications/1")))
			require.Regexp(t, `^5 of \d+ rows$`, counts())
			s.composes("plan")
			require.Contains(t, s.selected(), "plan")
			require.Regexp(t, `^5 of \d+ rows \+ 1 sent$`, counts())
			s.notes(x, 4) // the scan has gone past it
			require.Contains(t, s.selected(), "plan")
			require.Regexp(t, `^7 of \d+ rows \+ 1 sent$`, counts())
			s.composes("other")
			require.Contains(t, s.selected(), "other")
			require.Contains(t, s.table(), "plan")
			require.Regexp(t, `^7 of \d+ rows \+ 2 sent$`, counts())
			all := s.traffic.Listed().All()
			require.IsIncreasing(t, all)

			s.Run(s.traffic.SetFilter(parsed(t, "method:notifications/0")))
			require.Regexp(t, `^7 of \d+ rows$`, counts())
			require.NotContains(t, s.table(), "plan")
		})

		live(t, x, view, func(t *testing.T, s *stage) {
			for n, text := range []string{"is:failed", "kind:response", "method:notifications/progress"} {
				titled := func(want string) {
					t.Helper()
					left, _ := s.traffic.Titles()
					require.Regexp(t, want, left, text)
				}
				s.Run(s.traffic.SetFilter(parsed(t, text)))
				var passes int
				left, _ := s.traffic.Titles()
				_, err := fmt.Sscanf(strings.TrimPrefix(left, s.traffic.Name()), " %d of", &passes)
				require.NoError(t, err)
				s.composes("plan")
				row := s.cursor()
				titled(fmt.Sprintf(` %d of \d+ rows \+ 1 sent$`, passes))
				x.Latest().Out(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mcpdbg-%d","progress":1}}`, 3+n)
				x.Latest().Out(`{"jsonrpc":"2.0","id":"mcpdbg-%d","error":{"code":1,"message":"no"}}`, 3+n)
				s.arrive()
				require.Equal(t, row, s.cursor())
				require.Contains(t, s.table(), "plan")
				if view == Exchanges && n < 2 {
					titled(fmt.Sprintf(` %d of \d+ rows$`, passes+1)) // the answer decides about the call
				} else {
					titled(fmt.Sprintf(` %d of \d+ rows \+ 1 sent$`, passes+1)) // another message passes
				}
			}
		})

		live(t, x, view, func(t *testing.T, s *stage) {
			s.Run(s.traffic.SetFilter(parsed(t, "tool:plan")))
			s.composes("plan")
			left, _ := s.traffic.Titles()
			require.Regexp(t, ` 1 of \d+ rows$`, left, "it passes anyway")
			require.Equal(t, 1, s.traffic.Len())
		})
	}
}

// TestAnswerOfPersonIsSelected checks that the answer of the user to a request of the
// server is selected, while that of a rule is not.
func TestAnswerOfPersonIsSelected(t *testing.T) {
	for _, view := range []View{Exchanges, Wire} {
		x := &uitest.Server{}
		live(t, x, view, func(t *testing.T, s *stage) {
			require.NoError(t, s.ws.Session.SetPolicy(mcp.MethodElicit, session.Policy{Mode: session.PolicyAsk}))
			x.Latest().Out(`{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":{"message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}}`)
			s.notes(x, 10)
			x.Latest().Out(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
			s.arrive()
			require.True(t, s.traffic.Following(), "neither a question nor the answer of a rule is selected")
			s.ws.PullRequests()
			require.NoError(t, s.ws.Session.Answer(s.ws.Waiting[0].ID, []byte(`{"action":"decline"}`)))
			synctest.Wait()
			s.notes(x, 10)
			require.False(t, s.traffic.Following())
			want := s.Row(`"action":"decline"`)
			if view == Exchanges {
				want = s.Row(`"method":"elicitation/create"`)
			}
			require.Equal(t, want, s.cursor())
		})
	}
}

// TestCrashSelectsTheLostCall checks that the end of a process selects the last call that
// lost its answer while the rows are followed; a selection of the user is kept.
func TestCrashSelectsTheLostCall(t *testing.T) {
	for _, view := range []View{Exchanges, Wire} {
		for name, moves := range map[string][]string{"following": nil, "standing": {kit.Top}} {
			t.Run(name, func(t *testing.T) {
				x := &uitest.Server{}
				live(t, x, view, func(t *testing.T, s *stage) {
					s.send(`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"first"}}`)
					s.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"crash"}}`)
					s.notes(x, 10)
					s.act(moves...)
					at := s.cursor()
					if moves == nil {
						require.True(t, s.traffic.Following())
						at = s.Row(`"crash"`)
					}
					x.Latest().Exit(executor.Exit{Kind: executor.ExitCode, Code: 3})
					synctest.Wait()
					s.grown()
					require.Equal(t, at, s.cursor())
					require.False(t, s.traffic.Following())
					time.Sleep(time.Second)
					s.act(kit.Bottom)
					s.grown()
					require.True(t, s.traffic.Following(), "only once")
				})
			})
		}
	}
	x := &uitest.Server{}
	live(t, x, Exchanges, func(t *testing.T, s *stage) {
		x.Latest().Exit(executor.Exit{Kind: executor.ExitCode, Code: 3})
		synctest.Wait()
		s.grown()
		require.True(t, s.traffic.Following(), "no call was lost")
	})
}

// TestAdjacentBursts checks that each of two adjacent bursts has its own fold.
func TestAdjacentBursts(t *testing.T) {
	x := &uitest.Server{}
	live(t, x, Exchanges, func(t *testing.T, s *stage) {
		for i := range 14 {
			x.Latest().Out(`{"jsonrpc":"2.0","method":"notifications/%c"}`, "ab"[i/7])
		}
		synctest.Wait()
		s.grown()
		s.act(kit.Bottom)
		s.Do("unfold")
		s.act(kit.Top, kit.Down)
		s.Do("unfold")
		require.Regexp(t, `(?m)^. -  \S+  ← a`, s.Text())
		require.Regexp(t, `(?m)^. -  \S+  ← b`, s.Text(), "the first row of the second one")
		s.act(kit.Bottom, kit.Up)
		s.Do("fold-flood")
		require.Regexp(t, `(?m)^> \+  \S+  ← b +×7`, s.Text())
		require.Regexp(t, `(?m)^. -  \S+  ← a`, s.Text())
	})
}
