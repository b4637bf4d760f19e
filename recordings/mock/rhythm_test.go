package mock

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// writes records each write with its time.
type writes struct {
	begin time.Time
	all   []string
	at    []time.Duration
}

func (w *writes) Write(p []byte) (int, error) {
	w.all, w.at = append(w.all, strings.TrimSpace(string(p))), append(w.at, time.Since(w.begin))
	return len(p), nil
}

const together = legacy + `
	1000 > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"long","_meta":{"progressToken":"p"}}}
	1003 < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}
	1003 < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":2}}
	1003 < {"jsonrpc":"2.0","id":1,"result":"done"}
`

// TestProgressIsWrittenSeparately: the TypeScript SDK drops progress that
// arrives together with the response.
func TestProgressIsWrittenSeparately(t *testing.T) {
	t.Parallel()
	rec := record(t, together)
	synctest.Test(t, func(t *testing.T) {
		server, err := New(t.Context(), rec, Options{})
		require.NoError(t, err)
		out := &writes{begin: time.Now()}
		_, err = server.Serve(t.Context(), strings.NewReader(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"long","_meta":{"progressToken":7}}}`+"\n"), out, io.Discard)
		require.NoError(t, err)
		require.Equal(t, []string{
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}`,
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":2}}`,
			`{"jsonrpc":"2.0","id":5,"result":"done"}`,
		}, out.all)
		require.Equal(t, []time.Duration{3 * time.Millisecond, 3 * time.Millisecond, 3*time.Millisecond + minGap}, out.at)
	})
}

// TestRhythmIsLimited: a long call is not served in its recorded time.
func TestRhythmIsLimited(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, "%d < {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"data\":%d}}\n", 1100+100*i, i)
	}
	rec := record(t, legacy+`
	1000 > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"long"}}
	`+b.String()+`
	60000 < {"jsonrpc":"2.0","id":1,"result":"done"}
	`)
	synctest.Test(t, func(t *testing.T) {
		server, err := New(t.Context(), rec, Options{})
		require.NoError(t, err)
		out := &writes{begin: time.Now()}
		_, err = server.Serve(t.Context(), strings.NewReader(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"long"}}`+"\n"), out, io.Discard)
		require.NoError(t, err)
		require.Len(t, out.all, 501)
		require.Equal(t, maxTotalRest+minGap, out.at[500])
	})
}

// changing has a change that came while two requests were pending, and was caused by
// neither: it came because the client had initialized.
const changing = legacy + `
	10 > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}
	11 > {"jsonrpc":"2.0","id":2,"method":"tools/list"}
	30 < {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
	40 < {"jsonrpc":"2.0","id":2,"result":"list"}
	41 < {"jsonrpc":"2.0","id":1,"result":"echo"}
	50 > {"jsonrpc":"2.0","id":3,"method":"ping"}
	60 < {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a"}}
	70 < {"jsonrpc":"2.0","id":3,"result":{}}
`

func TestChangeFollowsTheLastResponse(t *testing.T) {
	t.Parallel()
	rec := record(t, changing)
	const (
		initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
		listChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
		updated     = `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a"}}`
	)
	for _, c := range []struct {
		name, input string
		want        []string
	}{
		{"only initialized", initialized, []string{listChanged}},
		{"the request that was pending", `{"jsonrpc":"2.0","id":8,"method":"tools/list"}`, []string{`{"jsonrpc":"2.0","id":8,"result":"list"}`}},
		{"the last response before", `{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"echo"}}`, []string{`{"jsonrpc":"2.0","id":8,"result":"echo"}`, updated}},
		{"the request after", `{"jsonrpc":"2.0","id":8,"method":"ping"}`, []string{`{"jsonrpc":"2.0","id":8,"result":{}}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := serve(t, rec, Options{}, c.input)
			require.Equal(t, c.want, strings.Split(strings.TrimSpace(got.out), "\n"))
		})
	}
}
