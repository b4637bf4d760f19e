package demo

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const jobCall = `,"method":"tools/call","params":{"name":"job","arguments":{"seconds":0}`

// asJob is the beginning of a request with an id.
func asJob(id string) string { return `{"jsonrpc":"2.0","id":` + id + jobCall }

// TestJobInBothEras checks a task from its announcement to its result.
func TestJobInBothEras(t *testing.T) {
	d := talk(t)
	d.initialize("2025-11-25", `{}`)
	require.Equal(t, -32601.0, at(t, d.ask(asJob(`10`)+`}}`), "error", "code"), "required, but called plainly")
	require.Equal(t, -32601.0, at(t, d.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","task":{}}}`), "error", "code"), "forbidden")
	created := d.ask(asJob(`11`) + `,"task":{"ttl":60000}}}`)
	require.Equal(t, "working", at(t, created, "result", "task", "status"))
	require.Equal(t, 60000.0, at(t, created, "result", "task", "ttl"))
	id := at(t, created, "result", "task", "taskId").(string)
	result := d.ask(`{"jsonrpc":"2.0","id":3,"method":"tasks/result","params":{"taskId":"` + id + `"}}`)
	require.Equal(t, "the job took 0 seconds", at(t, result, "result", "content", 0, "text"))
	require.Equal(t, id, at(t, result, "result", "_meta", metaRelatedTask, "taskId"))
	require.Equal(t, "completed", at(t, d.ask(`{"jsonrpc":"2.0","id":4,"method":"tasks/get","params":{"taskId":"`+id+`"}}`), "result", "status"))
	require.Equal(t, -32602.0, at(t, d.ask(`{"jsonrpc":"2.0","id":5,"method":"tasks/cancel","params":{"taskId":"`+id+`"}}`), "error", "code"), "it is over")
	require.Equal(t, 0, d.end())
}

func TestModernJobNeedsTheExtension(t *testing.T) {
	const meta = `,"_meta":{"` + metaVersion + `":"` + modernRevision + `","` + metaCapabilities + `":`
	d := talk(t)
	require.Equal(t, -32021.0, at(t, d.ask(asJob(`12`)+meta+`{}}}}`), "error", "code"))
	with := meta + `{"extensions":{"` + tasksExtension + `":{}}}}`
	created := d.ask(asJob(`13`) + with + `}}`)
	require.Equal(t, "task", at(t, created, "result", "resultType"))
	id := at(t, created, "result", "taskId").(string)
	require.Nil(t, at(t, created, "result", "ttlMs"))
	require.Equal(t, "complete", at(t, d.ask(`{"jsonrpc":"2.0","id":2,"method":"tasks/cancel","params":{"taskId":"`+id+`"`+with+`}}`), "result", "resultType"))
	require.Equal(t, -32601.0, at(t, d.ask(`{"jsonrpc":"2.0","id":3,"method":"tasks/result","params":{"taskId":"`+id+`"`+with+`}}`), "error", "code"))
	require.Equal(t, 0, d.end())
}
