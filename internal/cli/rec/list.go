package rec

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/recordings/store"
	"mcpdbg/session"
	"mcpdbg/session/via"
	"mcpdbg/ui/widget/termsafe"
)

// countedSize is the largest recording read to count its messages if its last entry lacks
// the counts.
const countedSize = 8 << 20

func recListCommand(env *console.Env) *cobra.Command {
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:   "ls [FOLDER]",
		Short: "List recordings, newest first",
		Long: `ls lists the recordings of a folder, newest first: start time, duration, number
of messages and error responses, size, state and command. Without FOLDER it
lists the folder where sessions are recorded. Folders below it are not listed.

The state is done; live, while it is being recorded; stopped, if the recorder
noted why it could not write the rest, such as a full disk; torn, if the
recorder was killed or could not write; or parts missing, if a file of it
was not found. Recordings whose last entry has no counts (unfinished
and older ones) are counted up to a size of 8 MiB, and all of them with --all;
otherwise a - is shown. Files that cannot be read are reported on standard
error.

Every command that takes a recording accepts the names in the first column.`,
		Example: `  mcpdbg rec ls
  mcpdbg rec ls ./recordings --all
  mcpdbg rec ls --json | jq -r '.[] | select(.errors > 0).file'`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return console.Usagef("rec ls takes one folder")
			}
			folders, files, err := listed(args)
			if err != nil {
				return err
			}
			return recList(cmd.Context(), env, folders, files, len(args) == 0, all, asJSON)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also count messages in large recordings, which may take a second per GB")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

func folderOf(args []string) (string, error) {
	if len(args) == 0 {
		folder, err := recordings.DefaultDir()
		if err != nil {
			err = console.Usagef("recordings: %v", err)
		}
		return folder, err
	}
	info, err := os.Stat(args[0])
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", console.WithHint(console.Usagef("%s: folder not found", args[0]), "mcpdbg rec ls to list the folder where sessions are recorded")
	case err != nil:
		return "", console.Usagef("%v", err)
	case !info.IsDir():
		return "", console.WithHint(console.Usagef("%s is not a folder", args[0]), "mcpdbg rec info "+wording.Quote(args[0]))
	}
	return args[0], nil
}

// A Listed recording is a line of the list. Unknown counts are nil.
type Listed struct {
	Name       string     `json:"name"` // a name that commands take
	File       string     `json:"file"`
	Start      *time.Time `json:"start,omitempty"`
	Duration   *int64     `json:"duration_us,omitempty"`
	State      string     `json:"state,omitempty"` // done, torn, stopped, live or parts missing
	Size       int64      `json:"bytes"`
	Sent       *uint64    `json:"sent,omitempty"`
	Received   *uint64    `json:"received,omitempty"`
	Errors     *uint64    `json:"errors,omitempty"`
	Stray      *uint64    `json:"stray,omitempty"`
	Stderr     *uint64    `json:"stderr_lines,omitempty"`
	Argv       []string   `json:"argv,omitempty"`
	Host       string     `json:"host,omitempty"`
	Via        []string   `json:"via,omitempty"`
	ExecServer string     `json:"exec_server,omitempty"`
	Tap        string     `json:"tap,omitempty"`     // its name
	Problem    string     `json:"problem,omitempty"` // why it can't be read, without anything else

	when time.Time
}

// listed returns the recordings in a folder, or in those where sessions are recorded.
func listed(args []string) (folders []string, files []store.Recording, err error) {
	if len(args) == 0 {
		if folders, files, err = store.ListOwn(); err != nil {
			err = console.Usagef("recordings: %v", err)
		}
		return folders, files, err
	}
	folder, err := folderOf(args)
	if err == nil {
		if files, err = store.List(folder); err != nil {
			err = console.Usagef("%v", err)
		}
	}
	return []string{folder}, files, err
}

func recList(ctx context.Context, env *console.Env, folders []string, files []store.Recording, own, all, asJSON bool) error {
	list, err := listFiles(ctx, files, all)
	if err != nil {
		return err
	}
	if own {
		shortenNames(list)
	}
	if asJSON {
		return env.PrintDocument(list)
	}
	return printListed(env, folders, list)
}

// Several at a time, newest first.
func listFiles(ctx context.Context, files []store.Recording, all bool) ([]Listed, error) {
	list := make([]Listed, len(files))
	next := make(chan int)
	workers := runtime.GOMAXPROCS(0)
	if all {
		workers = 1 // the index of a large recording takes memory
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range next {
				list[i] = look(ctx, &files[i], all)
			}
		})
	}
	for i := range files {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	sort.SliceStable(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		return b.when.Compare(a.when) < 0
	})
	return list, context.Cause(ctx)
}

func look(ctx context.Context, file *store.Recording, all bool) Listed {
	l := Listed{Name: filepath.Base(file.Path), File: file.Path, when: file.When}
	s, err := recordings.Peek(file.Path)
	if err != nil {
		l.Problem = strings.TrimPrefix(strings.TrimPrefix(err.Error(), "open recording: "), file.Path+" ")
		return l
	}
	start := s.Header.Start
	if !start.IsZero() {
		l.Start, l.when = &start, start
	}
	l.State, l.Size, l.Argv, l.Host, l.Via, l.ExecServer = listedStates[s.State], s.Size, s.Header.Argv, s.Header.Host, s.Header.Via, s.Header.ExecServer
	if s.Header.Mode == session.ModeTap {
		l.Tap = s.Header.Name
	}
	if s.Duration >= 0 {
		l.Duration = &s.Duration
	}
	if s.Counts == nil && (all || s.Size <= countedSize) {
		s.Counts = countRecording(ctx, file.Path)
	}
	if c := s.Counts; c != nil {
		l.Sent, l.Received, l.Errors, l.Stray, l.Stderr = &c.Out, &c.In, &c.Errors, &c.Stray, &c.Stderr
	}
	return l
}

var listedStates = map[session.RecordingState]string{
	session.RecordingDone: "done", session.RecordingTorn: "torn", session.RecordingOn: "live", session.RecordingParted: "parts missing",
	session.RecordingCut: "stopped",
}

// Nil if the recording cannot be read.
func countRecording(ctx context.Context, path string) *session.EndCounts {
	rec, err := recordings.OpenContext(ctx, path)
	if err != nil {
		return nil
	}
	defer rec.Close()
	stats := rec.Stats()
	counts := stats.EndCounts()
	return &counts
}

// shortenNames shortens names in the default folder to their last six letters where those
// are unique.
func shortenNames(list []Listed) {
	used := map[string]int{}
	for i := range list {
		used[store.ShortName(list[i].Name)]++
	}
	for i := range list {
		if short := store.ShortName(list[i].Name); short != "" && used[short] == 1 {
			list[i].Name = short
		}
	}
}

const commandCells = 80

func printListed(env *console.Env, folders []string, list []Listed) error {
	var p console.Page
	widths := []int{6, 16, 8, 8, 6, 9, 5}
	for i := range list {
		widths[0] = max(widths[0], termsafe.Width(termsafe.String(list[i].Name)))
	}
	row := func(name, when, long, messages, errors, size, state, server string) {
		p.Columns(widths, name, when, right(long, widths[2]), right(messages, widths[3]), right(errors, widths[4]), right(size, widths[5]), state, server)
	}
	shown, total, unknown := uint64(0), int64(0), false
	for i := range list {
		l := &list[i]
		if l.Problem != "" {
			fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: "+l.problem()))
			continue
		}
		if shown++; shown == 1 {
			row("name", "when", "long", "messages", "errors", "size", "state", "server")
		}
		total += l.Size
		unknown = unknown || l.Sent == nil
		row(l.Name, l.when.Local().Format("2006-01-02 15:04"), l.long(), sum(l.Sent, l.Received), sum(l.Errors),
			wording.Bytes(l.Size), l.State, l.command())
	}
	if shown == 0 {
		fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: no recordings in "+wording.Paths(folders)))
		return nil
	}
	if unknown {
		p.Line("  - means not counted yet; --all also reads large recordings")
	}
	p.Line(fmt.Sprintf("  %s, %s, in %s", wording.Plural(shown, "recording"), wording.Bytes(total), wording.Paths(folders)))
	_, err := env.Stdout.Write([]byte(p.String()))
	return err
}

func right(text string, width int) string { return fmt.Sprintf("%*s", width, text) }

// Why it can't be read, as a sentence.
func (l *Listed) problem() string {
	if strings.HasPrefix(l.Problem, "is ") { // not a recording
		return l.File + " " + l.Problem
	}
	return l.File + ": " + l.Problem
}

func (l *Listed) long() string {
	if l.Duration == nil {
		return "-"
	}
	return wording.Took(*l.Duration)
}

func (l *Listed) command() string {
	text := termsafe.String(strings.Join(l.Argv, " "))
	if where := via.Where(l.ExecServer, l.Via, l.Host); where != "" {
		text = termsafe.String(where) + ": " + text
	}
	if l.Tap != "" {
		text = "tap " + termsafe.String(l.Tap) + ": " + text
	}
	if termsafe.Width(text) > commandCells {
		text = strings.TrimRight(string(termsafe.AppendAligned(nil, []byte(text), commandCells, termsafe.Left, termsafe.Options{})), " ")
	}
	return text
}

// "-" if one is unknown.
func sum(counts ...*uint64) string {
	total := uint64(0)
	for _, c := range counts {
		if c == nil {
			return "-"
		}
		total += *c
	}
	return fmt.Sprint(total)
}
