package sshauth

import (
	"fmt"

	"mcpdbg/session/executor"
)

const maxRemarks = 32

// A history records the attempts of a login, for the Failure.
type history struct {
	begun      bool // the server has listed its methods
	wants      []string
	accepted   []string // methods that succeeded partially
	keys       []string // offered
	unoffered  int      // left when maxOffers was reached
	passwords  int      // sent
	challenges int      // attempts
	remarks    []string
	hardware   bool      // a FIDO key file was skipped
	locked     string    // a key file without a passphrase, or with a wrong one
	unanswered *question // the first prompt that could not be shown
	declined   *declinedError
	said       string // the server's text in keyboard-interactive
}

// remark returns the error that it records.
func (s *history) remark(err error) error {
	if len(s.remarks) < maxRemarks {
		s.remarks = append(s.remarks, err.Error())
	}
	return err
}

// A prompt of a kind that could not be shown need not be tried again.
func (s *history) unansweredIs(kind executor.PromptKind) bool {
	return s.unanswered != nil && s.unanswered.kind == kind
}

func (s *history) tried() []string {
	tried := append([]string(nil), s.keys...)
	if s.challenges > 0 {
		tried = append(tried, times(keyboard, s.challenges))
	}
	if s.passwords > 0 {
		tried = append(tried, times(password, s.passwords))
	}
	return tried
}

func times(method string, n int) string {
	if n == 1 {
		return method
	}
	return fmt.Sprintf("%s (%d times)", method, n)
}
