package link

import (
	"fmt"
	"slices"

	"mcpdbg/session/executor"
)

// isRefusal reports whether a failure will repeat until the user changes
// something: a host that is not trusted, or a login that is denied or needs a
// prompt.
func isRefusal(code executor.StartCode) bool {
	return slices.Contains([]executor.StartCode{
		executor.HostKeyUnknown, executor.HostKeyChanged, executor.HostKeyRevoked, executor.KexNoCommon,
		executor.AuthDenied, executor.AuthTooMany, executor.AuthPassphrase, executor.AuthPrompt,
	}, code)
}

// failed returns an attempt that fails without being made, because an earlier
// one to the same jump host was refused.
func failed(refused *executor.StartError) *attempt {
	a := &attempt{trace: newTrace(), cancel: func(error) {}, done: make(chan struct{})}
	again := *refused
	again.Elapsed = 0
	again.Err = &RepeatedError{Err: refused.Err}
	a.err = &again
	a.trace.begin(refused.Phase, refused.Hop).end("", a.err)
	a.trace.close()
	close(a.done)
	return a
}

// A RepeatedError is the failure of a dial through a jump host that refused an
// earlier one: it was not tried again (Options.RememberRefusals).
type RepeatedError struct {
	Err error // of the earlier dial
}

// Error returns the text of the earlier failure.
func (e *RepeatedError) Error() string {
	return fmt.Sprintf("%v (same as before; not tried again)", e.Err)
}

// Unwrap returns the earlier failure.
func (e *RepeatedError) Unwrap() error { return e.Err }
