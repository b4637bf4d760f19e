package paint

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
)

func TestJoin(t *testing.T) {
	light := func(title string) Frame { return Frame{Title: title} }
	heavy := func(title string) Frame { return Frame{Border: Heavy, Title: title} }
	type drawn struct {
		r Rect
		f Frame
	}
	for _, tc := range []struct {
		name  string
		panes []drawn
		want  []string
	}{
		{"side by side, over a strip", []drawn{{Rect{0, 0, 6, 2}, heavy("")}, {Rect{6, 0, 6, 2}, light("")}, {Rect{0, 2, 12, 2}, light("")}},
			[]string{"━━━━━━┭─────", "      │     ", "──────┴─────", "            "}},
		{"the right one has the focus", []drawn{{Rect{0, 0, 6, 2}, light("")}, {Rect{6, 0, 6, 2}, heavy("")}, {Rect{0, 2, 12, 2}, light("")}},
			[]string{"──────┲━━━━━", "      ┃     ", "──────┸─────", "            "}},
		{"a list beside two", []drawn{{Rect{0, 0, 4, 4}, heavy("")}, {Rect{4, 0, 8, 2}, light("")}, {Rect{4, 2, 8, 2}, light("")}},
			[]string{"━━━━┭───────", "    │       ", "    ├───────", "    │       "}},
		{"two beside one", []drawn{{Rect{0, 0, 4, 2}, light("")}, {Rect{0, 2, 4, 2}, light("")}, {Rect{4, 0, 8, 4}, light("")}},
			[]string{"────┬───────", "    │       ", "────┤       ", "    │       "}},
		{"four", []drawn{{Rect{0, 0, 4, 2}, light("")}, {Rect{4, 0, 8, 2}, light("")}, {Rect{0, 2, 4, 2}, light("")}, {Rect{4, 2, 8, 2}, light("")}},
			[]string{"────┬───────", "    │       ", "────┼───────", "    │       "}},
		{"a title below a divider stays", []drawn{{Rect{0, 0, 6, 2}, light("")}, {Rect{6, 0, 6, 2}, light("")}, {Rect{0, 2, 12, 2}, light("a-title")}},
			[]string{"──────┬─────", "      │     ", "── a-title ─", "            "}},
		{"ASCII", []drawn{{Rect{0, 0, 6, 2}, Frame{Border: HeavyASCII}}, {Rect{6, 0, 6, 2}, Frame{Border: ASCII}}, {Rect{0, 2, 12, 2}, Frame{Border: ASCII, Right: "r"}}},
			[]string{"======#-----", "      |     ", "------+ r --", "            "}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var c Canvas
			c.Reset(12, 4)
			for _, p := range tc.panes {
				c.Pane(p.r, p.f, &Lines{})
			}
			c.Join()
			require.Equal(t, tc.want, strings.Split(ansi.Strip(c.String()), "\n"))
		})
	}
}

func TestArms(t *testing.T) {
	for glyph, want := range map[string][4]int{"─": {0, 1, 0, 1}, "┃": {2, 0, 2, 0}, "├": {1, 1, 1, 0}, "┭": {0, 1, 1, 2}, "┸": {2, 1, 0, 1}, "╋": {2, 2, 2, 2}} {
		arms, ok := Arms(glyph)
		require.True(t, ok, glyph)
		require.Equal(t, want, arms, glyph)
	}
	for _, other := range []string{"", " ", "-", "═", "█"} {
		_, ok := Arms(other)
		require.False(t, ok, other)
	}
}
