package tap

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"mcpdbg/framing"
	"mcpdbg/recordings"
	"mcpdbg/session/tap"
)

const (
	// controlVersion is that of the lines on a control socket.
	controlVersion = 1
	// controlWait is how long each side of a control socket waits for the other one, but
	// for the end of a restart.
	controlWait = 2 * time.Second
	// restartWait is the longest restart: a build and a start.
	restartWait = 5 * time.Minute
	// maxSocketPath fits into an address of a socket on all systems.
	maxSocketPath = 100
	maxControl    = 4 << 10 // bytes of a line
)

// A greeting is the first line that a live tap writes to a connection.
type greeting struct {
	Version   int       `json:"mcpdbg_tap"`
	Name      string    `json:"name"`
	PID       int       `json:"pid"`
	Since     time.Time `json:"since"`
	Recording string    `json:"recording,omitempty"`
}

// An order is the line that follows it from the other side, and a reply what the tap
// answers.
type order struct {
	Do string `json:"do"` // tell, restart or stop
}

type reply struct {
	Text  string `json:"text,omitempty"`
	Error string `json:"error,omitempty"`
}

// controlFolder returns the folder of the control sockets. It depends on the home folder
// alone, as that of the recordings, and belongs to the user.
func controlFolder() (string, error) {
	folder, err := recordings.TapDir()
	if err != nil {
		return "", err
	}
	folder = filepath.Join(filepath.Dir(folder), "taps")
	if len(folder)+len("/-4294967295.sock")+maxControlName > maxSocketPath {
		folder = filepath.Join("/tmp", "mcpdbg-"+strconv.Itoa(os.Getuid()))
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	info, err := os.Lstat(folder)
	switch {
	case err != nil:
		return "", err
	case !info.IsDir() || !isOwn(info):
		return "", fmt.Errorf("%s is not a private folder of yours", folder)
	}
	return folder, nil
}

const maxControlName = 30

// A control is the socket by which a live tap takes orders.
type control struct {
	listener net.Listener
	path     string
	hello    greeting
	commands chan<- tap.Command
	over     chan struct{}
	running  sync.WaitGroup
}

// listen opens the control socket of a tap.
func listen(hello greeting, commands chan<- tap.Command) (*control, error) {
	folder, err := controlFolder()
	if err != nil {
		return nil, fmt.Errorf("control socket: %w", err)
	}
	path := filepath.Join(folder, socketName(hello.Name, hello.PID))
	_ = os.Remove(path) // of an ended process with the same number
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("control socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = listener.Close()
		return nil, fmt.Errorf("control socket: %w", err)
	}
	c := &control{listener: listener, path: path, hello: hello, commands: commands, over: make(chan struct{})}
	c.running.Go(c.accept)
	return c, nil
}

func socketName(name string, pid int) string {
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._", r) {
			return r
		}
		return '-'
	}, name)
	return safe[:min(len(safe), maxControlName)] + "-" + strconv.Itoa(pid) + ".sock"
}

func (c *control) accept() {
	for {
		conn, err := c.listener.Accept()
		if err != nil {
			return // closed
		}
		c.running.Go(func() {
			defer conn.Close()
			stop := make(chan struct{})
			defer close(stop)
			go func() { // ends a Read when the tap ends
				select {
				case <-c.over:
					_ = conn.SetReadDeadline(time.Now())
				case <-stop:
				}
			}()
			c.serve(conn)
		})
	}
}

func (c *control) serve(conn net.Conn) {
	if !samePeer(conn) {
		return
	}
	_ = conn.SetDeadline(time.Now().Add(controlWait))
	if writeLine(conn, c.hello) != nil {
		return
	}
	var o order
	if readLine(conn, &o) != nil {
		return
	}
	answer := make(chan string, 1)
	cmd := tap.Command{Answer: answer}
	wait := controlWait
	switch o.Do {
	case "tell":
		cmd.Do = tap.Tell
	case "restart":
		cmd.Do, cmd.Text, wait = tap.Restart, "mcpdbg tap restart", restartWait
	case "stop":
		cmd.Do, cmd.Text = tap.Stop, "mcpdbg tap stop"
	default:
		_ = writeLine(conn, reply{Error: fmt.Sprintf("unknown order %.20q", o.Do)})
		return
	}
	select {
	case c.commands <- cmd:
	case <-c.over:
		return
	}
	var text string
	select {
	case text = <-answer:
	case <-time.After(wait):
		return
	case <-c.over: // the last answer may be there
		select {
		case text = <-answer:
		default:
			return
		}
	}
	_ = conn.SetDeadline(time.Now().Add(controlWait))
	_ = writeLine(conn, reply{Text: text})
}

// close removes the socket, and waits for its connections.
func (c *control) close() {
	close(c.over)
	_ = c.listener.Close() // removes the file
	c.running.Wait()
}

func writeLine(conn net.Conn, line any) error {
	data, err := json.Marshal(line)
	if err == nil {
		_, err = conn.Write(append(data, '\n'))
	}
	return err
}

func readLine(conn net.Conn, into any) error {
	line, err := bufio.NewReaderSize(conn, maxControl).ReadSlice('\n')
	if err != nil {
		return err
	}
	return framing.Unmarshal(line, into)
}

// A liveTap is a tap that runs.
type liveTap struct {
	greeting
	path string
}

// liveTaps returns the live taps of this user, and removes the sockets of others that
// were killed.
func liveTaps() ([]liveTap, error) {
	folder, err := controlFolder()
	if err != nil {
		return nil, err
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var taps []liveTap
	for _, f := range files {
		path := filepath.Join(folder, f.Name())
		if filepath.Ext(path) != ".sock" {
			continue
		}
		t := liveTap{path: path}
		conn, err := net.DialTimeout("unix", path, controlWait)
		switch {
		case isRefused(err):
			if info, err := f.Info(); err == nil && time.Since(info.ModTime()) > controlWait { // else it is about to listen
				_ = os.Remove(path)
			}
			continue
		case err != nil: // gone, or too slow
			continue
		}
		_ = conn.SetDeadline(time.Now().Add(controlWait))
		err = readLine(conn, &t.greeting)
		_ = conn.Close()
		if err == nil && t.PID > 0 {
			taps = append(taps, t)
		}
	}
	return taps, nil
}

// give gives an order to a tap, and returns its answer.
func (t *liveTap) give(do string, wait time.Duration) (string, error) {
	conn, err := net.DialTimeout("unix", t.path, controlWait)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(wait))
	in := bufio.NewReaderSize(conn, maxControl)
	var hello greeting
	var r reply
	for _, into := range []any{&hello, &r} {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return "", fmt.Errorf("no answer: %w", err)
		}
		if err := framing.Unmarshal(line, into); err != nil {
			return "", fmt.Errorf("not an answer: %w", err)
		}
		if into != any(&hello) {
			continue
		}
		if hello.Version != controlVersion {
			return "", fmt.Errorf("it speaks version %d of the control lines, and this is version %d", hello.Version, controlVersion)
		}
		if err := writeLine(conn, order{do}); err != nil {
			return "", err
		}
	}
	if r.Error != "" {
		return "", errors.New(r.Error)
	}
	return r.Text, nil
}
