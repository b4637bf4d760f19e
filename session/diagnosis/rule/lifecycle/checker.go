// Package lifecycle has the rules for how messages follow one another: negotiation, capabilities, pagination, progress, cancellation, tasks.
package lifecycle

import (
	"math"

	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
)

// Rules are the rules of this package, in the order of their ids.
var Rules []*diagnosis.Rule

// A Checker checks the messages of one process. It is a message.Checker.
type Checker struct {
	report message.Report
}

// New returns a checker for a process that starts. past is shared by the processes of
// one log. started is false if messages may have come before the log.
func New(report message.Report, past *Past, started bool) *Checker { return &Checker{report: report} }

// Past is what the earlier processes of a log showed. The zero value is empty.
type Past struct{}

// Start notes that a process starts. argv is nil if the command is that of the log.
func (p *Past) Start(argv []string) {}

// Lost notes that a message may be missing in the log: lost output, a line that is too
// long, or a write that failed.
func (c *Checker) Lost() {}

// Request checks a request.
func (c *Checker) Request(m *message.Message) {}

// Notification checks a notification.
func (c *Checker) Notification(m *message.Message) {}

// Response checks the response to a request.
func (c *Checker) Response(m *message.Message, request *message.Request) {}

// Due returns when Elapse has something to find.
func (c *Checker) Due() int64 { return math.MaxInt64 }

// Elapse finds what is due by now.
func (c *Checker) Elapse(now int64) {}

// End finds what can only be found when no more messages follow.
func (c *Checker) End() {}
