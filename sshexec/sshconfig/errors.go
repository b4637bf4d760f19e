package sshconfig

import "fmt"

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
