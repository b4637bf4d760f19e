package control

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"time"

	"mcpdbg/framing"
)

const (
	// version is that of the lines. A tap with version 1 has no viewers.
	version = 2
	// firstWait is how long each side waits for the first line of the other one, and for
	// the reply to an order.
	firstWait = 2 * time.Second
	// restartWait is the longest restart: a build and a start.
	restartWait = 5 * time.Minute
	// beatEvery is the heartbeat of a viewer, and beatLimit how long it may be missing.
	beatEvery = time.Second
	beatLimit = 5 * time.Second

	maxOrder   = 4 << 10   // bytes of a line to a tap
	maxEdit    = 16 << 20  // the same, of a viewer that steers
	maxReply   = 32 << 20  // bytes of a line of a tap, which may have all held messages
	maxShown   = 256 << 10 // bytes of a held message in a state
	maxViewers = 16
)

// A greeting is the first line that a live tap writes to a connection.
type greeting struct {
	Version   int       `json:"mcpdbg_tap"`
	Name      string    `json:"name"`
	PID       int       `json:"pid"`
	Since     time.Time `json:"since"`
	Recording string    `json:"recording,omitempty"`
}

// An order is a line to a tap.
type order struct {
	Do     string `json:"do"`
	Seq    int    `json:"seq,omitempty"` // of the reply; 0 for none
	N      int    `json:"n,omitempty"`   // of a held message; of watch: the pid
	Text   string `json:"text,omitempty"`
	ID     []byte `json:"id,omitempty"`
	Body   []byte `json:"body,omitempty"`
	Edited bool   `json:"edited,omitempty"` // Body replaces the message, also if it is empty
	Force  bool   `json:"force,omitempty"`
}

// A reply is a line of a tap after its greeting.
type reply struct {
	Seq    int    `json:"seq,omitempty"`
	Text   string `json:"text,omitempty"`
	Error  string `json:"error,omitempty"`
	Kind   string `json:"kind,omitempty"` // of the error: see kinds
	PID    int    `json:"pid,omitempty"`  // the viewer that steers, if that is the error
	Line   []byte `json:"line,omitempty"`
	State  *State `json:"state,omitempty"` // without the bytes that this viewer has
	Steers bool   `json:"steers,omitempty"`
}

var errLong = errors.New("the line is too long")

// readLine reads a line of up to limit bytes.
func readLine(in *bufio.Reader, limit func() int, into any) error {
	var line []byte
	for {
		piece, err := in.ReadSlice('\n')
		if len(line)+len(piece) > limit() {
			return errLong
		}
		if err == nil && line == nil {
			return framing.Unmarshal(piece, into)
		}
		line = append(line, piece...)
		if err == nil {
			return framing.Unmarshal(line, into)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

func upTo(limit int) func() int { return func() int { return limit } }

func writeLine(out io.Writer, line any) error {
	data, err := json.Marshal(line)
	if err == nil {
		_, err = out.Write(append(data, '\n'))
	}
	return err
}
