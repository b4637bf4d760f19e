package kit

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"

	"mcpdbg/ui/widget/paint"
)

const (
	// maxPictureNumber is the largest number of a picture that the terminal holds: the colour of
	// its cells.
	maxPictureNumber = 1<<24 - 1
	// MaxPictureCells is the largest number of columns, and of rows, of such a picture: there
	// are no more marks.
	MaxPictureCells = 297
	queryNumber     = 31
)

// GraphicsQuery asks a terminal for its name, and whether it accepts pictures in the graphics
// protocol of kitty. It changes nothing.
const GraphicsQuery = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\" + ansi.RequestNameVersion

// acceptsGraphics reports whether a response to GraphicsQuery accepts pictures.
func acceptsGraphics(number int, payload []byte) bool {
	return number == queryNumber && string(payload) == "OK"
}

// placesGraphics reports whether a terminal shows pictures by placeholders, by its name and
// version, such as kitty(0.35.2): others accept pictures, but show the placeholders as
// unknown characters.
func placesGraphics(terminal string) bool {
	if strings.HasPrefix(terminal, "ghostty") {
		return true
	}
	version, ok := strings.CutPrefix(terminal, "kitty(")
	if !ok {
		return false
	}
	const first = 28 // kitty 0.28 has them
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(minor)
	return err == nil && (n >= first || major != "0")
}

// transmitPicture returns the sequence that gives a PNG to the terminal, to be shown in columns
// and rows of placeholders. The terminal does not respond.
func transmitPicture(number uint32, columns, rows int, data []byte) string {
	text := base64.StdEncoding.EncodeToString(data)
	var b strings.Builder
	b.Grow(len(text) + len(text)/kitty.MaxChunkSize*16 + 80)
	options := fmt.Sprintf("a=T,U=1,q=2,f=%d,t=d,i=%d,c=%d,r=%d,", kitty.PNG, number, columns, rows)
	for {
		chunk := text[:min(len(text), kitty.MaxChunkSize)]
		text = text[len(chunk):]
		more := min(len(text), 1)
		fmt.Fprintf(&b, "\x1b_G%sm=%d;%s\x1b\\", options, more, chunk)
		if options = "q=2,"; more == 0 {
			return b.String()
		}
	}
}

// DeletePicture returns the sequence that removes a picture from the terminal.
func DeletePicture(number uint32) string {
	return fmt.Sprintf("\x1b_Ga=d,d=I,q=2,i=%d\x1b\\", number)
}

// PaintHeldPicture paints a row of a picture that the terminal holds.
func PaintHeldPicture(l *paint.Line, number uint32, row, columns int) {
	style := paint.Style{On: fmt.Sprintf("\x1b[38;2;%d;%d;%dm", number>>16&0xff, number>>8&0xff, number&0xff), Off: "\x1b[39m"}
	for column := range columns {
		l.Placeholder(style, string([]rune{kitty.Diacritic(row), kitty.Diacritic(column)}))
	}
}
