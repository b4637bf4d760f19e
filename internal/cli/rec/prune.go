package rec

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/recordings/store"
	"mcpdbg/ui/widget/termsafe"
)

type pruneFlags struct {
	keep   recordings.Retention
	reach  store.Reach
	dryRun bool
}

func recPruneCommand(env *console.Env) *cobra.Command {
	var p pruneFlags
	cmd := &cobra.Command{
		Use:   "prune [FOLDER]",
		Short: "Remove old recordings beyond given limits",
		Long: `prune removes the oldest recordings of a folder until all given limits are met.
Without FOLDER it prunes the folder where sessions are recorded, together with
that of taps if this is another one.

All recordings that rec ls lists count toward the limits. Recordings in progress
are kept, and so are those with marks or notes, unless --noted is given, and
those with a name that mcpdbg did not give them, unless --named is.

The same limits can be set as keep = 100, older = "30d" and over = "2GiB" in the
table [recordings] of config.toml; they are then applied whenever a session is
recorded to that folder, and count only recordings with a name that mcpdbg gave
them. A tap keeps 20 recordings and 200 MiB of its name, or
what the table [taps] says.`,
		Example: `  mcpdbg rec prune --keep 100
  mcpdbg rec prune --older 30d --over 2GiB --dry-run`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 1:
				return console.Usagef("rec prune takes one folder")
			case p.keep.Keep < 0 || cmd.Flags().Changed("keep") && p.keep.Keep == 0:
				return console.WithHint(console.Usagef("--keep %d: must be 1 or more", p.keep.Keep), "mcpdbg rec rm to remove recordings by name")
			case p.keep.Zero():
				return console.WithHint(console.Usagef("no limit given"), "mcpdbg rec prune --keep 100, --older 30d or --over 2GiB")
			}
			folders, _, err := listed(args)
			if err != nil {
				return err
			}
			return recPrune(cmd.Context(), env, folders, p)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.IntVar(&p.keep.Keep, "keep", 0, "keep the newest `n`")
	f.Var(&flags.Limit[time.Duration]{Value: &p.keep.Older, Parse: recordings.ParseAge}, "older", "remove recordings last written longer ago than this, such as 30d or 12h")
	f.Var(&flags.Limit[int64]{Value: &p.keep.Over, Parse: recordings.ParseSize}, "over", "keep at most this many bytes in total, such as 2GiB")
	f.BoolVar(&p.reach.Noted, "noted", false, "also remove recordings with marks or notes")
	f.BoolVar(&p.reach.Named, "named", false, "also remove recordings with a name that mcpdbg did not give them")
	f.BoolVarP(&p.dryRun, "dry-run", "n", false, "only print what would be removed")
	return cmd
}

func recPrune(ctx context.Context, env *console.Env, folders []string, p pruneFlags) error {
	s, err := store.ReadCandidates(ctx, p.reach, folders...)
	if err != nil {
		return console.Usagef("%v", err)
	}
	verb, count, total := "removed", uint64(0), int64(0)
	if p.dryRun {
		verb = "would remove"
	}
	var failed error
	for _, i := range p.keep.Excess(s.All, time.Now()) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !p.dryRun {
			if err := store.Remove(s.Paths[i], false); err != nil {
				failed = errors.Join(failed, cantRemove(s.Paths[i], err))
				continue
			}
		}
		count++
		total += s.All[i].Size
		if _, err := fmt.Fprintln(env.Stdout, termsafe.String(fmt.Sprintf("%s %s, %s", verb, s.Paths[i], wording.Bytes(s.All[i].Size)))); err != nil {
			return err
		}
	}
	left := uint64(len(s.All)) - count
	fmt.Fprintln(env.Stderr, termsafe.String(fmt.Sprintf("mcpdbg: %s %s, %s; %d kept%s%s%s", verb, wording.Plural(count, "recording"), wording.Bytes(total), left,
		ifSome(s.Live, ", %d being recorded"), ifSome(s.Noted, ", %d with marks or notes (--noted removes them too)"),
		ifSome(s.Named, ", %d with names of their own (--named removes them too)"))))
	return failed
}

// "" for 0.
func ifSome(n int, format string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(format, n)
}
