package session

import (
	"errors"
	"os"
	"slices"
)

// ErrNoValue says that the value of a variable is not known here.
var ErrNoValue = errors.New("the value is not known here")

// EnvValue returns the value of one variable, for a person who asks to see it: a
// named one as it was set; of one that the shell has, what it has there, whether
// the server got it (Info.Env.Passed) or not (LeftOut). It is in no log. The
// error is ErrNoValue for all others, those that a host added itself among them.
func (s *Session) EnvValue(name string) (string, error) {
	for _, v := range slices.Backward(s.cfg.Command.Env) {
		if v.Name == name {
			return v.Value, nil
		}
	}
	info := s.Status().Process
	if info.Link == nil && (slices.Contains(info.Env.Passed, name) || slices.Contains(info.Env.LeftOut, name)) {
		if value, ok := os.LookupEnv(name); ok {
			return value, nil
		}
	}
	return "", ErrNoValue
}
