package probe

import (
	"mcpdbg/internal/verify"
	"mcpdbg/session/diagnosis"
)

// A verdict is a result without its place.
type verdict struct {
	status   verify.Status
	severity diagnosis.Severity
	reason   string
	n        uint64
}

func passed(reason string) verdict { return verdict{status: verify.Passed, reason: reason} }
func notApplicable(reason string) verdict {
	return verdict{status: verify.NotApplicable, reason: reason}
}
func notChecked(reason string) verdict { return verdict{status: verify.NotChecked, reason: reason} }

// failed is for a MUST, and doubtful for a SHOULD.
func failed(reason string) verdict {
	return verdict{status: verify.Failed, severity: diagnosis.Error, reason: reason}
}

func doubtful(reason string) verdict {
	return verdict{status: verify.Failed, severity: diagnosis.Warning, reason: reason}
}

func (v verdict) at(n uint64) verdict {
	v.n = n
	return v
}
