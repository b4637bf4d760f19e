package form

import (
	"encoding/json"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/widget/paint"
)

// FuzzForm performs random actions on forms of random schemas and values.
func FuzzForm(f *testing.F) {
	f.Add([]byte(order), []byte(`{"id":1,"lines":[{"sku":"a"}],"x":2}`), []byte("\x01\x02ab\x05\x06\x07\x08\x09 \x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x1c\x18\x1bz\x1a\x0b\x19"))
	f.Add([]byte(`{"$ref":"#/$defs/t","$defs":{"t":{"type":"object","properties":{"t":{"$ref":"#/$defs/t"},"l":{"type":"array","items":{"$ref":"#/$defs/t"}}}}}}`),
		[]byte(`{"t":{"t":{"l":[{"t":{}}]}}}`), []byte("\x04\x01\x04\x01\x04\x05\x05\x05\x06\x15"))
	f.Add([]byte(`{"anyOf":[{"const":"\u001b[2J","title":"\u202ex"},{"const":2}]}`), []byte(`"\ud800 \u200b"`), []byte("\x03\x03x"))
	f.Fuzz(func(t *testing.T, schema, value, keys []byte) {
		form := formOf(string(schema))
		form.SetSize(40, 12)
		if form.SetJSON(value) == nil {
			raw, err := form.JSON()
			require.NoError(t, err)
			require.NoError(t, form.SetJSON(raw))
			again, err := form.JSON()
			require.NoError(t, err)
			require.Equal(t, string(raw), string(again))
		}
		for _, k := range keys[:min(len(keys), 60)] {
			act(form, k)
			raw, _ := form.JSON()
			require.True(t, json.Valid(raw), "%q", raw)
			if fl := form.typing(); fl != nil && form.write(fl) != inEditor {
				require.Equal(t, fl.text, form.writing.value(), "the widget holds the text")
				require.LessOrEqual(t, form.writing.at(), len(fl.text))
			}
			requireFrame(t, form)
		}
	})
}

// act performs one action.
func act(f *Form, k byte) {
	switch k {
	case 1:
		f.Next()
	case 2:
		f.step(-1)
	case 3:
		f.Choose(1)
	case 4:
		f.ToggleFold()
	case 5:
		f.Add()
	case 6:
		f.Remove()
	case 7:
		f.Clear()
	case 8:
		f.Null()
	case 9:
		f.Toggle()
	case 11:
		f.Key(tea.KeyPressMsg{Code: tea.KeyBackspace})
	case 12:
		f.Key(tea.KeyPressMsg{Code: tea.KeyLeft})
	case 13:
		f.Key(tea.KeyPressMsg{Code: 'w', Mod: tea.ModCtrl})
	case 14:
		f.FirstError()
	case 15:
		f.Paste("a\x1b[2J\u202e\r\n")
	case 16:
		f.Scroll(3)
	case 17:
		f.Page(-1)
	case 18:
		f.SetSize(int(k)*len(f.rows)%70, len(f.rows)%20)
	case 19:
		_ = f.SetText(f.Path(), "[1, 2]")
	case 20:
		f.SelectLine(2)
	case 21:
		f.moveTo(len(f.rows) - 1)
	case 22:
		_ = f.SetText(f.Path(), "old")
	case 23:
		f.SetSuggestions(f.Path(), []string{"one", "two\x07"})
		f.Suggest(-1)
	case 24:
		f.Key(tea.KeyPressMsg{Code: tea.KeyEnter, Mod: tea.ModAlt})
	case 25:
		f.Key(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
	case 26:
		f.Down(1)
	case 27:
		f.Down(-1)
	case 28:
		f.Paste("e\u0301 one\ntwo\n")
	default:
		f.Key(tea.KeyPressMsg{Code: rune(k), Text: string(rune(k))})
	}
}

// requireFrame checks that nothing is painted outside its cells.
func requireFrame(t *testing.T, f *Form) {
	t.Helper()
	var out paint.Lines
	f.paintInto(&out)
	w, h := out.Size()
	require.Equal(t, [2]int{f.width, f.height}, [2]int{w, h})
	for y := range h {
		line := ansi.Strip(out.Painted(y).String())
		require.LessOrEqual(t, out.Painted(y).Cells(), w)
		require.False(t, strings.ContainsFunc(line, hidden), "%q", line)
	}
}

// hidden reports whether a rune must never reach the terminal.
func hidden(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
