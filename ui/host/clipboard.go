package host

import (
	"fmt"
	"os"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/termsafe"
)

const (
	// MaxCopy is the longest message that is copied, in bytes.
	MaxCopy = 1 << 20
	// commonClipboard is the limit of many terminals: 100,000 bytes of base64.
	commonClipboard = 74_000
	// maxCopied is how many cells of a copied text's name are reported.
	maxCopied = 60
)

// Clipboard sends a text to the clipboard of the terminal, with OSC 52, and reports its
// size, name, kind, if not empty, and how to get the text otherwise: instead, if not
// empty. Whether it arrived cannot be known. lines keeps line breaks.
func Clipboard(name, kind, text, instead string, lines bool) tea.Msg {
	if lines {
		rows := strings.Split(text, "\n")
		for i, row := range rows {
			rows[i] = pasteable(row)
		}
		text = strings.Join(rows, "\n")
	} else {
		text = pasteable(text)
	}
	if len(text) > MaxCopy {
		return Result{What: "copy", Err: fmt.Errorf("%s is too large for a clipboard: ctrl+s writes it to a file", wording.Size(int64(len(text))))}
	}
	size := wording.Size(int64(len(text)))
	if len(text) < 1000 {
		size += " bytes"
	}
	if kind != "" {
		kind = ", " + kind
	}
	said := fmt.Sprintf("sent %s (%s%s) to the terminal's clipboard (OSC 52)", size, termsafe.Truncate(name, maxCopied, termsafe.Ellipsis), kind)
	switch {
	case len(text) > commonClipboard:
		said += "; many terminals accept only 74K"
	case os.Getenv("TMUX") != "":
		said += `; tmux needs "set-clipboard on"`
	case instead != "":
		said += "; if it does not arrive: " + instead
	default:
		said += ", if the terminal allows it"
	}
	return Result{Text: said, Then: func(Context) tea.Cmd { return tea.SetClipboard(text) }}
}

// pasteable removes controls and invisible characters, such as those that change the
// direction of text or have no width, which would do or hide something where a text is
// pasted. JSON without them means the same, unless they are in a string.
func pasteable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, text)
}
