package kit

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
)

// resting is how long the terminal gets no pictures after a change of size: it may change
// again, and after another program had the terminal, this one's screen must be back.
const resting = 150 * time.Millisecond

// Graphics are the pictures that the terminal holds and shows, in the graphics protocol
// of kitty: sequences outside the frame carry a picture, and cells of the frame refer to
// it. A terminal gets none before it has responded that it can show them. Graphics
// belongs to the goroutine of the program.
type Graphics struct {
	// Off hides all pictures.
	Off bool
	// Blocks shows pictures in half blocks, whatever the terminal can do.
	Blocks bool

	direct  bool // without a multiplexer between
	colored bool
	asked   bool
	accepts bool
	places  bool // it shows them where cells refer to them
	sizes   int
	rests   bool // since the size has changed
	due     bool // its end is not scheduled yet

	held    map[uint32]bool // by number: whether the terminal has it
	last    uint32
	queue   []sequence
	writing bool // some sequences are being written
	version int
}

// A sequence is text for the terminal; with a number it is a picture.
type sequence struct {
	text   string
	number uint32
}

type written []sequence

// String returns the text for the terminal.
func (w written) String() string {
	var b strings.Builder
	for _, s := range w {
		b.WriteString(s.text)
	}
	return b.String()
}

// rested arrives when the size has not changed for some time.
type rested struct{ sizes int }

// Take handles responses of the terminal and the end of writing.
func (g *Graphics) Take(msg tea.Msg) {
	before := g.On()
	switch msg := msg.(type) {
	case tea.EnvMsg:
		g.direct = direct(msg)
	case tea.ColorProfileMsg:
		g.colored = msg.Profile == colorprofile.TrueColor
	case tea.TerminalVersionMsg:
		g.places = placesGraphics(msg.Name)
	case uv.KittyGraphicsEvent:
		g.accepts = g.accepts || g.asked && acceptsGraphics(msg.Options.ID, msg.Payload)
	case tea.WindowSizeMsg:
		for _, number := range g.numbers() {
			g.Remove(number)
		}
		g.sizes++
		g.rests, g.due = true, true
	case rested:
		g.rests = g.rests && msg.sizes != g.sizes
	case tea.RawMsg:
		if w, ok := msg.Msg.(written); ok {
			g.arrived(w)
		}
	}
	if g.On() != before {
		g.version++
	}
}

// direct reports whether the environment shows no multiplexer between the program and the
// terminal.
func direct(env tea.EnvMsg) bool {
	for _, name := range []string{"TMUX", "STY"} {
		if env.Getenv(name) != "" {
			return false
		}
	}
	term := env.Getenv("TERM")
	return !strings.HasPrefix(term, "tmux") && !strings.HasPrefix(term, "screen")
}

func (g *Graphics) arrived(w written) {
	g.writing = false
	for _, s := range w {
		if _, ok := g.held[s.number]; ok {
			g.held[s.number] = true
			g.version++
		}
	}
}

// Ask asks the terminal once whether it can show pictures.
func (g *Graphics) Ask() {
	if !g.asked && g.direct && g.colored && !g.Off && !g.Blocks {
		g.asked = true
		g.queue = append(g.queue, sequence{text: GraphicsQuery})
	}
}

// On reports whether the terminal shows pictures itself.
func (g *Graphics) On() bool {
	return g.accepts && g.places && g.direct && g.colored && !g.Off && !g.Blocks && !g.rests
}

// Add gives the terminal a picture, as PNG, to be shown in columns and rows, and returns
// its number.
func (g *Graphics) Add(png []byte, columns, rows int) uint32 {
	if g.last == 0 || g.last == maxPictureNumber {
		const first = 1 << 16 // other programs count from 1
		g.last = first + rand.Uint32N(maxPictureNumber/2)
	}
	g.last++
	if g.held == nil {
		g.held = map[uint32]bool{}
	}
	g.held[g.last] = false
	g.queue = append(g.queue, sequence{transmitPicture(g.last, columns, rows, png), g.last})
	return g.last
}

// Holds reports whether a picture was added and not removed, and whether the terminal has
// it.
func (g *Graphics) Holds(number uint32) (added, shown bool) {
	shown, added = g.held[number]
	return added, shown
}

// Remove removes a picture from the terminal; 0 is ignored.
func (g *Graphics) Remove(number uint32) {
	if _, ok := g.held[number]; !ok {
		return
	}
	delete(g.held, number)
	g.version++
	for i, s := range g.queue {
		if s.number == number { // it is not sent yet
			g.queue = append(g.queue[:i], g.queue[i+1:]...)
			return
		}
	}
	g.queue = append(g.queue, sequence{text: DeletePicture(number)})
}

func (g *Graphics) numbers() []uint32 { return slices.Sorted(maps.Keys(g.held)) }

// Version changes whenever something may have to be repainted.
func (g *Graphics) Version() int { return g.version }

// Write returns a command that writes the queue, in order: sequences must not overtake
// each other. later delivers a message after a delay.
func (g *Graphics) Write(later func(time.Duration, tea.Msg) tea.Cmd) tea.Cmd {
	var cmds []tea.Cmd
	if g.due {
		g.due = false
		cmds = append(cmds, later(resting, rested{g.sizes}))
	}
	if !g.writing && len(g.queue) > 0 {
		cmds = append(cmds, tea.Raw(written(g.queue)))
		g.queue, g.writing = nil, true
	}
	return tea.Batch(cmds...)
}

// Last returns the sequences that remove all pictures, for the last frame: later ones
// would arrive after the program has left its screen, and a terminal holds the pictures
// of each screen apart.
func (g *Graphics) Last() string {
	var all written
	for _, number := range g.numbers() {
		all = append(all, sequence{text: DeletePicture(number)})
	}
	return all.String()
}
