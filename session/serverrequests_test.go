package session_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// asking is a legacy server that sends the request named by a notification
// "ask", and answers "call" only when it has an answer to id 0.
func asking(answers chan<- string) func(p *fakeProcess) int {
	return legacy(func(p *fakeProcess, m message) {
		switch m.Method {
		case "ask":
			p.out(string(m.Params[len(`{"line":`):len(m.Params)-1]) + "\n")
		case "":
			answers <- m.raw
		}
	})
}

// ask makes the server send a line.
func (h *harness) ask(line string) {
	h.t.Helper()
	require.NoError(h.t, h.Notify(h.t.Context(), "ask", json.RawMessage(`{"line":`+line+`}`)))
	synctest.Wait()
}

func person(c *session.Config) {
	c.Policies = map[string]session.Policy{}
	for _, method := range session.ServerRequestMethods() {
		c.Policies[method] = session.Policy{Mode: session.PolicyAsk}
	}
}

const (
	elicitation = `{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":{"message":"who?"}}`
	rootsList   = `{"jsonrpc":"2.0","id":"r","method":"roots/list"}`
)

func TestPersonAnswersServerRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := make(chan string, 8)
		h := open(t, asking(answers), person)
		h.ask(elicitation)
		h.ask(rootsList)
		asks := h.ServerRequests()
		require.Len(t, asks, 2)
		require.Equal(t, mcp.MethodElicit, asks[0].Method)
		require.JSONEq(t, `{"message":"who?"}`, string(asks[0].Params))
		require.Equal(t, time.Now(), asks[0].Since)
		require.Zero(t, asks[0].Parent, "no call is in flight")
		require.Nil(t, asks[1].Params)
		require.Empty(t, h.DelayedRequests())
		require.Equal(t, session.ReqPending, h.row(session.KindStdout, "elicitation/create").State)

		require.NoError(t, h.Answer(asks[1].ID, json.RawMessage(`{"error":{"code":-1,"message":"no"}}`)))
		require.Equal(t, `{"jsonrpc":"2.0","id":"r","error":{"code":-1,"message":"no"}}`, <-answers, "the younger first")
		require.NoError(t, h.Answer(asks[0].ID, json.RawMessage("{ \"action\":\"accept\",\n\"content\":{}}")))
		require.Equal(t, `{"jsonrpc":"2.0","id":0,"result":{"action":"accept","content":{}}}`, <-answers, "an id of 0 is an id")
		synctest.Wait()
		require.Empty(t, h.ServerRequests())
		require.Zero(t, h.log.Stats().PendingIn)
		require.Equal(t, []string{
			fmt.Sprintf("act ask elicitation/create (entry %d)", asks[0].N),
			fmt.Sprintf("act ask roots/list (entry %d)", asks[1].N),
			fmt.Sprintf("act answer roots/list, by person (entry %d)", asks[1].N),
			fmt.Sprintf("act answer elicitation/create, by person (entry %d)", asks[0].N),
		}, h.entries(session.KindAct))
		require.Contains(t, h.entries()[h.log.Len()-1], "stdin", "a response follows its act")

		require.ErrorIs(t, h.Answer(asks[0].ID, json.RawMessage(`{}`)), session.ErrNotPending, "twice")
		for _, bad := range []string{"", "[]", `"x"`, "{", "{}{}", "null"} {
			require.Error(t, h.Answer(asks[0].ID, json.RawMessage(bad)), bad)
		}
	})
}

func TestServerRequestBelongsToTheOnlyCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(func(p *fakeProcess, m message) {
			if m.Method == "call" {
				p.out(elicitation + "\n")
			}
		}), person)
		for range 2 {
			go func() { _, _ = h.Request(t.Context(), "call", nil, session.CallOptions{}) }()
			synctest.Wait()
		}
		asks := h.ServerRequests()
		require.Len(t, asks, 2)
		rows := make([]session.Row, h.log.Len())
		h.log.Rows(0, rows)
		require.Equal(t, session.KindStdin, rows[asks[0].Parent-1].Kind)
		require.Equal(t, "call", h.log.Method(rows[asks[0].Parent-1].Method))
		require.Zero(t, asks[1].Parent, "two calls are in flight: it may belong to either")
		require.NoError(t, h.Kill())
	})
}

func TestPendingServerRequestEnds(t *testing.T) {
	for _, tc := range []struct {
		name  string
		end   func(h *harness)
		last  string // act
		entry string
	}{
		{"the server cancels it", func(h *harness) {
			h.ask(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"0"}}`)
			h.ask(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
			require.Len(h.t, h.ServerRequests(), 1, "ids of another type or value")
			h.ask(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`)
		}, "act withdrawn elicitation/create: cancelled by the server", ""},
		{"the process ends", func(h *harness) { require.NoError(h.t, h.Kill()) }, "act ask elicitation/create", ""},
		{"the session is closed", func(h *harness) {
			_, err := h.Close(h.t.Context())
			require.NoError(h.t, err)
		}, "act ask elicitation/create", ""},
		{"a restart", func(h *harness) { require.NoError(h.t, h.Restart(h.t.Context())) }, "act ask elicitation/create", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open(t, asking(nil), person)
				h.ask(elicitation)
				ask := h.ServerRequests()[0]
				tc.end(h)
				synctest.Wait()
				require.Empty(t, h.ServerRequests())
				require.ErrorIs(t, h.Answer(ask.ID, json.RawMessage(`{}`)), session.ErrNotPending)
				acts := h.entries(session.KindAct)
				require.Contains(t, acts[len(acts)-1], tc.last)
			})
		})
	}
}

func TestRequestsAreDroppedAfterTheExit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, func(p *fakeProcess) int {
			p.held = true
			return legacy(func(p *fakeProcess, m message) {
				p.out(elicitation + "\n")
				_ = p.In.Close()
			})(p)
		}, person)
		require.NoError(t, h.Notify(t.Context(), "ask and exit", nil))
		<-time.After(2 * time.Second)
		require.Equal(t, session.Exited, h.Status().State)
		require.Empty(t, h.ServerRequests())
	})
}

func TestPolicies(t *testing.T) {
	const sampling = mcp.MethodSample
	for _, tc := range []struct {
		method string
		policy session.Policy
		want   string // after the id
		act    string
	}{
		{"ping", session.Policy{}, `"result":{}`, ""},
		{"ping", session.Policy{Mode: session.PolicyDecline}, `"error":{"code":-32601`, "decline"},
		{"roots/list", session.Policy{Mode: session.PolicyRefuse}, `"error":{"code":-32601`, ""},
		{"roots/list", session.Policy{Mode: session.PolicyDecline}, `"error":{"code":-32601`, "decline"},
		{"roots/list", session.Policy{Mode: session.PolicyMalformed}, `"result":"mcpdbg`, "malformed"},
		{"roots/list", session.Policy{Mode: session.PolicyCanned, Answer: json.RawMessage("{\n\"roots\": []}")}, `"result":{"roots":[]}}`, "canned"},
		{sampling, session.Policy{Mode: session.PolicyDecline}, `"error":{"code":-1,"message":"User rejected sampling request"}}`, "decline"},
		{sampling, session.Policy{Mode: session.PolicyCanned, Answer: json.RawMessage(`{"error":{"code":7,"message":"x"}}`)}, `"error":{"code":7,`, "canned"},
		{"elicitation/create", session.Policy{Mode: session.PolicyDecline}, `"result":{"action":"decline"}}`, "decline"},
		{"elicitation/create", session.Policy{Mode: session.PolicyDecline, Delay: time.Minute}, `"result":{"action":"decline"}}`, "decline"},
		{"ping", session.Policy{Delay: time.Hour}, `"result":{}`, ""},
		{"tasks/list", session.Policy{Mode: session.PolicyMalformed}, `"result":"mcpdbg`, "malformed"},
		{"tasks/list", session.Policy{}, `"error":{"code":-32601`, ""},
	} {
		t.Run(tc.method+" "+string(tc.policy.Mode), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answers := make(chan string, 1)
				h := open(t, asking(answers), func(c *session.Config) {
					c.Policies = map[string]session.Policy{tc.method: tc.policy}
				})
				begin := time.Now()
				h.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q}`, tc.method))
				require.Empty(t, h.ServerRequests(), "no request is pending")
				if tc.policy.Delay > 0 {
					waiting := h.DelayedRequests()
					require.Len(t, waiting, 1)
					require.Equal(t, begin.Add(tc.policy.Delay), waiting[0].Due)
					require.Equal(t, 1, h.log.Stats().PendingIn)
				}
				require.Contains(t, <-answers, `{"jsonrpc":"2.0","id":7,`+tc.want)
				require.Equal(t, tc.policy.Delay, time.Since(begin))
				synctest.Wait()
				require.Empty(t, h.DelayedRequests())
				acts := strings.Join(h.entries(session.KindAct), "\n")
				if tc.act == "" {
					require.Empty(t, acts)
				} else {
					require.Contains(t, acts, "answer "+tc.method+": "+tc.act+", by policy")
				}
			})
		})
	}
}

func TestDelayedAnswerIsCancelledWithItsProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, asking(nil), func(c *session.Config) {
			c.Policies = map[string]session.Policy{"ping": {Delay: time.Minute}}
		})
		h.ask(`{"jsonrpc":"2.0","id":7,"method":"ping"}`)
		require.NoError(t, h.Restart(t.Context()))
		require.Empty(t, h.DelayedRequests())
		before := h.log.Len()
		<-time.After(2 * time.Minute)
		require.Equal(t, before, h.log.Len(), "the next process gets no answer to requests of the previous one")
	})
}

func TestPersonAnswersBeforeTheDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := make(chan string, 2)
		h := open(t, asking(answers), func(c *session.Config) {
			c.Policies = map[string]session.Policy{"ping": {Delay: time.Hour}}
		})
		h.ask(`{"jsonrpc":"2.0","id":7,"method":"ping"}`)
		require.NoError(t, h.Answer(h.DelayedRequests()[0].ID, json.RawMessage(`{"mine":1}`)))
		require.Contains(t, <-answers, `"result":{"mine":1}`)
		<-time.After(2 * time.Hour)
		require.Empty(t, answers)
		require.Contains(t, strings.Join(h.entries(session.KindAct), ""), "answer ping, by person")
	})
}

func TestPoliciesOfARunningServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := make(chan string, 8)
		h := open(t, asking(answers), nil)
		require.Equal(t, map[string]session.Policy{
			"elicitation/create": {Mode: session.PolicyRefuse}, "sampling/createMessage": {Mode: session.PolicyRefuse},
			"roots/list": {Mode: session.PolicyRefuse}, "ping": {Mode: session.PolicyRefuse},
		}, h.Policies())
		require.NoError(t, h.SetPolicy("elicitation/create", session.Policy{Mode: session.PolicyAsk}))
		h.ask(elicitation)
		require.Len(t, h.ServerRequests(), 1)
		require.NoError(t, h.SetPolicy("elicitation/create", session.Policy{Mode: session.PolicyDecline}))
		require.Len(t, h.ServerRequests(), 1, "pending requests stay pending")
		h.ask(elicitation)
		require.Contains(t, <-answers, "decline")

		notes := h.entries(session.KindNote)
		require.Len(t, notes, 1, "asked and declined are declared alike, and were not declared at the start")
		require.Contains(t, notes[0], `restart to declare {"elicitation":{"form":{},"url":{}}}`)
		require.NoError(t, h.SetPolicy("ping", session.Policy{Delay: time.Hour}))
		require.NoError(t, h.SetPolicy("elicitation/create", session.Policy{}))
		require.Len(t, h.entries(session.KindNote), 1, "as it was declared")
		require.Contains(t, h.entries(session.KindAct), "act policy ping refuse after 1h0m0s")

		require.NoError(t, h.SetPolicy(mcp.MethodRoots, session.Policy{Mode: session.PolicyCanned, Answer: json.RawMessage(`{"roots":[{"uri":"file:///a b","name":"a"}]}`)}))
		h.ask(rootsList)
		require.Contains(t, <-answers, `"result":{"roots":[{"uri":"file:///a b","name":"a"}]}`)
		require.NoError(t, h.SetPolicy(mcp.MethodRoots, session.Policy{Mode: session.PolicyCanned, Answer: json.RawMessage(`{"roots":[]}`)}))
		h.ask(rootsList)
		require.Contains(t, <-answers, `"result":{"roots":[]}`)

		told, now := h.Declared()
		require.Equal(t, []string{"{}", `{"roots":{"listChanged":true}}`}, []string{string(told), string(now)})
		require.NoError(t, h.Restart(t.Context()))
		h.row(session.KindStdin, `"capabilities":{"roots":{"listChanged":true}}`)
		told, now = h.Declared()
		require.Equal(t, string(now), string(told))

		before := h.Policies()
		for method, bad := range map[string]session.Policy{
			"":           {},
			"ping":       {Mode: "maybe"},
			"roots/list": {Mode: session.PolicyCanned},
			"sampling/x": {Mode: session.PolicyCanned, Answer: json.RawMessage(`[]`)},
			"tasks/get":  {Delay: -1},
		} {
			require.Error(t, h.SetPolicy(method, bad), method)
		}
		require.Equal(t, before, h.Policies())
	})
}

func TestInvalidPolicyOfAConfigRefuses(t *testing.T) {
	s := session.New(session.Config{Policies: map[string]session.Policy{"roots/list": {Mode: "maybe"}}})
	require.Equal(t, session.PolicyRefuse, s.Policies()["roots/list"].Mode)
}

func TestTooManyPendingServerRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := make(chan string, 8)
		h := open(t, legacy(func(p *fakeProcess, m message) {
			switch m.Method {
			case "never", "notifications/cancelled":
			case "many":
				for range 1001 {
					p.out(elicitation + "\n")
				}
			case "ask":
				p.out(elicitation + "\n")
			case "":
				answers <- m.raw
			}
		}), person)
		require.NoError(t, h.Notify(t.Context(), "many", nil))
		require.Contains(t, <-answers, `"id":0,"error":{"code":-32603`)
		require.Len(t, h.ServerRequests(), 1000)
		require.NoError(t, h.Answer(h.ServerRequests()[0].ID, json.RawMessage(`{}`)))
		<-answers
		h.ask(elicitation)
		require.Len(t, h.ServerRequests(), 1000, "there is room again")

		errs := make(chan error, 1)
		go func() {
			_, err := h.Request(t.Context(), "never", nil, session.CallOptions{Timeout: 10 * time.Second})
			errs <- err
		}()
		h.ask(elicitation) // refused: no request is pending
		require.ErrorIs(t, <-errs, session.ErrTimeout)
		require.Len(t, h.entries(session.KindNote), 2)
	})
}

// The timeout of a call is paused while a person is asked.
func TestTimeoutIsPausedWhileAPersonIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var call message
		h := open(t, legacy(func(p *fakeProcess, m message) {
			switch m.Method {
			case "call":
				call = m
				go func() {
					<-time.After(6 * time.Second)
					p.out(elicitation + "\n")
					<-time.After(time.Second)
					p.out(rootsList + "\n")
				}()
			case "":
				if strings.Contains(m.raw, `"id":0`) {
					go func() {
						<-time.After(3 * time.Second)
						p.result(call, `{}`)
					}()
				}
			}
		}), person)
		begin := time.Now()
		errs := make(chan error, 2)
		request := func(method string) {
			_, err := h.Request(t.Context(), method, nil, session.CallOptions{Timeout: 10 * time.Second})
			errs <- err
		}
		go request("call")
		<-time.After(time.Hour) // far beyond the timeout
		asks := h.ServerRequests()
		require.Len(t, asks, 2)
		require.NoError(t, h.Answer(asks[1].ID, json.RawMessage(`{"roots":[]}`)))
		<-time.After(time.Hour)
		require.Empty(t, errs, "one is still pending")
		go request("later") // not pending
		require.ErrorIs(t, <-errs, session.ErrTimeout)
		require.Equal(t, begin.Add(2*time.Hour+10*time.Second), time.Now())
		require.NoError(t, h.Answer(asks[0].ID, json.RawMessage(`{"action":"decline"}`)))
		require.NoError(t, <-errs, "6 of 10 s had passed, and 3 more have")
	})
}

func TestTimeoutContinuesAfterTheAnswer(t *testing.T) {
	for name, end := range map[string]func(h *harness, id uint64){
		"answered": func(h *harness, id uint64) { require.NoError(h.t, h.Answer(id, json.RawMessage(`{}`))) },
		"withdrawn": func(h *harness, _ uint64) {
			h.ask(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open(t, asking(make(chan string, 8)), person)
				errs := make(chan error, 1)
				begin := time.Now()
				go func() {
					_, err := h.Request(t.Context(), "never", nil, session.CallOptions{Timeout: 10 * time.Second})
					errs <- err
				}()
				<-time.After(4 * time.Second)
				h.ask(elicitation)
				<-time.After(time.Minute)
				end(h, h.ServerRequests()[0].ID)
				require.ErrorIs(t, <-errs, session.ErrTimeout)
				require.Equal(t, 70*time.Second, time.Since(begin))
			})
		})
	}
}
