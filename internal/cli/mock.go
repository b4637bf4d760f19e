package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcpdbg/internal/demo"
	"mcpdbg/recordings"
	"mcpdbg/recordings/mock"
	"mcpdbg/ui/termsafe"
)

// mockFlags are the flags of mock.
type mockFlags struct {
	run        int
	repeat     string
	strict     bool
	bridge     bool
	speed      float64
	idleCap    time.Duration
	askTimeout time.Duration
	exact      bool
	rules      string
	faults     []string
	real       bool
	target     targetFlags
	own        map[string]bool // the flags that are not about the real server
}

func (a *app) mockCommand() *cobra.Command {
	var m mockFlags
	cmd := &cobra.Command{
		Use:   "mock [flags] FILE [--passthrough -- COMMAND [ARG...]]",
		Short: "Be the recorded server, on stdio",
		Long: `mock answers requests on standard input with what was recorded for the same
request: the same method and params, whatever the id and the order. What the
server sent besides comes at its place: notifications, progress, its own
requests, whose answers are compared with the recorded ones.

A request that was not recorded gets the error ` + fmt.Sprint(mock.CodeMiss) + `, which names the closest
recorded request and where it differs. It is told on standard error too, and at
the end the exit code is 1.

With --exact-bytes it writes all that the server wrote, with its bytes: lines
that are no messages, in the chunks in which they came, and standard error; and
it ends as the server did. A recording of a crash is served as that crash.

With --passthrough a request that was not recorded is answered by a real server,
which is started for the first of them; that session is recorded to a new file.
The flags behind --fault are about that server.

` + recordingNames,
		Example: `  mcpdbg list tools -- mcpdbg mock last
  mcpdbg mock --exact-bytes crash.jsonl
  mcpdbg mock --speed 1 --idle-cap 2s session.jsonl
  mcpdbg mock --passthrough session.jsonl -- ./my-server`,
		ValidArgsFunction: completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("mock takes one recording")
			}
			if err := a.takeStdin("mock"); err != nil {
				return err
			}
			opts, err := m.options(cmd.Context(), a)
			if err != nil {
				return err
			}
			if err := m.checkReal(cmd, a.hasCommand); err != nil {
				return err
			}
			path, err := resolveRecording(args[0])
			if err != nil {
				return err
			}
			return a.mock(cmd.Context(), path, m, opts)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&m.repeat, "repeat", mock.RepeatLast.String(), "what a request gets that comes more often than it was recorded: last (the last answer), cycle or error")
	f.BoolVar(&m.strict, "strict-order", false, "demand the recorded order of requests")
	f.IntVar(&m.run, "run", 0, "serve the process `number` N of the recording (default the first that answered)")
	f.BoolVar(&m.bridge, "bridge", false, "answer initialize from a recording of the modern era")
	f.Float64Var(&m.speed, "speed", 0, "keep the recorded times, times `X` as fast (default: only notifications have short pauses)")
	f.DurationVar(&m.idleCap, "idle-cap", 0, "with --speed: no recorded pause is longer")
	f.DurationVar(&m.askTimeout, "ask-timeout", mock.DefaultAskTimeout, "limit for the client's answer to a request of the server")
	f.BoolVar(&m.exact, "exact-bytes", false, "write all that the server wrote, with its bytes, and end as it did")
	f.StringVar(&m.rules, "rules", "", "what of params does not count, by the rules in `FILE` (see diff)")
	f.StringArrayVar(&m.faults, "fault", nil, "spoil `something`: "+mock.FaultWords+"; may be repeated")
	f.BoolVar(&m.real, "passthrough", false, "ask a real server for what was not recorded")
	m.own = map[string]bool{}
	f.VisitAll(func(f *pflag.Flag) { m.own[f.Name] = true })
	m.target.register(cmd)
	completeOneOf(cmd, "repeat", mock.RepeatLast.String(), mock.RepeatCycle.String(), mock.RepeatError.String())
	_ = cmd.RegisterFlagCompletionFunc("fault", cobra.FixedCompletions([]cobra.Completion{"drop:", "cut:", "garbage:", "exit:"},
		cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace|cobra.ShellCompDirectiveKeepOrder))
	return cmd
}

// checkReal refuses what is about a real server without --passthrough.
func (m *mockFlags) checkReal(cmd *cobra.Command, hasCommand bool) error {
	if m.real {
		return nil
	}
	if hasCommand {
		return usagef("mock starts no server, unless with --passthrough: it takes no command")
	}
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !m.own[f.Name] {
			err = usagef("--%s means nothing without --passthrough: mock starts no server", f.Name)
		}
	})
	return err
}

// options are the settings that the flags mean.
func (m *mockFlags) options(ctx context.Context, a *app) (mock.Options, error) {
	opts := mock.Options{
		Strict: m.strict, Run: m.run, Bridge: m.bridge, Speed: m.speed,
		IdleCap: m.idleCap, AskTimeout: m.askTimeout, Exact: m.exact,
	}
	var ok bool
	if opts.Repeat, ok = mock.ParseRepeat(m.repeat); !ok {
		return opts, usagef("--repeat %q: must be last, cycle or error", m.repeat)
	}
	switch {
	case m.run < 0:
		return opts, usagef("--run %d: processes are counted from 1", m.run)
	case m.speed < 0 || m.speed > 1e6:
		return opts, usagef("--speed %g: must be more than 0, and at most 1,000,000", m.speed)
	case m.idleCap < 0 || m.idleCap > 0 && m.speed == 0:
		return opts, usagef("--idle-cap bounds the pauses of --speed")
	case m.askTimeout <= 0:
		return opts, usagef("--ask-timeout must be more than 0")
	}
	if m.rules != "" {
		var err error
		if opts.Rules, err = a.readRules(ctx, m.rules); err != nil {
			return opts, err
		}
	}
	for _, text := range m.faults {
		fault, err := mock.ParseFault(text)
		if err != nil {
			return opts, usagef("--%v", err)
		}
		opts.Faults = append(opts.Faults, fault)
	}
	return opts, nil
}

// mock serves a recording until the client ends, or the recorded server does.
func (a *app) mock(ctx context.Context, path string, m mockFlags, opts mock.Options) error {
	rec, err := recordings.OpenAtOnce(path)
	if err != nil {
		return unreadable(path, err)
	}
	defer rec.Close()
	var told sync.Mutex
	opts.Tell = func(text string) {
		told.Lock()
		defer told.Unlock()
		fmt.Fprintln(a.stderr, termsafe.String("mcpdbg: "+text))
	}
	var real *fallback
	if m.real {
		if real, err = a.real(m.target); err != nil {
			return err
		}
		opts.Ask = real.ask
	}
	server, err := mock.New(ctx, rec, opts)
	if errors.Is(err, mock.ErrNoRun) {
		return usagef("%v", err)
	}
	if err != nil {
		return interrupted(ctx, err)
	}
	if server.Run() > 1 && opts.Run == 0 {
		opts.Tell(fmt.Sprintf("run %d is served, the first that answered a request (--run names another)", server.Run()))
	}
	if real != nil {
		real.like(server.Era())
	}
	ending, err := server.Serve(ctx, a.stdin, a.stdout, a.stderr)
	if text := unlike(server.Report()); text != "" {
		opts.Tell(text)
	}
	err = interrupted(ctx, err)
	if real != nil {
		err = errors.Join(err, real.end(ctx))
	}
	if err != nil {
		return err
	}
	if ending != (mock.Ending{}) {
		_ = rec.Close()
		a.reportIncomplete()
		dieAs(ending)
	}
	if !server.Report().Good() {
		return &answerError{err: errors.New("not as recorded"), printed: true}
	}
	return nil
}

// unlike says what did not agree with the recording, "" if all did.
func unlike(r mock.Report) string {
	var parts []string
	for _, c := range []struct {
		n    uint64
		what string
	}{
		{r.Misses, "not recorded"}, {r.Forwarded, "answered by the real server"},
		{r.Differences, "answers to the server that differ"}, {r.Silent, "answers to the server that did not come"},
		{r.Bad, "lines that are no messages"},
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
		text += fmt.Sprintf(" (%d recorded requests came in batches or in parts, and can't be served)", r.Skipped)
	}
	return text
}

// dieAs ends the program as a recorded server ended.
func dieAs(e mock.Ending) {
	if e.Signal != "" {
		demo.DieBy(e.Signal)
	}
	os.Exit(e.Code)
}
