package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"mcpdbg/internal/check"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/exit"
	"mcpdbg/internal/problems"
	"mcpdbg/ui/widget/termsafe"
)

// readBaseline reads the file of --baseline. One that is to be written may be missing.
func readBaseline(ctx context.Context, env *console.Env, f *checkFlags) (*problems.Baseline, error) {
	if f.baseline == "" {
		return nil, nil
	}
	if _, err := os.Stat(f.baseline); errors.Is(err, fs.ErrNotExist) {
		if f.update {
			return nil, nil
		}
		return nil, exit.WithHint(exit.Usagef("--baseline %s: file not found", f.baseline), "--update-baseline to write it")
	}
	data, err := env.ReadFile(ctx, "--baseline", f.baseline)
	if err != nil {
		return nil, err
	}
	b, err := problems.ParseBaseline(data)
	if err != nil {
		return nil, exit.Usagef("--baseline %s: %v", f.baseline, err)
	}
	return b, nil
}

// updateBaseline writes the present problems to the file, unless a server could not
// be checked: its entries would be lost.
func updateBaseline(env *console.Env, name string, report *check.Report, earlier *problems.Baseline) (*problems.Baseline, error) {
	for i := range report.Targets {
		if t := &report.Targets[i]; t.Error != "" {
			fmt.Fprintln(env.Stderr, termsafe.String(fmt.Sprintf("mcpdbg: %s is not changed, because %s could not be checked", name, t.Server)))
			return earlier, nil
		}
	}
	next := report.Accept(earlier)
	file, err := console.Create(name, true)
	if err != nil {
		return nil, fmt.Errorf("--baseline: %w", err)
	}
	if err := file.Finish(next.Write(file)); err != nil {
		return nil, err
	}
	fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: wrote "+name))
	return next, nil
}
