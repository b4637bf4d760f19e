package host

import (
	"bytes"
	"io"
	"os"
)

// interrupts are the forms of ctrl+c: the control character, and that of kitty's keyboard
// mode.
var interrupts = [][]byte{{3}, []byte("\x1b[99;5u")}

// WatchInterrupts returns r as the input of the interface, and calls pressed for each
// read with a ctrl+c: an interface whose output blocks no longer takes keys. A terminal
// stays one: the result has its descriptor.
func WatchInterrupts(r io.Reader, pressed func()) io.Reader {
	k := keys{r, pressed}
	if f, ok := r.(*os.File); ok {
		return &terminalKeys{keys: k, file: f}
	}
	return k
}

// unwatched returns the file that WatchInterrupts got, for a program that reads the
// terminal, and anything else unchanged.
func unwatched(r io.Reader) io.Reader {
	if t, ok := r.(*terminalKeys); ok {
		return t.file
	}
	return r
}

type keys struct {
	in      io.Reader
	pressed func()
}

// Read implements io.Reader.
func (k keys) Read(p []byte) (int, error) {
	n, err := k.in.Read(p)
	for _, interrupt := range interrupts {
		if bytes.Contains(p[:n], interrupt) {
			k.pressed()
			break
		}
	}
	return n, err
}

// terminalKeys has what the library needs to wait for the keys of a terminal, and to set
// its modes.
type terminalKeys struct {
	keys keys
	file *os.File
}

// Read implements io.Reader.
func (t *terminalKeys) Read(p []byte) (int, error) { return t.keys.Read(p) }

// Write implements io.Writer.
func (t *terminalKeys) Write(p []byte) (int, error) { return t.file.Write(p) }

// Close implements io.Closer.
func (t *terminalKeys) Close() error { return t.file.Close() }

// Fd returns the descriptor of the terminal.
func (t *terminalKeys) Fd() uintptr { return t.file.Fd() }

// Name returns the name of the file.
func (t *terminalKeys) Name() string { return t.file.Name() }
