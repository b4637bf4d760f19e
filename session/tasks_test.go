package session_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// eras runs a test with the demo server in both eras, in a bubble.
func eras(t *testing.T, test func(t *testing.T, h *harness, era mcp.Era)) {
	for _, era := range []mcp.Era{mcp.Legacy, mcp.Modern} {
		t.Run(era.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open(t, serveDemo, func(c *session.Config) {
					c.Era, c.ClientName = era, "test"
					person(c)
				})
				server := h.Status().Server
				require.True(t, server.RunsTasks())
				test(t, h, era)
			})
		})
	}
}

// asTask returns the params of a call of the job tool in an era.
func asTask(era mcp.Era, args string) json.RawMessage {
	params := json.RawMessage(`{"name":"job","arguments":` + args + `}`)
	if era == mcp.Legacy {
		params, _ = session.AsTask(params, 0) // they are an object
	}
	return params
}

// sent returns the methods of the requests about tasks in the log, with how often
// each came in a row.
func (h *harness) sent() (methods []string) {
	h.t.Helper()
	rows := make([]session.Row, h.log.Len())
	for _, row := range rows[:h.log.Rows(0, rows)] {
		if row.Kind != session.KindStdin || row.Msg != framing.Request && h.log.Method(row.Method) != mcp.MethodCancelled {
			continue
		}
		method := h.log.Method(row.Method)
		if !strings.HasPrefix(method, "tasks/") && method != mcp.MethodCancelled || len(methods) > 0 && methods[len(methods)-1] == method {
			continue
		}
		methods = append(methods, method)
	}
	return methods
}

func TestTaskIsFollowedToItsEnd(t *testing.T) {
	eras(t, func(t *testing.T, h *harness, era mcp.Era) {
		var seen []session.Task
		progress := 0
		began := time.Now()
		resp, err := h.Request(t.Context(), mcp.MethodToolsCall, asTask(era, `{"seconds":4}`), session.CallOptions{
			OnTask: func(task session.Task) { seen = append(seen, task) }, Progress: func(json.RawMessage) { progress++ },
		})
		require.NoError(t, err)
		require.Nil(t, resp.Error)
		require.Contains(t, string(resp.Result), "the job took 4 seconds")
		require.LessOrEqual(t, time.Since(began), 4*time.Second+500*time.Millisecond, "at most one poll too late")
		require.Equal(t, 4, progress, "the token of the call stays valid")
		require.Equal(t, session.TaskWorking, seen[0].Status)
		require.Zero(t, seen[0].Polls)
		require.Equal(t, 500*time.Millisecond, seen[0].Poll, "as the server asked for")
		last := seen[len(seen)-1]
		require.Equal(t, session.TaskCompleted, last.Status)
		require.GreaterOrEqual(t, last.Polls, 8)
		require.LessOrEqual(t, last.Polls, 9)
		require.Equal(t, "step 4 of 4", seen[len(seen)-2].Message)
		want := []string{mcp.MethodTasksGet}
		if era == mcp.Legacy {
			want = append(want, mcp.MethodTasksResult)
		}
		require.Equal(t, want, h.sent())
	})
}

func TestTaskAsksForInput(t *testing.T) {
	eras(t, func(t *testing.T, h *harness, era mcp.Era) {
		outcome := make(chan string, 1)
		go func() {
			resp, err := h.Request(t.Context(), mcp.MethodToolsCall, asTask(era, `{"seconds":4,"ask":true}`), session.CallOptions{Timeout: 10 * time.Second})
			outcome <- fmt.Sprint(string(resp.Result), err)
		}()
		ask := h.next(mcp.MethodElicit)
		call := h.row(session.KindStdin, `"job"`)
		require.Contains(t, string(ask.Params), "Go on with the job?")
		e, err := h.log.Entry(call, 0)
		require.NoError(t, err)
		require.Equal(t, e.N, ask.Parent, "it belongs to the call")
		<-time.After(time.Hour) // the timeout is paused meanwhile
		require.NoError(t, h.Answer(ask.ID, json.RawMessage(`{"action":"accept","content":{"speed":"slowly"}}`)))
		require.Contains(t, <-outcome, `\"speed\":\"slowly\"`)
		want := []string{mcp.MethodTasksGet, mcp.MethodTasksUpdate, mcp.MethodTasksGet}
		if era == mcp.Legacy {
			want = []string{mcp.MethodTasksGet, mcp.MethodTasksResult}
		}
		require.Equal(t, want, h.sent())
		require.Empty(t, h.ServerRequests())
	})
}

func TestTaskFails(t *testing.T) {
	eras(t, func(t *testing.T, h *harness, era mcp.Era) {
		resp, err := h.Request(t.Context(), mcp.MethodToolsCall, asTask(era, `{"seconds":1,"end":"isError"}`), session.CallOptions{})
		require.NoError(t, err)
		require.Contains(t, string(resp.Result), `"isError":true`)
		resp, err = h.Request(t.Context(), mcp.MethodToolsCall, asTask(era, `{"seconds":1,"end":"error"}`), session.CallOptions{})
		require.NoError(t, err)
		require.ErrorContains(t, resp.Error, "the job has failed")
	})
}

func TestCancelledTask(t *testing.T) {
	for _, after := range []time.Duration{0, 700 * time.Millisecond, 5 * time.Second} {
		t.Run(after.String(), func(t *testing.T) {
			eras(t, func(t *testing.T, h *harness, era mcp.Era) {
				ctx, cancel := context.WithCancelCause(t.Context())
				var last session.Task
				outcome := make(chan error, 1)
				go func() {
					_, err := h.Request(ctx, mcp.MethodToolsCall, asTask(era, `{"seconds":8,"ask":true}`), session.CallOptions{OnTask: func(task session.Task) { last = task }})
					outcome <- err
				}()
				<-time.After(after) // the question is open after 4 s
				gaveUp := errors.New("enough")
				cancel(gaveUp)
				require.ErrorIs(t, <-outcome, gaveUp)
				synctest.Wait()
				if last.ID == "" { // it was not known yet that the call runs as a task
					require.Zero(t, after)
					require.Equal(t, mcp.Modern, era, "the client has not requested a task")
					require.Equal(t, []string{mcp.MethodCancelled}, h.sent())
					return
				}
				require.Contains(t, h.sent(), mcp.MethodTasksCancel)
				require.NotContains(t, h.sent(), mcp.MethodCancelled, "a task is cancelled by tasks/cancel only")
				require.Equal(t, session.TaskCancelled, last.Status)
				require.Empty(t, h.ServerRequests())
			})
		})
	}
}

func TestTaskOutlivesTimeout(t *testing.T) {
	eras(t, func(t *testing.T, h *harness, era mcp.Era) {
		_, err := h.Request(t.Context(), mcp.MethodToolsCall, asTask(era, `{"seconds":60}`), session.CallOptions{Timeout: 3 * time.Second})
		var open *session.TaskError
		require.ErrorAs(t, err, &open)
		require.ErrorIs(t, err, session.ErrTimeout)
		require.EqualError(t, err, "task "+open.Task.ID+" is still working: tools/call: timed out after 3s")
		require.Equal(t, []string{mcp.MethodTasksGet}, h.sent(), "not cancelled")
		resp, err := h.Request(t.Context(), mcp.MethodTasksGet, json.RawMessage(`{"taskId":"`+open.Task.ID+`"}`), session.CallOptions{})
		require.NoError(t, err)
		require.Contains(t, string(resp.Result), `"working"`)
	})
}

func TestTaskExpires(t *testing.T) {
	eras(t, func(t *testing.T, h *harness, era mcp.Era) {
		_, err := h.Request(t.Context(), mcp.MethodToolsCall, asTask(era, `{"seconds":60,"keep":2}`), session.CallOptions{})
		require.ErrorContains(t, err, "expired after 2s: error -32602")
	})
}

func TestTaskEndsWithItsProcess(t *testing.T) {
	eras(t, func(t *testing.T, h *harness, era mcp.Era) {
		outcome := make(chan error, 1)
		go func() {
			_, err := h.Request(t.Context(), mcp.MethodToolsCall, asTask(era, `{"seconds":60}`), session.CallOptions{})
			outcome <- err
		}()
		<-time.After(1700 * time.Millisecond)
		require.NoError(t, h.Kill())
		require.ErrorIs(t, <-outcome, session.ErrEnded)
		require.NoError(t, h.Restart(t.Context()))
		n := h.log.Len()
		<-time.After(time.Minute)
		require.Equal(t, n, h.log.Len(), "the new process is not polled")
	})
}

func TestTasksOfClientAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var refused []string
		h := open(t, legacy(func(p *fakeProcess, m message) {
			switch m.Method {
			case "tools/call":
				p.out(`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"x"}}` + "\n")
				p.out(`{"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{"message":"?","task":{"ttl":1}}}` + "\n")
			case "":
				refused = append(refused, m.raw)
			}
		}), func(c *session.Config) {
			c.Policies = map[string]session.Policy{mcp.MethodElicit: {Mode: session.PolicyDecline}}
		})
		_, now := h.Declared()
		require.NotContains(t, string(now), "tasks")
		_, err := h.Request(t.Context(), "tools/call", nil, session.CallOptions{Timeout: time.Second})
		require.ErrorIs(t, err, session.ErrTimeout)
		synctest.Wait()
		require.Equal(t, []string{
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`,
			`{"jsonrpc":"2.0","id":2,"result":{"action":"decline"}}`, // as if it had asked for no task
		}, refused)
	})
}

// TestHostileTasks checks that no description of a task breaks a session.
func TestHostileTasks(t *testing.T) {
	for name, tc := range map[string]struct {
		created, polled, want string
	}{
		"no id":              {`{"task":{"status":"working"}}`, `{}`, `{"task":{"status":"working"}}`},
		"a number for an id": {`{"task":{"taskId":1,"status":"working"}}`, `{}`, `{"task":{"taskId":1,"status":"working"}}`},
		"numbers of other types": {`{"task":{"taskId":"x","status":"working","ttl":"soon","pollInterval":-1e400,"statusMessage":{}}}`,
			`{"taskId":"x","status":"cancelled","pollInterval":1e300,"ttl":1e300}`, `task x was cancelled by the server`},
		"not an object": {`{"task":{"taskId":"x"}}`, `[]`, `task x cannot be followed: tasks/get: result: `},
		"an old status": {`{"task":{"taskId":"x"}}`, `{"status":"completed"}`, `{"status":"completed"}`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open(t, legacy(func(p *fakeProcess, m message) {
					if m.Method == "tools/call" {
						p.result(m, tc.created)
					} else if m.ID != nil {
						p.result(m, tc.polled)
					}
				}), nil)
				resp, err := h.Request(t.Context(), "tools/call", json.RawMessage(`{"task":{}}`), session.CallOptions{})
				text := string(resp.Result)
				if err != nil {
					text = err.Error()
				}
				require.True(t, strings.HasPrefix(text, tc.want), text)
			})
		})
	}
}

func TestAsTask(t *testing.T) {
	params, err := session.AsTask(json.RawMessage(` {"name": "x"}`), 1500*time.Millisecond)
	require.NoError(t, err)
	require.Equal(t, `{"name":"x","task":{"ttl":1500}}`, string(params))
	_, err = session.AsTask(json.RawMessage(`[]`), 0)
	require.Error(t, err)
	require.Equal(t, session.TaskOptional, session.TaskSupport(json.RawMessage(`{"execution":{"taskSupport":"optional"}}`)))
	require.Equal(t, session.TaskForbidden, session.TaskSupport(bytes.Repeat([]byte("x"), 3)))
	require.Equal(t, session.TaskForbidden, session.TaskSupport(json.RawMessage(`{"execution":{"taskSupport":"always"}}`)))
}
