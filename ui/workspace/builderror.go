package workspace

// A BuildError is the failure of the command that a Watch runs before it restarts
// the server. The old server is still running.
type BuildError struct {
	Cause   string // the change, such as "main.go changed"
	Command string
	Err     error
	Output  []string // its last lines; untrusted text
}

// Error returns the error in one line, without the output.
func (e *BuildError) Error() string { return e.Command + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *BuildError) Unwrap() error { return e.Err }
