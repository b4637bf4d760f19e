//go:build linux

package enginetest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Context is the one context that docker and kubectl know by that name.
const Context = "enginetest"

const (
	defaultSocket = "/var/run/docker.sock"
	pingPath      = "/_ping"
)

// A client is one call of docker, podman, nerdctl or kubectl.
type client struct {
	engine string
	socket string // its name in messages
	api    api
	o      Options
	fault  Fault
}

// An exit is the end of a client. Its text goes to standard error.
type exit struct {
	code int
	text string
}

func (e *exit) Error() string { return e.text }

func exitWith(code int, format string, args ...any) error {
	return &exit{code, fmt.Sprintf(format, args...)}
}

// clientMain runs a client, and returns its exit status.
func clientMain(dir, name string, args []string) int {
	c := &client{engine: name, socket: defaultSocket, api: api{filepath.Join(dir, socketName)}}
	err := c.prepare(dir, append([]string{name}, args...))
	switch {
	case err != nil:
	case name == "kubectl":
		err = c.kubectl(args)
	case name == standAlone:
		c.engine = "docker"
		err = c.compose(args)
	default:
		err = c.docker(args)
	}
	if err == nil {
		return 0
	}
	end, ok := errors.AsType[*exit](err)
	if !ok {
		end = &exit{1, err.Error()}
	}
	if end.text != "" {
		fmt.Fprintln(os.Stderr, end.text)
	}
	return end.code
}

// prepare records the call.
func (c *client) prepare(dir string, call []string) error {
	line, err := json.Marshal(call)
	if err != nil {
		return err
	}
	calls, err := os.OpenFile(filepath.Join(dir, callsName), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer calls.Close()
	if _, err := calls.Write(append(line, '\n')); err != nil {
		return err
	}
	fault, _ := os.ReadFile(filepath.Join(dir, faultName)) // it may be missing
	c.fault = Fault(fault)
	c.o, err = readOptions(dir)
	return err
}

// call is api.call with the errors of the engine.
func (c *client) call(method, path string, in, out any) error {
	err := c.broken()
	if err == nil {
		err = c.api.call(method, path, in, out)
	}
	return c.explain(err, method, path)
}

// broken returns the error of the system for a fault.
func (c *client) broken() error {
	switch c.fault {
	case NoDaemon:
		return syscall.ENOENT
	case Denied:
		return syscall.EACCES
	}
	return nil
}

// explain returns the error that the engine prints for one of the connection.
func (c *client) explain(err error, method, path string) error {
	if err == nil || statusOf(err) != 0 {
		return err
	}
	errno, ok := errors.AsType[syscall.Errno](err)
	if !ok {
		return err
	}
	switch c.engine {
	case "podman":
		return exitWith(125, "Cannot connect to Podman. Please verify your connection to the Linux system using `podman system connection list`, or try `podman machine init` and `podman machine start` to manage a new Linux VM\n"+
			"Error: unable to connect to Podman socket: Get \"http://d/v5.4.0/libpod/_ping\": dial unix /run/podman/podman.sock: connect: %v", errno)
	case "nerdctl":
		return c.fatal("cannot access containerd socket %q: %v", "/run/containerd/containerd.sock", errno)
	}
	if errno == syscall.EACCES {
		method = method[:1] + strings.ToLower(method[1:])
		if path != pingPath {
			path = prefix + path
		}
		return fmt.Errorf("permission denied while trying to connect to the Docker daemon socket at unix://%s: %s \"http://%s%s\": dial unix %s: connect: permission denied",
			c.socket, method, url.PathEscape(c.socket), path, c.socket)
	}
	return fmt.Errorf("Cannot connect to the Docker daemon at unix://%s. Is the docker daemon running?", c.socket) //nolint:staticcheck // docker's text
}

// fatal is the error of a program that logs with logrus.
func (c *client) fatal(format string, args ...any) error {
	return exitWith(1, "%s", logLine("fatal", fmt.Sprintf(format, args...)))
}

func logLine(level, message string) string {
	return fmt.Sprintf("time=%q level=%s msg=%q", time.Now().Format(time.RFC3339), level, message)
}

// isTerminal reports whether a file is one.
func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// carry connects this process's streams with those of a process, until its output ends.
func carry(s *stream, stdin, tty bool) {
	if stdin {
		go func() {
			_, _ = io.Copy(s.UnixConn, os.Stdin) // if the process ends first the rest is lost
			_ = s.CloseWrite()
		}()
	}
	_ = s.copyOut(os.Stdout, os.Stderr, tty) // it always ends with an error
}

// exec runs a process in a container. How it ended is in the state: ExitCode is nil if
// the stream was lost.
func (c *client) exec(id string, config execConfig, early bool) (execState, error) {
	var made created
	var state execState
	if err := c.call(http.MethodPost, "/containers/"+id+"/exec", config, &made); err != nil {
		return state, err
	}
	path := "/exec/" + made.ID + "/start"
	if config.Detach {
		return state, c.call(http.MethodPost, path, execConfig{Detach: true}, nil)
	}
	if early {
		path += "?" + earlyParam
	}
	s, err := c.api.attach(path, execConfig{Tty: config.Tty})
	if err != nil {
		return state, err
	}
	if c.engine == "docker" {
		endByTerm()
	}
	carry(s, config.AttachStdin, config.Tty)
	return state, c.call(http.MethodGet, "/exec/"+made.ID+"/json", nil, &state)
}

// endByTerm makes TERM and INT end this process with 0, as they end docker exec.
func endByTerm() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-signals
		syscall.Exit(0)
	}()
}

// variables returns the values of -e: those of a name alone are in this environment.
func variables(p *parsed) ([]string, error) {
	var list []string
	for _, file := range p.values["env-file"] {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(text) {
			if line := strings.TrimSpace(string(line)); line != "" && line[0] != '#' {
				list = append(list, line)
			}
		}
	}
	for _, v := range p.values["env"] {
		if value, ok := os.LookupEnv(v); ok && !strings.Contains(v, "=") {
			v += "=" + value
		}
		list = append(list, v)
	}
	return list, nil
}

// forward passes signals to the first process of a container, as docker run does.
func (c *client) forward(id string) {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals)
	go func() {
		for s := range signals {
			own := []os.Signal{syscall.SIGCHLD, syscall.SIGPIPE, syscall.SIGURG}
			if number, ok := s.(syscall.Signal); ok && !slices.Contains(own, s) {
				_ = c.call(http.MethodPost, query("/containers/"+id+"/kill", "signal", unix.SignalName(number)), nil, nil) // it may have ended
			}
		}
	}()
}

// idOf returns an id, short or whole.
func idOf(id string, whole bool) string {
	if whole {
		return id
	}
	return id[:min(len(id), 12)]
}

// decoded returns a value as the types that encoding/json gives it.
func decoded(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	var out any
	_ = json.Unmarshal(text, &out) // it was just marshalled
	return out
}

// field returns the value at a path of names, with dots between them.
func field(v any, path string) any {
	for name := range strings.SplitSeq(strings.Trim(path, "."), ".") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		if v, ok = m[name]; !ok {
			v = m[strings.ToUpper(cmp.Or(name, " ")[:1])+strings.TrimPrefix(name, cmp.Or(name, " ")[:1])]
		}
	}
	return v
}
