package sshconfig

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// NoBinary is the Resolver.Binary that never runs a program.
const NoBinary = "none"

// A Resolver resolves hosts with the ssh configuration. The zero Resolver reads
// the user's and the system's, as ssh does. Its methods may be called from any
// goroutine; its fields must not change after the first call.
type Resolver struct {
	Config string // file to read instead of the user's and the system's, like ssh -F; "none" reads no file
	Binary string // the ssh program; empty looks it up, NoBinary never runs one
	// Home is the home directory; empty means os.UserHomeDir. ssh gets it from
	// the password database: if that differs, ssh reads Home's configuration
	// with -F, which skips the system's if Home has one.
	Home string

	asking flights

	mu       sync.Mutex
	cache    map[cacheKey]cached
	defaults map[string]settings // by program, without any configuration
	version  string              // of the program that was run last
}

type cacheKey struct {
	binary     string
	dest       Destination
	identities string
}

type cached struct {
	files    string // their fingerprint
	settings settings
}

// The cache is emptied when there are more destinations.
const maxCached = 1024

// Resolve returns the settings for d; those of d itself take precedence. It
// runs "ssh -G", which evaluates "Match exec" as ssh does. The identities are
// key files to use as with "ssh -i".
//
// Without an ssh program the configuration is not read: d is used as it is, and
// an alias, or an explicit configuration file, is an error that wraps
// ErrNeedsSSH.
//
// The error is a *ConfigError if the configuration cannot be used, with the
// file and the line if known. Each call returns its own Host.
func (r *Resolver) Resolve(ctx context.Context, d Destination, identities ...string) (*Host, error) {
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("destination %s: %w", printable(d.Host), err)
	}
	identities, err := absolute(identities)
	if err != nil {
		return nil, err
	}
	m, err := r.machine()
	if err != nil {
		return nil, err
	}
	binary, err := r.program()
	if err != nil {
		return nil, err
	}
	if binary != "" {
		h, err := r.ask(ctx, binary, m, d, identities)
		if !errors.Is(err, errNoG) {
			return h, err
		}
	}
	return r.withoutSSH(m, d, identities)
}

func absolute(files []string) ([]string, error) {
	var full []string
	for _, file := range files {
		path, err := filepath.Abs(file)
		if err != nil {
			return nil, fmt.Errorf("identity file %s: %w", printable(file), err)
		}
		full = append(full, path)
	}
	return full, nil
}

// Version returns the version of the ssh program that was run, such as
// "OpenSSH_9.2p1, OpenSSL 3.0.19"; empty if none was, or it is unknown.
func (r *Resolver) Version() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.version
}

func (r *Resolver) setVersion(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.version = text
}

// program returns "" if there is none to run.
func (r *Resolver) program() (string, error) {
	switch r.Binary {
	case NoBinary:
		return "", nil
	case "":
		path, err := exec.LookPath("ssh")
		if err != nil {
			return "", nil //nolint:nilerr // without it no file is read
		}
		return path, nil
	}
	path, err := exec.LookPath(r.Binary)
	if err != nil {
		return "", fmt.Errorf("ssh program: %w", err)
	}
	return path, nil
}

// A machine holds what the configuration can refer to of this computer and its user.
type machine struct {
	home       string // for ~ and %d
	passwdHome string // of ssh
	user, uid  string
	hostname   string
	getenv     func(string) (string, bool)
}

func (r *Resolver) machine() (machine, error) {
	m := machine{home: r.Home, getenv: os.LookupEnv}
	u, err := user.Current()
	if err != nil {
		return m, fmt.Errorf("local user: %w", err)
	}
	m.user, m.uid, m.passwdHome = localName(u.Username), u.Uid, u.HomeDir
	if m.home == "" {
		if m.home, err = os.UserHomeDir(); err != nil {
			m.home = u.HomeDir
		}
	}
	m.home = filepath.Clean(m.home)
	if m.hostname, err = os.Hostname(); err != nil {
		m.hostname = "localhost"
	}
	return m, nil
}

// files are in order of precedence; either may be missing.
func (r *Resolver) files(m machine) []configFile {
	switch r.Config {
	case "":
		return []configFile{
			{path: filepath.Join(m.home, ".ssh", "config"), user: true},
			{path: systemConfig()},
		}
	case "none":
		return nil
	}
	return []configFile{{path: r.Config, user: true, required: true}}
}

// ask uses the cached output of ssh -G if the files are unchanged.
func (r *Resolver) ask(ctx context.Context, binary string, m machine, d Destination, identities []string) (*Host, error) {
	key := cacheKey{binary, d, strings.Join(identities, "\x00")}
	land, err := r.asking.enter(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("wait to run ssh: %w", err)
	}
	defer land()
	files, certain := fingerprint(r.files(m), m)
	r.mu.Lock()
	hit, ok := r.cache[key]
	defaults, known := r.defaults[binary]
	r.mu.Unlock()
	if certain && known && ok && hit.files == files {
		return hit.settings.hostG(d, m, identities, defaults)
	}

	type answer struct {
		settings settings
		err      error
	}
	bare := make(chan answer, 1)
	if known {
		bare <- answer{settings: defaults}
	} else {
		go func() {
			r.setVersion(versionOf(ctx, binary))
			s, err := runG(ctx, binary, "", []string{"-F", "none"}, Destination{Host: "localhost"})
			bare <- answer{s, err}
		}()
	}
	s, err := runG(ctx, binary, r.Home, append(r.configArgs(m), IdentityArgs(identities)...), d)
	plain := <-bare
	if err = errors.Join(err, plain.err); err != nil {
		if e, ok := errors.AsType[*ConfigError](err); ok {
			return nil, e
		}
		return nil, err
	}

	s = s.pathsG(m)
	r.mu.Lock()
	if r.cache == nil || len(r.cache) >= maxCached {
		r.cache = map[cacheKey]cached{}
	}
	if r.defaults == nil {
		r.defaults = map[string]settings{}
	}
	r.defaults[binary] = plain.settings
	if certain {
		r.cache[key] = cached{files, s}
	}
	r.mu.Unlock()
	return s.hostG(d, m, identities, plain.settings)
}

func (s settings) hostG(d Destination, m machine, identities []string, defaults settings) (*Host, error) {
	h, err := s.host(d, m, sourceG, defaults)
	if err != nil {
		return nil, &ConfigError{Err: err}
	}
	h.Identities = identities
	return h, nil
}

// IdentityArgs returns the options that pass key files to ssh. Unlike -i they
// support names with "%".
func IdentityArgs(files []string) []string {
	var args []string
	for _, file := range files {
		file = strings.NewReplacer("%", "%%", `\`, `\\`, `"`, `\"`).Replace(file)
		args = append(args, "-o", `IdentityFile="`+file+`"`)
	}
	return args
}

// configArgs returns nothing if the files are ssh's default.
func (r *Resolver) configArgs(m machine) []string {
	switch {
	case r.Config != "":
		return []string{"-F", r.Config}
	case m.passwdHome == "" || filepath.Clean(m.passwdHome) == m.home:
		return nil
	}
	for _, f := range r.files(m) {
		if _, err := os.Stat(f.path); err == nil {
			return []string{"-F", f.path}
		}
	}
	return []string{"-F", "none"}
}

func systemConfig() string {
	if runtime.GOOS == "windows" {
		return filepath.Join(os.Getenv("ProgramData"), "ssh", "ssh_config")
	}
	return "/etc/ssh/ssh_config"
}

// ErrNeedsSSH is the error for a setting that cannot be read without the ssh
// program.
var ErrNeedsSSH = errors.New("reading ssh_config requires the ssh program")

const sourceNone = "no ssh program"

// withoutSSH returns d with ssh's own defaults. It returns an error if the configuration
// is needed.
func (r *Resolver) withoutSSH(m machine, d Destination, identities []string) (*Host, error) {
	if r.Config != "" && r.Config != "none" {
		return nil, &ConfigError{File: r.Config, Err: ErrNeedsSSH}
	}
	if plainName(d) {
		if at, ok := r.aliasAt(m, d.Host); ok {
			return nil, &ConfigError{File: at.file, Line: at.line, Err: fmt.Errorf("%s is an alias: %w", printable(d.Host), ErrNeedsSSH)}
		}
	}
	s := settings{}
	s.add("hostname", lowerASCII(d.Host))
	s.add("user", m.user)
	if d.User != "" {
		s["user"] = []string{d.User}
	}
	if d.Port != 0 {
		s.add("port", strconv.Itoa(d.Port))
	}
	for _, file := range identities {
		s.add("identityfile", strings.ReplaceAll(file, "%", "%%"))
	}
	h, err := s.host(d, m, sourceNone, settings{})
	if err != nil {
		return nil, &ConfigError{Err: err}
	}
	h.Identities = identities
	h.NoConfig = true
	for _, f := range r.files(m) {
		if _, err := os.Stat(f.path); err == nil {
			h.Unread = append(h.Unread, f.path)
		}
	}
	return h, nil
}

// A name alone, without a domain, could be an alias.
func plainName(d Destination) bool {
	return d.User == "" && d.Port == 0 && !strings.ContainsAny(d.Host, ".:")
}
