package lint

import "fmt"

// Checked says what the rules check. Every output that counts problems shows it:
// no problems does not mean that nothing is wrong.
const Checked = "framing, JSON-RPC and process rules; message contents not checked"

// A Count is how often the rules found something, by severity. Every output that
// counts the problems of a session shows this count, in these words. A request
// that failed (an error response, or a result with isError) is not a problem of
// the session by itself: a server may be right to refuse a call.
type Count struct {
	Errors, Warnings int // problems
	Remarks          int // of severity Info; not problems
}

// CountOf counts findings, each as often as it was found.
func CountOf(found []Finding) Count {
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

// Problems returns the number of problems: errors and warnings.
func (c Count) Problems() int { return c.Errors + c.Warnings }

// String returns the count in words, such as "3 problems (2 errors, 1 warning),
// 1 remark" or "no problems".
func (c Count) String() string {
	var text string
	switch {
	case c.Problems() == 0:
		text = "no problems"
	case c.Warnings == 0:
		text = fmt.Sprintf("%s (%s)", number(c.Problems(), "problem"), number(c.Errors, "error"))
	case c.Errors == 0:
		text = fmt.Sprintf("%s (%s)", number(c.Problems(), "problem"), number(c.Warnings, "warning"))
	default:
		text = fmt.Sprintf("%d problems (%s, %s)", c.Problems(), number(c.Errors, "error"), number(c.Warnings, "warning"))
	}
	if c.Remarks > 0 {
		text += ", " + number(c.Remarks, "remark")
	}
	return text
}

func number(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
