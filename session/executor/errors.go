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
	StartInvalid   StartCode = "start.invalid"   // argv, directory or environment that cannot be carried
	StartDuplicate StartCode = "start.duplicate" // the id is in use
	StartNotFound  StartCode = "start.notfound"  // the program is not there
	StartNoExec    StartCode = "start.noexec"    // it is there but cannot be executed
	StartNoDir     StartCode = "start.nodir"     // the working directory is missing or unreadable
	StartCancelled StartCode = "start.cancelled" // terminated or cancelled while starting
	StartFailed    StartCode = "start.failed"    // anything else the system said
	StartNoMarker  StartCode = "start.nomarker"  // the remote shell answered something else than our script's marker
	StartTimeout   StartCode = "start.timeout"   // the remote shell did not come to our script in time
)

// The codes of reaching, verifying and logging in to a host: Reach is true.
const (
	ResolveConfig StartCode = "resolve.config" // the ssh configuration, or the destination, can't be used
	ResolveDNS    StartCode = "resolve.dns"    // the name has no address

	NetRefused      StartCode = "net.refused"
	NetTimeout      StartCode = "net.timeout" // connecting, or a step of the key exchange, took too long
	NetUnreachable  StartCode = "net.unreachable"
	NetNotSSH       StartCode = "net.notssh"        // the peer speaks something else
	NetDroppedEarly StartCode = "net.dropped_early" // closed before its version line: MaxStartups, a penalty
	NetProxy        StartCode = "net.proxy"         // a ProxyCommand, or the ssh program, failed
	NetLost         StartCode = "net.lost"          // closed later in the handshake

	HostKeyUnknown StartCode = "hostkey.unknown"
	HostKeyChanged StartCode = "hostkey.changed"
	HostKeyRevoked StartCode = "hostkey.revoked"
	KexNoCommon    StartCode = "kex.nocommon"

	AuthDenied     StartCode = "auth.denied"
	AuthTooMany    StartCode = "auth.toomany"
	AuthPassphrase StartCode = "auth.passphrase"    // a key needs one, and it was not or wrongly given
	AuthPrompt     StartCode = "auth.prompt_needed" // a question, and nobody there to ask
	AuthTimeout    StartCode = "auth.timeout"

	ChanLimit   StartCode = "chan.limit"   // the server refuses another channel
	ExecRefused StartCode = "exec.refused" // the server refuses to execute anything

	LostReset     StartCode = "lost.reset"     // the connection was reset
	LostKeepalive StartCode = "lost.keepalive" // the peer does not answer any more
	LostClosed    StartCode = "lost.closed"    // the peer closed the connection, or the channel without an exit
)

// Reach tells whether code says that the host could not be reached, verified or
// logged in to, or that the connection to it was lost; otherwise it says
// something about the program to start there.
func (c StartCode) Reach() bool {
	return c != "" && !strings.HasPrefix(string(c), "start.")
}

// A Speaker is the party whose words Said holds. The zero value is the host.
type Speaker string

// The speakers.
const (
	SpeakerHost  Speaker = ""
	SpeakerJump  Speaker = "jump host"
	SpeakerProxy Speaker = "proxy command" // of this machine
	SpeakerSSH   Speaker = "ssh"           // the program, on this machine
)

// String names the speaker as in "the host said".
func (s Speaker) String() string {
	switch s {
	case SpeakerHost:
		return "the host"
	case SpeakerJump, SpeakerProxy:
		return "the " + string(s)
	case SpeakerSSH:
		return string(s)
	}
	return "another party" // of a recording that this release did not write
}

// A StartError is the only error that Start returns.
type StartError struct {
	Code    StartCode
	Hop     string // where: empty for this machine
	Alias   string // of Hop, as it was typed
	Phase   string // the phase that failed
	Elapsed time.Duration
	Said    string  // what SaidBy said last, at most 4 KiB, untrusted text
	SaidBy  Speaker // never this program
	Hint    string  // what to try
	Client  string  // version of the local ssh program, if it was used
	Err     error
}

// Error says what failed and why, without the hint.
func (e *StartError) Error() string {
	if e.Hop != "" {
		return fmt.Sprintf("start on %s: %v", e.Where(), e.Err)
	}
	return fmt.Sprintf("start: %v", e.Err)
}

// Where returns the alias with its hop, or the hop alone if the alias is part of
// it.
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

// A LostError is the Err of Failed over SSH: the connection is gone, and how the
// process ended is not known.
type LostError struct {
	Code   StartCode // LostReset, LostKeepalive or LostClosed
	Hop    string
	Alias  string        // of Hop, as it was typed
	After  time.Duration // since the start of the process
	Said   string        // what SaidBy said last, at most 4 KiB, untrusted text
	SaidBy Speaker
	Hint   string
	Err    error
}

// Error says where the connection was lost and why.
func (e *LostError) Error() string {
	return fmt.Sprintf("connection to %s lost after %s: %v", where(e.Alias, e.Hop), e.After.Round(time.Millisecond), e.Err)
}

// Unwrap returns the first cause.
func (e *LostError) Unwrap() error { return e.Err }

// ErrNoPrompter is why a question has no answer: nobody is there to ask.
var ErrNoPrompter = errors.New("nobody is there to ask")

// A Prompter asks the person in front of the screen, or fails with the
// question in its error when there is none. An executor asks nobody else.
type Prompter interface {
	Ask(ctx context.Context, p Prompt) (Answer, error)
}

// PromptKind is what is asked.
type PromptKind string

// The kinds of question.
const (
	PromptHostKey    PromptKind = "host-key"   // yes or no, or the fingerprint as Values[0]
	PromptPassphrase PromptKind = "passphrase" // of a key file
	PromptPassword   PromptKind = "password"
	PromptChallenge  PromptKind = "challenge" // one keyboard-interactive round
)

// A Prompt is one question. Text that came from a server is in Remote and in
// Questions and is never to be shown as if it were ours.
type Prompt struct {
	Kind      PromptKind
	Hop       string // who asks
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

// An Answer holds one value a question; Yes answers a yes-or-no prompt.
type Answer struct {
	Yes    bool
	Values []string
}
