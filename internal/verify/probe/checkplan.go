package probe

import (
	"fmt"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// Plan describes the order and limits of the steps, in lines.
func (o Check) Plan() []string {
	opts := o.withDefaults()
	eras := "each era that it speaks"
	if opts.only() != mcp.Auto {
		eras = "the " + opts.only().String() + " era"
	}
	calls := "calls, "
	if opts.NoCalls {
		calls = ""
	}
	beside := ""
	if opts.Processes > 1 {
		beside = fmt.Sprintf(", up to %d at once; what fails is done again alone", opts.Processes)
	}
	return []string{
		fmt.Sprintf("1. in %s: handshake, lists, %sunknown method, bogus cursor, cancellation", eras, calls),
		"2. each in a process of its own: bad line, unsupported version, stdin EOF, SIGTERM" + beside,
		"3. leaked processes of all of them",
		fmt.Sprintf("limits: %v to start and shake hands, %v a step, %v to exit", opts.StartupTimeout, opts.StepTimeout, opts.exitTime()),
	}
}

// exitTime is how long a server may take to exit after stdin EOF or SIGTERM: as long as
// clients wait.
func (o *Check) exitTime() time.Duration { return min(o.StepTimeout, session.Grace) }

// only returns Auto without a restriction.
func (o *Check) only() mcp.Era {
	switch {
	case o.Era != mcp.Auto:
		return o.Era
	case mcp.IsModern(o.Protocol):
		return mcp.Modern
	case o.Protocol != "":
		return mcp.Legacy
	}
	return mcp.Auto
}

func other(era mcp.Era) mcp.Era {
	if era == mcp.Modern {
		return mcp.Legacy
	}
	return mcp.Modern
}
