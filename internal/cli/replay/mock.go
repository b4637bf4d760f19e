package replay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/demo"
	"mcpdbg/recordings"
	"mcpdbg/recordings/mock"
	"mcpdbg/ui/widget/termsafe"
)

// mockFlags are the flags of mock.
type mockFlags struct {
	opts   mock.Options // without the flags that follow
	repeat string
	rules  string
	faults []string
	real   bool
	target flags.Target
	own    map[string]bool // flags not about the real server
}

// MockCommand returns the command mock.
func MockCommand(env *console.Env) *cobra.Command {
	var m mockFlags
	cmd := &cobra.Command{
		Use:   "mock [flags] FILE [--passthrough -- COMMAND [ARG...]]",
		Short: "Serve a recording as a mock server on stdio",
		Long: `mock answers requests on standard input with the recorded response to the same
request: same method and params, whatever the id and the order. Whatever else
the server sent comes where it did in the recording: notifications, progress and
server requests, whose responses are compared with the recorded ones.

A request that was not recorded gets the error ` + fmt.Sprint(mock.CodeMiss) + `, which names the closest
recorded request and where it differs. It is also reported on standard error,
and the exit code is then 1.

With --exact-bytes it writes exactly the bytes that the server wrote, in the
same chunks, with standard error and lines that are not messages, and ends as
the server did. A recorded crash is served as that crash.

With --passthrough a request that was not recorded is answered by a real server,
which is started for the first such request; its session is recorded to a new
file. The flags listed after --passthrough are for that server.

` + flags.RecordingNames,
		Example: `  mcpdbg list tools -- mcpdbg mock last
  mcpdbg mock --exact-bytes crash.jsonl
  mcpdbg mock --speed 1 --idle-cap 2s session.jsonl
  mcpdbg mock --passthrough session.jsonl -- ./my-server`,
		ValidArgsFunction: flags.CompleteRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return console.Usagef("mock takes one recording")
			}
			if err := env.TakeStdin("mock"); err != nil {
				return err
			}
			opts, err := m.options(cmd.Context(), env)
			if err != nil {
				return err
			}
			if err := m.checkReal(cmd, env.HasCommand); err != nil {
				return err
			}
			path, err := flags.ResolveRecording(args[0])
			if err != nil {
				return err
			}
			return serveMock(cmd.Context(), env, path, m, opts)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&m.repeat, "repeat", mock.RepeatLast.String(), "response to a request that comes more often than it was recorded: last (the last response), cycle or error")
	f.BoolVar(&m.opts.Strict, "strict-order", false, "require the recorded order of requests")
	f.IntVar(&m.opts.Run, "run", 0, "serve process `N` of the recording (default: the first that responded)")
	f.BoolVar(&m.opts.Bridge, "bridge", false, "answer initialize from a recording of the modern era")
	f.Float64Var(&m.opts.Speed, "speed", 0, "keep the recorded timing, `X` times as fast (default: only short pauses before notifications)")
	f.DurationVar(&m.opts.IdleCap, "idle-cap", 0, "with --speed: limit for recorded pauses")
	f.DurationVar(&m.opts.AskTimeout, "ask-timeout", mock.DefaultAskTimeout, "limit for the client's response to a server request")
	f.BoolVar(&m.opts.Exact, "exact-bytes", false, "write exactly the bytes that the server wrote, and end as it did")
	f.StringVar(&m.rules, "rules", "", "ignore parts of params as the rules in `FILE` say (see diff)")
	f.StringArrayVar(&m.faults, "fault", nil, "inject a `fault`: "+mock.FaultWords+"; may be repeated")
	f.BoolVar(&m.real, "passthrough", false, "forward requests that were not recorded to a real server")
	m.own = map[string]bool{}
	f.VisitAll(func(f *pflag.Flag) { m.own[f.Name] = true })
	m.target.Register(cmd)
	flags.CompleteOneOf(cmd, "repeat", mock.RepeatLast.String(), mock.RepeatCycle.String(), mock.RepeatError.String())
	_ = cmd.RegisterFlagCompletionFunc("fault", cobra.FixedCompletions([]cobra.Completion{"drop:", "cut:", "garbage:", "exit:"},
		cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace|cobra.ShellCompDirectiveKeepOrder))
	return cmd
}

// They require --passthrough.
func (m *mockFlags) checkReal(cmd *cobra.Command, hasCommand bool) error {
	if m.real {
		return nil
	}
	if hasCommand {
		return console.Usagef("mock takes no command without --passthrough: it starts no server")
	}
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !m.own[f.Name] {
			err = console.Usagef("--%s requires --passthrough: mock starts no server", f.Name)
		}
	})
	return err
}

// options returns the options that the flags set.
func (m *mockFlags) options(ctx context.Context, env *console.Env) (mock.Options, error) {
	opts := m.opts
	var ok bool
	if opts.Repeat, ok = mock.ParseRepeat(m.repeat); !ok {
		return opts, console.Usagef("--repeat %q: must be last, cycle or error", m.repeat)
	}
	switch {
	case opts.Run < 0:
		return opts, console.Usagef("--run %d: must be 1 or more", opts.Run)
	case opts.Speed < 0 || opts.Speed > 1e6:
		return opts, console.Usagef("--speed %g: must be more than 0, and at most 1,000,000", opts.Speed)
	case opts.IdleCap < 0 || opts.IdleCap > 0 && opts.Speed == 0:
		return opts, console.Usagef("--idle-cap requires --speed, and must not be negative")
	case opts.AskTimeout <= 0:
		return opts, console.Usagef("--ask-timeout must be more than 0")
	}
	if m.rules != "" {
		var err error
		if opts.Rules, err = readRules(ctx, env, m.rules); err != nil {
			return opts, err
		}
	}
	for _, text := range m.faults {
		fault, err := mock.ParseFault(text)
		if err != nil {
			return opts, console.Usagef("--%v", err)
		}
		opts.Faults = append(opts.Faults, fault)
	}
	return opts, nil
}

// serveMock returns when the client or the recorded server ends.
func serveMock(ctx context.Context, env *console.Env, path string, m mockFlags, opts mock.Options) error {
	rec, err := recordings.OpenProgressive(path)
	if err != nil {
		return flags.Unreadable(path, err)
	}
	defer rec.Close()
	var mu sync.Mutex
	opts.Warn = func(text string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: "+text))
	}
	var real *fallback
	if m.real {
		if real, err = newFallback(env, m.target); err != nil {
			return err
		}
		opts.Forward = real.ask
	}
	server, err := mock.New(ctx, rec, opts)
	if errors.Is(err, mock.ErrNoRun) {
		return console.Usagef("%v", err)
	}
	if err != nil {
		return console.Interrupted(ctx, err)
	}
	if server.Run() > 1 && opts.Run == 0 {
		opts.Warn(fmt.Sprintf("serving run %d, the first that responded to a request (--run chooses another)", server.Run()))
	}
	if real != nil {
		real.useEra(server.Era())
	}
	ending, err := server.Serve(ctx, env.Stdin, env.Stdout, env.Stderr)
	if text := deviations(server.Report()); text != "" {
		opts.Warn(text)
	}
	err = console.Interrupted(ctx, err)
	if real != nil {
		err = errors.Join(err, real.end(ctx))
	}
	if err != nil {
		return err
	}
	if ending != (mock.Ending{}) {
		_ = rec.Close()
		env.ReportIncomplete()
		exitAs(ending)
	}
	if !server.Report().Good() {
		return &console.ResponseError{Err: errors.New("not as recorded"), Printed: true}
	}
	return nil
}

// "" if there were none.
func deviations(r mock.Report) string {
	var parts []string
	for _, c := range []struct {
		n    uint64
		what string
	}{
		{r.Misses, "not recorded"}, {r.Forwarded, "answered by the real server"},
		{r.Differences, "responses to the server that differ"}, {r.Silent, "responses to the server that are missing"},
		{r.Bad, "lines that are not messages"},
	} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", c.what, c.n))
		}
	}
	if parts == nil {
		return ""
	}
	text := fmt.Sprintf("requests: %d, %s", r.Requests, strings.Join(parts, ", "))
	if r.Skipped > 0 {
		text += fmt.Sprintf(" (%d recorded requests in batches or in parts cannot be served)", r.Skipped)
	}
	return text
}

func exitAs(e mock.Ending) {
	if e.Signal != "" {
		demo.DieBy(e.Signal)
	}
	os.Exit(e.Code)
}
