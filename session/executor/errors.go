package executor

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Errors that callers decide on.
var (
	ErrUnknownProcess = errors.New("unknown process")
	ErrStarting       = errors.New("process is starting")
	ErrClosed         = errors.New("executor is closed")
	ErrPinned         = errors.New("process has a pinned subscriber already")
)

// A StartCode classifies a failed start.
type StartCode string

// The codes of a local start. An executor over SSH adds those of reaching,
// verifying and logging in to the host (net.*, hostkey.*, auth.*, ...).
const (
	StartInvalid   StartCode = "start.invalid"   // argv, directory or environment that cannot be carried
	StartDuplicate StartCode = "start.duplicate" // the id is in use
	StartNotFound  StartCode = "start.notfound"  // the program is not there
	StartNoExec    StartCode = "start.noexec"    // it is there but cannot be executed
	StartNoDir     StartCode = "start.nodir"     // the working directory is missing or unreadable
	StartCancelled StartCode = "start.cancelled" // terminated or cancelled while starting
	StartFailed    StartCode = "start.failed"    // anything else the system said
)

// A StartError is the only error that Start returns.
type StartError struct {
	Code    StartCode
	Hop     string // where: empty for this machine
	Phase   string // the phase that failed
	Elapsed time.Duration
	Said    string // what the other side said last, at most 4 KiB, untrusted text
	Hint    string // what to try
	Err     error
}

// Error says what failed and why, without the hint.
func (e *StartError) Error() string {
	if e.Hop != "" {
		return fmt.Sprintf("start on %s: %v", e.Hop, e.Err)
	}
	return fmt.Sprintf("start: %v", e.Err)
}

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Err }

// A Prompter asks the person in front of the screen, or fails with the
// question in its error when there is none. An executor asks nobody else.
type Prompter interface {
	Ask(ctx context.Context, p Prompt) (Answer, error)
}

// PromptKind is what is asked.
type PromptKind string

// The kinds of question.
const (
	PromptHostKey    PromptKind = "host-key"   // yes or no
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
	Text      string // our words
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
