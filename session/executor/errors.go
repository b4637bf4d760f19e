package executor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"
)

// Errors that callers decide on.
var (
	ErrUnknownProcess = errors.New("unknown process")
	ErrStarting       = errors.New("process is starting")
	ErrClosed         = errors.New("executor is closed")
	ErrPinned         = errors.New("process has a pinned subscriber already")
	ErrNotInTree      = errors.New("not a process of this server's tree")
)

// A StartCode classifies a failed start.
type StartCode string

// The codes of a start.
const (
	StartInvalid   StartCode = "start.invalid"   // invalid argv, directory or environment
	StartDuplicate StartCode = "start.duplicate" // the id is in use
	StartNotFound  StartCode = "start.notfound"  // the program was not found
	StartNoExec    StartCode = "start.noexec"    // the program cannot be executed
	StartNoDir     StartCode = "start.nodir"     // the working directory is missing or unreadable
	StartCancelled StartCode = "start.cancelled" // terminated or cancelled while starting
	StartFailed    StartCode = "start.failed"    // any other error of the system
	StartNoMarker  StartCode = "start.nomarker"  // the remote shell did not answer with our script's marker
	StartTimeout   StartCode = "start.timeout"   // the remote shell did not run our script in time
	StartNoShell   StartCode = "start.noshell"   // there is no shell in the place that a prefix leads to
)

// The codes of reaching, verifying and logging in to a host. Their Reach is
// true.
const (
	ResolveConfig StartCode = "resolve.config" // the ssh configuration, or the destination, can't be used
	ResolveDNS    StartCode = "resolve.dns"    // the name has no address

	NetRefused      StartCode = "net.refused"
	NetTimeout      StartCode = "net.timeout" // connecting, or a step of the key exchange, took too long
	NetUnreachable  StartCode = "net.unreachable"
	NetNotSSH       StartCode = "net.notssh"        // the peer speaks something else
	NetDroppedEarly StartCode = "net.dropped_early" // closed before its version line: MaxStartups, a penalty
	NetProxy        StartCode = "net.proxy"         // a ProxyCommand or the ssh program failed
	NetLost         StartCode = "net.lost"          // closed later in the handshake

	HostKeyUnknown StartCode = "hostkey.unknown"
	HostKeyChanged StartCode = "hostkey.changed"
	HostKeyRevoked StartCode = "hostkey.revoked"
	KexNoCommon    StartCode = "kex.nocommon"

	AuthDenied     StartCode = "auth.denied"
	AuthTooMany    StartCode = "auth.toomany"
	AuthPassphrase StartCode = "auth.passphrase"    // a key needs a passphrase, which was missing or wrong
	AuthPrompt     StartCode = "auth.prompt_needed" // a prompt is needed, but there is no terminal
	AuthTimeout    StartCode = "auth.timeout"

	ChanLimit   StartCode = "chan.limit"   // the server refuses another channel
	ExecRefused StartCode = "exec.refused" // the server refuses to execute anything

	LostReset     StartCode = "lost.reset"     // the connection was reset
	LostKeepalive StartCode = "lost.keepalive" // the peer no longer answers
	LostClosed    StartCode = "lost.closed"    // the peer closed the connection, or the channel without an exit
)

// The codes of a prefix, as of --via, that did not lead to its place: a container, a
// namespace, a folder or a user.
const (
	ViaInvalid      StartCode = "via.invalid"      // the prefix does not understand its options
	ViaNoContainer  StartCode = "via.nocontainer"  // no such container, pod or service
	ViaNotRunning   StartCode = "via.notrunning"   // the container or pod does not run
	ViaSeveral      StartCode = "via.several"      // the pod has several containers: one must be named
	ViaNoImage      StartCode = "via.noimage"      // the image is missing and cannot be pulled
	ViaNoDaemon     StartCode = "via.nodaemon"     // the daemon of the engine does not answer
	ViaNoCluster    StartCode = "via.nocluster"    // the cluster does not answer, or is not known
	ViaNoPermission StartCode = "via.nopermission" // the user may not use the socket, the pod, the namespace or the other user
	ViaTTY          StartCode = "via.tty"          // a terminal was asked for, which a server must not have
	ViaPassword     StartCode = "via.password"     // a password is needed, and none can be asked for
	ViaNoPlace      StartCode = "via.noplace"      // no such folder, process or user
)

// Unreachable reports whether the host, or the place of a prefix, could not be reached,
// verified or logged in to, or the connection to it was lost. Any other code is about the
// program to start there.
func (c StartCode) Unreachable() bool {
	return c != "" && !strings.HasPrefix(string(c), "start.")
}

// A Speaker is the party that a Said text comes from. The zero value is the
// host.
type Speaker string

// The speakers.
const (
	SpeakerHost  Speaker = ""
	SpeakerJump  Speaker = "jump host"
	SpeakerProxy Speaker = "proxy command" // of this machine
	SpeakerSSH   Speaker = "ssh"           // the local ssh program
	SpeakerVia   Speaker = "via"           // the program through which the server is started
	// SpeakerExecServer is the exec server, or a proxy before it.
	SpeakerExecServer Speaker = "exec server"
)

// String names the speaker as in "the host said".
func (s Speaker) String() string {
	switch s {
	case SpeakerHost:
		return "the host"
	case SpeakerJump, SpeakerProxy, SpeakerExecServer:
		return "the " + string(s)
	case SpeakerSSH:
		return string(s)
	case SpeakerVia:
		return "its client"
	}
	return "another party" // from a recording of another release
}

// A StartError is the only error that Start returns.
type StartError struct {
	Code    StartCode
	Hop     string // where: empty for this machine
	Alias   string // of Hop, as the user typed it
	Phase   string // the phase that failed
	Elapsed time.Duration
	Said    string  // last words of SaidBy, at most 4 KiB, untrusted text
	SaidBy  Speaker // never this program
	Hint    string  // what to try
	Client  string  // version of the local ssh program, if it was used
	Err     error
}

// Error returns what failed and why, without the hint.
func (e *StartError) Error() string {
	if e.Hop != "" {
		return fmt.Sprintf("start on %s: %v", e.Where(), e.Err)
	}
	return fmt.Sprintf("start: %v", e.Err)
}

// Where returns the alias with its hop, or only the hop if it contains the
// alias.
func (e *StartError) Where() string { return where(e.Alias, e.Hop) }

func where(alias, hop string) string {
	host := hop[strings.LastIndexByte(hop, '@')+1:]
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if alias == "" || strings.EqualFold(alias, host) {
		return hop
	}
	return alias + " (" + hop + ")"
}

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Err }

// A LostError is the Err of Failed over SSH: the connection was lost and the
// exit status is unknown.
type LostError struct {
	Code   StartCode // LostReset, LostKeepalive or LostClosed
	Hop    string
	Alias  string        // of Hop, as the user typed it
	After  time.Duration // since the start of the process
	Said   string        // last words of SaidBy, at most 4 KiB, untrusted text
	SaidBy Speaker
	Hint   string
	Err    error
}

// Error returns where the connection was lost and why.
func (e *LostError) Error() string {
	return fmt.Sprintf("connection to %s lost after %s: %v", where(e.Alias, e.Hop), e.After.Round(time.Millisecond), e.Err)
}

// Unwrap returns the root cause.
func (e *LostError) Unwrap() error { return e.Err }

// ErrNoPrompter is the error of a Prompter that cannot ask a person.
var ErrNoPrompter = errors.New("cannot prompt")

// A Prompter asks a person a question, or fails with the question in its error
// if it cannot. Executors ask questions only through it.
type Prompter interface {
	Ask(ctx context.Context, p Prompt) (Answer, error)
}

// PromptKind is the kind of a question.
type PromptKind string

// The kinds of questions.
const (
	PromptHostKey    PromptKind = "host-key"   // yes or no, or the fingerprint as Values[0]
	PromptPassphrase PromptKind = "passphrase" // of a key file
	PromptPassword   PromptKind = "password"
	PromptChallenge  PromptKind = "challenge" // one keyboard-interactive round
)

// A Prompt is one question. Text from a server is in Remote and in Questions
// and must never be shown as if it were ours.
type Prompt struct {
	Kind      PromptKind
	Hop       string // the asking host
	User      string
	Text      string // our words; several lines for a host key
	Remote    string // the server's words
	Questions []Question
}

// A Question is one line of a challenge.
type Question struct {
	Text string
	Echo bool
}

// An Answer holds one value per question; Yes answers a yes-or-no prompt.
type Answer struct {
	Yes    bool
	Values []string
}
