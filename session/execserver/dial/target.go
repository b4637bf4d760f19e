package dial

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"mcpdbg/internal/wording"
)

// A Kind is how an exec server is reached.
type Kind uint8

// The kinds of targets.
const (
	Command   Kind = iota // a program that speaks on its standard streams
	Unix                  // a socket of this machine
	WebSocket             // a URL
)

// The words that name a program.
const (
	codex = "codex"
	own   = "mcpdbg"
)

// listen are the arguments with which both programs speak on their standard streams.
var listen = []string{"exec-server", "--listen", "stdio"}

// A Target is an exec server.
type Target struct {
	Kind Kind
	Argv []string // Command
	// Own is set if Argv[0] is this program, under a name or path of the place where it runs.
	Own  bool
	Path string // Unix
	URL  string // WebSocket

	text string
}

// Parse parses a target: codex, mcpdbg, mcpdbg@PATH, unix:PATH, a URL with ws or wss, or a
// command line, which is split as by a shell. Its errors never contain a URL.
func Parse(text string) (Target, error) {
	t := Target{text: text}
	scheme, rest, isURL := strings.Cut(text, "://")
	switch {
	case strings.TrimSpace(text) == "":
		return t, errors.New("empty; must be codex, mcpdbg, unix:PATH, a URL or a command line")
	case text == codex:
		t.Argv = append([]string{codex}, listen...)
		return t, nil
	case text == own || strings.HasPrefix(text, own+"@"):
		return t, t.setOwn(strings.TrimPrefix(text, own))
	case strings.HasPrefix(text, "unix:"):
		return t, t.setPath(strings.TrimPrefix(text, "unix:"))
	case isURL && !strings.ContainsAny(scheme, "/ \t'\"\\="):
		return t, t.setURL(strings.ToLower(scheme), rest)
	}
	return t, t.setCommand(text)
}

func (t *Target) setOwn(at string) error {
	program := own
	if at != "" {
		program = at[1:]
		if !path.IsAbs(program) && !filepath.IsAbs(program) {
			return fmt.Errorf("mcpdbg@%s: must be an absolute path", program)
		}
	}
	t.Own, t.Argv = true, append([]string{program}, listen...)
	return nil
}

func (t *Target) setPath(file string) error {
	if strings.HasPrefix(file, "///") {
		file = file[2:] // of a URL
	}
	switch {
	case file == "":
		return errors.New("unix: requires the path of a socket")
	case strings.ContainsRune(file, 0):
		return errors.New("unix: NUL byte in the path")
	}
	t.Kind, t.Path = Unix, file
	return nil
}

func (t *Target) setURL(scheme, rest string) error {
	if scheme != "ws" && scheme != "wss" {
		return fmt.Errorf("unknown scheme %q: must be ws or wss", scheme)
	}
	u, err := url.Parse(scheme + "://" + rest)
	switch {
	case err != nil || strings.ContainsAny(rest, " \t"):
		return errors.New("invalid URL")
	case u.User != nil:
		return errors.New("the URL must not contain a user or password")
	case u.RawQuery != "" || u.ForceQuery:
		return errors.New("the URL must not contain a query, which may hold a token")
	case u.Fragment != "" || strings.Contains(rest, "#"):
		return errors.New("the URL must not contain a fragment")
	case u.Hostname() == "":
		return errors.New("the URL has no host")
	}
	t.Kind, t.URL, t.text = WebSocket, u.String(), u.String()
	return nil
}

func (t *Target) setCommand(text string) error {
	words, err := wording.SplitWords(text)
	if err == nil && (len(words) == 0 || words[0] == "") {
		err = errors.New("no program")
	}
	t.Argv = words
	return err
}

// String returns the target as a user writes it.
func (t Target) String() string { return t.text }

// Label names the target in a table: codex, a host, a socket or a program.
func (t Target) Label() string {
	switch {
	case t.Kind == WebSocket:
		return t.Host()
	case t.Kind == Unix || t.Own || len(t.Argv) == 0:
		return t.text
	}
	return path.Base(t.Argv[0])
}

// Transport names the kind of connection, for people.
func (t Target) Transport() string {
	switch t.Kind {
	case Unix:
		return "socket"
	case WebSocket:
		return "WebSocket"
	}
	return "standard streams"
}

// Resumable reports whether a session of the server can outlive a connection.
func (t Target) Resumable() bool { return t.Kind != Command }

// Local reports whether the target is reached without a network.
func (t Target) Local() bool {
	if t.Kind != WebSocket {
		return true
	}
	host := t.Host()
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// Host returns the host of a URL, "" without one.
func (t Target) Host() string {
	u, err := url.Parse(t.URL)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// encrypted reports whether the transport is encrypted, or stays on this machine.
func (t Target) encrypted() bool { return t.Local() || strings.HasPrefix(t.URL, "wss:") }
