package ui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcpdbg/ui/uitest"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/fields"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/requests"
)

const (
	askName = `{"mode":"form","message":"Who are you?\nIt stays here.","requestedSchema":{"type":"object","required":["name"],"properties":{` +
		`"name":{"type":"string","title":"Name","minLength":2},"cups":{"type":"integer","default":2},"colour":{"type":"string","enum":["red","green"]}}}}`
	askPage  = `{"mode":"url","message":"Confirm there, please","url":"https://user@example.com:8443/confirm?request=1","elicitationId":"c-1"}`
	askModel = `{"messages":[{"role":"user","content":{"type":"text","text":"Write a haiku about pipes."}},{"role":"assistant","content":[{"type":"text","text":"No."},{"type":"image","data":"AAAA","mimeType":"image/png"}]}],` +
		`"systemPrompt":"You are terse.","modelPreferences":{"hints":[{"name":"small"}],"speedPriority":0.8},"maxTokens":100,"stopSequences":["END"],"tools":[{"name":"look","description":"Looks.","inputSchema":{"type":"object"}}]}`
)

// person sets the policies so that the user answers all server requests.
func person(t testing.TB, s *session.Session) {
	t.Helper()
	for _, method := range []string{mcp.MethodElicit, mcp.MethodSample, mcp.MethodRoots} {
		require.NoError(t, s.SetPolicy(method, session.Policy{Mode: session.PolicyAsk}))
	}
}

// asked makes the server send a request with an id.
func (d *driver) asked(x *fakeExecutor, id int, method, params string) {
	d.t.Helper()
	if d.visible.ws.Session.Policies()[mcp.MethodElicit].Mode != session.PolicyAsk {
		person(d.t, d.visible.ws.Session)
	}
	x.latest().out(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
	synctest.Wait()
	d.pull()
}

// opened makes the server send a request, and opens it.
func (d *driver) opened(x *fakeExecutor, method, params string) fields.Filling {
	d.t.Helper()
	d.asked(x, 0, method, params)
	d.do(host.ActAnswer)
	d.content()
	return d.answering()
}

// answering returns the focused server request.
func (d *driver) answering() fields.Filling {
	d.t.Helper()
	k, ok := d.front.top().(fields.Filling)
	require.True(d.t, ok, "a server request has the focus")
	return k
}

// writeJSON replaces the text in the JSON view of the focused server request.
func (d *driver) writeJSON(text string) {
	d.t.Helper()
	require.Equal(d.t, requests.ScopeJSON, d.answering().Scope())
	d.take(tea.KeyPressMsg{Code: tea.KeyHome, Mod: tea.ModCtrl})
	for range 50 { // lines
		d.take(tea.KeyPressMsg{Code: 'k', Mod: tea.ModCtrl})
		d.take(tea.KeyPressMsg{Code: tea.KeyDelete})
	}
	d.take(tea.PasteMsg{Content: text})
}

// last returns the last message sent to the server.
func (d *driver) last() string {
	d.t.Helper()
	synctest.Wait()
	d.pull()
	var row [1]session.Row
	for i := d.visible.ws.Shown.Source.Len() - 1; i >= 0; i-- {
		if d.visible.ws.Shown.Source.Rows(i, row[:]) == 1 && row[0].Kind == session.KindStdin {
			e, err := d.visible.ws.Shown.Source.Entry(row[0], 0)
			require.NoError(d.t, err)
			return string(e.Payload)
		}
	}
	return ""
}

func answered(id int, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, result)
}

// both returns tests of an action that both views of an answer have.
func both(id string, test func(t *testing.T, d *driver, x *fakeExecutor, id string)) map[string]actionTest {
	all := map[string]actionTest{}
	for _, prefix := range []string{"", "json-"} {
		all[prefix+id] = func(t *testing.T, d *driver, x *fakeExecutor) {
			d.opened(x, mcp.MethodElicit, askName)
			d.write("Ada")
			if prefix != "" {
				d.do("answer-view")
			}
			require.Equal(t, prefix != "", d.answering().Scope() == requests.ScopeJSON)
			test(t, d, x, prefix+id)
		}
	}
	return all
}

// inAnswer returns a test of an action on the fields of a request for roots.
func inAnswer(test func(t *testing.T, d *driver, k fields.Filling)) actionTest {
	return func(t *testing.T, d *driver, x *fakeExecutor) {
		k := d.opened(x, mcp.MethodRoots, `{}`)
		require.NoError(t, k.Form().SetJSON([]byte(`{"roots":[{"uri":"file:///a"},{"uri":"file:///b","name":"b"}]}`)))
		d.content()
		test(t, d, k)
	}
}

// fieldAt returns a test that actions lead to a field.
func fieldAt(path string, actions ...string) actionTest {
	return inAnswer(func(t *testing.T, d *driver, k fields.Filling) {
		d.do(actions...)
		require.Equal(t, path, k.Form().Path())
	})
}

func value(t *testing.T, k fields.Filling) string {
	t.Helper()
	raw, err := k.Form().JSON()
	require.NoError(t, err)
	return string(raw)
}

var answerTests = merged(
	both("answer-send", func(t *testing.T, d *driver, _ *fakeExecutor, _ string) {
		d.take(ctrlS)
		require.Equal(t, answered(0, `{"action":"accept","content":{"name":"Ada","cups":2}}`), d.last())
		require.Nil(t, d.front.top())
		require.Contains(t, d.rows()[35], "elicitation/create: answered")
	}),
	both("answer-decline", func(t *testing.T, d *driver, _ *fakeExecutor, _ string) {
		d.take(tea.KeyPressMsg{Code: 'd', Mod: tea.ModCtrl})
		require.Equal(t, answered(0, `{"action":"decline"}`), d.last())
	}),
	both("answer-cancel", func(t *testing.T, d *driver, _ *fakeExecutor, _ string) {
		d.take(tea.KeyPressMsg{Code: tea.KeyF7})
		require.Equal(t, answered(0, `{"action":"cancel"}`), d.last())
	}),
	both("answer-later", func(t *testing.T, d *driver, _ *fakeExecutor, _ string) {
		d.take(formKey(tea.KeyEscape))
		require.Nil(t, d.front.top())
		require.Len(t, d.visible.ws.Session.ServerRequests(), 1, "it is still pending")
		d.do(host.ActAnswer)
		require.Contains(t, d.plain(), "Ada", "the typed text is kept")
	}),
	both("answer-view", func(t *testing.T, d *driver, _ *fakeExecutor, id string) {
		d.do(id)
		if d.answering().Scope() == requests.ScopeJSON {
			require.Contains(t, d.plain(), `"name": "Ada"`)
			d.writeJSON(`{"action":"accept","content":{"name":"Eve","more":[1.0]}}`)
			d.do("json-answer-view")
		} else {
			d.do("answer-view")
		}
		if k := d.answering(); k.Scope() == requests.ScopeForm {
			require.Equal(t, `{"name":"Eve","more":[1.0]}`, value(t, k), "members unknown to the schema are kept")
			return
		}
		d.writeJSON(`{"action":"other"}`)
		d.do("json-answer-view")
		require.Equal(t, requests.ScopeJSON, d.answering().Scope())
		require.Contains(t, d.rows()[35], "this response can only be edited as JSON")
		d.take(ctrlS)
		require.Equal(t, answered(0, `{"action":"other"}`), d.last(), "any answer can be sent")
	}),
	both("answer-editor", func(t *testing.T, d *driver, _ *fakeExecutor, id string) {
		t.Setenv("EDITOR", "sed -i s/Ada/Grace/")
		d.do(id)
		d.take(ctrlS)
		require.Equal(t, answered(0, `{"action":"accept","content":{"name":"Grace","cups":2}}`), d.last())
	}),
	both("answer-always", func(t *testing.T, d *driver, x *fakeExecutor, id string) {
		d.do(id)
		want := `{"action":"accept","content":{"name":"Ada","cups":2}}`
		require.Equal(t, answered(0, want), d.last())
		x.latest().out(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":%s}`, askName)
		require.Equal(t, answered(1, want), d.last())
		require.Empty(t, d.visible.ws.Session.ServerRequests())
	}),
	both("answer-call", func(t *testing.T, d *driver, _ *fakeExecutor, id string) {
		d.do(id)
		require.Contains(t, d.rows()[35], "the server does not name a parent call")
	}),
	both("answer-other", func(t *testing.T, d *driver, x *fakeExecutor, id string) {
		d.do(id)
		require.Contains(t, d.rows()[35], "x next request: there is no other pending request")
		d.asked(x, 1, mcp.MethodRoots, `{}`)
		require.Contains(t, d.plain(), "1 of 2  waiting 0 s")
		d.do(id)
		require.Contains(t, d.plain(), "The server asks for roots (folders)")
		d.do("answer-other")
		require.Contains(t, d.plain(), "Ada", "the typed text is kept")
	}),
	both("answer-copy", func(t *testing.T, d *driver, x *fakeExecutor, id string) {
		d.do(id)
		require.Contains(t, d.rows()[35], "x copy URL: the request has no URL")
		d.do("answer-later")
		d.asked(x, 1, mcp.MethodElicit, askPage)
		d.do(host.ActAnswer, "answer-other")
		if id != "answer-copy" {
			d.do("answer-view")
		}
		d.do(id)
		require.Equal(t, "https://user@example.com:8443/confirm?request=1", d.clip)
	}),
	both("answer-words-down", func(t *testing.T, d *driver, x *fakeExecutor, id string) {
		d.do(id)
		require.Contains(t, d.rows()[35], "x scroll: the whole text is visible")
		d.longQuestion(x)
		d.do("answer-words-down")
		require.Contains(t, d.plain(), "line 21 ")
	}),
	both("answer-words-up", func(t *testing.T, d *driver, x *fakeExecutor, _ string) {
		d.longQuestion(x)
		d.do("answer-words-down", "answer-words-up")
		require.Contains(t, d.plain(), "line 0")
	}),
	map[string]actionTest{
		host.ActAnswer: func(t *testing.T, d *driver, x *fakeExecutor) {
			d.do(host.ActAnswer)
			require.Contains(t, d.plain(), "━ Server request policies ━", "none is pending")
			d.take(formKey(tea.KeyEscape))
			d.asked(x, 0, mcp.MethodElicit, askName)
			require.Nil(t, d.front.top(), "it does not open by itself")
			require.Contains(t, d.rows()[35], "A answer the server")
			d.do(kit.Top, host.ActAnswer)
			require.Equal(t, d.row(`"method":"elicitation/create"`), d.cursor(), "its row is selected")
			require.Contains(t, d.plain(), "The server asks you to fill in a form")
			require.Contains(t, d.plain(), "It stays here.")
			time.Sleep(12 * time.Second)
			d.take(tick{})
			require.Contains(t, d.plain(), "waiting 12 s")

			d.take(ctrlS)
			require.Contains(t, d.rows()[35], "x not sent, ctrl+s again to send anyway: /name: is required")
			d.take(ctrlS)
			require.Equal(t, answered(0, `{"action":"accept","content":{"cups":2}}`), d.last(), "invalid answers can be sent to test a server")
		},
		"answer-next": fieldAt("/roots/0", "answer-next"),
		"answer-forward": inAnswer(func(t *testing.T, d *driver, k fields.Filling) {
			d.do("answer-forward")
			require.Equal(t, "/roots/0", k.Form().Path())
			for !k.Form().AtEnd() {
				d.do("answer-forward")
			}
			d.do("answer-forward")
			require.Contains(t, d.last(), `"roots"`, "enter on the last field sends")
		}),
		"answer-previous":  fieldAt("/roots", "answer-next", "answer-previous"),
		"answer-complete":  fieldAt("/roots/0/uri", "answer-complete", "answer-complete"),
		"answer-page-down": fieldAt("/roots/1/uri", "answer-page-down"),
		"answer-page-up":   fieldAt("/roots", "answer-page-down", "answer-page-up"),
		"answer-add": inAnswer(func(t *testing.T, d *driver, k fields.Filling) {
			d.do("answer-add")
			require.Equal(t, `{"roots":[{"uri":"file:///a"},{"uri":"file:///b","name":"b"},{}]}`, value(t, k))
		}),
		"answer-remove": inAnswer(func(t *testing.T, d *driver, k fields.Filling) {
			d.do("answer-remove")
			require.Contains(t, d.rows()[35], "x remove item: the field is part of the schema")
			d.do("answer-next", "answer-remove")
			require.Equal(t, `{"roots":[{"uri":"file:///b","name":"b"}]}`, value(t, k))
		}),
		"answer-leave-out": inAnswer(func(t *testing.T, d *driver, k fields.Filling) {
			k.Form().Select("/roots/1/name")
			d.do("answer-leave-out")
			require.Equal(t, `{"roots":[{"uri":"file:///a"},{"uri":"file:///b"}]}`, value(t, k))
		}),
		"answer-null": inAnswer(func(t *testing.T, d *driver, k fields.Filling) {
			k.Form().Select("/roots/1/name")
			d.do("answer-null")
			require.Equal(t, `{"roots":[{"uri":"file:///a"},{"uri":"file:///b","name":null}]}`, value(t, k))
		}),
	},
)

// merged merges tables of tests.
func merged(tables ...map[string]actionTest) map[string]actionTest {
	all := map[string]actionTest{}
	for _, table := range tables {
		for id, test := range table {
			all[id] = test
		}
	}
	return all
}

// longQuestion opens a request with more text than fits.
func (d *driver) longQuestion(x *fakeExecutor) {
	d.t.Helper()
	text := ""
	for i := range 60 {
		text += fmt.Sprintf("line %d\n", i)
	}
	message, err := json.Marshal(text)
	require.NoError(d.t, err)
	d.do("answer-later")
	d.asked(x, 7, mcp.MethodElicit, fmt.Sprintf(`{"message":%s,"requestedSchema":{"type":"object"}}`, message))
	d.do(host.ActAnswer, "answer-other")
	d.content()
}

// answeringAt runs a test with a server whose requests the user answers, in one
// of the eras.
func answeringAt(t *testing.T, w, h int, modern, noColor bool, serve func(*fakeProcess, message), test func(t *testing.T, d *driver, x *fakeExecutor)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, newLog(t), serve)
		person(t, s)
		x.modern = modern
		require.NoError(t, s.Open(t.Context()))
		test(t, drive(t, Options{Session: s, Title: "fake (local)", NoColor: noColor}, w, h), x)
	})
}

// questions has one server request of each kind.
var questions = map[string][2]string{
	"form":     {mcp.MethodElicit, askName},
	"address":  {mcp.MethodElicit, askPage},
	"sampling": {mcp.MethodSample, askModel},
	"roots":    {mcp.MethodRoots, `{}`},
	"other":    {"tasks/get", `{"taskId":"t-1"}`},
}

// inRounds returns a modern server whose calls require one or more answers.
func inRounds(requests string) func(*fakeProcess, message) {
	return func(p *fakeProcess, m message) {
		var params struct {
			Answers json.RawMessage `json:"inputResponses"`
		}
		_ = json.Unmarshal(m.Params, &params) // each message is a call
		if params.Answers == nil {
			p.out(`{"jsonrpc":"2.0","id":%s,"result":{`+modernMeta+`,"resultType":"input_required","inputRequests":{%s},"requestState":"s"}}`, m.ID, requests)
			return
		}
		p.out(`{"jsonrpc":"2.0","id":%s,"result":{`+modernMeta+`,"resultType":"complete","content":[],"got":%s}}`, m.ID, params.Answers)
	}
}

// call sends a call concurrently.
func (d *driver) call() <-chan session.Response {
	d.t.Helper()
	done := make(chan session.Response, 1)
	go func() {
		resp, err := d.visible.ws.Session.Request(d.t.Context(), mcp.MethodToolsCall, json.RawMessage(`{"name":"plan"}`), session.CallOptions{Timeout: time.Hour})
		if err != nil {
			d.t.Error(err)
		}
		done <- resp
	}()
	synctest.Wait()
	d.pull()
	return done
}

func TestServerQuestionFrames(t *testing.T) {
	for name, q := range questions {
		for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}} {
			answeringAt(t, size[0], size[1], false, size[0] == 60, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
				require.NoError(t, d.visible.ws.Session.SetPolicy("tasks/get", session.Policy{Mode: session.PolicyAsk}))
				d.opened(x, q[0], q[1])
				time.Sleep(5 * time.Second)
				d.take(tick{})
				frame := d.content()
				requireExact(t, frame, size[0], size[1])
				uitest.Golden(t, fmt.Sprintf("asks-%s-%dx%d", name, size[0], size[1]), frame)
			})
		}
		params := strings.Replace(q[1], `,"elicitationId":"c-1"`, "", 1) // the modern era has none
		answeringAt(t, 80, 24, true, true, inRounds(fmt.Sprintf(`"a":{"method":%q,"params":%s},"b":{"method":"roots/list"}`, q[0], params)), func(t *testing.T, d *driver, x *fakeExecutor) {
			require.NoError(t, d.visible.ws.Session.SetPolicy("tasks/get", session.Policy{Mode: session.PolicyAsk}))
			done := d.call()
			d.do(host.ActAnswer)
			uitest.Golden(t, "asks-"+name+"-modern", d.content())
			for d.front.top() != nil {
				d.do(d.prefixed("answer-send"))
				d.do(d.prefixed("answer-send")) // in spite of problems
			}
			require.Contains(t, string((<-done).Result), `"complete"`)
		})
	}
}

// prefixed returns the name of an action in the current view of the request, ""
// if no request is open.
func (d *driver) prefixed(id string) string {
	if d.visible.scope() == requests.ScopeJSON {
		return "json-" + id
	}
	return id
}

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
	for turn, text := range hostile {
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
				synctest.Test(t, func(t *testing.T) {
					s, x := newSession(t, newLog(t), nil)
					person(t, s)
					require.NoError(t, s.SetPolicy(method, session.Policy{Mode: session.PolicyAsk}))
					require.NoError(t, s.Open(t.Context()))
					d := drive(t, Options{Session: s, Title: text}, 120, 36)
					x.latest().out(`{"jsonrpc":"2.0","id":0,"method":%s,"params":%s}`, quoted(method), params)
					synctest.Wait()
					d.pull()
					if len(s.ServerRequests()) == 0 {
						return // not a message
					}
					d.do(host.ActAnswer)
					for range 2 {
						for _, size := range sizes[turn%2] {
							d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
							requireExact(t, d.content(), size[0], size[1])
						}
						d.do("answer-view")
					}
					d.do("json-answer-later", "policies")
					requireExact(t, d.content(), 39, 9)
				})
			}
		}
	}
}

// TestQuestionsAtEverySize checks that open requests stay exact while the screen
// changes its size.
func TestQuestionsAtEverySize(t *testing.T) {
	t.Parallel()
	for name, q := range questions {
		answeringAt(t, 120, 36, false, false, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
			require.NoError(t, d.visible.ws.Session.SetPolicy("tasks/get", session.Policy{Mode: session.PolicyAsk}))
			d.opened(x, q[0], q[1])
			if name == "roots" {
				d.do("policies")
			}
			for w := 0; w < 130; w += 7 {
				for h := 1; h < 50; h += 4 {
					d.take(tea.WindowSizeMsg{Width: w, Height: h})
					requireExact(t, d.content(), w, h)
				}
			}
		})
	}
}

// TestWheelInQuestion checks that the wheel scrolls the server's text, or the
// fields if the whole text is visible.
func TestWheelInQuestion(t *testing.T) {
	answeringAt(t, 120, 36, false, false, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		wheel := tea.MouseWheelMsg{X: 50, Y: 10, Button: tea.MouseWheelDown}
		d.opened(x, mcp.MethodElicit, askName)
		before := d.content()
		d.take(wheel)
		require.Equal(t, before, d.content(), "nothing to scroll")
		d.longQuestion(x)
		d.take(pointerDue{})
		d.take(wheel)
		require.Contains(t, d.plain(), "4-23 of 60")
	})
}

// TestAnswerProblems checks that problems in the JSON view have a position.
func TestAnswerProblems(t *testing.T) {
	answeringAt(t, 120, 36, false, false, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.opened(x, mcp.MethodElicit, askName)
		d.do("answer-view")
		for text, want := range map[string]string{
			"{\"action\":\"accept\",\n\"content\":{\"name\":\"A\"}}": "x 2:19: /content/name: ",
			`{"action":"decline"}`: " valid",
			`{"error":{"code":1}}`: "this is an error response",
			`{"action"`:            "x a response must be a JSON object",
		} {
			d.writeJSON(text)
			require.Contains(t, d.plain(), want)
		}
	})
}
