package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"mcpdbg/internal/tools/bench/trip"
)

type client struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(argv []string) (*client, error) {
	runtime.LockOSThread() // Pdeathsig is about the thread
	c := &client{cmd: exec.Command(argv[0], argv[1:]...)}
	c.cmd.Stderr = os.Stderr
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = lines(out)
	return c, c.cmd.Start()
}

func (c *client) send(line string) error {
	_, err := io.WriteString(c.in, line+"\n")
	return err
}

func (c *client) ask(line string) ([]byte, error) {
	if err := c.send(line); err != nil {
		return nil, err
	}
	return c.out.ReadSlice('\n')
}

func (c *client) end() error {
	if err := c.in.Close(); err != nil {
		return err
	}
	return c.cmd.Wait()
}

func (c *client) handshake() error {
	if _, err := c.ask(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}`); err != nil {
		return err
	}
	if _, err := c.ask(`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`); err != nil {
		return err
	}
	return c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func list(argv []string) error {
	c, err := start(argv)
	if err != nil {
		return err
	}
	if err := c.handshake(); err != nil {
		return err
	}
	response, err := c.ask(`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
	if err != nil {
		return err
	}
	if _, err := os.Stdout.Write(response); err != nil {
		return err
	}
	return c.end()
}

func ping(count int, argv []string) error {
	c, err := start(argv)
	if err != nil {
		return err
	}
	if err := c.handshake(); err != nil {
		return err
	}
	for i := range count {
		if _, err := c.ask(`{"jsonrpc":"2.0","id":` + strconv.Itoa(i+10) + `,"method":"ping"}`); err != nil {
			return err
		}
	}
	return c.end()
}

// trips sends count different requests one after the other, each of which must get a
// response like that of trip.Response. The time begins with the second one, when the
// server runs.
func trips(count int, argv []string) error {
	c, err := start(argv)
	if err != nil {
		return err
	}
	var begin time.Time
	for i := range count {
		response, err := c.ask(string(trip.Request(i)))
		if err != nil {
			return err
		}
		if len(response) < trip.Size || bytes.Contains(response[:40], []byte("error")) {
			return fmt.Errorf("unexpected response to request %d: %.200s", i, response)
		}
		if i == 0 {
			begin = time.Now()
		}
	}
	if begin.IsZero() {
		return errors.New("at least one request is required")
	}
	return errors.Join(took(time.Since(begin)), c.end())
}
