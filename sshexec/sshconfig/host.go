package sshconfig

import (
	"fmt"
	"time"
)

// A Host is one host as the user's ssh configuration resolves it, with all
// tokens expanded.
type Host struct {
	Alias    string // as typed
	HostName string
	User     string
	Port     int

	// Keys and agents, in the order in which to try them.
	IdentityFiles    []string // may name files that do not exist
	Identities       []string // those of IdentityFiles that were passed to Resolve; offered first
	IdentitiesOnly   bool
	IdentityAgent    string // path of the agent's socket; empty means none
	CertificateFiles []string

	// PubkeyAuthentication and similar; PreferredAuthentications may be empty.
	Pubkey, KbdInteractive, Password bool
	PreferredAuthentications         []string
	NumberOfPasswordPrompts          int
	PubkeyAcceptedAlgorithms         []string

	UserKnownHosts, GlobalKnownHosts []string // files that may not exist
	HostKeyAlias                     string
	HostKeyAlgorithms                []string // empty means the default
	StrictHostKeyChecking            string   // yes, no, ask or accept-new
	HashKnownHosts                   bool

	ProxyJump    []Destination // the hops before this host, first one first
	ProxyCommand string        // empty means none

	ConnectTimeout     time.Duration // 0 means the default
	ConnectionAttempts int           // at least 1
	AddressFamily      string        // any, inet or inet6
	BindAddress        string
	ControlPath        string // empty means none

	KexAlgorithms, Ciphers, MACs []string // empty means the default
	RekeyLimit                   uint64   // bytes; 0 means the default

	SendEnv []string // patterns
	SetEnv  map[string]string

	// Ignored are the settings in effect that mcpdbg does not honour, with
	// their keywords as in ssh_config, such as "LocalForward 8080 ...". The
	// text is the user's.
	Ignored []string
	// Source is the origin of the settings: "ssh -G", or "no ssh program".
	Source string
	// NoConfig is set if no configuration was read because there is no ssh
	// program. Unread are then the files that ssh would have read.
	NoConfig bool
	Unread   []string
}

// A ConfigError is a setting that cannot be used, or a file that cannot be read.
type ConfigError struct {
	File string // empty: unknown
	Line int    // 0: unknown
	Err  error
}

// Error returns the position and the cause.
func (e *ConfigError) Error() string {
	switch {
	case e.File == "":
		return fmt.Sprintf("ssh configuration: %v", e.Err)
	case e.Line == 0:
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
}

// Unwrap returns the cause.
func (e *ConfigError) Unwrap() error { return e.Err }

// The defaults of ssh without any configuration, except for the types of keys that
// x/crypto does not support.
var (
	defaultIdentities = []string{
		"~/.ssh/id_rsa", "~/.ssh/id_ecdsa", "~/.ssh/id_ecdsa_sk", "~/.ssh/id_ed25519", "~/.ssh/id_ed25519_sk",
	}
	defaultUserKnownHosts   = []string{"~/.ssh/known_hosts", "~/.ssh/known_hosts2"}
	defaultGlobalKnownHosts = []string{"/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"}
)
