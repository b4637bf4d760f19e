package sshconfig

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// settings are the values that are in effect, by keyword in lower case, written
// as ssh -G writes them: seconds as a number, several words as several values.
type settings map[string][]string

func (s settings) add(key, value string) { s[key] = append(s[key], value) }

func (s settings) get(key string) string {
	if v := s[key]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// path returns the value of a keyword for which "none" means nothing.
func (s settings) path(key string) string {
	if v := s.get(key); !strings.EqualFold(v, "none") {
		return v
	}
	return ""
}

// rehomed puts m.home in place of the home that ssh has put in where "~" stood.
func (s settings) rehomed(m machine) settings {
	if m.passwdHome == "" || m.passwdHome == m.home {
		return s
	}
	from, to := m.passwdHome+"/", m.home+"/"
	for _, key := range []string{"userknownhostsfile", "controlpath", "identityagent"} {
		for i, v := range s[key] {
			words := strings.Split(v, " ")
			for j, word := range words {
				if rest, ok := strings.CutPrefix(word, from); ok && !strings.HasPrefix(word, to) {
					words[j] = to + rest
				}
			}
			s[key][i] = strings.Join(words, " ")
		}
	}
	return s
}

func (s settings) flag(key string, missing bool) bool {
	switch v := s.get(key); v {
	case "":
		return missing
	default:
		return v != "no" && v != "false"
	}
}

// number returns a number of 31 bits that is not negative. "none" is 0.
func (s settings) number(name string, missing int) (int, error) {
	v := s.get(strings.ToLower(name))
	switch v {
	case "":
		return missing, nil
	case "none":
		return 0, nil
	}
	n, err := strconv.ParseUint(v, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("%s: bad number %s", name, printable(v))
	}
	return int(n), nil
}

// list returns a list of algorithms, nil where it is ssh's own default:
// mcpdbg has a default of its own.
func (s settings) list(defaults settings, keys ...string) []string {
	for _, key := range keys {
		v := s.get(key)
		if v == "" {
			continue
		}
		if v == defaults.get(key) {
			return nil
		}
		return strings.FieldsFunc(v, func(r rune) bool { return r == ',' })
	}
	return nil
}

// host makes a Host of s. The defaults are what ssh uses without configuration.
func (s settings) host(d Destination, m machine, defaults settings, source string) (*Host, error) {
	h := &Host{
		Alias:                    d.Host,
		HostName:                 s.get("hostname"),
		User:                     s.get("user"),
		IdentitiesOnly:           s.flag("identitiesonly", false),
		Pubkey:                   s.flag("pubkeyauthentication", true),
		KbdInteractive:           s.flag("kbdinteractiveauthentication", s.flag("challengeresponseauthentication", true)),
		Password:                 s.flag("passwordauthentication", true),
		PreferredAuthentications: s.list(nil, "preferredauthentications"),
		PubkeyAcceptedAlgorithms: s.list(defaults, "pubkeyacceptedalgorithms", "pubkeyacceptedkeytypes"),
		HostKeyAlias:             s.get("hostkeyalias"),
		HostKeyAlgorithms:        s.list(defaults, "hostkeyalgorithms"),
		HashKnownHosts:           s.flag("hashknownhosts", false),
		AddressFamily:            s.get("addressfamily"),
		BindAddress:              s.get("bindaddress"),
		KexAlgorithms:            s.list(defaults, "kexalgorithms"),
		Ciphers:                  s.list(defaults, "ciphers"),
		MACs:                     s.list(defaults, "macs"),
		SendEnv:                  slices.Clone(s["sendenv"]),
		Ignored:                  s.ignored(),
		Source:                   source,
	}
	for _, step := range []func() error{
		func() error { return s.connection(h) },
		func() error { return s.proxy(h, m) },
		func() error { return s.paths(h, m, defaults) },
		func() error { return s.environment(h) },
	} {
		if err := step(); err != nil {
			return nil, &ConfigError{Err: err}
		}
	}
	return h, nil
}

// connection fills in numbers and what has few values.
func (s settings) connection(h *Host) error {
	var timeout, interval int
	for _, n := range []struct {
		to      *int
		name    string
		missing int
	}{
		{&h.Port, "Port", 22},
		{&h.NumberOfPasswordPrompts, "NumberOfPasswordPrompts", 3},
		{&h.ConnectionAttempts, "ConnectionAttempts", 1},
		{&h.ServerAliveCountMax, "ServerAliveCountMax", 3},
		{&timeout, "ConnectTimeout", 0},
		{&interval, "ServerAliveInterval", 0},
	} {
		var err error
		if *n.to, err = s.number(n.name, n.missing); err != nil {
			return err
		}
	}
	if h.Port < 1 || h.Port > 65535 {
		return fmt.Errorf("bad port %d", h.Port)
	}
	h.ConnectionAttempts = max(h.ConnectionAttempts, 1)
	h.ConnectTimeout = time.Duration(timeout) * time.Second
	h.ServerAliveInterval = time.Duration(interval) * time.Second
	if h.HostName == "" || strings.HasPrefix(h.HostName, "-") || strings.ContainsAny(h.HostName, " \t") {
		return fmt.Errorf("bad host name %q", h.HostName)
	}
	if h.User == "" {
		return errors.New("no user name")
	}

	switch h.AddressFamily {
	case "":
		h.AddressFamily = "any"
	case "any", "inet", "inet6":
	default:
		return fmt.Errorf("bad address family %q", h.AddressFamily)
	}
	switch v := s.get("stricthostkeychecking"); v {
	case "", "ask":
		h.StrictHostKeyChecking = "ask"
	case "yes", "true":
		h.StrictHostKeyChecking = "yes"
	case "no", "off", "false":
		h.StrictHostKeyChecking = "no"
	case "accept-new":
		h.StrictHostKeyChecking = v
	default:
		return fmt.Errorf("bad StrictHostKeyChecking %q", v)
	}
	bytes, _, _ := strings.Cut(s.get("rekeylimit"), " ")
	if bytes == "" || bytes == "default" {
		return nil
	}
	n, err := strconv.ParseUint(bytes, 10, 64)
	if err != nil || n > math.MaxInt64 {
		return fmt.Errorf("bad RekeyLimit %q", bytes)
	}
	h.RekeyLimit = n
	return nil
}

// proxy fills in how the host is reached. ssh leaves %h and the like in both
// keywords until it connects.
func (s settings) proxy(h *Host, m machine) error {
	jump, command := s.path("proxyjump"), s.path("proxycommand")
	values := tokenValues(h, m, "")
	var err error
	if jump == "" {
		if h.ProxyCommand, err = expandTokens(command, tokensProxy, values); err != nil {
			return fmt.Errorf("ProxyCommand: %w", err)
		}
		return nil
	}
	if jump, err = expandTokens(jump, tokensProxy, values); err != nil {
		return fmt.Errorf("ProxyJump: %w", err)
	}
	if h.ProxyJump, err = ParseDestinations(jump); err != nil {
		return fmt.Errorf("ProxyJump: %w", err)
	}
	return nil
}

// paths fills in the names of files.
func (s settings) paths(h *Host, m machine, defaults settings) error {
	jump := ""
	if n := len(h.ProxyJump); n > 0 {
		jump = h.ProxyJump[n-1].Host
	}
	values := tokenValues(h, m, jump)

	files := s["identityfile"]
	if len(files) == 0 || slices.Equal(files, defaults["identityfile"]) {
		files = defaultIdentities
	}
	var err error
	if h.IdentityFiles, err = expandFiles(files, m, values); err != nil {
		return fmt.Errorf("IdentityFile: %w", err)
	}
	if h.CertificateFiles, err = expandFiles(s["certificatefile"], m, values); err != nil {
		return fmt.Errorf("CertificateFile: %w", err)
	}
	files = s["userknownhostsfile"]
	if len(files) == 0 || slices.Equal(files, defaults["userknownhostsfile"]) {
		files = defaultUserKnownHosts
	}
	if h.UserKnownHosts, err = knownHosts(files, m, values); err != nil {
		return fmt.Errorf("UserKnownHostsFile: %w", err)
	}
	files = s["globalknownhostsfile"]
	if len(files) == 0 {
		files = []string{systemKnownHosts}
	}
	if h.GlobalKnownHosts, err = knownHosts(files, m, nil); err != nil {
		return fmt.Errorf("GlobalKnownHostsFile: %w", err)
	}
	if h.ControlPath, err = expanded(s.path("controlpath"), m, values); err != nil {
		return fmt.Errorf("ControlPath: %w", err)
	}
	if h.IdentityAgent, err = agent(s.get("identityagent"), m, values); err != nil {
		return fmt.Errorf("IdentityAgent: %w", err)
	}
	return nil
}

// agent returns the path of the agent's socket.
func agent(v string, m machine, values map[byte]string) (string, error) {
	switch {
	case v == "" || v == "SSH_AUTH_SOCK":
		path, _ := m.getenv("SSH_AUTH_SOCK")
		return path, nil
	case strings.EqualFold(v, "none"):
		return "", nil
	case strings.HasPrefix(v, "$") && !strings.HasPrefix(v, "${"):
		path, _ := m.getenv(v[1:])
		return path, nil
	}
	return expanded(v, m, values)
}

// expanded expands what ssh -G has expanded already, except in old versions:
// with those that are used today "%" in it is text. (IdentityAgent since 8.4.)
func expanded(v string, m machine, values map[byte]string) (string, error) {
	if path, err := expandFile(v, m, values); err == nil {
		return path, nil
	}
	return expandTilde(v, m)
}

func expandFiles(files []string, m machine, values map[byte]string) ([]string, error) {
	var list []string
	for _, f := range files {
		if strings.EqualFold(f, "none") {
			continue
		}
		path, err := expandFile(f, m, values)
		if err != nil {
			return nil, err
		}
		list = append(list, path)
	}
	return list, nil
}

// knownHosts returns the files of a value of several words.
func knownHosts(lines []string, m machine, values map[byte]string) ([]string, error) {
	var list []string
	for _, f := range splitPaths(lines) {
		if strings.EqualFold(f, "none") {
			continue
		}
		path, err := expanded(programData(f), m, values)
		if err != nil {
			return nil, err
		}
		list = append(list, path)
	}
	return list, nil
}

// splitPaths splits lines of paths with spaces between them. ssh -G does not
// quote a path that has a space in it itself: a word that does not begin as an
// absolute path does belongs to the word before.
func splitPaths(lines []string) []string {
	var list []string
	for _, line := range lines {
		for i, word := range strings.Fields(line) {
			if i > 0 && !beginsPath(word) {
				list[len(list)-1] += " " + word
				continue
			}
			list = append(list, word)
		}
	}
	return list
}

func beginsPath(s string) bool {
	drive := len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/')
	return drive || strings.ContainsAny(s[:1], `/~%$\`) || strings.HasPrefix(s, programDataName)
}

// environment fills in the variables to set; the first of a name wins.
func (s settings) environment(h *Host) error {
	for _, line := range s["setenv"] {
		name, value, ok := strings.Cut(line, "=")
		if !ok || name == "" {
			return fmt.Errorf("SetEnv %s is not NAME=VALUE", printable(name))
		}
		if h.SetEnv == nil {
			h.SetEnv = map[string]string{}
		}
		if _, set := h.SetEnv[name]; !set {
			h.SetEnv[name] = value
		}
	}
	return nil
}
