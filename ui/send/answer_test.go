package send

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/uitest"
)

// A answerRoom has the state of a session's server requests.
type answerRoom struct {
	*uitest.Room
	state *Requests
}

// A answerTest is a test of server requests of a session with a server.
type answerTest func(t *testing.T, r *answerRoom, x *uitest.Server)

// newAnswerRoom returns a room of a session or a recording.
func newAnswerRoom(h *uitest.Host) *answerRoom {
	s := NewRequests()
	r := &answerRoom{uitest.NewRoom(h, RequestActions(func(host.Context) *Requests { return s }), fieldActions()), s}
	if h.Context().Workspace.Session != nil {
		r.Settle = func() { s.Observe(r.Context()) }
		r.Settle()
	}
	return r
}

// inAnswerRoom runs a test with a server whose requests have the policies of the start.
func inAnswerRoom(t *testing.T, w, h int, serve func(*uitest.Process, uitest.Message), test answerTest) {
	t.Helper()
	x := &uitest.Server{Serve: serve}
	uitest.Live(t, x, w, h, func(t *testing.T, host *uitest.Host) { test(t, newAnswerRoom(host), x) })
}

// answeringAt runs a test with a server whose requests the user answers, in one of the
// eras.
func answeringAt(t *testing.T, w, h int, modern bool, serve func(*uitest.Process, uitest.Message), test answerTest) {
	t.Helper()
	x := &uitest.Server{Serve: serve, Modern: modern}
	synctest.Test(t, func(t *testing.T) {
		s := uitest.NewSession(t, x)
		uitest.Person(t, s)
		require.NoError(t, s.Open(t.Context()))
		synctest.Wait()
		test(t, newAnswerRoom(uitest.NewHost(t, uitest.LiveWorkspace(t, s), w, h)), x)
	})
}

// asked makes the server send a request with an id.
func (r *answerRoom) asked(x *uitest.Server, id int, method, params string) {
	r.T.Helper()
	if s := r.session(); s.Policies()[mcp.MethodElicit].Mode != session.PolicyAsk {
		uitest.Person(r.T, s)
	}
	x.Latest().Out(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
	r.Pull()
}

func (r *answerRoom) session() *session.Session { return r.Context().Workspace.Session }

// open makes the server send a request, and opens it.
func (r *answerRoom) open(x *uitest.Server, method, params string) *answerView {
	r.T.Helper()
	r.asked(x, 0, method, params)
	r.Do(host.ActAnswer)
	r.Frame()
	return r.answering()
}

// answering returns the focused server request.
func (r *answerRoom) answering() *answerView {
	r.T.Helper()
	v, ok := r.Context().View.(*answerView)
	require.True(r.T, ok, "a server request has the focus")
	return v
}

// writeJSON replaces the text in the JSON view of the focused server request.
func (r *answerRoom) writeJSON(text string) {
	r.T.Helper()
	require.Equal(r.T, ScopeAnswerJSON, r.answering().Scope())
	r.answering().json.SetValue("")
	r.Press(tea.PasteMsg{Content: text})
}

func answeredLine(id int, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, result)
}

// inBothViews returns tests of an action that both views of an answer have.
func inBothViews(id string, test func(t *testing.T, r *answerRoom, x *uitest.Server, id string)) map[string]answerTest {
	all := map[string]answerTest{}
	for _, prefix := range []string{"", "json-"} {
		all[prefix+id] = func(t *testing.T, r *answerRoom, x *uitest.Server) {
			r.open(x, mcp.MethodElicit, uitest.AskName)
			r.Write("Ada")
			if prefix != "" {
				r.Do("answer-view")
			}
			require.Equal(t, prefix != "", r.answering().Scope() == ScopeAnswerJSON)
			test(t, r, x, prefix+id)
		}
	}
	return all
}

// inAnswer returns a test of an action on the fields of a request for roots.
func inAnswer(test func(t *testing.T, r *answerRoom, k *answerView)) answerTest {
	return func(t *testing.T, r *answerRoom, x *uitest.Server) {
		k := r.open(x, mcp.MethodRoots, `{}`)
		require.NoError(t, k.Form().SetJSON([]byte(`{"roots":[{"uri":"file:///a"},{"uri":"file:///b","name":"b"}]}`)))
		r.Frame()
		test(t, r, k)
	}
}

// fieldAt returns a test that actions lead to a field.
func fieldAt(path string, actions ...string) answerTest {
	return inAnswer(func(t *testing.T, r *answerRoom, k *answerView) {
		r.Do(actions...)
		require.Equal(t, path, k.Form().Path())
	})
}

func answerValue(t *testing.T, k *answerView) string {
	t.Helper()
	raw, err := k.Form().JSON()
	require.NoError(t, err)
	return string(raw)
}

var answerTests = []map[string]answerTest{
	inBothViews("answer-send", func(t *testing.T, r *answerRoom, x *uitest.Server, _ string) {
		r.send()
		require.Equal(t, answeredLine(0, `{"action":"accept","content":{"name":"Ada","cups":2}}`), r.Last())
		require.Empty(t, r.Opened)
		require.Contains(t, r.Said(), "elicitation/create: answered")
	}),
	inBothViews("answer-decline", func(t *testing.T, r *answerRoom, x *uitest.Server, _ string) {
		r.Press(tea.KeyPressMsg{Code: 'x', Mod: tea.ModCtrl})
		require.Equal(t, answeredLine(0, `{"action":"decline"}`), r.Last())
	}),
	inBothViews("answer-cancel", func(t *testing.T, r *answerRoom, x *uitest.Server, _ string) {
		r.Press(tea.KeyPressMsg{Code: tea.KeyF7})
		require.Equal(t, answeredLine(0, `{"action":"cancel"}`), r.Last())
	}),
	inBothViews("answer-later", func(t *testing.T, r *answerRoom, x *uitest.Server, _ string) {
		r.Press(tea.KeyPressMsg{Code: tea.KeyEscape})
		require.Empty(t, r.Opened)
		require.Len(t, r.session().ServerRequests(), 1, "it is still pending")
		r.Do(host.ActAnswer)
		require.Contains(t, r.Text(), "Ada", "the typed text is kept")
	}),
	inBothViews("answer-view", func(t *testing.T, r *answerRoom, x *uitest.Server, id string) {
		r.Do(id)
		if r.answering().Scope() == ScopeAnswerJSON {
			require.Contains(t, r.Text(), `"name": "Ada"`)
			r.writeJSON(`{"action":"accept","content":{"name":"Eve","more":[1.0]}}`)
			r.Do("json-answer-view")
		} else {
			r.Do("answer-view")
		}
		if k := r.answering(); k.Scope() == ScopeAnswer {
			require.Equal(t, `{"name":"Eve","more":[1.0]}`, answerValue(t, k), "members unknown to the schema are kept")
			return
		}
		r.writeJSON(`{"action":"other"}`)
		r.Do("json-answer-view")
		require.Equal(t, ScopeAnswerJSON, r.answering().Scope())
		require.Contains(t, r.Said(), "this response can only be edited as JSON")
		r.send()
		require.Equal(t, answeredLine(0, `{"action":"other"}`), r.Last(), "any answer can be sent")
	}),
	inBothViews("answer-editor", func(t *testing.T, r *answerRoom, x *uitest.Server, id string) {
		t.Setenv("EDITOR", "sed -i s/Ada/Grace/")
		r.Do(id)
		r.RunProgram()
		r.send()
		require.Equal(t, answeredLine(0, `{"action":"accept","content":{"name":"Grace","cups":2}}`), r.Last())
	}),
	inBothViews("answer-always", func(t *testing.T, r *answerRoom, x *uitest.Server, id string) {
		r.Do(id)
		want := `{"action":"accept","content":{"name":"Ada","cups":2}}`
		require.Equal(t, answeredLine(0, want), r.Last())
		x.Latest().Out(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":%s}`, uitest.AskName)
		require.Equal(t, answeredLine(1, want), r.Last())
		require.Empty(t, r.session().ServerRequests())
	}),
	inBothViews("answer-call", func(t *testing.T, r *answerRoom, x *uitest.Server, id string) {
		r.Do(id)
		require.Contains(t, r.Said(), "the server does not name a parent call")
	}),
	inBothViews("answer-other", func(t *testing.T, r *answerRoom, x *uitest.Server, id string) {
		r.Do(id)
		require.Contains(t, r.Said(), "x next request: there is no other pending request")
		r.asked(x, 1, mcp.MethodRoots, `{}`)
		require.Contains(t, r.Text(), "1 of 2  waiting 0 s")
		r.Do(id)
		require.Contains(t, r.Text(), "asks for roots (folders)")
		r.Do("answer-other")
		require.Contains(t, r.Text(), "Ada", "the typed text is kept")
	}),
	inBothViews("answer-copy", func(t *testing.T, r *answerRoom, x *uitest.Server, id string) {
		r.Do(id)
		require.Contains(t, r.Said(), "x copy URL: the request has no URL")
		r.Do("answer-later")
		r.asked(x, 1, mcp.MethodElicit, uitest.AskPage)
		r.Do(host.ActAnswer, "answer-other")
		if id != "answer-copy" {
			r.Do("answer-view")
		}
		r.Do(id)
		require.Equal(t, "https://user@example.com:8443/confirm?request=1", r.Clip)
	}),
	inBothViews("answer-words-down", func(t *testing.T, r *answerRoom, x *uitest.Server, id string) {
		r.Do(id)
		require.Contains(t, r.Said(), "x scroll: the whole text is visible")
		r.longQuestion(x)
		r.Do("answer-words-down")
		require.Contains(t, r.Text(), "line 29 ")
	}),
	inBothViews("answer-words-up", func(t *testing.T, r *answerRoom, x *uitest.Server, _ string) {
		r.longQuestion(x)
		r.Do("answer-words-down", "answer-words-up")
		require.Contains(t, r.Text(), "line 0")
	}),
	{
		host.ActAnswer: func(t *testing.T, r *answerRoom, x *uitest.Server) {
			r.Do(host.ActAnswer)
			require.Contains(t, r.Said(), "x answer: nothing waits")
			r.asked(x, 0, mcp.MethodElicit, uitest.AskName)
			require.Empty(t, r.Opened, "it does not open by itself")
			require.Contains(t, answerNow(r.Context()), "answer the server")
			r.Do(host.ActAnswer)
			require.Equal(t, r.Row(`"method":"elicitation/create"`), r.Selected[len(r.Selected)-1], "its row is selected")
			require.Contains(t, r.Text(), "asks you")
			require.Contains(t, r.Text(), "It stays here.")
			time.Sleep(12 * time.Second)
			r.Pull()
			require.Contains(t, r.Text(), "waiting 12 s")

			r.send()
			require.Contains(t, r.Said(), "x not sent, ctrl+s again to send anyway: /name: is required")
			r.send()
			require.Equal(t, answeredLine(0, `{"action":"accept","content":{"cups":2}}`), r.Last(), "invalid answers can be sent to test a server")
		},
		"answer-next": fieldAt("/roots/0", "answer-next"),
		"answer-forward": inAnswer(func(t *testing.T, r *answerRoom, k *answerView) {
			r.Do("answer-forward")
			require.Equal(t, "/roots/0", k.Form().Path())
			for !k.Form().AtEnd() {
				r.Do("answer-forward")
			}
			r.Do("answer-forward")
			require.NotContains(t, r.Last(), `"roots"`)
			require.Nil(t, k.Form(), "a button has the focus")
			r.Do("answer-forward")
			require.Contains(t, r.Last(), `"roots"`, "enter on the button sends")
		}),
		"answer-previous":  fieldAt("/roots", "answer-next", "answer-previous"),
		"answer-complete":  fieldAt("/roots/0/uri", "answer-complete", "answer-complete"),
		"answer-page-down": fieldAt("/roots/1/name", "answer-page-down"),
		"answer-page-up":   fieldAt("/roots", "answer-page-down", "answer-page-up"),
		"answer-add": inAnswer(func(t *testing.T, r *answerRoom, k *answerView) {
			r.Do("answer-add")
			require.Equal(t, `{"roots":[{"uri":"file:///a"},{"uri":"file:///b","name":"b"},{}]}`, answerValue(t, k))
		}),
		"answer-remove": inAnswer(func(t *testing.T, r *answerRoom, k *answerView) {
			r.Do("answer-remove")
			require.Contains(t, r.Said(), "x remove item: the field is part of the schema")
			r.Do("answer-next", "answer-remove")
			require.Equal(t, `{"roots":[{"uri":"file:///b","name":"b"}]}`, answerValue(t, k))
		}),
		"answer-leave-out": inAnswer(func(t *testing.T, r *answerRoom, k *answerView) {
			k.Form().Select("/roots/1/name")
			r.Do("answer-leave-out")
			require.Equal(t, `{"roots":[{"uri":"file:///a"},{"uri":"file:///b"}]}`, answerValue(t, k))
		}),
		"answer-null": inAnswer(func(t *testing.T, r *answerRoom, k *answerView) {
			k.Form().Select("/roots/1/name")
			r.Do("answer-null")
			require.Equal(t, `{"roots":[{"uri":"file:///a"},{"uri":"file:///b","name":null}]}`, answerValue(t, k))
		}),
	},
}

func TestRequestActions(t *testing.T) {
	tests := policyTests
	for _, more := range answerTests {
		maps.Copy(tests, more)
	}
	uitest.TestActions(t, RequestActions(nil), tests, func(t *testing.T, test answerTest) {
		inAnswerRoom(t, 160, 36, uitest.OffersAndEchoes, test)
	})
}

// longQuestion opens a request with more text than fits.
func (r *answerRoom) longQuestion(x *uitest.Server) {
	r.T.Helper()
	text := ""
	for i := range 60 {
		text += fmt.Sprintf("line %d\n", i)
	}
	message, err := json.Marshal(text)
	require.NoError(r.T, err)
	r.Do("answer-later")
	r.asked(x, 7, mcp.MethodElicit, fmt.Sprintf(`{"message":%s,"requestedSchema":{"type":"object"}}`, message))
	r.Do(host.ActAnswer, "answer-other")
	r.Frame()
}

// call sends a call concurrently.
func (r *answerRoom) call() <-chan session.Response {
	r.T.Helper()
	done := make(chan session.Response, 1)
	go func() {
		resp, err := r.session().Request(r.T.Context(), mcp.MethodToolsCall, json.RawMessage(`{"name":"plan"}`), session.CallOptions{Timeout: time.Hour})
		if err != nil {
			r.T.Error(err)
		}
		done <- resp
	}()
	r.Pull()
	return done
}

func TestServerQuestionFrames(t *testing.T) {
	for name, q := range uitest.Questions {
		for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}} {
			answeringAt(t, size[0], size[1], false, nil, func(t *testing.T, r *answerRoom, x *uitest.Server) {
				if size[0] != 60 {
					r.Colours()
				}
				require.NoError(t, r.session().SetPolicy("tasks/get", session.Policy{Mode: session.PolicyAsk}))
				r.open(x, q[0], q[1])
				time.Sleep(5 * time.Second)
				r.Pull()
				frame := r.Frame()
				uitest.RequireExact(t, frame, size[0], size[1])
				uitest.Golden(t, fmt.Sprintf("answer-%s-%dx%d", name, size[0], size[1]), frame)
			})
		}
		params := strings.Replace(q[1], `,"elicitationId":"c-1"`, "", 1) // the modern era has none
		answeringAt(t, 80, 24, true, uitest.InRounds(fmt.Sprintf(`"a":{"method":%q,"params":%s},"b":{"method":"roots/list"}`, q[0], params)), func(t *testing.T, r *answerRoom, _ *uitest.Server) {
			require.NoError(t, r.session().SetPolicy("tasks/get", session.Policy{Mode: session.PolicyAsk}))
			done := r.call()
			r.Do(host.ActAnswer)
			uitest.Golden(t, "answer-"+name+"-modern", r.Frame())
			for len(r.Opened) > 0 {
				r.send()
				if len(r.Opened) > 0 {
					r.send() // in spite of problems
				}
			}
			require.Contains(t, string((<-done).Result), `"complete"`)
		})
	}
}

// prefixed returns the name of an action in the view of the focused request.
func (r *answerRoom) prefixed(id string) string {
	if r.answering().Scope() == ScopeAnswerJSON {
		return inJSON + id
	}
	return id
}

// send accepts the response, in either view.
func (r *answerRoom) send() { r.Do(r.prefixed("answer-send")) }

// TestHostileQuestions checks that frames stay exact at every size, whatever a
// server sends in a request.
func TestHostileQuestions(t *testing.T) {
	t.Parallel()
	quoted := func(text string) string {
		b, err := json.Marshal(text)
		require.NoError(t, err)
		return string(b)
	}
	sizes := [][][2]int{{{120, 36}, {39, 9}}, {{80, 24}, {60, 20}, {39, 9}}} // alternating
	for turn, text := range uitest.Hostile {
		q := quoted(text)
		long := quoted(text + " " + text + text + "\n" + text)
		for method, params := range map[string][]string{
			mcp.MethodElicit: {
				`{"message":` + long + `,"requestedSchema":{"type":"object","properties":{` + q + `:{"type":"string","title":` + q + `,"description":` + long + `,"default":` + q + `}}}}`,
				`{"mode":"url","message":` + q + `,"url":` + quoted("https://"+text+"@"+text+".example/"+text+text) + `}`,
				`{"mode":` + q + `,"message":1}`, `{"mode":` + q + `}`, `{"message":7}`, q,
			},
			mcp.MethodSample: {`{"messages":[{"role":` + q + `,"content":{"type":"text","text":` + long + `}},{"role":"user","content":{"type":` + q + `,"x":` + q + `}}],"systemPrompt":` + q + `,"modelPreferences":{"hints":[{"name":` + q + `}]},"tools":[{"name":` + q + `}],"stopSequences":[` + q + `],"toolChoice":` + q + `,"maxTokens":1}`, `[]`},
			mcp.MethodRoots:  {`{"x":` + q + `}`},
			"other/" + text:  {`{` + q + `:[` + long + `]}`},
		} {
			for _, params := range params {
				x := &uitest.Server{}
				uitest.Live(t, x, 120, 36, func(t *testing.T, h *uitest.Host) {
					r := newAnswerRoom(h)
					h.Context().Workspace.Title = text
					uitest.Person(t, r.session())
					require.NoError(t, r.session().SetPolicy(method, session.Policy{Mode: session.PolicyAsk}))
					x.Latest().Out(`{"jsonrpc":"2.0","id":0,"method":%s,"params":%s}`, quoted(method), params)
					r.Pull()
					if len(r.session().ServerRequests()) == 0 {
						return // not a message
					}
					r.Do(host.ActAnswer)
					for range 2 {
						for _, size := range sizes[turn%2] {
							r.Resize(size[0], size[1])
							uitest.RequireExact(t, r.Frame(), size[0], size[1])
						}
						r.Do(r.prefixed("answer-view"))
					}
					r.Do(r.prefixed("answer-later"), "policies")
					uitest.RequireExact(t, r.Frame(), r.Screen().Width, r.Screen().Height)
				})
			}
		}
	}
}

// TestQuestionsAtEverySize checks that open requests stay exact while the screen
// changes its size.
func TestQuestionsAtEverySize(t *testing.T) {
	t.Parallel()
	for name, q := range uitest.Questions {
		answeringAt(t, 120, 36, false, nil, func(t *testing.T, r *answerRoom, x *uitest.Server) {
			require.NoError(t, r.session().SetPolicy("tasks/get", session.Policy{Mode: session.PolicyAsk}))
			r.open(x, q[0], q[1])
			if name == "roots" {
				r.Do("policies")
			}
			for w := 0; w < 130; w += 7 {
				for h := 1; h < 50; h += 4 {
					r.Resize(w, h)
					uitest.RequireExact(t, r.Frame(), w, h)
				}
			}
		})
	}
}

// TestWheelInQuestion checks that the wheel scrolls the server's text, or the
// fields if the whole text is visible.
func TestWheelInQuestion(t *testing.T) {
	answeringAt(t, 120, 36, false, nil, func(t *testing.T, r *answerRoom, x *uitest.Server) {
		r.open(x, mcp.MethodElicit, uitest.AskName)
		before := r.Frame()
		r.answering().Scroll(3)
		require.Equal(t, before, r.Frame(), "nothing to scroll")
		r.longQuestion(x)
		r.answering().Scroll(3)
		require.Contains(t, r.Text(), "lines 4-32 of 60")
	})
}

// TestButtons checks that keys and clicks reach the buttons, which follow the last field.
func TestButtons(t *testing.T) {
	for action, pressed := range map[string]func(r *answerRoom){
		"decline": func(r *answerRoom) {
			k := r.answering()
			r.Do("answer-next", "answer-next")
			r.Do("answer-complete")
			require.Zero(t, k.button)
			r.Do("answer-forward")
			require.Contains(t, r.Said(), "not sent")
			require.Equal(t, "/name", k.Form().Path(), "what is wrong has the focus")
			r.Do("answer-next", "answer-next", "answer-next", "answer-next", "answer-next", "answer-next")
			require.Equal(t, 3, k.button, "the last one")
			r.Press(tea.KeyPressMsg{Code: tea.KeyLeft})
			r.Do("answer-previous")
			require.Equal(t, 1, k.button)
			require.Contains(t, r.Frame(), "[ Decline ]")
			r.Press(tea.KeyPressMsg{Code: 'x', Text: "x"})
			r.Do("answer-forward")
		},
		"cancel": func(r *answerRoom) {
			k := r.answering()
			for range 5 {
				r.Do("answer-next")
			}
			for range 5 {
				r.Do("answer-previous")
			}
			require.Equal(t, "/name", k.Form().Path(), "back to the fields")
			r.Frame()
			in := k.block.Place()
			_, hit := k.Press(r.Context(), in.X+2, in.Y+k.response.from+1)
			require.True(t, hit)
			require.Equal(t, "/cups", k.Form().Path())
			_, hit = k.Press(r.Context(), in.X+12, in.Y+k.foot)
			require.False(t, hit, "between two buttons")
			cmd, hit := k.Press(r.Context(), in.X+27, in.Y+k.foot)
			require.True(t, hit)
			r.Run(cmd)
		},
	} {
		answeringAt(t, 120, 36, false, nil, func(t *testing.T, r *answerRoom, x *uitest.Server) {
			r.open(x, mcp.MethodElicit, uitest.AskName)
			pressed(r)
			require.Equal(t, answeredLine(0, `{"action":"`+action+`"}`), r.Last())
		})
	}
}

// TestAnswerProblems checks that problems in the JSON view have a position.
func TestAnswerProblems(t *testing.T) {
	answeringAt(t, 120, 36, false, nil, func(t *testing.T, r *answerRoom, x *uitest.Server) {
		r.open(x, mcp.MethodElicit, uitest.AskName)
		r.Do("answer-view")
		for text, want := range map[string]string{
			"{\"action\":\"accept\",\n\"content\":{\"name\":\"A\"}}": "x 2:19: /content/name: ",
			`{"action":"decline"}`: " valid",
			`{"error":{"code":1}}`: "this is an error response",
			`{"action"`:            "x a response must be a JSON object",
		} {
			r.writeJSON(text)
			require.Contains(t, r.Text(), want)
		}
	})
}
