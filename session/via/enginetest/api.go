//go:build linux

package enginetest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
)

// apiVersion is that of docker 28, and prefix its place in a path.
const (
	apiVersion = "1.50"
	prefix     = "/v" + apiVersion
)

// The labels with which a real node, and docker compose, describe a container.
const (
	labelPod       = "io.kubernetes.pod.name"
	labelNamespace = "io.kubernetes.pod.namespace"
	labelInner     = "io.kubernetes.container.name"
	labelService   = "com.docker.compose.service"
	labelNumber    = "com.docker.compose.container-number"
	labelWorkload  = "app"
)

// The bodies of docker's API, as far as they matter here.
type (
	execConfig struct {
		AttachStdin, AttachStdout, AttachStderr bool
		Tty, Detach, Privileged                 bool
		User, WorkingDir                        string
		Env, Cmd                                []string
	}
	execState struct {
		ID, ContainerID string
		Running         bool
		ExitCode        *int
		Pid             int
	}
	createConfig struct {
		Image, User, WorkingDir   string
		Env, Cmd                  []string
		Entrypoint                []string
		Labels                    map[string]string
		Tty, OpenStdin, StdinOnce bool
		AttachStdin               bool
		HostConfig                struct{ AutoRemove bool }
	}
	containerState struct {
		Status   string
		Running  bool
		Pid      int
		ExitCode int
	}
	containerJSON struct {
		ID     string `json:"Id"`
		Name   string
		Image  string
		State  containerState
		Config createConfig
	}
	containerSummary struct {
		ID      string `json:"Id"`
		Names   []string
		Image   string
		Command string
		Created int64
		State   string
		Status  string
		Labels  map[string]string
		Ports   []struct{}
	}
	topTable struct {
		Titles    []string
		Processes [][]string
	}
	created struct {
		ID       string `json:"Id"`
		Warnings []string
	}
	waited struct{ StatusCode int }
)

// An apiError is the daemon's reply to a request that failed.
type apiError struct {
	status  int
	message string
}

func (e *apiError) Error() string { return e.message }

func failed(status int, format string, args ...any) error {
	return &apiError{status, fmt.Sprintf(format, args...)}
}

// statusOf returns the HTTP status of an error of the daemon, else 0.
func statusOf(err error) int {
	if e, ok := errors.AsType[*apiError](err); ok {
		return e.status
	}
	return 0
}

// An api is a connection to a daemon.
type api struct{ socket string }

func (a api) dial() (*net.UnixConn, error) {
	return net.DialUnix("unix", nil, &net.UnixAddr{Name: a.socket, Net: "unix"})
}

// call sends a request with in as its body, and decodes the reply into out.
func (a api) call(method, path string, in, out any) error {
	client := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(context.Context, string, string) (net.Conn, error) { return a.dial() },
	}}
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequest(method, "http://docker"+prefix+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusBadRequest {
		return readError(resp)
	}
	if out == nil || resp.StatusCode == http.StatusNoContent {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(out)
}

func readError(resp *http.Response) error {
	var reply struct{ Message string }
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil {
		return err
	}
	return &apiError{resp.StatusCode, reply.Message}
}

// A stream is a connection that has stopped to speak HTTP.
type stream struct {
	*net.UnixConn
	r *bufio.Reader
}

// attach sends a request that makes the connection a stream.
func (a api) attach(path string, in any) (*stream, error) {
	conn, err := a.dial()
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(conn, "POST %s%s HTTP/1.1\r\nHost: docker\r\nContent-Type: application/json\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: %d\r\n\r\n%s", prefix, path, len(body), body)
	s := &stream{conn, bufio.NewReader(conn)}
	resp, err := http.ReadResponse(s.r, nil)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		defer resp.Body.Close()
		return nil, readError(resp)
	}
	return s, nil
}

// The kinds of frames of a stream.
const (
	frameStdout byte = 1
	frameStderr byte = 2
	frameHeader      = 8
)

// copyOut copies the output of a process until it ends.
func (s *stream) copyOut(stdout, stderr io.Writer, tty bool) error {
	if tty {
		_, err := io.Copy(stdout, s.r)
		return err
	}
	header := make([]byte, frameHeader)
	for {
		if _, err := io.ReadFull(s.r, header); err != nil {
			return err
		}
		to := stdout
		if header[0] == frameStderr {
			to = stderr
		}
		if _, err := io.CopyN(to, s.r, int64(binary.BigEndian.Uint32(header[4:]))); err != nil {
			return err
		}
	}
}

// frames writes the output of a process as frames, or as it is for a terminal.
type frames struct {
	mu  sync.Mutex
	to  io.Writer
	raw bool
}

func (f *frames) write(kind byte, b []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.raw {
		header := make([]byte, frameHeader, frameHeader+len(b))
		header[0] = kind
		binary.BigEndian.PutUint32(header[4:], uint32(len(b)))
		b = append(header, b...)
	}
	_, _ = f.to.Write(b) // if the client is gone the output is lost
}

// query returns a path with parameters.
func query(path string, pairs ...string) string {
	values := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			values.Set(pairs[i], pairs[i+1])
		}
	}
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}
