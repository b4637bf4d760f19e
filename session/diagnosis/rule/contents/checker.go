// Package contents has the rules for what lists and results contain: names, schemas, content blocks, elicitations.
package contents

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

// New returns a checker for a process that starts.
func New(report message.Report) *Checker { return &Checker{report: report} }

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
