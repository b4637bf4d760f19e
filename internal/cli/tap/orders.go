package tap

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/session/tap/control"
	"mcpdbg/ui/widget/termsafe"
)

// addOrders adds the commands to live taps.
func addOrders(env *console.Env, parent *cobra.Command) {
	parent.AddCommand(&cobra.Command{
		Use:     "ls",
		Short:   "List the live taps of this user",
		Long:    `ls lists the taps that were started with --live, --watch or --hold and run now.`,
		Example: "  mcpdbg tap ls",
		Args:    flags.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), env) },
	})
	for _, o := range []struct{ do, short, long string }{
		{"restart", "Restart the server of a live tap, under its client",
			`restart ends the server and starts it again; the client keeps its connection.
Calls that the server was handling get an error, since they may have run.`},
		{"stop", "End a live tap and its server",
			"stop ends the server, as if the client had closed its input, and then the tap."},
	} {
		all := false
		cmd := &cobra.Command{
			Use:   o.do + " NAME[:PID] | --all",
			Short: o.short,
			Long: o.long + `

NAME is that of mcpdbg tap ls. If several taps have it, add :PID.`,
			Example: "  mcpdbg tap " + o.do + " notes\n  mcpdbg tap " + o.do + " notes:4121\n  mcpdbg tap " + o.do + " --all",
			Args: func(_ *cobra.Command, args []string) error {
				if all != (len(args) == 0) || len(args) > 1 {
					return console.WithHint(console.Usagef("tap %s takes the name of one tap, or --all", o.do), "mcpdbg tap ls")
				}
				return nil
			},
			RunE: func(cmd *cobra.Command, args []string) error { return give(cmd.Context(), env, o.do, args) },
		}
		cmd.Flags().BoolVar(&all, "all", false, "all live taps")
		parent.AddCommand(cmd)
	}
}

// controlFolder returns the folder of the control sockets. It depends on the home folder
// alone, as that of the recordings.
func controlFolder() (string, error) {
	folder, err := recordings.TapDir()
	if err != nil {
		return "", err
	}
	return control.Folder(folder)
}

func liveTaps() ([]control.Tap, error) {
	folder, err := controlFolder()
	if err != nil {
		return nil, err
	}
	return control.List(folder)
}

func list(ctx context.Context, env *console.Env) error {
	taps, err := liveTaps()
	if err != nil {
		return console.Usagef("taps: %v", err)
	}
	if len(taps) == 0 {
		fmt.Fprintln(env.Stderr, "mcpdbg: no live taps")
		return nil
	}
	var p console.Page
	widths := []int{4, 7, 8}
	for i := range taps {
		widths[0] = max(widths[0], termsafe.Width(termsafe.String(taps[i].Name)))
	}
	p.Columns(widths, "name", "pid", "since", "state")
	for i := range taps {
		t := &taps[i]
		state, err := t.Give(ctx, "tell")
		if err != nil {
			state = "cannot tell: " + err.Error()
		}
		p.Columns(widths, t.Name, strconv.Itoa(t.PID), t.Since.Local().Format(time.TimeOnly), state)
	}
	_, err = env.Stdout.Write([]byte(p.String()))
	return err
}

// give gives an order to the taps that args name, or to all.
func give(ctx context.Context, env *console.Env, do string, args []string) error {
	taps, err := liveTaps()
	if err != nil {
		return console.Usagef("taps: %v", err)
	}
	if len(args) > 0 {
		if taps, err = pick(taps, args[0]); err != nil {
			return err
		}
	}
	if len(taps) == 0 {
		return console.Usagef("no live taps")
	}
	var failed error
	for i := range taps {
		t := &taps[i]
		answer, err := t.Give(ctx, do)
		if err != nil {
			env.Explain(fmt.Errorf("%s:%d: %w", t.Name, t.PID, err))
			failed = &console.StatusError{Code: console.ExitCode(err)}
			continue
		}
		if _, err := fmt.Fprintln(env.Stdout, termsafe.String(fmt.Sprintf("%s:%d  %s", t.Name, t.PID, answer))); err != nil {
			return err
		}
		if do == "restart" && !strings.HasPrefix(answer, "restarted: ") {
			failed = &console.StatusError{Code: console.ExitStart}
		}
	}
	return failed
}

// pick returns the one tap with a name.
func pick(taps []control.Tap, name string) ([]control.Tap, error) {
	found := slices.DeleteFunc(slices.Clone(taps), func(t control.Tap) bool {
		return t.Name != name && t.Name+":"+strconv.Itoa(t.PID) != name
	})
	switch len(found) {
	case 1:
		return found, nil
	case 0:
		return nil, console.WithHint(console.Usagef("no live tap is named %s", wording.Quote(name)), "mcpdbg tap ls; a tap without --live, --watch or --hold cannot be restarted")
	}
	var names []string
	for _, t := range found {
		names = append(names, fmt.Sprintf("%s:%d", t.Name, t.PID))
	}
	return nil, console.Usagef("%d live taps are named %s:\n  %s", len(found), wording.Quote(name), strings.Join(names, "\n  "))
}
