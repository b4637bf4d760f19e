package link

import (
	"time"

	"mcpdbg/session/executor"
)

// The transports, as Options and executor.LinkInfo name them.
const (
	Auto   = "auto"   // master if the configuration names a live socket, else native
	Native = "native" // this program speaks SSH
	Master = "master" // an OpenSSH client that is already running, through its ControlPath
	Binary = "binary" // the system's ssh program, started for this connection
)

// The default limits.
const (
	DefaultConnectTimeout = 10 * time.Second
	DefaultAuthTimeout    = 15 * time.Second
)

// Options configure a Dialer. The zero value reads the user's ssh
// configuration, chooses the transport automatically and never prompts.
type Options struct {
	Config    string // ssh_config file instead of the user's and the system's
	Transport string // Auto, Native, Master or Binary; empty means Auto
	// Identities are key files to offer to the destination before all others, as
	// ssh -i does. Jump hosts do not get them.
	Identities []string
	// Prompter is asked about unknown host keys, passphrases and the like; nil
	// means that no user can be asked. It is called from any goroutine.
	Prompter executor.Prompter
	// AcceptNew writes unknown host keys to known_hosts instead of asking,
	// whatever StrictHostKeyChecking says.
	AcceptNew bool
	// NoAcceptNew makes StrictHostKeyChecking accept-new prompt nevertheless.
	NoAcceptNew bool

	// ConnectTimeout limits the connection to each hop, and then its key
	// exchange; 0 means the value of the configuration, or
	// DefaultConnectTimeout.
	ConnectTimeout time.Duration
	// AuthTimeout limits the login at each hop; 0 means DefaultAuthTimeout.
	// Time spent in prompts does not count.
	AuthTimeout time.Duration

	// Limits bound what happens concurrently.
	Limits Limits
	// Seed makes the delays between attempts reproducible: the first one with a
	// server, the second one with it, and so on. 0 means a random seed.
	Seed uint64
	// RememberRefusals makes the Dialer remember permanently which jump hosts
	// were not trusted or refused the login: dials through these fail at once,
	// with the same error in a *RepeatedError. So a wrong key is tried only
	// once, and not once for each of the hosts behind, which could make a
	// server lock us out (PerSourcePenalties). The failures of destinations are
	// never remembered.
	RememberRefusals bool

	// SSH is the ssh program, which resolves destinations and is the binary
	// transport; empty means to look it up, "none" that there is none.
	SSH string
	// Home is the folder of the user's files; empty means the home directory.
	Home string
}

// A Reporter receives each phase of a dial, on the goroutine of Dial: Begin
// when it begins, with a zero End, and then End with its result. Either may be
// nil. The phases are "resolve", and for each hop "connect", "host-key" and
// "login"; if a dial has to wait because of Limits, there is "wait" before, in
// which the clocks of executor.WithPausableTimeout around the dial are stopped. Detail
// may hold text of the server.
type Reporter struct {
	Begin, End func(executor.Phase)
}

func (r Reporter) begin(p executor.Phase) {
	if r.Begin != nil {
		r.Begin(p)
	}
}

func (r Reporter) end(p executor.Phase) {
	if r.End != nil {
		r.End(p)
	}
}
