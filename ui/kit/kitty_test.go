package kit

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// TestSequences checks the exact bytes for a small picture.
func TestSequences(t *testing.T) {
	require.Equal(t, "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[>q", GraphicsQuery)
	require.Equal(t, "\x1b_Ga=T,U=1,q=2,f=100,t=d,i=70000,c=3,r=2,m=0;YWJj\x1b\\", transmitPicture(70000, 3, 2, []byte("abc")))
	require.Equal(t, "\x1b_Ga=d,d=I,q=2,i=70000\x1b\\", DeletePicture(70000))
}

// TestChunks checks that a long picture is cut into chunks of 4096 characters, which
// the terminal can join again.
func TestChunks(t *testing.T) {
	for _, size := range []int{0, 1, 3072, 3073, 10_000} {
		data := bytes.Repeat([]byte("picture"), size/7+1)[:size]
		text := ""
		rest := transmitPicture(1, 1, 1, data)
		for i := 0; rest != ""; i++ {
			begin, after, ok := strings.Cut(rest, ";")
			require.True(t, ok)
			chunk, next, ok := strings.Cut(after, "\x1b\\")
			require.True(t, ok)
			require.LessOrEqual(t, len(chunk), 4096)
			more := "m=0"
			if next != "" {
				more = "m=1"
				require.Len(t, chunk, 4096)
			}
			if i > 0 {
				require.Equal(t, "\x1b_Gq=2,"+more, begin)
			} else {
				require.Equal(t, "\x1b_Ga=T,U=1,q=2,f=100,t=d,i=1,c=1,r=1,"+more, begin)
			}
			text, rest = text+chunk, next
		}
		decoded, err := base64.StdEncoding.DecodeString(text)
		require.NoError(t, err)
		require.Equal(t, string(data), string(decoded))
	}
}

// TestResponses checks which terminals get pictures.
func TestResponses(t *testing.T) {
	for _, tc := range []struct {
		response string
		want     bool
	}{
		{"\x1b_Gi=31;OK\x1b\\", true},
		{"\x1b_Gi=31;ENOTSUPPORTED: no\x1b\\", false},
		{"\x1b_Gi=32;OK\x1b\\", false},
		{"\x1b_GOK\x1b\\", false},
	} {
		n, event := new(uv.EventDecoder).Decode([]byte(tc.response))
		require.Equal(t, len(tc.response), n, "nothing of it is left to be a key")
		response, ok := event.(uv.KittyGraphicsEvent)
		require.True(t, ok, "%T", event)
		require.Equal(t, tc.want, acceptsGraphics(response.Options.ID, response.Payload), tc.response)
	}
	for name, want := range map[string]bool{
		"kitty(0.28.0)": true, "kitty(0.35.2)": true, "kitty(1.0.0)": true, "kitty(0.27.1)": false, "kitty(0)": false, "kitty()": false, "kitty": false,
		"ghostty 1.1.3": true, "WezTerm 20240203-110809-5046fc22": false, "Konsole 24.02.1": false, "iTerm2 3.5.0": false, "": false,
	} {
		require.Equal(t, want, placesGraphics(name), name)
	}
}

// TestPlaceholders checks that cells that refer to a picture survive paint, its cuts
// and the renderer of Bubble Tea unchanged, one cell wide each.
func TestPlaceholders(t *testing.T) {
	var block paint.Lines
	block.Resize(4, 2)
	for row := range 2 {
		PaintHeldPicture(block.Line(row), 0x123456, row, 5)
	}
	var canvas paint.Canvas
	canvas.Reset(6, 2)
	canvas.Draw(paint.Rect{X: 1, Y: 0, W: 4, H: 2}, &block)
	over := &paint.Lines{}
	over.Resize(1, 1)
	over.Line(0).Text(paint.Style{}, "x")
	canvas.Draw(paint.Rect{X: 2, Y: 1, W: 1, H: 1}, over) // cuts a row in two

	for _, method := range []ansi.Method{ansi.WcWidth, ansi.GraphemeWidth} {
		screen := uv.NewScreenBuffer(6, 2)
		screen.Method = method
		uv.NewStyledString(canvas.String()).Draw(screen, screen.Bounds())
		for _, at := range []struct{ x, row, column int }{{1, 0, 0}, {2, 0, 1}, {3, 0, 2}, {4, 0, 3}, {1, 1, 0}, {3, 1, 2}, {4, 1, 3}} {
			cell := screen.CellAt(at.x, at.row)
			require.Equal(t, string([]rune{0x10EEEE, kitty.Diacritic(at.row), kitty.Diacritic(at.column)}), cell.Content)
			require.Equal(t, 1, cell.Width)
			r, g, b, _ := cell.Style.Fg.RGBA()
			require.Equal(t, []uint32{0x1212, 0x3434, 0x5656}, []uint32{r, g, b})
		}
		require.Equal(t, "x", screen.CellAt(2, 1).Content)
		require.Equal(t, " ", screen.CellAt(0, 0).Content)
		require.Equal(t, " ", screen.CellAt(5, 1).Content)
	}
}

// TestMarks checks that there is a mark for each row and column, which takes no cell,
// and that no text can have a placeholder.
func TestMarks(t *testing.T) {
	seen := map[rune]bool{}
	for i := range MaxPictureCells {
		mark := kitty.Diacritic(i)
		require.False(t, seen[mark], i)
		seen[mark] = true
		cells, printable := termsafe.RuneWidth(mark)
		require.Zero(t, cells)
		require.True(t, printable, "%U", mark)
		require.Equal(t, 1, ansi.StringWidth(string([]rune{kitty.Placeholder, mark, mark})))
		require.Equal(t, 1, ansi.StringWidthWc(string([]rune{kitty.Placeholder, mark, mark})))
	}
	require.Equal(t, `\u{10eeee}`, termsafe.String(string(kitty.Placeholder)))
}

// TestSent checks the copy for a terminal: a PNG of our own, of a limited size.
func TestSent(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 1600, 20))
	for i := range m.Pix {
		m.Pix[i] = uint8(rand.Uint32())
	}
	p, err := DecodePicture(t.Context(), encodedPicture(t, m, "jpeg"), true)
	require.NoError(t, err)
	config, err := png.DecodeConfig(bytes.NewReader(p.PNG))
	require.NoError(t, err)
	require.Equal(t, []int{800, 10}, []int{config.Width, config.Height})

	p, err = DecodePicture(t.Context(), encodedPicture(t, stripes(3, 2), "gif"), true)
	require.NoError(t, err)
	copied, err := png.Decode(bytes.NewReader(p.PNG))
	require.NoError(t, err)
	for y := range 2 {
		for x := range 3 {
			require.Equal(t, stripes(3, 2).At(x, y), copied.At(x, y))
		}
	}
}

func FuzzPlaces(f *testing.F) {
	for _, name := range []string{"kitty(0.28.0)", "ghostty", "kitty(0.", "kitty(99999999999999999999.1)"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if placesGraphics(name) {
			require.Regexp(t, `^(kitty\(|ghostty)`, name)
		}
	})
}
