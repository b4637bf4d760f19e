package uitest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// Weather is a tool result with parts of every kind.
func Weather(t testing.TB) string {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 24, 12))
	for y := range 12 {
		for x := range 24 {
			m.Set(x, y, color.RGBA{uint8(10 * x), uint8(20 * y), 128, 255})
		}
	}
	var picture bytes.Buffer
	require.NoError(t, png.Encode(&picture, m))
	text, err := json.Marshal("# Berlin, 12 °C\n\n- wind **14 km/h**\n- see [the map](https://maps.example/berlin)\n\n| day | max |\n|---|--:|\n| Mon | 13 |\n| Tue | `7` |\n\n```json\n{\"max\": 13, \"ok\": true}\n```\n")
	require.NoError(t, err)
	return `{"content":[{"type":"text","text":` + string(text) + `,"annotations":{"audience":["user"],"priority":0.9}},` +
		`{"type":"image","mimeType":"image/png","data":"` + base64.StdEncoding.EncodeToString(picture.Bytes()) + `"},` +
		`{"type":"resource_link","uri":"note://berlin/today","name":"today","title":"Today","mimeType":"text/plain","description":"What happens today"},` +
		`{"type":"resource","resource":{"uri":"note://berlin","mimeType":"application/json","text":"{\"days\": [13, 7]}"}},` +
		`{"type":"audio","mimeType":"audio/wav","data":"UklGRgAAAABXQVZF"}],` +
		`"structuredContent":{"max":13,"unit":"C","days":[7,13]}}`
}

// AddCall appends a call of a tool and its response to a log.
func AddCall(t testing.TB, log session.Log, response string) {
	t.Helper()
	for i, line := range []string{`{"jsonrpc":"2.0","id":"mcpdbg-7","method":"tools/call","params":{"name":"get-weather","arguments":{"city":"Berlin"}}}`, response} {
		e := session.Entry{Kind: session.KindStdin, Payload: []byte(line), Msg: framing.Scan([]byte(line)), Seq: uint64(14 + i)}
		if i == 1 {
			e.Kind = session.KindStdout
			time.Sleep(took)
		}
		require.NoError(t, log.Append([]session.Entry{e}))
	}
}

// took is the response time of such a call, on the clock of the bubble.
const took = 41 * time.Millisecond

// HostileLog returns a log with each hostile text in every place that a server
// can fill.
func HostileLog(t testing.TB, texts ...string) session.Log {
	t.Helper()
	log := NewLog(t)
	add := func(kind session.Kind, payload string) {
		e := session.Entry{Kind: kind, Seq: 1, Payload: []byte(payload), EOL: framing.LF}
		if kind != session.KindStderr {
			e.Msg = framing.Scan(e.Payload)
		}
		require.NoError(t, log.Append([]session.Entry{e}))
	}
	for _, text := range texts {
		add(session.KindStderr, text)
		add(session.KindStdout, text)
		add(session.KindStdout, `{"jsonrpc":"2.0","id":"`+text+`","method":"`+text+`","params":{"`+text+`":"`+text+`"}}`)
		add(session.KindStdin, `{"jsonrpc":"2.0","id":"`+text+`","error":{"code":1,"message":"`+text+`"}}`)
		require.NoError(t, log.Append([]session.Entry{session.NewEntry(session.KindNote, 0, session.NoteBody{Text: text, Hint: text})}))
	}
	return log
}
