package detail

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/detail/content"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

// withContent shows the response of a call.
func withContent(t *testing.T, result string, w, h int, look func(*uitest.Host)) *room {
	t.Helper()
	log := uitest.NewLog(t)
	uitest.AddCall(t, log, `{"jsonrpc":"2.0","id":"mcpdbg-7",`+result+`}`)
	screen := uitest.NewHost(t, uitest.NewWorkspace(t, log), w, h)
	look(screen)
	r := newRoom(screen)
	r.show(1)
	return r
}

func plain(*uitest.Host) {}

func TestContentFrames(t *testing.T) {
	results := []struct{ name, result string }{
		{"content-result", `"result":` + uitest.Weather(t)},
		{"content-error", `"error":{"code":-32602,"message":"Invalid params: no city \"Berlin\" within reach","data":{"known":["Paris","Rome"]}}`},
		{"content-iserror", `"result":{"content":[{"type":"text","text":"the station does not answer"}],"isError":true}`},
	}
	for _, result := range results {
		var frames uitest.Sheet
		for _, tc := range []struct {
			w, h         int
			plain, ascii bool
		}{{w: 120, h: 36}, {w: 80, h: 24}, {w: 60, h: 20}, {w: 120, h: 36, plain: true}, {w: 120, h: 36, ascii: true}} {
			name := fmt.Sprintf("%s-%dx%d", result.name, tc.w, tc.h)
			if tc.plain {
				name += "-nocolor"
			}
			if tc.ascii {
				name += "-ascii"
			}
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := withContent(t, result.result, tc.w, tc.h, func(h *uitest.Host) {
						if h.Screen().ASCII = tc.ascii; !tc.plain {
							h.Colours()
						}
					})
					uitest.RequireExact(t, r.Frame(), tc.w, tc.h)
					if tc.ascii {
						require.NotRegexp(t, `[^\x00-\x7e]`, strings.ReplaceAll(r.Text(), "°", "o"))
					}
					if tc.plain {
						require.NotRegexp(t, `\x1b\[[0-9;]*[34]8;`, r.Frame())
					}
					if tc.w >= 80 && !tc.plain && !tc.ascii {
						frames.Add(fmt.Sprintf("%dx%d", tc.w, tc.h), r.Frame())
					}
				})
			})
		}
		frames.Golden(t, result.name)
	}
}

// TestContentStarts checks which messages are shown by their content first, and that
// another choice is kept for the method.
func TestContentStarts(t *testing.T) {
	log := uitest.NewLog(t)
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
	r := ofLog(t, log, 120, 36)
	show := func(row int, want string) {
		t.Helper()
		r.show(row)
		require.Contains(t, r.Text(), want)
	}
	show(1, "[tree]")
	show(2, "[tree]") // of a request
	show(3, "[content]")
	require.Contains(t, r.Text(), "1 text  5 B")
	show(7, "1 user  text  5 B")
	show(9, "-32601 Method not found")
	show(5, "[content]")
	r.Do(actViewText)
	show(3, "[text]")
	show(7, "[content]")
	show(2, "[tree]")
	show(3, "[text]")
}

// TestContentTabs checks that a click on the name of a view chooses it.
func TestContentTabs(t *testing.T) {
	r := withContent(t, `"result":`+uitest.Weather(t), 120, 36, plain)
	_, title := r.pane.Titles()
	r.Run(r.pane.ClickTitle(len(title) - 1 - strings.Index(title, "bytes")))
	require.Contains(t, r.Text(), "[bytes]")
	require.Contains(t, r.Text(), "00000000 7b 22")
}

// TestContentLinks checks that a linked resource is read from a server, and that a
// recording has none to read from.
func TestContentLinks(t *testing.T) {
	link := `{"content":[{"type":"resource_link","uri":"note://x","name":"x"}]}`
	inRoom(t, 120, 36, nil, func(t *testing.T, r *room, x *uitest.Server) {
		r.Send(`{"jsonrpc":"2.0","id":7,"result":` + link + `}`)
		r.show(r.Row("note://x"))
		r.Do(actViewContent)
		require.Contains(t, r.Text(), "1 link  note://x  \"x\"   enter reads it")
		r.Begin(r.pane.Open(r.Context()))
		r.Arrive()
		require.NotPanics(t, func() { r.Row("resources/read") })
	})
	r := withContent(t, `"result":`+link, 120, 36, plain)
	require.NotContains(t, r.Text(), "enter reads it")
	r.Do(host.ActOpen)
	require.Contains(t, r.Said(), "x read note://x: ")
}

// TestContentCopies checks that the text of a part can be copied, and the address of a
// link.
func TestContentCopies(t *testing.T) {
	r := withContent(t, `"result":{"content":[{"type":"text","text":"words\nto read"},{"type":"resource_link","uri":"note://x"}]}`, 120, 36, plain)
	copies := func(wantName, want string) {
		t.Helper()
		name, text, ok := r.pane.Part()
		require.True(t, ok)
		require.Equal(t, []string{wantName, want}, []string{name, text})
	}
	copies("text of part 1", "words\nto read")
	r.Do(kit.Bottom)
	copies("address of part 2", "note://x")
}

// TestContentLeads checks that jq, a search and the other side work from the content.
func TestContentLeads(t *testing.T) {
	result := `"result":{"content":[{"type":"text","text":"words to read"}]}`
	r := withContent(t, result, 120, 36, plain)
	r.Do("jq")
	require.Contains(t, r.Text(), "jq> ")
	require.Contains(t, r.Text(), "[tree]")
	r = withContent(t, result, 120, 36, plain)
	r.Do(kit.Top)
	r.search("read", 0)
	require.Contains(t, r.Text(), "[tree]")
	require.Contains(t, r.Text(), `text: "words to read"`)
	r = withContent(t, result, 120, 36, plain)
	require.False(t, r.pane.OtherSide(), "no pair is shown")
	r.show(0)
	require.Contains(t, r.Text(), "· request ·")
	require.Contains(t, r.Text(), `city: "Berlin"`)
	r.show(1)
	require.Contains(t, r.Text(), "[content]")
}

// TestContentPicture checks that a picture is shown in colour, but not without.
func TestContentPicture(t *testing.T) {
	for _, plain := range []bool{false, true} {
		r := withContent(t, `"result":`+uitest.Weather(t), 120, 60, func(h *uitest.Host) {
			if !plain {
				h.Colours()
			}
		})
		require.Contains(t, r.Text(), "2 image/png  24x12  ")
		require.Equal(t, !plain, strings.Contains(r.Text(), strings.Repeat("▀", 24)))
	}
}

// TestLargeContent checks that a message over the limit is not parsed.
func TestLargeContent(t *testing.T) {
	r := withContent(t, `"result":{"content":[{"type":"text","text":"`+strings.Repeat("x", content.MaxBytes)+`"}]}`, 120, 36, plain)
	require.Contains(t, r.Text(), "16.0M is too large for this view: v shows the text")
	r.Do(actView)
	require.Contains(t, r.Text(), "v result: {")
}

var contentTests = map[string]roomTest{
	actViewContent: func(t *testing.T, r *room, x *uitest.Server) {
		r.Send(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"words to read"}]}}`)
		r.show(r.Row("words to read"))
		r.Do(actViewContent)
		require.Contains(t, r.Text(), "[content]")
		require.Contains(t, r.Text(), "   words to read")
	},
	actMarkdown: func(t *testing.T, r *room, x *uitest.Server) {
		r.Send(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"# Title\n\n* item"}]}}`)
		r.show(r.Row("Title"))
		r.Do(actViewContent)
		require.Contains(t, r.Text(), "• item")
		r.Do(actMarkdown)
		require.Contains(t, r.Text(), "* item")
		r.Do(actMarkdown)
		require.Contains(t, r.Text(), "• item")
		r.Do(actViewTree, actMarkdown)
		require.Contains(t, r.Said(), "only a text in the content view has two forms")
	},
	actViewPart: func(t *testing.T, r *room, x *uitest.Server) {
		var opened []string
		r.Outside = func(data []byte, suffix string) (string, error) {
			if opened = append(opened, string(data)+suffix); len(opened) > 1 {
				return "", errors.New("no display")
			}
			return "xdg-open", nil
		}
		r.Send(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"audio","mimeType":"audio/wav","data":"AAEC"},{"type":"text","text":"a"}]}}`)
		r.show(r.Row("audio"))
		r.Do(actViewContent, actViewPart)
		require.Contains(t, r.Said(), "part 1: opened with xdg-open")
		r.Do(actViewPart)
		require.Contains(t, r.Said(), "x open part 1: no display; ctrl+s saves it to a file")
		require.Equal(t, []string{"\x00\x01\x02.wav", "\x00\x01\x02.wav"}, opened)
		r.Do(kit.Bottom, actViewPart)
		require.Contains(t, r.Said(), "only a picture, sound, video or PDF in the content view is opened in another program")
		require.Len(t, opened, 2)
	},
	actSavePart: func(t *testing.T, r *room, _ *uitest.Server) {
		r.Send(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"audio","mimeType":"audio/wav","data":"AAEC"}]}}`)
		r.show(r.Row("audio"))
		r.Do(actViewContent, actSavePart)
		name := r.Line.Text
		require.Contains(t, name, ".wav")
		r.Do("accept")
		require.Contains(t, r.Said(), "part 1: 3 written to mcpdbg-")
		require.Equal(t, map[string]string{name: "\x00\x01\x02"}, r.Saved)
		r.Do(kit.Down)
	},
}
