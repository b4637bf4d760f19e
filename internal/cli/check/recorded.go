package check

import (
	"context"
	"runtime"
	"sync"
	"time"

	"mcpdbg/internal/check"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/exit"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/logs"
)

// recorded checks recordings, as many at once as there are processors. One that cannot
// be read is a failed target, but an error if it is the only one.
func recorded(ctx context.Context, env *console.Env, files []string, keep func(string) bool) (*check.Report, error) {
	started := time.Now()
	report := check.NewReport(started)
	report.Targets = make([]check.Result, len(files))
	meter := logs.NewMeter(env, "checking")
	defer meter.Close()
	places := make(chan struct{}, runtime.GOMAXPROCS(0))
	var workers sync.WaitGroup
	for i, file := range files {
		places <- struct{}{}
		workers.Go(func() {
			defer func() { <-places }()
			report.Targets[i] = recordedOne(ctx, file, meter, keep)
		})
	}
	workers.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := report.Targets[0].Failure(); len(files) == 1 && err != nil {
		return nil, err
	}
	report.DurationMS = float64(time.Since(started).Microseconds()) / 1000
	return report, nil
}

func recordedOne(ctx context.Context, file string, meter *logs.Meter, keep func(string) bool) check.Result {
	begin := time.Now()
	rec, checker, err := logs.Check(ctx, file, meter)
	if err != nil {
		err = flags.Unreadable(file, err)
		return check.Unread(file, err, exit.HintOf(err))
	}
	defer func() { _ = rec.Close() }() // only read
	result := check.Recorded(ctx, file, rec, checker, begin, keep)
	if warnings := rec.Warnings(); warnings.Damaged() {
		result.Partial = append(result.Partial, file+": skipped "+warnings.String())
	}
	return result
}
