package kit

import (
	"time"

	"charm.land/bubbles/v2/textinput"
)

// MaxServerText is how much of the server's text a question shows, in bytes.
const MaxServerText = 16 << 10

// DialogWidth is the width of a dialog including its border, if the screen has
// room.
const DialogWidth = 76

// InputStyles are the styles of a text field of one line.
func InputStyles() textinput.Styles {
	state := textinput.StyleState{Placeholder: hintStyle()}
	return textinput.Styles{Focused: state, Blurred: state}
}

// FrameInterval is the shortest time between two frames: the screen is painted
// at most thirty times a second, however fast the log grows.
const FrameInterval = time.Second / 30
