package sshconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A parser reads configuration files as ssh does, for one destination. What it
// cannot evaluate is an error: it never goes on with another setting than ssh
// would have.
type parser struct {
	machine  machine
	dest     Destination
	settings settings
	where    map[string]position // of the first value of each keyword

	host      string // what Host patterns are matched with
	final     bool   // this is the second pass, which a "Match final" asks for
	wantFinal bool

	ignoreUnknown string
	opened        int
	sources       []string // the files that were read
}

// A position is where a setting stands.
type position struct {
	file string
	line int
}

// A scope is where in a file a line stands.
type scope struct {
	position
	user   bool // the file belongs to the user
	check  bool // the file must be writable by its owner alone
	never  bool // included where nothing applies: no block in it does
	active bool // the block applies
	depth  int
}

// read resolves d without ssh.
func (r *Resolver) read(m machine, d Destination) (*Host, error) {
	p := newParser(m, d)
	err := p.run(r.files(m), r.Config == "")
	if err == nil {
		var h *Host
		if h, err = p.resolved(); err == nil {
			return h, nil
		}
	}
	if e, ok := errors.AsType[*settingError](err); ok {
		at := p.where[e.key()]
		err = &ConfigError{File: at.file, Line: at.line, Err: e}
	}
	return nil, err
}

func newParser(m machine, d Destination) *parser {
	p := &parser{machine: m, dest: d, host: d.Host, settings: settings{}, where: map[string]position{}}
	if d.User != "" {
		p.settings.add("user", d.User)
	}
	if d.Port != 0 {
		p.settings.add("port", strconv.Itoa(d.Port))
	}
	return p
}

// run reads files, a second time if a "Match final" asks for it. With check
// the user's must not be writable by others, which ssh asks of its standard
// file, and of every included one.
func (p *parser) run(files []configFile, check bool) error {
	for {
		for _, f := range files {
			s := scope{position: position{file: f.path}, user: f.user, check: check && f.user, active: true}
			err := p.file(s)
			if errors.Is(err, fs.ErrNotExist) && !f.required {
				continue
			}
			if err != nil {
				return err
			}
		}
		if p.final || !p.wantFinal {
			return nil
		}
		host, err := p.hostname()
		if err != nil {
			return err
		}
		if p.host, err = p.canonical(host); err != nil {
			return err
		}
		p.final = true
		p.settings["hostname"] = []string{p.host}
	}
}

// file reads one file from the top. Its errors are *ConfigError.
func (p *parser) file(s scope) error {
	if p.opened++; p.opened > maxConfigFiles {
		return &ConfigError{File: s.file, Err: fmt.Errorf("more than %d files", maxConfigFiles)}
	}
	text, err := readConfig(s.file)
	if err == nil && s.check {
		err = checkOwner(s.file)
	}
	if err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			err = e.Err // which does not name the file a second time
		}
		return &ConfigError{File: s.file, Err: err}
	}
	if !p.final {
		p.sources = append(p.sources, s.file)
	}
	return p.text(s, text)
}

func (p *parser) text(s scope, text string) error {
	for line := range strings.Lines(text) {
		s.line++
		if err := p.line(&s, line); err != nil {
			if _, ok := errors.AsType[*ConfigError](err); ok {
				return err // of an included file
			}
			return &ConfigError{File: s.file, Line: s.line, Err: err}
		}
	}
	return nil
}

func (p *parser) line(s *scope, text string) error {
	key, rest, err := splitLine(text)
	if err != nil || key == "" {
		return err
	}
	if !utf8.ValidString(rest) || strings.ContainsFunc(rest, isControl) {
		return fmt.Errorf("the value of %s is no text", key)
	}
	words, err := splitWords(rest)
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	switch key {
	case "host":
		s.active, err = p.hostBlock(s, words)
		return err
	case "match":
		matched, err := p.match(rest)
		s.active = matched && !s.never
		return err
	case "include":
		return p.include(s, words)
	}
	if other, ok := aliases[key]; ok {
		key = other
	}
	read, known := keywords[key]
	if leftOut[key] {
		read, known = line, true
	}
	switch {
	case !known && p.ignoreUnknown != "" && matchHost(key, p.ignoreUnknown):
		return nil
	case !known:
		return fmt.Errorf("the keyword %s is not known", printable(key))
	case len(words) == 0:
		return fmt.Errorf("%s has no value", key)
	}
	values, err := read(rest, words)
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !s.active || len(values) == 0 {
		return nil
	}
	return p.set(s, key, values)
}

func (p *parser) hostBlock(s *scope, patterns []string) (bool, error) {
	if len(patterns) == 0 {
		return false, errors.New("Host has no pattern")
	}
	active := false
	for _, pattern := range patterns {
		if pattern == "" {
			return false, errors.New("Host has an empty pattern")
		}
		pattern, negated := strings.CutPrefix(pattern, "!")
		if s.never || !matchPattern(p.host, pattern) {
			continue
		}
		if negated {
			return false, nil
		}
		active = true
	}
	return active, nil
}

func (p *parser) include(s *scope, words []string) error {
	if s.depth >= maxIncludeDepth {
		return fmt.Errorf("files include each other more than %d deep", maxIncludeDepth)
	}
	for _, word := range words {
		if word == "" || word[0] == '~' && !s.user {
			return fmt.Errorf("bad path %s to include", printable(word))
		}
		paths, err := includePaths(word, s.user, p.machine)
		if err != nil {
			return err
		}
		for _, path := range paths {
			err := p.file(scope{
				position: position{file: path}, user: s.user, check: true,
				never: !s.active, active: s.active, depth: s.depth + 1,
			})
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// set keeps the values of a keyword in a block that applies: the first value
// wins, except where values add up.
func (p *parser) set(s *scope, key string, values []string) error {
	switch key {
	case "ignoreunknown":
		if p.ignoreUnknown == "" {
			p.ignoreUnknown = values[0]
		}
		return nil
	case "canonicalizehostname":
		if _, set := p.where[key]; !set && values[0] != "no" {
			return errors.New("only the ssh program can do that")
		}
	case "proxyjump": // the other way round a jump wins in the end, unless it is "none"
		if p.settings.get("proxycommand") != "" {
			return nil
		}
	}
	old, isSet := p.settings[key]
	if _, ok := p.where[key]; !ok {
		p.where[key] = s.position
	}
	switch {
	case key == "sendenv":
		p.sendEnv(values)
	case cumulative[key] > 0:
		for _, v := range values {
			if !slices.Contains(old, v) {
				p.settings.add(key, v)
			}
		}
		if len(p.settings[key]) > cumulative[key] {
			return fmt.Errorf("%s: more than %d", key, cumulative[key])
		}
	case !isSet || len(old) == 0:
		p.settings[key] = values
	}
	return nil
}

// sendEnv adds patterns of names, and removes those that stand behind "-".
func (p *parser) sendEnv(values []string) {
	for _, v := range values {
		gone, remove := strings.CutPrefix(v, "-")
		if !remove {
			p.settings.add("sendenv", v)
			continue
		}
		p.settings["sendenv"] = slices.DeleteFunc(p.settings["sendenv"], func(name string) bool {
			return matchPattern(name, gone)
		})
	}
}

// hostname is the host's real name as far as it is known.
func (p *parser) hostname() (string, error) {
	name := p.settings.get("hostname")
	if name == "" || p.final {
		return p.host, nil
	}
	name, err := expandTokens(name, tokensHostName, map[byte]string{'h': p.dest.Host})
	if err != nil {
		return "", &settingError{"HostName", err}
	}
	return name, nil
}

// canonical returns a name in lower case, and an address in its shortest form
// unless AddressFamily excludes it. What ssh takes for an address at a glance
// and is none stays as it is.
func (p *parser) canonical(host string) (string, error) {
	numeric := strings.Trim(host, "0123456789.") == ""
	if !numeric && !strings.ContainsAny(host, "%:") {
		return lowerASCII(host), nil
	}
	a, err := netip.ParseAddr(host)
	switch {
	case err == nil && (a.Is4() || p.settings.get("addressfamily") != "inet"):
		return a.String(), nil
	case numeric: // such as 127.1, which the system's library understands
		return "", &settingError{"HostName", fmt.Errorf("%s is a short form of an address", printable(host))}
	}
	return host, nil
}

// resolved makes a Host of what was read.
func (p *parser) resolved() (*Host, error) {
	s := p.settings
	host, err := p.hostname()
	if err != nil {
		return nil, err
	}
	if host, err = p.canonical(host); err != nil {
		return nil, err
	}
	s["hostname"] = []string{host}
	if s.get("user") == "" {
		s.add("user", p.machine.user)
	}
	if s.get("port") == "" {
		s.add("port", "22")
	}
	if s.get("hostkeyalias") != "" {
		s["hostkeyalias"] = []string{lowerASCII(s.get("hostkeyalias"))}
	}
	if s.flag("clearallforwardings", false) {
		for _, key := range []string{"localforward", "remoteforward", "dynamicforward", "tunnel"} {
			delete(s, key)
		}
	}
	source := "no configuration file"
	if len(p.sources) > 0 {
		source = strings.Join(p.sources, ", ")
	}
	h, err := s.host(p.dest, p.machine, origin{name: source, defaults: algorithmDefaults()})
	if err != nil {
		return nil, err
	}
	return h, loops(h)
}

// loops refuses a host whose last hop is the host itself.
func loops(h *Host) error {
	if len(h.ProxyJump) == 0 {
		return nil
	}
	last := h.ProxyJump[len(h.ProxyJump)-1]
	samePort := last.Port == h.Port || last.Port == 0 && h.Port == 22
	if last.Host == h.HostName && samePort && (last.User == "" || last.User == h.User) {
		return &settingError{"ProxyJump", fmt.Errorf("the jump host %q is the host itself", last.Host)}
	}
	return nil
}
