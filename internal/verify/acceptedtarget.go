package verify

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpdbg/ui/widget/termsafe"
)

// targetWord begins the block of a target.
const targetWord = "target "

// An AcceptedTarget may fail until a day: see AcceptedFile.
type AcceptedTarget struct {
	ID      string
	Causes  []Cause // nil for any
	Owner   string
	Reason  string
	Expires time.Time // last valid day
}

func (t *AcceptedTarget) member(name, value string) (err error) {
	switch name {
	case "cause":
		if t.Causes != nil {
			return fmt.Errorf("cause is given twice")
		}
		for _, word := range strings.Fields(value) {
			if !slices.Contains(causes, Cause(word)) {
				return fmt.Errorf("cause: unknown cause %.40q", word)
			}
			t.Causes = append(t.Causes, Cause(word))
		}
	case "owner":
		t.Owner, err = once(name, t.Owner, value)
	case "reason":
		t.Reason, err = once(name, t.Reason, value)
	case "expires":
		t.Expires, err = parseExpiry(t.Expires, value)
	default:
		return fmt.Errorf("%.40q: must be cause, owner, reason or expires", name)
	}
	return err
}

func (t *AcceptedTarget) write(out *strings.Builder) {
	fmt.Fprintf(out, "\n%s%s\n", targetWord, written(t.ID))
	if t.Causes != nil {
		out.WriteString("  cause:")
		for _, cause := range t.Causes {
			out.WriteString(" " + string(cause))
		}
		out.WriteByte('\n')
	}
	fmt.Fprintf(out, "  owner: %s\n  reason: %s\n  expires: %s\n", termsafe.Line(t.Owner), termsafe.Line(t.Reason), t.Expires.Format(dateFormat))
}

// target returns nil without one.
func (b *AcceptedFile) target(id string) *AcceptedTarget {
	if b == nil {
		return nil
	}
	i := slices.IndexFunc(b.Targets, func(t AcceptedTarget) bool { return t.ID == id })
	if i < 0 {
		return nil
	}
	return &b.Targets[i]
}

func (t *AcceptedTarget) covers(cause Cause) bool {
	return t.Causes == nil || slices.Contains(t.Causes, cause)
}

func (t *AcceptedTarget) entry() Entry {
	return Entry{Fingerprint: targetWord + t.ID, Reason: t.Reason, Expires: t.Expires.Format(dateFormat)}
}
