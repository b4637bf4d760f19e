package ui

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/detail/content"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

// The ids of the actions of the content view.
const (
	actViewContent = "view-content"
	actSavePart    = "save-part"
	actViewPart    = "view-part"
	actMarkdown    = "markdown"
)

// weather is a tool result with parts of every kind.
func weather(t testing.TB) string {
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

// addCall appends a call of a tool and its response to a log.
func addCall(t testing.TB, log session.Log, response string) {
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

// driveContent shows the response of a call in the detail pane.
func driveContent(t testing.TB, opts Options, result string, w, h int) *driver {
	t.Helper()
	log := newLog(t)
	addCall(t, log, `{"jsonrpc":"2.0","id":"mcpdbg-7",`+result+`}`)
	opts.Source = log
	d := driveAs(t, opts, w, h)
	d.do(host.ActOpen)
	return d
}

func TestContentFrames(t *testing.T) {
	results := []struct{ name, result string }{
		{"content-result", `"result":` + weather(t)},
		{"content-error", `"error":{"code":-32602,"message":"Invalid params: no city \"Berlin\" within reach","data":{"known":["Paris","Rome"]}}`},
		{"content-iserror", `"result":{"content":[{"type":"text","text":"the station does not answer"}],"isError":true}`},
	}
	for _, r := range results {
		for _, tc := range []struct {
			w, h         int
			plain, ascii bool
		}{{w: 120, h: 36}, {w: 80, h: 24}, {w: 60, h: 20}, {w: 120, h: 36, plain: true}, {w: 120, h: 36, ascii: true}} {
			name := fmt.Sprintf("%s-%dx%d", r.name, tc.w, tc.h)
			if tc.plain {
				name += "-nocolor"
			}
			if tc.ascii {
				name += "-ascii"
			}
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					d := driveContent(t, Options{NoColor: tc.plain, Settings: Settings{ASCII: tc.ascii}}, r.result, tc.w, tc.h)
					requireExact(t, d.content(), tc.w, tc.h)
					uitest.Golden(t, name, d.content())
				})
			})
		}
	}
}

// TestContentStarts checks which messages are shown by their content first, and that
// another choice is kept for the method.
func TestContentStarts(t *testing.T) {
	log := newLog(t)
	for i, line := range []string{
		`{"id":1,"method":"tools/list"}`, `{"id":1,"result":{"tools":[]}}`,
		`{"id":2,"method":"tools/call","params":{"name":"a"}}`, `{"id":2,"result":{"content":[{"type":"text","text":"first"}]}}`,
		`{"id":3,"method":"tools/call","params":{"name":"b"}}`, `{"id":3,"result":{"content":[{"type":"text","text":"second"}]}}`,
		`{"id":4,"method":"prompts/get","params":{"name":"c"}}`, `{"id":4,"result":{"messages":[{"role":"user","content":{"type":"text","text":"third"}}]}}`,
		`{"id":5,"method":"tools/list"}`, `{"id":5,"error":{"code":-32601,"message":"fourth"}}`,
	} {
		kind := []session.Kind{session.KindStdin, session.KindStdout}[i%2]
		require.NoError(t, log.Append([]session.Entry{{Kind: kind, Payload: []byte(line), Msg: framing.Scan([]byte(line))}}))
	}
	d := drive(t, Options{Source: log}, 120, 36)
	show := func(row int, want string) {
		t.Helper()
		d.visible.rows.Traffic.Select(row)
		d.pull()
		require.Contains(t, d.repainted(), want)
	}
	show(1, "[tree]")
	show(2, "[tree]") // of a request
	show(3, "[content]")
	require.Contains(t, d.plain(), "1 text  5 B")
	show(7, "1 user  text  5 B")
	show(9, "-32601 Method not found")
	show(5, "[content]")
	d.do(actDetail, actViewText)
	show(3, "[text]")
	show(7, "[content]")
	show(2, "[tree]")
	show(3, "[text]")
}

// TestContentTabs checks that a click on the name of a view chooses it.
func TestContentTabs(t *testing.T) {
	d := driveContent(t, Options{}, `"result":`+weather(t), 120, 36)
	for y, row := range d.rows() {
		if x := strings.Index(row, " bytes "); x >= 0 {
			d.take(tea.MouseClickMsg{X: len([]rune(row[:x])) + 2, Y: y, Button: tea.MouseLeft})
			break
		}
	}
	require.Contains(t, d.plain(), "[bytes]")
	require.Contains(t, d.plain(), "00000000 7b 22")
}

// TestContentLinks checks that a linked resource is read from a server, and that a
// recording has none to read from.
func TestContentLinks(t *testing.T) {
	link := `{"content":[{"type":"resource_link","uri":"note://x","name":"x"}]}`
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":7,"result":` + link + `}`)
		d.visible.rows.Traffic.Select(d.row("note://x"))
		d.do(actTraffic, actViewContent)
		require.Contains(t, d.plain(), "1 link  note://x  \"x\"   enter reads it")
		d.begin(d.visible.Do(host.ActOpen))
		d.arrive()
		require.NotPanics(t, func() { d.row("resources/read") })
	})
	d := driveContent(t, Options{}, `"result":`+link, 120, 36)
	require.NotContains(t, d.plain(), "enter reads it")
	d.do(host.ActOpen)
	require.Contains(t, d.plain(), "x read note://x: ")
}

// TestContentCopies checks that the text of a part can be copied, and the address of a
// link.
func TestContentCopies(t *testing.T) {
	d := driveContent(t, Options{}, `"result":{"content":[{"type":"text","text":"words\nto read"},{"type":"resource_link","uri":"note://x"}]}`, 120, 36)
	d.do("copy-menu")
	require.Contains(t, d.plain(), "text of part 1")
	d.write("text of")
	d.do("copy-this")
	require.Equal(t, "words\nto read", d.clip)
	d.do(kit.Bottom, "copy-menu")
	d.write("address")
	d.do("copy-this")
	require.Equal(t, "note://x", d.clip)
}

// TestContentLeads checks that jq, a search and the other side work from the content.
func TestContentLeads(t *testing.T) {
	result := `"result":{"content":[{"type":"text","text":"words to read"}]}`
	d := driveContent(t, Options{}, result, 120, 36)
	d.do("jq")
	require.Contains(t, d.plain(), "jq> ")
	require.Contains(t, d.plain(), "[tree]")
	d = driveContent(t, Options{}, result, 120, 36)
	d.search1("read", kit.Top)
	require.Contains(t, d.plain(), "[tree]")
	require.Contains(t, d.plain(), `text: "words to read"`)
	d = driveContent(t, Options{}, result, 120, 36)
	d.do(actOtherSide)
	require.Contains(t, d.plain(), "3 Detail request")
	require.Contains(t, d.plain(), `city: "Berlin"`)
	d.do(actOtherSide)
	require.Contains(t, d.plain(), "[content]")
}

// TestContentPicture checks that a picture is shown in colour, but not without.
func TestContentPicture(t *testing.T) {
	for _, plain := range []bool{false, true} {
		d := driveContent(t, Options{NoColor: plain}, `"result":`+weather(t), 120, 60)
		require.Contains(t, d.plain(), "2 image/png  24x12  ")
		require.Equal(t, !plain, strings.Contains(d.plain(), strings.Repeat("▀", 24)))
	}
}

// TestLargeContent checks that a message over the limit is not parsed.
func TestLargeContent(t *testing.T) {
	d := driveContent(t, Options{}, `"result":{"content":[{"type":"text","text":"`+strings.Repeat("x", content.MaxBytes)+`"}]}`, 120, 36)
	require.Contains(t, d.repainted(), "16.0M is too large for this view: v shows the text")
	d.do(actView)
	require.Contains(t, d.repainted(), "v result: {")
}

var contentTests = map[string]actionTest{
	actViewContent: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"words to read"}]}}`)
		d.visible.rows.Traffic.Select(d.row("words to read"))
		d.do(actViewContent)
		require.Contains(t, d.plain(), "[content]")
		require.Contains(t, d.plain(), "   words to read")
	},
	actMarkdown: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"# Title\n\n* item"}]}}`)
		d.visible.rows.Traffic.Select(d.row("Title"))
		d.do(actViewContent)
		require.Contains(t, d.plain(), "• item")
		d.do(actMarkdown)
		require.Contains(t, d.plain(), "* item")
		d.do(actMarkdown)
		require.Contains(t, d.plain(), "• item")
		d.do(actViewTree, actMarkdown)
		require.Contains(t, d.plain(), "only a text in the content view has two forms")
	},
	actViewPart: func(t *testing.T, d *driver, _ *fakeExecutor) {
		var opened []string
		d.outside.view = func(_ context.Context, data []byte, suffix string) (string, error) {
			if opened = append(opened, string(data)+suffix); len(opened) > 1 {
				return "", errors.New("no display")
			}
			return "xdg-open", nil
		}
		d.send(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"audio","mimeType":"audio/wav","data":"AAEC"},{"type":"text","text":"a"}]}}`)
		d.visible.rows.Traffic.Select(d.row("audio"))
		d.do(actViewContent, actViewPart)
		require.Contains(t, d.plain(), "part 1: opened with xdg-open")
		d.do(actViewPart)
		require.Contains(t, d.plain(), "x open part 1: no display; ctrl+s saves it to a file")
		require.Equal(t, []string{"\x00\x01\x02.wav", "\x00\x01\x02.wav"}, opened)
		d.do(kit.Bottom, actViewPart)
		require.Contains(t, d.plain(), "only a picture, sound, video or PDF in the content view is opened in another program")
		require.Len(t, opened, 2)
	},
	actSavePart: func(t *testing.T, d *driver, _ *fakeExecutor) {
		t.Chdir(t.TempDir())
		d.send(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"audio","mimeType":"audio/wav","data":"AAEC"}]}}`)
		d.visible.rows.Traffic.Select(d.row("audio"))
		d.do(actViewContent, actSavePart)
		require.Contains(t, d.plain(), ".wav")
		d.do(actAccept)
		require.Contains(t, d.plain(), "part 1: 3 written to mcpdbg-")
		files, err := os.ReadDir(".")
		require.NoError(t, err)
		require.Len(t, files, 1)
		data, err := os.ReadFile(files[0].Name())
		require.NoError(t, err)
		require.Equal(t, []byte{0, 1, 2}, data)
		d.do(kit.Down)
	},
}
