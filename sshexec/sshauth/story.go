package sshauth

import (
	"fmt"

	"mcpdbg/session/executor"
)

// maxRemarks is how many skipped keys are told of.
const maxRemarks = 32

// A story is what has happened in a login so far, for the Failure.
type story struct {
	begun      bool // the server has listed its methods
	wants      []string
	accepted   []string // methods that succeeded in part
	keys       []string // offered
	unoffered  int      // keys that were left when MaxOffers was reached
	passwords  int      // sent
	challenges int      // attempts
	remarks    []string
	hardware   bool           // a FIDO key file was skipped
	locked     string         // a key file whose passphrase was not, or wrongly, given
	unanswered *question      // the first one for which nobody was there
	declined   *declinedError // the person did not want to answer
	said       string         // by the server in keyboard-interactive
}

// remark takes down something worth knowing, and returns it.
func (s *story) remark(err error) error {
	if len(s.remarks) < maxRemarks {
		s.remarks = append(s.remarks, err.Error())
	}
	return err
}

// unansweredIs tells whether nobody was there for a question of this kind: it
// need not be asked again.
func (s *story) unansweredIs(kind executor.PromptKind) bool {
	return s.unanswered != nil && s.unanswered.kind == kind
}

// tried lists the keys, then the other methods.
func (s *story) tried() []string {
	tried := append([]string(nil), s.keys...)
	if s.challenges > 0 {
		tried = append(tried, times(keyboard, s.challenges))
	}
	if s.passwords > 0 {
		tried = append(tried, times(password, s.passwords))
	}
	return tried
}

// times is a method and how often it was tried.
func times(method string, n int) string {
	if n == 1 {
		return method
	}
	return fmt.Sprintf("%s (%d times)", method, n)
}
