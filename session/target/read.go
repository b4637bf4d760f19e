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

// Limits of a config file. ~/.claude.json holds histories and grows large.
const (
	maxFile    = 32 << 20
	maxEntries = 2000 // servers of one file
)

// ErrNoServers is the cause of Read's error for a well-formed file without
// servers, such as settings that do not configure any.
var ErrNoServers = errors.New("no MCP servers in this file")

// Options holds the environment that config files refer to. Here fills it in.
type Options struct {
	Home string // the user's
	Cwd  string // the project of files without a project
	// LookupEnv returns an environment variable.
	LookupEnv func(name string) (value string, ok bool)
	// Environments are the hosts of Codex's remote environments, by their id.
	Environments map[string]string
	// SettingsFile is the file that defines Environments, for hints.
	SettingsFile string
	GOOS         string // "" means this system's
}

// CurrentOptions returns the options of this process. Unknown values are empty.
func CurrentOptions() Options {
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
	How     string // how Client was detected
	Project string
	Scope   Scope
	Entries []Entry   // in the order of the file
	Unread  []Problem // problems of the file itself
	Err     error     // from Discover: why it could not be read, a *Problem
}

// Read reads a config file. Its error is a *Problem; errors.Is recognizes
// ErrNoServers and the errors of package fs.
func Read(path string, opts Options) (File, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return File{Path: path}, &readError{Problem{File: path, Text: err.Error()}, err}
	}
	data, err := readBounded(path)
	if err != nil {
		if p, ok := errors.AsType[*fs.PathError](err); ok {
			err = p.Err
		}
		return File{Path: path}, &readError{Problem{File: path, Text: "can't be read: " + err.Error()}, err}
	}
	return Parse(path, data, opts)
}

// readBounded fails if the file is not a regular one or larger than maxFile.
func readBounded(path string) ([]byte, error) {
	info, err := os.Stat(path) // before opening: a pipe would block
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("larger than %d MiB", maxFile>>20)
	}
	return data, err
}

// Parse parses the text of a config file. The path determines the project and
// distinguishes clients with the same format. Parse reads nothing but the
// environment.
func Parse(path string, data []byte, opts Options) (File, error) {
	opts = opts.filled()
	file := File{Path: path}
	file.Project, file.Scope = projectOf(path, opts)
	whole := len(data)
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	root, isTOML, err := parse(data)
	if err != nil {
		return file, named(err, path)
	}
	file.Client, file.How = detect(path, root, isTOML)
	if file.Client == "" {
		return file, &readError{Problem{File: path, Text: ErrNoServers.Error(), Hint: triedKeys}, ErrNoServers}
	}
	r := &reader{opts: opts, data: data, file: &file, left: maxExpanded, toml: isTOML, bom: whole - len(data)}
	r.read(root)
	return file, nil
}

const triedKeys = "put servers under mcpServers, servers (VS Code), context_servers (Zed), [mcp_servers.NAME] (Codex, TOML) or packages (server.json)"

// parse distinguishes JSON and TOML by the first byte that is not a space: no
// TOML begins with a brace or a slash.
func parse(data []byte) (root *node, isTOML bool, err error) {
	trimmed := bytes.TrimLeft(data, " \t\r\n")
	if len(trimmed) == 0 || trimmed[0] == '{' || trimmed[0] == '/' {
		root, err = parseJSON(data)
		if err == nil && root.kind != object {
			err = &Problem{Line: 1, Text: "not a JSON object", Hint: triedKeys}
		}
		return root, false, err
	}
	root, err = parseTOML(data)
	return root, true, err
}

func named(err error, path string) error {
	if p, ok := errors.AsType[*Problem](err); ok {
		p.File = path
	}
	return err
}

type readError struct {
	Problem
	cause error
}

func (e *readError) Unwrap() []error { return []error{&e.Problem, e.cause} }
