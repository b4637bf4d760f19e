package form

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

var update = flag.Bool("update", false, "update the golden files")

func formOf(schema string) *Form {
	f := New([]byte(schema), Options{Theme: paint.NewTheme(paint.Options{}), Text: termsafe.Options{Ellipsis: "~"}})
	f.SetSize(80, 24)
	return f
}

// props returns a form of an object with the given properties.
func props(properties string, required ...string) *Form {
	names, _ := json.Marshal(append([]string{}, required...))
	return formOf(`{"type":"object","properties":{` + properties + `},"required":` + string(names) + `}`)
}

// press presses keys: names in angle brackets are keys, everything else is
// typed.
func press(t *testing.T, f *Form, keys string) {
	t.Helper()
	for keys != "" {
		if name, rest, ok := strings.Cut(strings.TrimPrefix(keys, "<"), ">"); ok && keys[0] == '<' {
			f.Key(named(name))
			keys = rest
			continue
		}
		r := []rune(keys)[0]
		f.Key(tea.KeyPressMsg{Code: r, Text: string(r)})
		keys = keys[len(string(r)):]
	}
}

func named(name string) tea.KeyPressMsg {
	codes := map[string]rune{"left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete}
	if mod, key, ok := strings.Cut(name, "+"); ok {
		msg := named(key)
		msg.Mod = map[string]tea.KeyMod{"ctrl": tea.ModCtrl, "alt": tea.ModAlt}[mod]
		return msg
	}
	if code, ok := codes[name]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0]}
}

func sent(t *testing.T, f *Form) string {
	t.Helper()
	raw, err := f.JSON()
	require.NoError(t, err)
	return string(raw)
}

func (f *Form) paintInto(out *paint.Lines) {
	out.Options = f.options.Text
	out.Resize(f.width, f.height)
	f.Paint(out, 0, true)
}

// screen paints the form without styles and without trailing blanks.
func screen(f *Form) string {
	var out paint.Lines
	f.paintInto(&out)
	_, h := out.Size()
	var lines []string
	for y := range h {
		lines = append(lines, strings.TrimRight(ansi.Strip(out.Painted(y).String()), " "))
	}
	return strings.Join(lines, "\n") + "\n"
}

func golden(t *testing.T, name, frame string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(frame), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "go test ./ui/widget/form -update writes golden files")
	require.Equal(t, strings.Split(string(want), "\n"), strings.Split(frame, "\n"))
}

func fixture(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return raw
}

// TestFrames shows the form of server-everything's elicitation when it opens
// and while it is filled in.
func TestFrames(t *testing.T) {
	for _, size := range [][2]int{{110, 20}, {60, 12}, {30, 8}} {
		f := formOf(string(fixture(t, "elicit-everything.json")))
		f.SetSize(size[0], size[1])
		name := fmt.Sprintf("elicit-%dx%d", size[0], size[1])
		frame := screen(f)
		f.Next()
		f.Next()
		f.Next()
		press(t, f, "ada@")
		frame += screen(f)
		f.Select("/untitledSingleSelectEnum")
		press(t, f, "ro")
		frame += screen(f)
		require.True(t, f.Select("/titledMultipleSelectEnum"))
		require.True(t, f.ToggleFold())
		f.Next()
		f.Next()
		press(t, f, " ")
		frame += screen(f)
		require.True(t, f.FirstError())
		frame += screen(f)
		golden(t, name, frame)
	}
}

// TestPaintIsBounded checks that the cost of a frame depends on what is
// visible, not on the size of the form.
func TestPaintIsBounded(t *testing.T) {
	f := formOf(`{"type":"object","properties":{"l":{"type":"array","items":{"type":"string"}},"s":{"type":"string"}}}`)
	require.NoError(t, f.SetJSON([]byte(`{"l":[`+strings.Repeat(`"item",`, 900)+`"x"],"s":"`+strings.Repeat("long text ", 100_000)+`"}`)))
	f.Select("/l")
	f.Fold(false)
	require.Equal(t, 903, f.Rows())
	f.moveTo(len(f.rows) - 1)
	var out paint.Lines
	f.paintInto(&out)
	require.Less(t, testing.AllocsPerRun(10, func() { f.paintInto(&out) }), 300.0)
}

func TestMoving(t *testing.T) {
	f := formOf(order)
	require.False(t, f.step(-1))
	for range 7 {
		require.False(t, f.AtEnd())
		require.True(t, f.Next())
	}
	require.True(t, f.AtEnd())
	require.False(t, f.Next())
	require.Equal(t, "/any", f.Path())
	f.SetSize(40, 9)
	f.Page(-1)
	require.Equal(t, "/tags", f.Path())
	require.True(t, f.SelectLine(0))
	require.False(t, f.SelectLine(7))
	f.Scroll(99)
	require.True(t, f.Select("/lines"))
	require.False(t, f.Select("/lines/3/sku"), "there is no such item")
	require.Equal(t, "/lines", f.Path())
	require.True(t, f.Select("/address/zip"), "inside a folded field")
	require.Equal(t, Info{Typed: true, Absent: true}, f.Info())
	require.Equal(t, Info{}, formOf(`{"type":"object"}`).Info())
}

func TestArguments(t *testing.T) {
	schema := Arguments([]Argument{{Name: "city", Title: "City", Description: "where", Required: true}, {Name: "\"x\""}, {Name: "z", Required: true}})
	require.JSONEq(t, `{"type":"object","properties":{"city":{"type":"string","title":"City","description":"where"},"\"x\"":{"type":"string"},"z":{"type":"string"}},"required":["city","z"]}`, string(schema))
	f := New(schema, Options{})
	press(t, f, "Bern")
	require.Equal(t, `{"city":"Bern"}`, sent(t, f))
	require.JSONEq(t, `{"type":"object","properties":{},"required":[]}`, string(Arguments(nil)))
}

// TestLongText checks that the part of a long text around its cursor is
// visible.
func TestLongText(t *testing.T) {
	f := props(`"s":{"type":"string"}`)
	press(t, f, strings.Repeat("abc ", 50))
	require.Contains(t, screen(f), "abc abc")
}

// TestNoFields checks what is shown where nothing can be filled in.
func TestNoFields(t *testing.T) {
	f := props(``)
	require.Equal(t, "nothing to fill in", strings.TrimSpace(screen(f)))
	require.True(t, f.AtEnd())
	require.Equal(t, `{}`, sent(t, f))
}
