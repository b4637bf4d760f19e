package probe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/mcp"
	"mcpdbg/session/secret"
)

// A part of the check of a target, or all of it, for one goroutine.
type part struct {
	opts   *Check
	of     *target
	roll   *roll
	speaks bool // a process has completed a handshake
	result verify.Result
	leaks  leaks
}

// all takes all steps. The first process finds the era of all others, and without a
// handshake there are no others.
func (t *part) all(ctx context.Context) (f *failure) {
	era, err := t.inEra(ctx, t.opts.only())
	if err == nil {
		t.speaks = true
		t.together(ctx, t.jobs(era))
		orderSteps(t.result.Steps, era.String())
	} else {
		f = t.of.classify(ctx, err)
		t.notReached()
	}
	t.add(verify.Step{Name: verify.StepLeaked}, t.leaks.verdict(ctx), 0)
	return f
}

func (t *part) jobs(era mcp.Era) []job {
	var jobs []job
	switch next := other(era); {
	case t.opts.only() != mcp.Auto:
	case next == mcp.Modern: // the probe has asked
		jobs = append(jobs, func(_ context.Context, t *part) {
			t.add(verify.Step{Name: verify.StepHandshake, Era: next.String()}, notApplicable("legacy server: it does not support server/discover"), 0)
		})
	default:
		jobs = append(jobs, func(ctx context.Context, t *part) {
			if _, err := t.inEra(ctx, next); err == nil {
				t.alone(ctx, verify.StepVersion, next, false, (*process).unsupportedVersion)
			}
		})
	}
	for _, one := range []struct {
		step      string
		handshake bool
		do        func(*process, context.Context) verdict
	}{
		{verify.StepBadLine, true, (*process).badLine}, {verify.StepVersion, false, (*process).unsupportedVersion},
		{verify.StepEOF, true, (*process).stdinEOF}, {verify.StepTerm, true, (*process).terminate},
	} {
		jobs = append(jobs, func(ctx context.Context, t *part) { t.alone(ctx, one.step, era, one.handshake, one.do) })
	}
	return jobs
}

// replaced returns how many processes of a start came before its last one, and the time
// until that began.
func replaced(log session.Source) (earlier int, took time.Duration) {
	var starts []int64
	for _, row := range session.RowsFrom(log, 0) {
		if row.Kind == session.KindStart {
			starts = append(starts, row.T)
		}
	}
	if len(starts) == 0 {
		return 0, 0
	}
	return len(starts) - 1, time.Duration(starts[len(starts)-1]-starts[0]) * time.Microsecond
}

// inEra takes the steps after a handshake in one process. It returns the era, or why
// there was no handshake.
func (t *part) inEra(ctx context.Context, era mcp.Era) (mcp.Era, error) {
	p, err := t.start(ctx, era.String(), era)
	if err != nil {
		return era, err
	}
	defer p.end(ctx)
	begin := time.Now()
	if err := p.open(ctx); err != nil {
		t.add(verify.Step{Name: verify.StepHandshake, Era: eraName(era), DurationMS: wording.Milliseconds(time.Since(begin))}, t.handshakeFailed(ctx, era, err), p.number)
		return era, err
	}
	server := p.made.Session.Status().Server
	p.era = server.Era
	reason := "revision " + server.Protocol
	if t.opts.Protocol != "" && server.Protocol != t.opts.Protocol {
		reason += ", " + t.opts.Protocol + " was requested"
	}
	earlier, took := replaced(p.made.Session.Log())
	if took > 0 {
		with := "an earlier process"
		if earlier > 1 {
			with = fmt.Sprintf("%d earlier processes", earlier)
		}
		reason += fmt.Sprintf(", after %s with %s", took.Round(time.Millisecond), with)
	}
	t.result.Servers = append(t.result.Servers, verify.Server{Era: server.Era.String(), Protocol: server.Protocol, Name: server.Name, Version: server.Version})
	t.add(verify.Step{Name: verify.StepHandshake, Era: server.Era.String(), DurationMS: wording.Milliseconds(time.Since(begin) - took)}, passed(reason), p.number)
	tools := p.lists(ctx)
	slow := p.calls(ctx, tools)
	p.step(ctx, verify.StepUnknown, "", p.unknownMethod)
	p.step(ctx, verify.StepCursor, "", p.bogusCursor)
	p.step(ctx, verify.StepCancellation, "", func(ctx context.Context) verdict { return p.cancellation(ctx, slow) })
	return server.Era, nil
}

func eraName(era mcp.Era) string {
	if era == mcp.Auto {
		return ""
	}
	return era.String()
}

// A server need not speak another era than its own: only one that ends then fails.
func (t *part) handshakeFailed(ctx context.Context, era mcp.Era, err error) verdict {
	var open *session.OpenError
	if ctx.Err() != nil {
		return notChecked("stopped: " + context.Cause(ctx).Error())
	}
	if t.speaks && errors.As(err, &open) {
		switch open.Reason {
		case session.ReasonRefused, session.ReasonVersion:
			return notApplicable("the server does not speak the " + era.String() + " era: " + open.Error())
		case session.ReasonTimeout:
			return notChecked(open.Error() + " (--startup-timeout)")
		}
	}
	return failed(err.Error())
}

func (t *part) notReached() {
	for _, name := range []string{verify.StepList, verify.StepCall, verify.StepUnknown, verify.StepCursor, verify.StepCancellation, verify.StepBadLine, verify.StepVersion, verify.StepEOF, verify.StepTerm} {
		t.add(verify.Step{Name: name}, notChecked("there was no handshake"), 0)
	}
}

func (t *part) add(s verify.Step, v verdict, process int) {
	s.Status, s.Reason, s.Process, s.N = v.status, v.reason, process, v.n
	if v.status == verify.Failed {
		s.Severity = v.severity.String()
	}
	t.result.Steps = append(t.result.Steps, s)
}

type process struct {
	*part
	made   *verify.Made
	number int
	era    mcp.Era
	began  time.Time
	starts int  // further ones, after it had ended
	hangs  bool // it no longer responds
	// relists counts how often each list was read again, and seen is the row up to which
	// the log was searched for changes.
	relists map[mcp.List]int
	seen    int
	// reports whether the step asked for the problem; may be nil
	provoked func(*diagnosis.Problem) bool
}

// The session is not yet started.
func (t *part) start(ctx context.Context, name string, era mcp.Era) (*process, error) {
	p := &process{part: t, number: t.roll.next(), era: era, began: time.Now()}
	first := p.number == 1
	made, err := t.of.run.opts.Make(ctx, t.of.index, Process{Number: p.number, Name: name, Era: era}, func(cfg *session.Config) {
		cfg.Era, cfg.Protocol = era, t.opts.Protocol
		if era != mcp.Auto && t.opts.Protocol != "" && mcp.IsModern(t.opts.Protocol) != (era == mcp.Modern) {
			cfg.Protocol = ""
		}
		if first {
			cfg.OnPhase = t.of.step
			t.of.secrets = secret.NewConcealer(slices.Concat(cfg.Command.Env, cfg.Secrets))
		}
	})
	if err != nil {
		return nil, err
	}
	p.made = made
	if first {
		t.of.made = made
	}
	t.roll.recorded(p.number, made.Recording)
	return p, nil
}

// open of the first process is that of a smoke test, with retries and in its turn. The
// others are in the same place.
func (p *process) open(ctx context.Context) error {
	if p.number == 1 {
		return p.of.reach(ctx)
	}
	return p.made.Session.Open(ctx)
}

func (p *process) end(ctx context.Context) {
	report, err := verify.Close(ctx, p.made)
	p.leaks.note(ctx, &report, err)
	p.check()
	if p.made.Release != nil {
		p.made.Release()
	}
}

// check ignores what this program sends wrong on purpose.
func (p *process) check() {
	src := p.made.Session.Log()
	found := verify.CheckLog(src)
	kept := slices.DeleteFunc(found.Problems, func(one diagnosis.Problem) bool {
		return p.opts.Keep != nil && !p.opts.Keep(one.Rule.ID) || ours(src, one) || p.provoked != nil && p.provoked(&one)
	})
	p.result.Add(p.number, p.made.Recording, verify.List(kept, diagnosis.Groups(kept, found.Ends)))
	p.result.AddPartial(found.Rows, found.Of, found.Gaps, fmt.Sprintf("process %d", p.number))
}

// joinProcesses makes one of the sentences that only differ in the number of a process.
func joinProcesses(partial []string) []string {
	var texts []string
	numbers := make(map[string][]string)
	for _, text := range partial {
		if where, gap, ok := strings.Cut(text, ": "); ok && strings.HasPrefix(where, "process ") {
			text = gap
			numbers[gap] = append(numbers[gap], strings.TrimPrefix(where, "process "))
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	for i, text := range texts {
		switch n := numbers[text]; len(n) {
		case 0:
		case 1:
			texts[i] = "process " + n[0] + ": " + text
		default:
			texts[i] = "processes " + wording.List(n) + ": " + text
		}
	}
	return texts
}

// step does nothing once ctx is done. A server that has ended or hangs is started again.
func (p *process) step(ctx context.Context, name, subject string, do func(context.Context) verdict) {
	begin := time.Now()
	v := p.ready(ctx)
	if v.status == "" {
		v = do(ctx)
	}
	p.add(verify.Step{Name: name, Era: p.era.String(), Subject: subject, DurationMS: wording.Milliseconds(time.Since(begin))}, v, p.number)
}

// maxStarts is how often an ended server is started again: after the calls, and after
// each later step.
const maxStarts = maxLate + 3

// ready returns no status if the server is running.
func (p *process) ready(ctx context.Context) verdict {
	if ctx.Err() != nil {
		return notChecked("stopped: " + context.Cause(ctx).Error())
	}
	if p.made.Session.Status().State == session.Ready && !p.hangs {
		return verdict{}
	}
	if p.starts == maxStarts {
		return notChecked("the server has ended too often")
	}
	p.starts++
	p.hangs = false
	if err := p.made.Session.Restart(ctx); err != nil {
		return notChecked("the server has ended, and could not be started again: " + err.Error())
	}
	return verdict{}
}
