// Package tap has the commands for a server under its client: tap forwards between the
// two and records them; wrap and unwrap put it into the configuration of a client.
package tap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/live"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/recordings/store"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/secret"
	"mcpdbg/session/tap"
	"mcpdbg/session/tap/control"
	"mcpdbg/ui"
	"mcpdbg/ui/tty"
	"mcpdbg/ui/widget/termsafe"
)

const purpose = `tap is for the configuration of an MCP client, in front of the server's command:

  "command": "mcpdbg",
  "args": ["tap", "--name", "notes", "--", "./notes", "--stdio"]

The client starts it as if it were the server. tap starts the server, forwards
both directions byte for byte, and records them; mcpdbg open shows the
recording, also while it grows. Nothing is held or changed, and standard output
is the server's alone. The end of input, signals and the exit status pass.`

// Command returns the command tap.
func Command(env *console.Env) *cobra.Command {
	var t flags.Target
	var r runOptions
	cmd := &cobra.Command{
		Use:   "tap [flags] -- COMMAND [ARG...]",
		Short: "Forward between a client and its server, and record both",
		Long: purpose + `

With --live the server can be restarted while its client stays connected:
mcpdbg tap restart NAME, from a shell, an editor or a model. With --watch it is
restarted when files change; --watch-run builds it first. From the change on
new requests wait for the new code. The new server gets the client's handshake,
log level and subscriptions; reads are sent again, and calls that the server
was handling get an error, since they may have run.

A live tap can be steered, too: mcpdbg open --attach NAME holds messages, for a
person to edit, answer or drop, and sends requests. --hold holds those that
match a filter as soon as a viewer steers; without one all messages pass.

If the recording cannot be written, tap forwards all the same, with one line
about it on standard error. With --ssh a client on this machine uses a server on
another.`,
		Example: `  mcpdbg tap --name notes -- ./notes --stdio
  mcpdbg tap --name notes --watch '/src/notes/**/*.go' -- go run /src/notes
  mcpdbg tap restart notes
  mcpdbg tap --ssh devbox --cwd /srv/notes -- ./notes
  mcpdbg open last`,
		Args: flags.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !env.HasCommand && t.Config.File == "" {
				return console.WithHint(console.Usagef("no command: put the server command after --\n\n%s", purpose), "mcpdbg tap -- ./my-server")
			}
			if err := r.watch.Check(cmd); err != nil {
				return err
			}
			if err := r.check(cmd); err != nil {
				return err
			}
			return forward(cmd.Context(), env, t, r)
		},
	}
	f := cmd.Flags()
	f.StringVar(&r.name, "name", "", "`NAME` of the server in lists of recordings (default: that of its program)")
	flags.CompleteNothing(cmd, "name")
	f.BoolVar(&r.live, "live", false, "let the server be restarted under the client; whole lines of up to 16 MiB are forwarded")
	r.watch.RegisterFiles(cmd, "like --live, and restart the server when a file that matches `GLOB` changes; !GLOB excludes files; may be repeated")
	f.StringVar(&r.hold, "hold", "", "like --live, and hold messages that match `FILTER` while a viewer steers")
	flags.CompleteNothing(cmd, "hold")
	f.BoolVar(&r.noStderr, "no-stderr-in-errors", false, "with --live: do not quote the server's stderr in errors that the client gets")
	f.BoolVar(&r.noCache, "no-cache", false, "with --live: tell the client not to keep lists and resources (ttlMs 0)")
	f.StringVar(&r.duringBuild, "during-build", "hold", "with --watch-run: hold requests until the build has ended, or pass them to the old server")
	flags.CompleteOneOf(cmd, "during-build", "hold", "pass")
	t.RegisterProcess(cmd)
	f.StringVar(&t.Record, "record", "", "record to this new `file`")
	t.RegisterRecording(cmd)
	t.SSH.Register(cmd)
	t.RegisterExecServer(cmd)
	t.RegisterVia(cmd)
	t.Config.Register(cmd)
	addOrders(env, cmd)
	return cmd
}

// runOptions are the flags of tap itself.
type runOptions struct {
	name        string
	live        bool
	hold        string
	watch       flags.Watch
	noStderr    bool
	noCache     bool
	duringBuild string
}

// check rejects flags that would do nothing.
func (r *runOptions) check(cmd *cobra.Command) error {
	for _, name := range []string{"no-cache", "no-stderr-in-errors"} {
		if cmd.Flags().Changed(name) && !r.isLive() {
			return console.Usagef("--%s requires --live, --watch or --hold", name)
		}
	}
	if cmd.Flags().Changed("hold") {
		if r.hold == "" {
			return console.Usagef("--hold requires a filter")
		}
		if _, err := match(r.hold); err != nil {
			return console.Usagef("--hold %s: %v", wording.Quote(r.hold), err)
		}
	}
	switch {
	case r.duringBuild != "hold" && r.duringBuild != "pass":
		return console.Usagef("--during-build %q: must be hold or pass", r.duringBuild)
	case cmd.Flags().Changed("during-build") && r.watch.Before == "":
		return console.Usagef("--during-build requires --watch-run")
	}
	return nil
}

func (r *runOptions) isLive() bool { return r.live || r.hold != "" || len(r.watch.Globs) > 0 }

// forward forwards until the server has ended, and ends as it did.
func forward(ctx context.Context, env *console.Env, t flags.Target, r runOptions) error {
	if t.Record != "" && t.NoRecord {
		return console.Usagef("--record and --no-record cannot be combined")
	}
	t, argv, err := flags.Choose(env, t)
	if err != nil {
		return err
	}
	cmd, err := t.Command(argv)
	if err != nil {
		return err
	}
	if in, ok := env.Stdin.(*os.File); ok && tty.IsTerminal(in) {
		say(env, "this is a terminal, and not a client: type JSON-RPC messages, or ctrl+d to end; mcpdbg -- COMMAND opens the debugger")
	}
	exec, err := live.Executor(env, t, cmd.Env, nil)
	if err != nil {
		return err
	}
	r.name = cmp.Or(r.name, t.ServerName(argv))
	log := record(env, t, cmd, r.name)
	prune := pruner(log, t.Record == "", r.name)
	pruned := make(chan struct{})
	go func() { // the server does not wait for it
		defer close(pruned)
		prune()
	}()
	signals, stop := catch()
	defer stop()
	conceal := secret.Replacer(cmd.Env)
	config := tap.Config{
		Executor: exec, Command: cmd, In: env.Stdin, Out: env.Stdout, Err: env.Stderr,
		Signals: signals, Gone: unread(env.Stdout), Conceal: conceal.Replace,
	}
	if log != nil {
		config.Log = log
	}
	if r.isLive() {
		stop, err := r.goLive(ctx, env, &t, &config, log)
		if err != nil {
			if log != nil {
				_ = log.Close() // nothing was recorded
			}
			return errors.Join(err, exec.Close())
		}
		defer stop()
	}
	exit, err := tap.Run(ctx, config)
	err = errors.Join(err, exec.Close())
	if log != nil {
		_ = log.Close() // reported as incomplete
		env.Incomplete.Add(log)
	}
	<-pruned
	prune()
	return ended(env, exit, err)
}

// goLive switches live mode on: files are watched, and other programs can give orders.
func (r *runOptions) goLive(ctx context.Context, env *console.Env, t *flags.Target, config *tap.Config, log *recordings.File) (stop func(), err error) {
	commands := make(chan tap.Command)
	config.Live = &tap.LiveOptions{
		Name: r.name, Watched: len(r.watch.Globs) > 0, NoStderr: r.noStderr, NoCache: r.noCache,
		PassBuilding: r.duringBuild == "pass", Commands: commands,
	}
	look, unwatch, err := watch(ctx, &r.watch, t, commands)
	if err != nil {
		return nil, err
	}
	config.Live.Look = look
	c, err := r.listen(log, commands)
	if err != nil {
		say(env, "control socket: "+err.Error()+": mcpdbg tap restart cannot reach this tap")
		return unwatch, nil
	}
	config.Live.Publish = c.Publish
	return func() {
		unwatch()
		c.Close()
	}, nil
}

// listen opens the control socket.
func (r *runOptions) listen(log *recordings.File, commands chan<- tap.Command) (*control.Server, error) {
	folder, err := controlFolder()
	if err != nil {
		return nil, err
	}
	self := control.Tap{Name: r.name, PID: os.Getpid(), Since: time.Now()}
	if log != nil {
		self.Recording = log.Path()
	}
	return control.Listen(control.Options{Folder: folder, Tap: self, Commands: commands, Filter: match, Hold: r.hold})
}

// record creates the recording. Without one, the tap forwards all the same.
func record(env *console.Env, t flags.Target, cmd executor.Command, name string) *recordings.File {
	if t.NoRecord {
		return nil
	}
	place := recordings.Options{Path: t.Record, Server: name, MaxPart: t.PartSize(), Header: t.Header(session.Config{Command: cmd})}
	place.Header.Mode, place.Header.Name = session.ModeTap, name
	var secrets []executor.EnvVar
	if t.From != nil {
		secrets = t.From.Start.Secrets()
	}
	place.Header.Secrets, _ = env.Digests(slices.Concat(cmd.Env, secrets)) // without: rec redact --env NAME
	var err error
	if place.Path == "" {
		place.Dir, err = recordings.TapDir()
	}
	var log *recordings.File
	if err == nil {
		log, err = recordings.Create(place)
	}
	if err != nil {
		say(env, fmt.Sprintf("not recorded: %v", err))
		return nil
	}
	return log
}

// pruner returns what removes old recordings of the name, as the settings limit them. With
// settings that cannot be read it removes nothing.
func pruner(log *recordings.File, ownPlace bool, name string) func() {
	settings, err := flags.ReadSettings()
	if log == nil || !ownPlace || err != nil {
		return func() {}
	}
	keep := recordings.Retention{Keep: cmp.Or(settings.Taps.Keep, ui.DefaultTaps.Keep), Over: cmp.Or(settings.Taps.Over, ui.DefaultTaps.Over)}
	return func() { store.PruneTap(log.Path(), name, keep) }
}

// say prints a line of the tap itself to standard error.
func say(env *console.Env, text string) {
	fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg tap: "+text))
}

// ended ends the program as the server ended, or as a shell would if it did not start.
func ended(env *console.Env, exit executor.Exit, err error) error {
	var start *executor.StartError
	switch {
	case errors.As(err, &start):
		env.Explain(err)
		return &console.StatusError{Code: startStatus(start, err)}
	case err != nil:
		return err
	case exit.Kind == executor.ExitSignal:
		env.EndBy = exit.Signal
		return &console.StatusError{Code: console.ExitSignal + signalNumber(exit.Signal)}
	case exit.Kind == executor.ExitCode && exit.Code == 0:
		return nil
	case exit.Kind == executor.ExitCode:
		return &console.StatusError{Code: exit.Code}
	}
	return &console.StatusError{Code: console.ExitStart}
}

// startStatus returns the status of a shell for a command that cannot be run (POSIX,
// Shell Command Language, 2.8.2), and our own for other failures.
func startStatus(start *executor.StartError, err error) int {
	switch start.Code {
	case executor.StartNotFound:
		return 127
	case executor.StartNoExec:
		return 126
	}
	return console.ExitCode(err)
}
