package via

import (
	"context"
	"errors"
	"slices"

	"mcpdbg/session/executor"
	"mcpdbg/session/executor/guard"
)

var errSudo = errors.New("sudo does not permit it")

// notListed are options of sudo that it refuses with -l.
const notListed = "-b --background -E --preserve-env -H --set-home -P --preserve-groups"

// sudoQuestion returns the command that asks sudo whether it permits the given one, or nil
// if that is not executed through sudo.
func sudoQuestion(words []string) []string {
	found, rest, all := steps(words)
	i := slices.IndexFunc(found, func(s step) bool { return s.name == "sudo" })
	if i < 0 {
		if all || programName(rest[0]) != "sudo" {
			return nil
		}
		at := len(words) - len(rest) + 1 // its options are unknown
		return slices.Concat(words[:at], []string{"-n", "-l"}, words[at:])
	}
	s := &found[i]
	question := slices.Concat(words[:s.at+1], []string{"-n", "-l"})
	for _, o := range s.given {
		if o.value != "" || !has(notListed, o.name) {
			question = append(question, o.words(&s.wrapper.syntax)...)
		}
	}
	return slices.Concat(question, []string{dashes}, words[s.end:])
}

// sudoPermits reports whether sudo permits a command, or it is not executed through sudo. A
// refused command is reported to an administrator.
func (e *Executor) sudoPermits(ctx context.Context, p *prefix, words []string) (bool, *executor.StartError) {
	question := sudoQuestion(words)
	if question == nil {
		return true, nil
	}
	a, err := e.ask(ctx, question)
	var failure *executor.StartError
	switch code, text, hint := Cause("sudo", a.said, a.exit.Code); {
	case errors.As(err, &failure):
		return false, failure
	case ctx.Err() != nil:
		return false, executor.StartCancelledBy(ctx, "resolve")
	case err != nil:
		return false, p.fail("resolve", executor.StartFailed, err, "")
	case a.exit == executor.Exit{Kind: executor.ExitCode}:
		return true, nil
	case code == executor.ViaPassword:
		return false, p.fail("resolve", code, errors.New(text), hint)
	}
	return false, nil
}

// shellBarred returns why no shell is to be started through a prefix, or "".
func (e *Executor) shellBarred(ctx context.Context, p *prefix) (string, *executor.StartError) {
	e.mu.Lock()
	barred, asked := e.barred, e.asked
	e.mu.Unlock()
	if asked {
		return barred, nil
	}
	permitted, failure := e.sudoPermits(ctx, p, p.shell(guard.TimedLine(e.scriptTimeout()), executor.Command{}).Argv)
	if failure != nil {
		return "", failure
	}
	if !permitted {
		e.bar(": sudo permits no shell there")
		return ": sudo permits no shell there", nil
	}
	e.mu.Lock()
	e.asked = true
	e.mu.Unlock()
	return "", nil
}

// labelBarred omits the label of a container that sudo permits only without.
func (e *Executor) labelBarred(ctx context.Context, own *process, cmd executor.Command) *executor.StartError {
	if e.opts.Plain || !own.prefix.labels() {
		return nil
	}
	client, failure := own.clientFor(cmd)
	if failure != nil {
		return failure
	}
	permitted, failure := e.sudoPermits(ctx, &own.prefix, client.Argv)
	if own.prefix.unlabeled = !permitted; failure == nil && !permitted {
		own.prefix.notices = append(own.prefix.notices, executor.Notice{Code: "via.unlabeled", Text: own.prefix.place + ": no label was added: " + errSudo.Error()})
	}
	return failure
}
