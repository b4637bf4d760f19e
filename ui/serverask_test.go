package ui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

const (
	askName = `{"mode":"form","message":"Who are you?\nIt stays here.","requestedSchema":{"type":"object","required":["name"],"properties":{` +
		`"name":{"type":"string","title":"Name","minLength":2},"cups":{"type":"integer","default":2},"colour":{"type":"string","enum":["red","green"]}}}}`
	askPage  = `{"mode":"url","message":"Confirm there, please","url":"https://user@example.com:8443/confirm?request=1","elicitationId":"c-1"}`
	askModel = `{"messages":[{"role":"user","content":{"type":"text","text":"Write a haiku about pipes."}},{"role":"assistant","content":[{"type":"text","text":"No."},{"type":"image","data":"AAAA","mimeType":"image/png"}]}],` +
		`"systemPrompt":"You are terse.","modelPreferences":{"hints":[{"name":"small"}],"speedPriority":0.8},"maxTokens":100,"stopSequences":["END"],"tools":[{"name":"look","description":"Looks."}]}`
)

// person has a person answer all that a server can ask.
func person(t testing.TB, s *session.Session) {
	t.Helper()
	for _, method := range []string{mcp.MethodElicit, mcp.MethodSample, mcp.MethodRoots} {
		require.NoError(t, s.SetPolicy(method, session.Policy{Mode: session.PolicyAsk}))
	}
}

// asked has the server ask something, with an id.
func (d *driver) asked(x *fakeExecutor, id int, method, params string) {
	d.t.Helper()
	if d.session.Policies()[mcp.MethodElicit].Mode != session.PolicyAsk {
		person(d.t, d.session)
	}
	x.latest().out(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
	synctest.Wait()
	d.pull()
}

// opened has the server ask something, and opens it.
func (d *driver) opened(x *fakeExecutor, method, params string) *answering {
	d.t.Helper()
	d.asked(x, 0, method, params)
	d.do(actAnswer)
	d.screen()
	return d.answering()
}

// answering is the question with the keys.
func (d *driver) answering() *answering {
	d.t.Helper()
	k, ok := d.top().(*answering)
	require.True(d.t, ok, "a question has the keys")
	return k
}

// last is the last message to the server.
func (d *driver) last() string {
	d.t.Helper()
	synctest.Wait()
	d.pull()
	var row [1]session.Row
	for i := d.source.Len() - 1; i >= 0; i-- {
		if d.source.Rows(i, row[:]) == 1 && row[0].Kind == session.KindStdin {
			e, err := d.source.Entry(row[0], 0)
			require.NoError(d.t, err)
			return string(e.Payload)
		}
	}
	return ""
}

func answered(id int, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, result)
}

// both returns tests of an action of both views of an answer.
func both(id string, test func(t *testing.T, d *driver, x *fakeExecutor, id string)) map[string]actionTest {
	all := map[string]actionTest{}
	for _, prefix := range []string{"", actAnswerText} {
		all[prefix+id] = func(t *testing.T, d *driver, x *fakeExecutor) {
			d.opened(x, mcp.MethodElicit, askName)
			d.write("Ada")
			if prefix != "" {
				d.do(actAnswerView)
			}
			require.Equal(t, prefix != "", d.answering().asText)
			test(t, d, x, prefix+id)
		}
	}
	return all
}

// inAnswer is a test of an action on the fields of a question for roots.
func inAnswer(test func(t *testing.T, d *driver, k *answering)) actionTest {
	return func(t *testing.T, d *driver, x *fakeExecutor) {
		k := d.opened(x, mcp.MethodRoots, `{}`)
		require.NoError(t, k.form.SetJSON([]byte(`{"roots":[{"uri":"file:///a"},{"uri":"file:///b","name":"b"}]}`)))
		d.screen()
		test(t, d, k)
	}
}

// fieldAt returns a test that actions lead to a field.
func fieldAt(path string, actions ...string) actionTest {
	return inAnswer(func(t *testing.T, d *driver, k *answering) {
		d.do(actions...)
		require.Equal(t, path, k.form.Path())
	})
}

func value(t *testing.T, k *answering) string {
	t.Helper()
	raw, err := k.form.JSON()
	require.NoError(t, err)
	return string(raw)
}

const inAnswers = scopeAnswer + "-"

var answerTests = merged(
	both(actAnswerSend, func(t *testing.T, d *driver, _ *fakeExecutor, _ string) {
		d.take(ctrlS)
		require.Equal(t, answered(0, `{"action":"accept","content":{"name":"Ada","cups":2}}`), d.last())
		require.Nil(t, d.top())
		require.Contains(t, d.rows()[35], "elicitation/create: answered")
	}),
	both(actAnswerDecline, func(t *testing.T, d *driver, _ *fakeExecutor, _ string) {
		d.take(tea.KeyPressMsg{Code: 'd', Mod: tea.ModCtrl})
		require.Equal(t, answered(0, `{"action":"decline"}`), d.last())
	}),
	both(actAnswerCancel, func(t *testing.T, d *driver, _ *fakeExecutor, _ string) {
		d.take(tea.KeyPressMsg{Code: tea.KeyF7})
		require.Equal(t, answered(0, `{"action":"cancel"}`), d.last())
	}),
	both(actAnswerLater, func(t *testing.T, d *driver, _ *fakeExecutor, _ string) {
		d.take(formKey(tea.KeyEscape))
		require.Nil(t, d.top())
		require.Len(t, d.session.Asks(), 1, "it still waits")
		d.do(actAnswer)
		require.Contains(t, d.plain(), "Ada", "what is written is kept")
	}),
	both(actAnswerView, func(t *testing.T, d *driver, _ *fakeExecutor, id string) {
		d.do(id)
		if k := d.answering(); k.asText {
			require.Contains(t, d.plain(), `"name": "Ada"`)
			k.json.SetValue(`{"action":"accept","content":{"name":"Eve","more":[1.0]}}`)
			d.do(actAnswerText + actAnswerView)
		} else {
			d.do(actAnswerView)
		}
		if k := d.answering(); !k.asText {
			require.Equal(t, `{"name":"Eve","more":[1.0]}`, value(t, k), "what the schema does not know is not lost")
			return
		}
		d.answering().json.SetValue(`{"action":"other"}`)
		d.do(actAnswerText + actAnswerView)
		require.True(t, d.answering().asText)
		require.Contains(t, d.rows()[35], "only JSON can hold this answer")
		d.take(ctrlS)
		require.Equal(t, answered(0, `{"action":"other"}`), d.last(), "any answer can be given")
	}),
	both(actAnswerEditor, func(t *testing.T, d *driver, _ *fakeExecutor, id string) {
		t.Setenv("EDITOR", "sed -i s/Ada/Grace/")
		d.do(id)
		d.take(ctrlS)
		require.Equal(t, answered(0, `{"action":"accept","content":{"name":"Grace","cups":2}}`), d.last())
	}),
	both(actAnswerAlways, func(t *testing.T, d *driver, x *fakeExecutor, id string) {
		d.do(id)
		want := `{"action":"accept","content":{"name":"Ada","cups":2}}`
		require.Equal(t, answered(0, want), d.last())
		x.latest().out(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":%s}`, askName)
		require.Equal(t, answered(1, want), d.last())
		require.Empty(t, d.session.Asks())
	}),
	both(actAnswerCall, func(t *testing.T, d *driver, _ *fakeExecutor, id string) {
		d.do(id)
		require.Contains(t, d.rows()[35], "the server does not say to which call it belongs")
	}),
	both(actAnswerOther, func(t *testing.T, d *driver, x *fakeExecutor, id string) {
		d.do(id)
		require.Contains(t, d.rows()[35], "x next question: there is no other one")
		d.asked(x, 1, mcp.MethodRoots, `{}`)
		require.Contains(t, d.plain(), "1 of 2  waits for you 0 s")
		d.do(id)
		require.Equal(t, mcp.MethodRoots, d.answering().method)
		d.do(actAnswerOther)
		require.Contains(t, d.plain(), "Ada", "what is written is kept")
	}),
	both(actAnswerCopy, func(t *testing.T, d *driver, x *fakeExecutor, id string) {
		d.do(id)
		require.Contains(t, d.rows()[35], "x copy address: it is no address")
		d.do(actAnswerLater)
		d.asked(x, 1, mcp.MethodElicit, askPage)
		d.do(actAnswer, actAnswerOther)
		if id != actAnswerCopy {
			d.do(actAnswerView)
		}
		d.do(id)
		require.Equal(t, "https://user@example.com:8443/confirm?request=1", d.clip)
	}),
	both(actAnswerDown, func(t *testing.T, d *driver, x *fakeExecutor, id string) {
		d.do(id)
		require.Contains(t, d.rows()[35], "x scroll: all of it is on the screen")
		d.longQuestion(x)
		d.do(actAnswerDown)
		require.Contains(t, d.plain(), "line 21 ")
	}),
	both(actAnswerUp, func(t *testing.T, d *driver, x *fakeExecutor, _ string) {
		d.longQuestion(x)
		d.do(actAnswerDown, actAnswerUp)
		require.Contains(t, d.plain(), "line 0")
	}),
	map[string]actionTest{
		actAnswer: func(t *testing.T, d *driver, x *fakeExecutor) {
			d.do(actAnswer)
			require.Contains(t, d.rows()[35], "x answer: no server waits for an answer")
			d.take(formKey(tea.KeyEscape))
			d.asked(x, 0, mcp.MethodElicit, askName)
			require.Nil(t, d.top(), "it does not come up by itself")
			require.Contains(t, d.rows()[35], "A answer the server")
			d.do(actTop, actAnswer)
			require.Equal(t, d.row(`"method":"elicitation/create"`), d.cursor(), "its row is selected behind it")
			require.Contains(t, d.plain(), "The server asks you to fill in a form")
			require.Contains(t, d.plain(), "It stays here.")
			time.Sleep(12 * time.Second)
			d.take(tick{})
			require.Contains(t, d.plain(), "waits for you 12 s")

			d.take(ctrlS)
			require.Contains(t, d.rows()[35], "x not sent, ctrl+s again sends it: /name: is required")
			d.take(ctrlS)
			require.Equal(t, answered(0, `{"action":"accept","content":{"cups":2}}`), d.last(), "it is how a server is tried")
		},
		inAnswers + fieldNext:     fieldAt("/roots/0", inAnswers+fieldNext),
		inAnswers + fieldPrev:     fieldAt("/roots", inAnswers+fieldNext, inAnswers+fieldPrev),
		inAnswers + fieldTab:      fieldAt("/roots/0/uri", inAnswers+fieldTab, inAnswers+fieldTab),
		inAnswers + fieldPageDown: fieldAt("/roots/1/uri", inAnswers+fieldPageDown),
		inAnswers + fieldPageUp:   fieldAt("/roots", inAnswers+fieldPageDown, inAnswers+fieldPageUp),
		inAnswers + fieldAdd: inAnswer(func(t *testing.T, d *driver, k *answering) {
			d.do(inAnswers + fieldAdd)
			require.Equal(t, `{"roots":[{"uri":"file:///a"},{"uri":"file:///b","name":"b"},{}]}`, value(t, k))
		}),
		inAnswers + fieldRemove: inAnswer(func(t *testing.T, d *driver, k *answering) {
			d.do(inAnswers + fieldRemove)
			require.Contains(t, d.rows()[35], "x remove item: the field is part of the schema")
			d.do(inAnswers+fieldNext, inAnswers+fieldRemove)
			require.Equal(t, `{"roots":[{"uri":"file:///b","name":"b"}]}`, value(t, k))
		}),
		inAnswers + fieldClear: inAnswer(func(t *testing.T, d *driver, k *answering) {
			k.form.Select("/roots/1/name")
			d.do(inAnswers + fieldClear)
			require.Equal(t, `{"roots":[{"uri":"file:///a"},{"uri":"file:///b"}]}`, value(t, k))
		}),
		inAnswers + fieldNull: inAnswer(func(t *testing.T, d *driver, k *answering) {
			k.form.Select("/roots/1/name")
			d.do(inAnswers + fieldNull)
			require.Equal(t, `{"roots":[{"uri":"file:///a"},{"uri":"file:///b","name":null}]}`, value(t, k))
		}),
	},
)

// merged puts tables of tests together.
func merged(tables ...map[string]actionTest) map[string]actionTest {
	all := map[string]actionTest{}
	for _, table := range tables {
		for id, test := range table {
			all[id] = test
		}
	}
	return all
}

// longQuestion opens a question with more words than fit.
func (d *driver) longQuestion(x *fakeExecutor) {
	d.t.Helper()
	text := ""
	for i := range 60 {
		text += fmt.Sprintf("line %d\n", i)
	}
	message, err := json.Marshal(text)
	require.NoError(d.t, err)
	d.do(actAnswerLater)
	d.asked(x, 7, mcp.MethodElicit, fmt.Sprintf(`{"message":%s,"requestedSchema":{"type":"object"}}`, message))
	d.do(actAnswer, actAnswerOther)
	d.screen()
}

// answeringAt runs a test on a server that a person answers, in one of the eras.
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

// questions are one of each kind.
var questions = map[string][2]string{
	"form":     {mcp.MethodElicit, askName},
	"address":  {mcp.MethodElicit, askPage},
	"sampling": {mcp.MethodSample, askModel},
	"roots":    {mcp.MethodRoots, `{}`},
	"other":    {"tasks/get", `{"taskId":"t-1"}`},
}

// inRounds is a modern server whose calls need an answer, or several.
func inRounds(requests string) func(*fakeProcess, message) {
	return func(p *fakeProcess, m message) {
		var params struct {
			Answers json.RawMessage `json:"inputResponses"`
		}
		_ = json.Unmarshal(m.Params, &params) // each message is a call
		if params.Answers == nil {
			p.out(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required","inputRequests":{%s},"requestState":"s"}}`, m.ID, requests)
			return
		}
		p.out(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","got":%s}}`, m.ID, params.Answers)
	}
}

// call makes a call beside the test.
func (d *driver) call() <-chan session.Response {
	d.t.Helper()
	done := make(chan session.Response, 1)
	go func() {
		resp, err := d.session.Request(d.t.Context(), mcp.MethodToolsCall, json.RawMessage(`{"name":"plan"}`), session.CallOptions{Timeout: time.Hour})
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
				require.NoError(t, d.session.SetPolicy("tasks/get", session.Policy{Mode: session.PolicyAsk}))
				d.opened(x, q[0], q[1])
				time.Sleep(5 * time.Second)
				d.take(tick{})
				frame := d.screen()
				requireExact(t, frame, size[0], size[1])
				golden(t, fmt.Sprintf("asks-%s-%dx%d", name, size[0], size[1]), frame)
			})
		}
		answeringAt(t, 80, 24, true, true, inRounds(fmt.Sprintf(`"a":{"method":%q,"params":%s},"b":{"method":"roots/list"}`, q[0], q[1])), func(t *testing.T, d *driver, x *fakeExecutor) {
			require.NoError(t, d.session.SetPolicy("tasks/get", session.Policy{Mode: session.PolicyAsk}))
			done := d.call()
			d.do(actAnswer)
			golden(t, "asks-"+name+"-modern", d.screen())
			for d.top() != nil {
				d.do(d.prefixed(actAnswerSend))
				d.do(d.prefixed(actAnswerSend)) // in spite of what is wrong
			}
			require.Contains(t, string((<-done).Result), `"complete"`)
		})
	}
}

// prefixed is an action of the view that the question has, nothing if there is
// none any more.
func (d *driver) prefixed(id string) string {
	if k, ok := d.top().(*answering); ok && k.asText {
		return actAnswerText + id
	}
	return id
}

// TestHostileQuestions: whatever a server puts into a question, the frame stays
// exact, at every size.
func TestHostileQuestions(t *testing.T) {
	t.Parallel()
	quoted := func(text string) string {
		b, err := json.Marshal(text)
		require.NoError(t, err)
		return string(b)
	}
	sizes := [][][2]int{{{120, 36}, {39, 9}}, {{80, 24}, {60, 20}, {39, 9}}} // by turns
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
					if len(s.Asks()) == 0 {
						return // it was no message
					}
					d.do(actAnswer)
					for range 2 {
						for _, size := range sizes[turn%2] {
							d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
							requireExact(t, d.screen(), size[0], size[1])
						}
						d.do(actAnswerView)
					}
					d.do(actAnswerText+actAnswerLater, actPolicies)
					requireExact(t, d.screen(), 39, 9)
				})
			}
		}
	}
}

// TestQuestionsAtEverySize: what is open stays exact while the screen changes its
// size.
func TestQuestionsAtEverySize(t *testing.T) {
	t.Parallel()
	for name, q := range questions {
		answeringAt(t, 120, 36, false, false, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
			require.NoError(t, d.session.SetPolicy("tasks/get", session.Policy{Mode: session.PolicyAsk}))
			d.opened(x, q[0], q[1])
			if name == "roots" {
				d.do(actPolicies)
			}
			for w := 0; w < 130; w += 7 {
				for h := 1; h < 50; h += 4 {
					d.take(tea.WindowSizeMsg{Width: w, Height: h})
					requireExact(t, d.screen(), w, h)
				}
			}
		})
	}
}

func TestAddressWarnings(t *testing.T) {
	for address, want := range map[string][]string{
		"https://example.com/a?b#c":         {"host is example.com"},
		"http://example.com":                {"host is example.com", "anybody on the way"},
		"https://example.com:443/":          {"host is example.com"},
		"https://example.com:8443/":         {"host is example.com", "unusual port 8443"},
		"https://bank.com@evil.example/":    {"host is evil.example", "user name before the host"},
		"https://bank.com\\@evil.example/":  {"host is bank.com", "no address that can be read"},
		"https://xn--pple-43d.com/":         {"host is xn--pple-43d.com", "punycode"},
		"https://аpple.com/":                {"host is аpple.com", "not ASCII"},
		"https://127.0.0.1/":                {"host is 127.0.0.1", "a number"},
		"https://[::1]:443/x":               {"host is [::1]", "a number"},
		"javascript:alert(1)":               {"no host", "no web address"},
		"file:///etc/passwd":                {"no host", "no web address"},
		"https://example.com/\u202egpj.exe": {"host is example.com", "not seen"},
		"":                                  {"no host", "no web address"},
	} {
		warns := addressWarnings(address)
		require.Len(t, warns, len(want), "%s: %v", address, warns)
		for i, text := range want {
			require.Contains(t, warns[i], text, address)
		}
	}
}

// TestLongQuestion: a question that is too long to be taken apart is shown in
// part, and so is one with many words.
func TestLongQuestion(t *testing.T) {
	long := strings.Repeat("x ", maxReadable)
	k := questionOf(mcp.MethodElicit, json.RawMessage(`{"message":"`+long+`"}`), nil, "")
	require.Nil(t, k.wrap, "it is answered by JSON")
	w := words{width: 80}
	k.words(&w)
	require.Less(t, len(w.rows), 400)
	require.Contains(t, fmt.Sprint(w.rows[len(w.rows)-1]), "more is in the detail pane")
}

// TestWheelInQuestion: the wheel scrolls what the server says, and the fields
// where all of that is seen.
func TestWheelInQuestion(t *testing.T) {
	answeringAt(t, 120, 36, false, false, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		wheel := tea.MouseWheelMsg{X: 50, Y: 10, Button: tea.MouseWheelDown}
		d.opened(x, mcp.MethodElicit, askName)
		before := d.screen()
		d.take(wheel)
		require.Equal(t, before, d.screen(), "there is nothing to scroll")
		d.longQuestion(x)
		d.take(pointerDue{})
		d.take(wheel)
		require.Contains(t, d.plain(), "4-23 of 60")
	})
}

// TestAnswerProblems: in the JSON view what is wrong is told with its place.
func TestAnswerProblems(t *testing.T) {
	answeringAt(t, 120, 36, false, false, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		k := d.opened(x, mcp.MethodElicit, askName)
		d.do(actAnswerView)
		for text, want := range map[string]string{
			"{\"action\":\"accept\",\n\"content\":{\"name\":\"A\"}}": "x 2:19: /content/name: ",
			`{"action":"decline"}`: " valid",
			`{"error":{"code":1}}`: "an error is given",
			`{"action"`:            "x an answer is one JSON object",
		} {
			k.json.SetValue(text)
			d.stale = true
			require.Contains(t, d.plain(), want)
		}
	})
}
