package tap

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	filewatch "mcpdbg/internal/watch"
	"mcpdbg/internal/wording"
	"mcpdbg/session/target"
	"mcpdbg/session/target/edit"
	"mcpdbg/ui/widget/termsafe"
)

// settling is how long after its edit a file is read again: a client that runs may write
// its own copy over it.
const settling = 2 * time.Second

// WrapCommand returns the command wrap.
func WrapCommand(env *console.Env) *cobra.Command { return wrapCommand(env, settling) }

// UnwrapCommand returns the command unwrap.
func UnwrapCommand(env *console.Env) *cobra.Command { return unwrapCommand(env, settling) }

func wrapCommand(env *console.Env, settling time.Duration) *cobra.Command {
	c := choice{settling: settling}
	var dryRun, force, shared, status, plain bool
	var files flags.Watch
	cmd := &cobra.Command{
		Use:   "wrap [flags] [NAME...]",
		Short: "Put mcpdbg tap before servers in the config files of clients",
		Long: `wrap edits the config file of an MCP client so that the client starts a server
through mcpdbg tap, which records what the two say to each other. Without NAME
it lists the servers of all config files, and whether they are wrapped.

The server can be restarted under its client, by mcpdbg tap restart NAME, or
when the files of --watch change, after --watch-run if it is given. With --plain
it cannot.

Only the command and the arguments of an entry change: everything else in the
file stays as it is, byte for byte. mcpdbg unwrap gives back what was there.
The clients are Claude Code, Claude Desktop, VS Code, Cursor, Codex and Gemini
CLI.

If several entries have the name, they are listed; choose one with --client,
--scope or --config. A file that git tracks is not changed without --shared,
as it would get a path of this machine. Refused are HTTP servers, entries with
ssh, via or an exec server, read-only files, files of other users, and sudo.

--status lists the wrapped servers, and checks that the mcpdbg in their
entries starts. The exit code is then 1 if one does not.`,
		Example: `  mcpdbg wrap
  mcpdbg wrap notes
  mcpdbg wrap notes --client cursor --dry-run
  mcpdbg wrap notes --watch 'src/**/*.ts' --watch-run 'npm run build'
  mcpdbg wrap notes --config .mcp.json --shared
  mcpdbg wrap --status`,
		ValidArgsFunction: c.complete(false),
		RunE: func(cmd *cobra.Command, names []string) error {
			switch {
			case status && len(names) > 0:
				return console.Usagef("--status and names cannot be combined")
			case len(names) == 0 && (dryRun || force || shared || plain || len(files.Globs) > 0):
				return console.Usagef("--dry-run, --force, --shared, --plain and --watch require a name")
			}
			tapFlags, err := tapFlags(cmd, plain, &files)
			if err != nil {
				return err
			}
			ed, err := c.editor(env)
			if err != nil {
				return err
			}
			found, err := c.entries(env, ed)
			switch {
			case err != nil:
				return err
			case status:
				return printStatus(cmd.Context(), env, ed, found)
			case len(names) == 0:
				return printEntries(env, found)
			}
			ed.Flags, ed.DryRun, ed.Force, ed.Shared = tapFlags, dryRun, force, shared
			return c.wrap(cmd.Context(), env, ed, found, names)
		},
	}
	c.register(cmd)
	f := cmd.Flags()
	f.BoolVarP(&dryRun, "dry-run", "n", false, "only print the change, with values masked")
	f.BoolVar(&force, "force", false, "also wrap entries of VS Code with dev.debug or dev.watch")
	f.BoolVar(&shared, "shared", false, "also change files that git tracks")
	f.BoolVar(&plain, "plain", false, "the server cannot be restarted under its client; bytes pass as they come, and not by whole lines")
	files.RegisterFiles(cmd, "restart the server when a file that matches `GLOB` changes; !GLOB excludes files; may be repeated")
	f.BoolVar(&status, "status", false, "list wrapped servers, and check that mcpdbg starts")
	return cmd
}

func unwrapCommand(env *console.Env, settling time.Duration) *cobra.Command {
	c := choice{settling: settling}
	var all, dryRun bool
	cmd := &cobra.Command{
		Use:   "unwrap [flags] (NAME... | --all)",
		Short: "Take mcpdbg tap away again from servers in config files",
		Long: `unwrap undoes wrap: the client starts the server itself again. An unchanged
entry gets its old bytes back. In others the command after -- becomes the
command of the entry, and the rest of the file stays as it is.

--all also finds wrapped servers of other projects. Use it before you remove
mcpdbg.`,
		Example: `  mcpdbg unwrap notes
  mcpdbg unwrap notes --client cursor --dry-run
  mcpdbg unwrap --all`,
		ValidArgsFunction: c.complete(true),
		RunE: func(cmd *cobra.Command, names []string) error {
			switch {
			case all && len(names) > 0:
				return console.Usagef("--all and names cannot be combined")
			case !all && len(names) == 0:
				return console.WithHint(console.Usagef("no name given"), "mcpdbg unwrap --all, or mcpdbg wrap --status to list the wrapped servers")
			}
			ed, err := c.editor(env)
			if err != nil {
				return err
			}
			ed.DryRun = dryRun
			found, err := c.entries(env, ed)
			if err != nil {
				return err
			}
			return c.unwrap(cmd.Context(), env, ed, found, names)
		},
	}
	c.register(cmd)
	f := cmd.Flags()
	f.BoolVar(&all, "all", false, "unwrap all servers")
	f.BoolVarP(&dryRun, "dry-run", "n", false, "only print the change, with values masked")
	return cmd
}

// tapFlags returns the flags of the tap in an entry. Its folders are absolute: a client
// starts it in a folder of its own choice.
func tapFlags(cmd *cobra.Command, plain bool, files *flags.Watch) ([]string, error) {
	if err := files.Check(cmd); err != nil {
		return nil, err
	}
	switch {
	case plain && len(files.Globs) > 0:
		return nil, console.Usagef("--plain and --watch cannot be combined")
	case plain:
		return nil, nil
	}
	folder, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	if err := filewatch.CheckGlobs(folder, files.Globs); err != nil {
		return nil, console.Usagef("--watch: %v", err)
	}
	words := []string{"--live"}
	for _, glob := range files.Globs {
		path, excludes := strings.CutPrefix(glob, "!")
		if !filepath.IsAbs(path) {
			path = filepath.Join(filewatch.EscapeFolder(folder), path)
		}
		if excludes {
			path = "!" + path
		}
		words = append(words, "--watch", path)
	}
	if files.Before != "" {
		enter := "cd " + wording.Quote(folder)
		if runtime.GOOS == "windows" {
			enter = `cd /d "` + folder + `"`
		}
		words = append(words, "--watch-run", enter+" && "+files.Before)
	}
	if files.Poll {
		words = append(words, "--watch-poll")
	}
	return words, nil
}

// forgetGone forgets entries of files that do not exist any more.
func forgetGone(ed *edit.Editor) error {
	for _, key := range ed.Remembered() {
		if _, err := os.Stat(key.File); ed.DryRun || !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := ed.Forget(key); err != nil {
			return err
		}
	}
	return nil
}

// wrap wraps the entries of names.
func (c *choice) wrap(ctx context.Context, env *console.Env, ed *edit.Editor, found []target.Entry, names []string) error {
	var chosen []*target.Entry
	for _, name := range names {
		e, err := c.pick(found, name)
		if err != nil {
			return err
		}
		chosen = append(chosen, e)
	}
	first := !ed.Used()
	var done []edit.Change
	var failed error
	for _, e := range chosen {
		change, err := ed.Wrap(ctx, edit.KeyOf(e))
		if err != nil {
			failed = hinted(err)
			break
		}
		if !change.Changed() {
			words, n := change.Before.Source.Words, 2+len(ed.Flags)
			if len(words) <= n || !slices.Equal(words[2:n], ed.Flags) || !strings.HasPrefix(words[n], "--name") {
				failed = errors.Join(failed, console.WithHint(console.Usagef("%s is already wrapped, with other flags", where(e)), "mcpdbg unwrap "+wording.Quote(e.Name)+" first"))
				continue
			}
			note(env, fmt.Sprintf("%s is already wrapped", where(e)))
			continue
		}
		if e.Source.Sandboxed {
			note(env, fmt.Sprintf("%s: %s starts the tap in its sandbox, where it may not be able to record", e.Name, e.Client))
		}
		done = append(done, change)
		if err := report(env, ed, &change, "wrapped"); err != nil {
			return err
		}
	}
	if first && len(done) > 0 && !ed.DryRun {
		firstNotice(env, ed)
	}
	return errors.Join(failed, c.finish(ctx, env, ed, done))
}

// unwrap unwraps the entries of names, or all without any.
func (c *choice) unwrap(ctx context.Context, env *console.Env, ed *edit.Editor, found []target.Entry, names []string) error {
	wrapped := slices.DeleteFunc(slices.Clone(found), func(e target.Entry) bool { return e.Tap == nil })
	var chosen []*target.Entry
	for _, name := range names {
		if !hasName(wrapped, name) {
			e, err := c.pick(found, name)
			if err != nil {
				return err
			}
			note(env, where(e)+" is not wrapped")
			continue
		}
		e, err := c.pick(wrapped, name)
		if err != nil {
			return err
		}
		chosen = append(chosen, e)
	}
	if len(names) == 0 {
		for i := range wrapped {
			chosen = append(chosen, &wrapped[i])
		}
		if len(chosen) == 0 {
			note(env, "no server is wrapped")
		}
		if err := forgetGone(ed); err != nil {
			return err
		}
	}
	var done []edit.Change
	var failed error
	for _, e := range chosen {
		change, err := ed.Unwrap(ctx, edit.KeyOf(e))
		if err != nil { // the others can still be unwrapped
			failed = errors.Join(failed, hinted(err))
			continue
		}
		done = append(done, change)
		if err := report(env, ed, &change, "unwrapped"); err != nil {
			return err
		}
	}
	return errors.Join(failed, c.finish(ctx, env, ed, done))
}

// finish reads the edited files once more, and says when their clients pick the changes up.
func (c *choice) finish(ctx context.Context, env *console.Env, ed *edit.Editor, done []edit.Change) error {
	if len(done) == 0 || ed.DryRun {
		return nil
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(c.settling):
	}
	var failed error
	var said []target.Client
	for i := range done {
		e := &done[i].After
		if err := ed.Holds(&done[i]); err != nil {
			failed = errors.Join(failed, hinted(err))
		} else if facts, _ := e.Client.Facts(); !slices.Contains(said, e.Client) {
			said = append(said, e.Client)
			note(env, fmt.Sprintf("%s picks this up %s", e.Client, facts.Rereads))
		}
	}
	return failed
}

// report prints a change, or what it would be.
func report(env *console.Env, ed *edit.Editor, change *edit.Change, verb string) error {
	text := verb + " " + where(&change.Before)
	if ed.DryRun {
		text = diff(change)
	}
	var p console.Page
	for line := range strings.SplitSeq(text, "\n") {
		p.Line(line)
	}
	_, err := fmt.Fprint(env.Stdout, p.String())
	return err
}

// firstNotice tells a person who wraps for the first time what will be recorded.
func firstNotice(env *console.Env, ed *edit.Editor) {
	note(env, "from now on the real messages of this server are recorded, with all secrets in them, in")
	note(env, "  "+wording.Path(filepath.Join(ed.State, "recordings")))
	note(env, "Only you can read these files. mcpdbg rec redact makes a copy without secrets to share; the newest 20 sessions of a server, and 200 MiB, are kept by default.")
	note(env, "Errors quote the last line of the server's stderr to the client, and the model behind it; --no-stderr-in-errors in the entry excludes it.")
	note(env, "Run mcpdbg unwrap --all before you remove mcpdbg: a wrapped server does not start without it.")
}

// where names an entry with its file.
func where(e *target.Entry) string {
	return fmt.Sprintf("%s in %s:%d (%s, %s)", e.Name, wording.Path(e.File), e.Line, e.Client, scope(e))
}

// note prints a line to standard error.
func note(env *console.Env, text string) {
	fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: "+text))
}

// hinted adds the hint of a refusal.
func hinted(err error) error {
	if refused, ok := errors.AsType[*edit.RefusedError](err); ok {
		return console.WithHint(console.Usagef("%v", err), refused.Hint)
	}
	if _, ok := errors.AsType[*os.PathError](err); ok {
		return console.Usagef("%v", err)
	}
	return err
}
