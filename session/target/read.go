package target

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Limits of a config file. ~/.claude.json holds histories, and grows large.
const (
	MaxFile    = 32 << 20
	MaxEntries = 2000 // servers of one file
)

// ErrNoServers is the cause of Read's error about a file that is well formed and
// has no servers, such as the settings of a program with none.
var ErrNoServers = errors.New("no MCP servers in this file")

// Options are what config files refer to. Here fills them in.
type Options struct {
	Home string // the person's
	Cwd  string // the project of files that belong to none
	// LookupEnv gives a variable of the environment.
	LookupEnv func(name string) (value string, ok bool)
	// Environments are the hosts of Codex's remote environments, by their id.
	Environments map[string]string
	// SettingsFile is where the person can add to Environments, for hints.
	SettingsFile string
	GOOS         string // "" means this system's
}

// Here returns the options of this process. What it can't tell is empty.
func Here() Options {
	home, _ := os.UserHomeDir()
	cwd, _ := os.Getwd()
	return Options{Home: home, Cwd: cwd, LookupEnv: os.LookupEnv, GOOS: runtime.GOOS}
}

func (o Options) filled() Options {
	if o.LookupEnv == nil {
		o.LookupEnv = func(string) (string, bool) { return "", false }
	}
	if o.GOOS == "" {
		o.GOOS = runtime.GOOS
	}
	return o
}

// A File is one config file.
type File struct {
	Path    string // absolute
	Client  Client // "" if it could not be read
	How     string // how Client is known
	Project string
	Scope   Scope
	Entries []Entry   // in the order of the file
	Unread  []Problem // what is odd about the file itself
	Err     error     // of Discover: why it could not be read, a *Problem
}

// Read reads a config file. Its error is a *Problem; errors.Is tells ErrNoServers
// and the errors of package fs.
func Read(path string, opts Options) (File, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return File{Path: path}, &readError{Problem{File: path, Text: err.Error()}, err}
	}
	data, err := readBounded(path)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return File{Path: path}, &readError{Problem{File: path, Text: "can't be read: " + err.Error()}, err}
	}
	return Parse(path, data, opts)
}

// readBounded reads a regular file, or fails if it is larger than MaxFile.
func readBounded(path string) ([]byte, error) {
	info, err := os.Stat(path) // before it is opened: a pipe would wait
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err == nil && len(data) > MaxFile {
		err = fmt.Errorf("it is larger than %d MiB", MaxFile>>20)
	}
	return data, err
}

// Parse reads the text of a config file. The path tells clients apart that
// write the same shape, and the project. Nothing but the environment is looked
// at.
func Parse(path string, data []byte, opts Options) (File, error) {
	opts = opts.filled()
	file := File{Path: path}
	file.Project, file.Scope = projectOf(path, opts)
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	root, isTOML, err := parse(data)
	if err != nil {
		return file, named(err, path)
	}
	file.Client, file.How = detect(path, root, isTOML)
	if file.Client == "" {
		return file, &readError{Problem{File: path, Text: ErrNoServers.Error(), Try: triedKeys}, ErrNoServers}
	}
	r := &reader{opts: opts, data: data, file: &file, left: maxExpanded}
	r.read(root)
	return file, nil
}

const triedKeys = "servers stand under mcpServers, servers (VS Code), context_servers (Zed), [mcp_servers.NAME] (Codex, TOML) or packages (server.json)"

// parse tells JSON from TOML by the first byte that counts: no TOML begins with
// a brace or a slash.
func parse(data []byte) (root *node, isTOML bool, err error) {
	trimmed := bytes.TrimLeft(data, " \t\r\n")
	if len(trimmed) == 0 || trimmed[0] == '{' || trimmed[0] == '/' {
		root, err = parseJSON(data)
		if err == nil && root.kind != object {
			err = &Problem{Line: 1, Text: "is no object", Try: triedKeys}
		}
		return root, false, err
	}
	root, err = parseTOML(data)
	return root, true, err
}

// named puts the path into a *Problem.
func named(err error, path string) error {
	var p *Problem
	if errors.As(err, &p) {
		p.File = path
	}
	return err
}

// A readError is a Problem with a cause.
type readError struct {
	Problem
	cause error
}

func (e *readError) Unwrap() []error { return []error{&e.Problem, e.cause} }
