package smoke

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/verify"
	"mcpdbg/ui/widget/termsafe"
)

// judge updates the file of accepted problems if asked, and applies it.
func (f *fleetFlags) judge(env *console.Env, report *verify.Report) (err error) {
	if f.update {
		if f.opts.Accepted, err = updateAccepted(env, f.accepted, report, f.opts.Accepted); err != nil {
			return err
		}
	}
	report.Judge(f.opts.FailOn, f.opts.Accepted, time.Now())
	return nil
}

// One that is to be written may be missing.
func readAccepted(ctx context.Context, env *console.Env, f *fleetFlags) (*verify.AcceptedFile, error) {
	if f.accepted == "" {
		return nil, nil
	}
	if _, err := os.Stat(f.accepted); errors.Is(err, fs.ErrNotExist) {
		if f.update {
			return nil, nil
		}
		return nil, console.WithHint(console.Usagef("--accepted %s: file not found", f.accepted), "--update to write it")
	}
	data, err := env.ReadFile(ctx, "--accepted", f.accepted)
	if err != nil {
		return nil, err
	}
	b, err := verify.ParseAccepted(data)
	if err != nil {
		return nil, console.Usagef("--accepted %s: %v", f.accepted, err)
	}
	return b, nil
}

// updateBaseline does nothing if a server could not be checked: its entries would be
// lost.
func updateAccepted(env *console.Env, name string, report *verify.Report, earlier *verify.AcceptedFile) (*verify.AcceptedFile, error) {
	for i := range report.Targets {
		if t := &report.Targets[i]; t.Unchecked() {
			fmt.Fprintln(env.Stderr, termsafe.String(fmt.Sprintf("mcpdbg: %s is not changed, because %s could not be checked", name, t.Server)))
			return earlier, nil
		}
	}
	next := report.Accept(earlier)
	file, err := console.Create(name, true)
	if err != nil {
		return nil, fmt.Errorf("--accepted: %w", err)
	}
	if err := file.Finish(next.Write(file)); err != nil {
		return nil, err
	}
	fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: wrote "+name))
	return next, nil
}

// noteAccepted prints the changes that the file needs.
func (f *fleetFlags) noteAccepted(env *console.Env, r *verify.Report) {
	if r == nil {
		return
	}
	for _, e := range r.Expired {
		fmt.Fprintln(env.Stderr, termsafe.String(fmt.Sprintf("mcpdbg: note: %s: %s expired on %s, and fails again", f.accepted, e.Fingerprint, e.Expires)))
	}
	for _, e := range r.Stale {
		what := "no longer fails"
		if id, ok := strings.CutPrefix(e.Fingerprint, "target "); ok && !slices.ContainsFunc(r.Targets, func(t verify.Result) bool { return t.ID == id }) {
			what = "is not among the targets"
		}
		fmt.Fprintln(env.Stderr, termsafe.String(fmt.Sprintf("mcpdbg: note: %s: %s %s: remove it", f.accepted, e.Fingerprint, what)))
	}
}
