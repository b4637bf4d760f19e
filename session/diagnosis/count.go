package diagnosis

import (
	"fmt"

	"mcpdbg/internal/wording"
)

// A Count is the number of problems by severity. Every output that counts the
// problems of a session shows the count of its groups, in these words; documents also have
// the number of occurrences. A failed request (an error response, or a result with isError)
// is not a problem of the session by itself: a server may be right to refuse a call.
type Count struct {
	Errors, Warnings int // problems
	Remarks          int // of severity Info; not problems
}

// CountOf counts the occurrences of all problems.
func CountOf(found []Problem) Count {
	var c Count
	for i := range found {
		c.add(found[i].Severity, found[i].Count)
	}
	return c
}

func (c *Count) add(s Severity, n int) {
	switch s {
	case Error:
		c.Errors += n
	case Warning:
		c.Warnings += n
	default:
		c.Remarks += n
	}
}

// Add adds another count.
func (c *Count) Add(o Count) {
	c.Errors, c.Warnings, c.Remarks = c.Errors+o.Errors, c.Warnings+o.Warnings, c.Remarks+o.Remarks
}

// Problems returns the number of problems: errors and warnings.
func (c Count) Problems() int { return c.Errors + c.Warnings }

// String formats the count, for example "3 problems (2 errors, 1 warning),
// 1 remark" or "no problems".
func (c Count) String() string {
	var text string
	switch {
	case c.Problems() == 0:
		text = "no problems"
	case c.Warnings == 0:
		text = fmt.Sprintf("%s (%s)", wording.Plural(c.Problems(), "problem"), wording.Plural(c.Errors, "error"))
	case c.Errors == 0:
		text = fmt.Sprintf("%s (%s)", wording.Plural(c.Problems(), "problem"), wording.Plural(c.Warnings, "warning"))
	default:
		text = fmt.Sprintf("%d problems (%s, %s)", c.Problems(), wording.Plural(c.Errors, "error"), wording.Plural(c.Warnings, "warning"))
	}
	if c.Remarks > 0 {
		text += ", " + wording.Plural(c.Remarks, "remark")
	}
	return text
}
