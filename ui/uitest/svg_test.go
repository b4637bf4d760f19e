package uitest

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDraw(t *testing.T) {
	frame := "\x1b[1;38;2;86;180;233m┏━\x1b[22;39m a<b \x1b[m\n\x1b[7m日本\x1b[27m ok"
	svg := string(DrawSVG(DarkSVG, Scene{Frame: frame}))
	require.Contains(t, svg, `width="82.8"`)
	require.Contains(t, svg, `stroke="#56b4e9" stroke-width="2"`)
	require.Contains(t, svg, `<text x="25.2" y="13.5" textLength="25.2" lengthAdjust="spacingAndGlyphs" fill="#d4d4d4">a&lt;b</text>`)
	require.Contains(t, svg, `<rect x="0.0" y="18" width="33.6" height="18" fill="#d4d4d4"/>`)
	require.Contains(t, svg, `fill="#16181d">日本</text>`)
	require.Contains(t, svg, `<text x="42.0" y="31.5"`)
}

func TestDrawIsValidXML(t *testing.T) {
	d := xml.NewDecoder(strings.NewReader(string(DrawSVG(LightSVG, Scene{Frame: "\x1b[4m&\"'<>\x1b[24m│x\n"}))))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
	}
}
