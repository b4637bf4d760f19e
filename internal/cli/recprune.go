package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/recordings"
	"mcpdbg/recordings/notes"
	"mcpdbg/session"
	"mcpdbg/ui/termsafe"
)

// pruneFlags are the flags of rec prune.
type pruneFlags struct {
	keep   recordings.Retention
	noted  bool
	dryRun bool
}

// limit is a flag for a number with a unit.
type limit[N ~int64] struct {
	text  string
	value *N
	parse func(string) (N, error)
}

// String implements pflag.Value.
func (l *limit[N]) String() string { return l.text }

// Type implements pflag.Value.
func (l *limit[N]) Type() string { return "limit" }

// Set implements pflag.Value.
func (l *limit[N]) Set(text string) error {
	value, err := l.parse(text)
	*l.value, l.text = value, text
	return err
}

func (a *app) recPruneCommand() *cobra.Command {
	var p pruneFlags
	cmd := &cobra.Command{
		Use:   "prune [FOLDER]",
		Short: "Remove old recordings until limits hold",
		Long: `prune removes recordings of a folder, the oldest first, until all limits hold
that are named. Without FOLDER it is the one where sessions are recorded.

Only files that are named as this program names recordings, and are some, are
looked at. One that is being recorded stays, and so does one with marks or
notes, unless --noted is given; they count.

The same limits can stand in the settings, as keep = 100, older = "30d" and
over = "2GiB" in the table [recordings] of config.toml: then they are applied
whenever a session is recorded there.`,
		Example: `  mcpdbg rec prune --keep 100
  mcpdbg rec prune --older 30d --over 2GiB --dry-run`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 1:
				return usagef("rec prune takes one folder")
			case p.keep.Keep < 0 || cmd.Flags().Changed("keep") && p.keep.Keep == 0:
				return withHint(usagef("--keep %d: must be 1 or more", p.keep.Keep), "rm removes what is named")
			case p.keep.Zero():
				return withHint(usagef("no limit is named"), "mcpdbg rec prune --keep 100, --older 30d or --over 2GiB")
			}
			folder, err := folderOf(args)
			if err != nil {
				return err
			}
			return a.recPrune(cmd.Context(), folder, p)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.IntVar(&p.keep.Keep, "keep", 0, "keep so many, the newest `n`")
	f.Var(&limit[time.Duration]{value: &p.keep.Older, parse: recordings.ParseAge}, "older", "remove what was last written longer ago than this, such as 30d or 12h")
	f.Var(&limit[int64]{value: &p.keep.Over, parse: recordings.ParseSize}, "over", "keep no more bytes than this all together, such as 2GiB")
	f.BoolVar(&p.noted, "noted", false, "remove also what has marks or notes")
	f.BoolVarP(&p.dryRun, "dry-run", "n", false, "only say what would be removed")
	return cmd
}

// A shelf are the recordings of a folder that may be removed by a limit.
type shelf struct {
	paths []string
	all   []recordings.Kept
	live  int // of all, that are being recorded
	noted int // that are held for their marks or notes
}

// lookAtShelf looks at the recordings of a folder.
func lookAtShelf(ctx context.Context, folder string, noted bool) (*shelf, error) {
	files, err := datedRecordings(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	s := &shelf{}
	for _, file := range files {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if _, _, ok := recordings.OwnName(filepath.Base(file.path)); !ok {
			continue
		}
		summary, err := recordings.Peek(file.path)
		if err != nil {
			continue // it is none, or cannot be read: it is left alone
		}
		k := recordings.Kept{Start: summary.Header.Start, Modified: summary.Modified, Size: sizeOf(file.path)}
		if summary.State == session.RecordingOn {
			k.Held = true
			s.live++
		} else if _, err := os.Lstat(notes.Path(file.path)); err == nil && !noted {
			k.Held = true
			s.noted++
		}
		s.paths, s.all = append(s.paths, file.path), append(s.all, k)
	}
	return s, nil
}

func (a *app) recPrune(ctx context.Context, folder string, p pruneFlags) error {
	s, err := lookAtShelf(ctx, folder, p.noted)
	if err != nil {
		return usagef("%v", err)
	}
	verb, count, total := "removed", uint64(0), int64(0)
	if p.dryRun {
		verb = "would remove"
	}
	var failed error
	for _, i := range p.keep.Excess(s.all, time.Now()) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !p.dryRun {
			if err := removeRecording(s.paths[i], false); err != nil {
				failed = errors.Join(failed, cantRemove(s.paths[i], err))
				continue
			}
		}
		count++
		total += s.all[i].Size
		if _, err := fmt.Fprintln(a.stdout, termsafe.String(fmt.Sprintf("%s %s, %s", verb, s.paths[i], byteCount(s.all[i].Size)))); err != nil {
			return err
		}
	}
	left := uint64(len(s.all)) - count
	fmt.Fprintln(a.stderr, termsafe.String(fmt.Sprintf("mcpdbg: %s %s, %s; %d stay%s%s", verb, plural(count, "recording"), byteCount(total), left,
		ifSome(s.live, ", %d being recorded"), ifSome(s.noted, ", %d with marks or notes (--noted removes them too)"))))
	return failed
}

// ifSome puts a number into a format, or is nothing if it is 0.
func ifSome(n int, format string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(format, n)
}

// tidy applies the limits of the settings to the folder where sessions are
// recorded, and notes what it removed. Settings that can't be read set none: the
// interface says what is wrong with them.
func tidy(ctx context.Context, note func(text string)) {
	settings, err := readSettings()
	folder, dirErr := recordings.DefaultDir()
	if err != nil || dirErr != nil || settings.Recordings.Zero() {
		return
	}
	s, err := lookAtShelf(ctx, folder, false)
	if err != nil {
		return
	}
	count, total := uint64(0), int64(0)
	for _, i := range settings.Recordings.Excess(s.all, time.Now()) {
		if ctx.Err() == nil && removeRecording(s.paths[i], false) == nil { // else the next session does it
			count++
			total += s.all[i].Size
		}
	}
	if count > 0 {
		note(fmt.Sprintf("removed %s, %s, by [recordings] of the settings", plural(count, "old recording"), byteCount(total)))
	}
}
