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

// The effective values, by keyword in lower case, in the form of ssh -G: seconds as a
// number, several words as several values.
type settings map[string][]string

func (s settings) add(key, value string) { s[key] = append(s[key], value) }

func (s settings) get(key string) string {
	if v := s[key]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// path returns the value of a keyword for which "none" is empty.
func (s settings) path(key string) string {
	if v := s.get(key); !strings.EqualFold(v, "none") {
		return v
	}
	return ""
}

func (s settings) flag(key string, missing bool) bool {
	switch v := s.get(key); v {
	case "":
		return missing
	default:
		return v != "no" && v != "false"
	}
}

// number has at most 31 bits. "none" is 0.
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
		return 0, &settingError{name, fmt.Errorf("invalid number %s", printable(v))}
	}
	return int(n), nil
}

// list returns nil for ssh's own default: mcpdbg has its own.
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

type settingError struct {
	name string
	err  error
}

func (e *settingError) Error() string { return e.name + ": " + e.err.Error() }
func (e *settingError) Unwrap() error { return e.err }

// defaults are the settings without any configuration. The error is a *settingError.
func (s settings) host(d Destination, m machine, source string, defaults settings) (*Host, error) {
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
		SendEnv:                  unique(slices.Clone(s["sendenv"])),
		Ignored:                  s.ignored(),
		Source:                   source,
	}
	for _, step := range []func() error{
		func() error { return s.notEmpty() },
		func() error { return s.connection(h) },
		func() error { return s.proxy(h, m) },
		func() error { return s.paths(h, m, defaults) },
		func() error { return s.environment(h) },
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// An empty list of algorithms must not turn into the default.
func (s settings) notEmpty() error {
	for _, name := range []string{"KexAlgorithms", "Ciphers", "MACs", "HostKeyAlgorithms", "PubkeyAcceptedAlgorithms"} {
		if v, ok := s[strings.ToLower(name)]; ok && strings.Trim(v[0], ", ") == "" {
			return &settingError{name, errors.New("no algorithm is left")}
		}
	}
	return nil
}

func (s settings) connection(h *Host) error {
	var timeout int
	for _, n := range []struct {
		to      *int
		name    string
		missing int
	}{
		{&h.Port, "Port", 22},
		{&h.NumberOfPasswordPrompts, "NumberOfPasswordPrompts", 3},
		{&h.ConnectionAttempts, "ConnectionAttempts", 1},
		{&timeout, "ConnectTimeout", 0},
	} {
		var err error
		if *n.to, err = s.number(n.name, n.missing); err != nil {
			return err
		}
	}
	if h.Port < 1 || h.Port > 65535 {
		return &settingError{"Port", fmt.Errorf("invalid port %d", h.Port)}
	}
	h.ConnectionAttempts = max(h.ConnectionAttempts, 1)
	h.ConnectTimeout = time.Duration(timeout) * time.Second
	if h.HostName == "" || strings.HasPrefix(h.HostName, "-") || strings.ContainsAny(h.HostName, " \t") {
		return &settingError{"HostName", fmt.Errorf("invalid name %s", printable(h.HostName))}
	}
	if h.User == "" {
		return &settingError{"User", errors.New("missing name")}
	}

	switch h.AddressFamily {
	case "":
		h.AddressFamily = "any"
	case "any", "inet", "inet6":
	default:
		return &settingError{"AddressFamily", fmt.Errorf("invalid value %s", printable(h.AddressFamily))}
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
		return &settingError{"StrictHostKeyChecking", fmt.Errorf("invalid value %s", printable(v))}
	}
	bytes, _, _ := strings.Cut(s.get("rekeylimit"), " ")
	if bytes == "" || bytes == "default" {
		return nil
	}
	n, err := strconv.ParseUint(bytes, 10, 64)
	if err != nil || n > math.MaxInt64 {
		return &settingError{"RekeyLimit", fmt.Errorf("invalid number %s", printable(bytes))}
	}
	h.RekeyLimit = n
	return nil
}

// ssh leaves %h and similar tokens in both keywords until it connects.
func (s settings) proxy(h *Host, m machine) error {
	jump, command := s.path("proxyjump"), s.path("proxycommand")
	values := tokenValues(h, m, "")
	var err error
	if jump == "" {
		if h.ProxyCommand, err = expandTokens(command, tokensProxy, values); err != nil {
			return &settingError{"ProxyCommand", err}
		}
		return nil
	}
	if jump, err = expandTokens(jump, tokensProxy, values); err != nil {
		return &settingError{"ProxyJump", err}
	}
	if h.ProxyJump, err = parseDestinations(jump); err != nil {
		return &settingError{"ProxyJump", err}
	}
	return nil
}

// ssh has already expanded tokens and variables where it does so early.
func (s settings) paths(h *Host, m machine, defaults settings) error {
	jump := ""
	if n := len(h.ProxyJump); n > 0 {
		jump = h.ProxyJump[n-1].Host
	}
	x := expander{machine: m, values: tokenValues(h, m, jump)}
	early := x
	early.lenient = true

	identities := s["identityfile"]
	if len(identities) == 0 || slices.Equal(identities, defaults["identityfile"]) {
		identities = defaultIdentities
	}
	users := s["userknownhostsfile"]
	if len(users) == 0 {
		users = defaultUserKnownHosts
	}
	globals := s["globalknownhostsfile"]
	if len(globals) == 0 {
		globals = defaultGlobalKnownHosts
	}
	for _, l := range []struct {
		to     *[]string
		name   string
		files  []string
		expand func(string) (string, error)
	}{
		{&h.IdentityFiles, "IdentityFile", identities, x.file},
		{&h.CertificateFiles, "CertificateFile", s["certificatefile"], x.file},
		{&h.UserKnownHosts, "UserKnownHostsFile", users, early.file},
		{&h.GlobalKnownHosts, "GlobalKnownHostsFile", globals, x.tilde},
	} {
		for _, f := range l.files {
			if strings.EqualFold(f, "none") {
				continue
			}
			path, err := l.expand(f)
			if err != nil {
				return &settingError{l.name, err}
			}
			*l.to = append(*l.to, path)
		}
		*l.to = unique(*l.to)
	}
	var err error
	if h.ControlPath, err = early.file(s.path("controlpath")); err != nil {
		return &settingError{"ControlPath", err}
	}
	if h.IdentityAgent, err = early.agent(s.get("identityagent")); err != nil {
		return &settingError{"IdentityAgent", err}
	}
	return nil
}

// The first of a name wins.
func (s settings) environment(h *Host) error {
	for _, line := range s["setenv"] {
		name, value, ok := strings.Cut(line, "=")
		if !ok || name == "" {
			return &settingError{"SetEnv", fmt.Errorf("%s is not NAME=VALUE", printable(name))}
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

// unique keeps the first of each name. It returns nil for an empty list.
func unique(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(s string) bool {
		again := seen[s]
		seen[s] = true
		return again
	})
}

// An ignorable is a keyword that mcpdbg does not honour, with the values that have no
// effect.
type ignorable struct {
	name    string
	neutral []string
}

// In the order of the report, without settings that Debian sets for everyone, and those
// that only concern ssh's own terminal.
var ignorables = []ignorable{
	{"LocalForward", nil},
	{"RemoteForward", nil},
	{"DynamicForward", nil},
	{"RemoteCommand", []string{"none"}},
	{"RequestTTY", []string{"auto", "no", "false"}},
	{"SessionType", []string{"default"}},
	{"LocalCommand", []string{"none"}},
	{"Compression", []string{"no", "false"}},
	{"ForwardAgent", []string{"no", "false"}},
	{"ForwardX11", []string{"no", "false"}},
	{"Tunnel", []string{"no", "false"}},
	{"BindInterface", nil},
	{"ProxyUseFdpass", []string{"no", "false"}},
	{"KnownHostsCommand", []string{"none"}},
	{"RevokedHostKeys", []string{"none"}},
	{"RequiredRSASize", []string{"1024"}},
	{"HostbasedAuthentication", []string{"no", "false"}},
	{"PKCS11Provider", []string{"none"}},
	{"AddKeysToAgent", []string{"no", "false"}},
	{"BatchMode", []string{"no", "false"}},
}

func (s settings) ignored() []string {
	var list []string
	for _, ig := range ignorables {
		key := strings.ToLower(ig.name)
		if key == "localcommand" && !s.flag("permitlocalcommand", false) {
			continue
		}
	values:
		for _, v := range s[key] {
			for _, n := range ig.neutral {
				if strings.EqualFold(v, n) {
					continue values
				}
			}
			if v == "" {
				continue
			}
			list = append(list, ig.name+" "+v)
		}
	}
	return list
}
