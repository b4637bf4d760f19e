package session

import (
	"errors"
	"os"
	"slices"
)

// ErrNoValue is the error for a variable whose value is unknown.
var ErrNoValue = errors.New("value unknown")

// EnvValue returns the value of one variable, to be shown on request: that of a
// named variable as it was set, or the shell's value of a variable that the
// server got (Info.Env.Passed) or did not get (LeftOut). It is never logged.
// The error is ErrNoValue for all other variables, such as those that a host
// adds.
func (s *Session) EnvValue(name string) (string, error) {
	for _, v := range slices.Backward(s.cfg.Command.Env) {
		if v.Name == name {
			return v.Value, nil
		}
	}
	info := s.Status().Process
	if info.Link == nil && (slices.Contains(info.Env.Passed, name) || slices.Contains(info.Env.Omitted, name)) {
		if value, ok := os.LookupEnv(name); ok {
			return value, nil
		}
	}
	return "", ErrNoValue
}
