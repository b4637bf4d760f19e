package pty

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// A Terminal reads a program in a pseudo terminal.
type Terminal struct {
	cmd  *exec.Cmd
	tty  *os.File // our side
	read sync.WaitGroup

	mu    sync.Mutex
	shown bytes.Buffer
	grown chan struct{} // has a value when there is more
}

// Start starts a command in its own session, with all three streams on a terminal. Wait
// or Kill must be called.
func Start(cmd *exec.Cmd, columns, lines uint16) (*Terminal, error) {
	tty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	theirs, err := otherSide(tty, columns, lines)
	if err != nil {
		return nil, errors.Join(err, tty.Close())
	}
	t := &Terminal{cmd: cmd, tty: tty, grown: make(chan struct{}, 1)}
	cmd.Env = append(cmd.Environ(), "TERM=xterm-256color")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty = true, true
	err = cmd.Start()
	_ = theirs.Close()
	if err != nil {
		return nil, errors.Join(err, tty.Close())
	}
	t.read.Go(t.collect)
	return t, nil
}

func otherSide(tty *os.File, columns, lines uint16) (*os.File, error) {
	if err := unix.IoctlSetPointerInt(int(tty.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		return nil, err
	}
	n, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPTN)
	if err != nil {
		return nil, err
	}
	if err := setSize(tty, columns, lines); err != nil {
		return nil, err
	}
	return os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|syscall.O_NOCTTY, 0)
}

// collect reads until the other side is closed everywhere.
func (t *Terminal) collect() {
	buf := make([]byte, 64<<10)
	for {
		n, err := t.tty.Read(buf)
		t.mu.Lock()
		t.shown.Write(buf[:n])
		t.mu.Unlock()
		select {
		case t.grown <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// Until waits until the program has written text.
func (t *Terminal) Until(ctx context.Context, text string) error {
	for {
		t.mu.Lock()
		found := bytes.Contains(t.shown.Bytes(), []byte(text))
		t.mu.Unlock()
		if found {
			return nil
		}
		select {
		case <-t.grown:
		case <-ctx.Done():
			return fmt.Errorf("the terminal did not show %q: %w", text, context.Cause(ctx))
		}
	}
}

// Shown returns all that the program has written.
func (t *Terminal) Shown() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.shown.String()
}

// Type writes keys.
func (t *Terminal) Type(keys string) error {
	_, err := t.tty.WriteString(keys)
	return err
}

// Resize changes the terminal's size; the kernel informs the program.
func (t *Terminal) Resize(columns, lines uint16) error {
	return setSize(t.tty, columns, lines)
}

func setSize(tty *os.File, columns, lines uint16) error {
	return unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: lines, Col: columns})
}

// Forget drops the output so far: Until and Shown see only what follows.
func (t *Terminal) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.shown.Reset()
}

// Pid returns the process id of the program.
func (t *Terminal) Pid() int { return t.cmd.Process.Pid }

// Wait waits for the end of the program and its output. The error is that of exec.Cmd.
func (t *Terminal) Wait() error {
	err := t.cmd.Wait()
	t.read.Wait() // it ends when the other side is closed
	return errors.Join(err, t.tty.Close())
}

// Kill kills the program and its session's processes of the same group, and waits for
// them.
func (t *Terminal) Kill() {
	_ = unix.Kill(-t.cmd.Process.Pid, unix.SIGKILL)
	_ = t.Wait()
}
