package tap

import (
	"io"

	"mcpdbg/session/executor"
)

// catch returns nil: clients send no signals here.
func catch() (steps <-chan executor.Step, stop func()) { return nil, func() {} }

// unread returns nil: a failed write shows it.
func unread(io.Writer) <-chan struct{} { return nil }

func signalNumber(string) int { return 0 }
