// Package cli is the command line: the root command, exit codes and the wiring of
// executors, sessions, recordings and the interface. Each family of commands has a
// folder: rec, run, replay, smoke and check, which never import each other. They share,
// from the top: tui (the interface), live (sessions and their restarts), flags, logs
// (entries as lines), console (streams, signals, files, texts) and exit (codes and
// errors). Standard output carries results only. However a command ends, the server that
// it started is gone when it returns.
package cli

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	runcmd "mcpdbg/internal/cli/run"
	"mcpdbg/internal/cli/tui"
	"mcpdbg/session/localexec"
)

// Main runs the program with its arguments, without its name, and returns the exit code.
func Main(args []string) int {
	if len(args) == 1 && args[0] == console.WatchdogCommand {
		return localexec.Watchdog(os.Stdin)
	}
	delayCollection()
	a := &console.Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Self: console.Self(), Terminal: console.HasScreen(), StderrWidth: console.StderrWidth()}
	code := Execute(context.Background(), a, args)
	if a.EndBy != "" {
		console.EndBySignal(a.EndBy, code)
	}
	return code
}

// Execute is Main with other streams: it runs the command in args until it returns, ctx
// ends or a signal ends it.
func Execute(ctx context.Context, env *console.Env, args []string) int {
	out := &console.ResultWriter{W: env.Stdout}
	env.Stdout, env.Urgent, env.Interrupt = out, context.WithoutCancel(ctx), func() {}
	if len(args) == 0 || args[0] != console.DemoServer && args[0] != console.Tap {
		var stop func()
		ctx, stop = env.CatchSignals(ctx)
		defer stop()
	}
	env.Args, env.Command, env.HasCommand = splitCommand(args)
	if isCompletion(args) {
		if done, err := completeCommand(env, args[1:]); done {
			return env.ExitCode(err)
		}
		env.Args, env.Command, env.HasCommand = args, nil, false // -- is the word being completed
	}
	needed, whole := neededBy(env.Args)
	root := rootCommand(env, needed)
	root.CompletionOptions.DisableDefaultCmd = !whole
	root.SetArgs(env.Args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(env.Args...)
	var err error
	if !isCompletion(args) {
		err = checkHelp(root, env.Args)
	}
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if err == nil {
		err = out.Failure // from output without an error result, such as help
	}
	code := env.ExitCode(err)
	if env.ReportIncomplete() && code == console.ExitOK {
		code = console.ExitPartial
	}
	return code
}

// splitCommand cuts args at the first --, before the server command.
func splitCommand(args []string) (ours, command []string, found bool) {
	i := slices.Index(args, "--")
	if i < 0 {
		return args, nil, false
	}
	return args[:i], args[i+1:], true
}

func rootCommand(env *console.Env, below []subcommand) *cobra.Command {
	var t flags.Target
	var s flags.Screen
	var w flags.Watch
	var showVersion bool
	root := &cobra.Command{
		Use:   "mcpdbg [flags] -- COMMAND [ARG...]",
		Short: "A terminal debugger for MCP servers that speak over stdio",
		Long: `mcpdbg starts an MCP server, shows everything that crosses its pipes, lets you
send requests and shut it down, and records every session.

Everything after the first -- is the server command, verbatim. --config FILE
takes the server from a config file of an MCP client instead. With neither,
mcpdbg lists the servers in the config files that it finds, and the most recent
recordings.

If stdout is not a terminal or TERM is "dumb", and with --plain,
"mcpdbg -- COMMAND" is the same as "mcpdbg run -- COMMAND".`,
		Example: `  mcpdbg
  mcpdbg demo
  mcpdbg -- npx -y @modelcontextprotocol/server-everything stdio
  mcpdbg --config .mcp.json --server notes
  mcpdbg --watch '**/*.go' -- go run ./cmd/server
  mcpdbg list tools -- gopls mcp
  mcpdbg call --tool echo message=hi -- ./my-server
  mcpdbg run --json --in requests.jsonl -- ./my-server`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if showVersion {
				return nil
			}
			return unknownCommand(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if showVersion {
				return printVersion(env)
			}
			if err := flags.ApplyScreen(env, s); err != nil {
				return err
			}
			if err := w.Check(cmd); err != nil {
				return err
			}
			switch {
			case env.HasCommand || t.Config.File != "":
				return debugServer(cmd.Context(), env, t, w)
			case cmd.Flags().NFlag() > s.Given():
				return console.Usagef("no command to debug: put the server command after --, or use --config FILE")
			}
			return tui.ShowHome(cmd.Context(), env)
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if env.HasCommand {
			return flagError(cmd, err, nil) // the arguments before -- are not a server command
		}
		return flagError(cmd, err, env.Args)
	})
	root.SetUsageFunc(printUsage)
	root.Flags().BoolVarP(&showVersion, "version", "V", false, "print the version and exit")
	if len(below) != 1 { // otherwise the arguments begin with that command
		w.Register(root)
		t.Register(root)
		s.Register(root)
	}
	for _, c := range below {
		root.AddCommand(c.make(env))
	}
	return root
}

// debugServer is the interface with a live session, or run without a terminal.
func debugServer(ctx context.Context, env *console.Env, t flags.Target, w flags.Watch) error {
	if !env.Terminal {
		return runcmd.Session(ctx, env, t, runcmd.Options{Watch: w})
	}
	t, argv, err := flags.Choose(env, t)
	if err != nil {
		return err
	}
	return tui.ShowSession(ctx, env, t, argv, "", w)
}

// firstGoal is the heap target for the first garbage collection, in percent of the live
// heap: 16 MiB instead of 4 MiB.
const firstGoal = 400

// Before its first frame the interface allocates more than the 4 MiB after which Go
// collects garbage, of which little is live; five collections took as long as everything
// else. After the first collection the target is Go's own, or what was set meanwhile.
func delayCollection() {
	if os.Getenv("GOGC") != "" {
		return // the user's choice
	}
	before := debug.SetGCPercent(firstGoal)
	runtime.AddCleanup(new([16]byte), func(before int) {
		if now := debug.SetGCPercent(before); now != firstGoal {
			debug.SetGCPercent(now)
		}
	}, before)
}
