package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"mcpdbg/session/localexec"
	"mcpdbg/ui"
)

// watchdogCommand is the hidden word by which the program starts itself as the
// watchdog over its children.
const watchdogCommand = "__watchdog"

// demoServer is the subcommand that is a server itself.
const demoServer = "demo-server"

// An app is one invocation of the program.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	args           []string        // what stands before the first --
	command        []string        // what stands behind the first --
	hasCommand     bool            // there was a --
	urgent         context.Context // over when a second signal says that the server's end can't wait
	self           []string        // how to start this program again
	terminal       bool            // stdout is one, and can show the interface
	settings       ui.Settings     // of the interface
	interrupt      func()          // does what ctrl+c does
	incomplete     incompleteList
	temporary      temporaryShelf
	signals        interrupts
	inputs         inputs
}

// Main runs the program with its arguments, the program's name not among them,
// and returns its exit code.
func Main(args []string) int {
	if len(args) == 1 && args[0] == watchdogCommand {
		return localexec.Watchdog(os.Stdin)
	}
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, self: self(), terminal: hasScreen()}
	return a.run(context.Background(), args)
}

// self is how to start this very program.
func self() []string {
	path, err := os.Executable()
	if err != nil {
		path = os.Args[0]
	}
	return []string{path}
}

// run parses args and runs the command that they name, until it is done or a
// signal ends it.
func (a *app) run(ctx context.Context, args []string) int {
	out := &resultWriter{w: a.stdout}
	a.stdout, a.urgent, a.interrupt = out, context.WithoutCancel(ctx), func() {}
	if len(args) == 0 || args[0] != demoServer { // which dies by signals as other servers do
		var stop func()
		ctx, stop = a.catchSignals(ctx)
		defer stop()
	}
	a.args, a.command, a.hasCommand = splitCommand(args)
	if isCompletion(args) {
		if done, err := a.completeCommand(args[1:]); done {
			return a.exitCode(err)
		}
		a.args, a.command, a.hasCommand = args, nil, false // -- is a word being typed
	}
	root := a.rootCommand()
	root.SetArgs(a.args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(a.args...)
	var err error
	if !isCompletion(args) {
		err = checkHelp(root, a.args)
	}
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if err == nil {
		err = out.failure // of what has nobody to report to, such as help
	}
	code := a.exitCode(err)
	if a.reportIncomplete() && code == exitOK {
		code = exitPartial
	}
	return code
}

// splitCommand cuts args at the first --: what is before it is ours, what
// follows is the server's command, verbatim.
func splitCommand(args []string) (ours, command []string, found bool) {
	i := slices.Index(args, "--")
	if i < 0 {
		return args, nil, false
	}
	return args[:i], args[i+1:], true
}

func (a *app) rootCommand() *cobra.Command {
	var t targetFlags
	var s screenFlags
	var w watchFlags
	root := &cobra.Command{
		Use:   "mcpdbg [flags] -- COMMAND [ARG...]",
		Short: "A terminal debugger for MCP servers that speak over stdio",
		Long: `mcpdbg starts an MCP server, shows everything that crosses its pipes, lets you
send requests and end it, and records every session.

All that follows the first -- is the server's command, verbatim. --config FILE
takes the server from a config file of an MCP client instead. Without either it
lists the servers that it finds in such files, and recent recordings.

Without a terminal on stdout, on one that is dumb, and with --plain,
"mcpdbg -- COMMAND" is "mcpdbg run -- COMMAND".`,
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
		Version:       versionLine(),
		Args:          unknownCommand,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.screen(s); err != nil {
				return err
			}
			if err := w.check(cmd); err != nil {
				return err
			}
			switch {
			case a.hasCommand || t.config.file != "":
				return a.debug(cmd.Context(), t, w)
			case cmd.Flags().NFlag() > s.given():
				return usagef("no command to debug: name it after --, or its config file with --config")
			}
			return a.atHome(cmd.Context())
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if a.hasCommand {
			return flagError(cmd, err, nil) // what precedes -- is not a server's command
		}
		return flagError(cmd, err, a.args)
	})
	foldHelp(root)
	root.SetVersionTemplate("{{.Version}}\n")
	root.Flags().BoolP("version", "V", false, "print the version and exit")
	w.register(root)
	t.register(root)
	s.register(root)
	root.AddCommand(a.demoCommand(), a.runCommand(), a.callCommand(), a.listCommand(), a.openCommand(), a.recCommand(), a.replayCommand(), a.diffCommand(), a.mockCommand(), a.smokeCommand(), a.demoServerCommand(), a.keysCommand(), a.schemaCommand(), a.manCommand(), a.versionCommand())
	return root
}

// debug is the program without a subcommand: the interface on a live session,
// or run if there is no terminal to show it on.
func (a *app) debug(ctx context.Context, t targetFlags, w watchFlags) error {
	if !a.terminal {
		return a.runSession(ctx, t, runFlags{watch: w})
	}
	t, argv, err := a.choose(t)
	if err != nil {
		return err
	}
	return a.interactive(ctx, t, argv, "", w)
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the program's version and what it was built with",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.stdout, versionLine())
			return err
		},
	}
}
