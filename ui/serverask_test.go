package ui

import (
	"encoding/json"
	"fmt"
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
			k := d.opened(x, mcp.MethodElicit, askName)
			k.form.SetText("/name", "Ada")
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
