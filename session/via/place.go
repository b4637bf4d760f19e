package via

import (
	"cmp"
	"strings"

	"mcpdbg/session/executor"
)

// notePlace adds a notice about what is seen of the place, unless there is another one:
// with a wrapper everything is, and without a guard the reason was noted.
func (p *process) notePlace() {
	place, engine := p.prefix.place, p.prefix.name
	switch {
	case p.prefix.stays:
	case p.charge.Load() != nil:
		p.note(executor.Notice{Code: executor.NoticeInside, Text: place + ": pids are those inside; a guard there ends the server and all that it starts"})
	case !p.plain:
	case p.prefix.runs():
		n := executor.Notice{Code: executor.NoticeUnseen, Text: place + ": only the client of " + engine + " is seen; processes inside, and how the server ends: cannot tell"}
		if p.prefix.labels() && !p.ex.opts.Plain {
			n.Text += "; the container is ended by its label"
		}
		n.Hint = "more is known of a server that is started with " + engine + " exec in a running container"
		p.note(n)
	case p.prefix.engine:
		p.note(executor.Notice{Code: executor.NoticeUnseen, Text: place + ": processes inside, and how the server ends: cannot tell" + p.whyPlain(), Hint: strings.TrimPrefix(p.prefix.look(), "; ")})
	default:
		p.note(executor.Notice{Code: executor.NoticeUnseen, Text: place + ": processes inside: cannot tell" + p.whyPlain()})
	}
}

// whyPlain returns why no script of ours runs inside, as a clause.
func (p *process) whyPlain() string {
	return cmp.Or(p.why, ": the bare command was started (--via-plain)")
}
