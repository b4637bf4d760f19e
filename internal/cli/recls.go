package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/ui/termsafe"
)

// countedSize is up to which size a recording is read to count what is in it,
// if its last entry does not tell.
const countedSize = 8 << 20

func (a *app) recListCommand() *cobra.Command {
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:   "ls [FOLDER]",
		Short: "List recordings, the newest first",
		Long: `ls lists the recordings of a folder, the newest first: when, how long, how many
messages, error answers and bytes, its state, and what was started. Without
FOLDER it is the one where sessions are recorded.

The state is done; live, while its recorder is at work; stopped, if the recorder
says why it could not write the rest, as on a full disk; or torn, if it did not
finish: it was ended, or could not write. What the last entry of a recording
does not tell (of one that is not done, or older) is counted if it has no more
than 8 MiB, and a - else, unless --all is given. Files that can't be read are
named on standard error.

The names in the first column are taken by every command that takes a recording.`,
		Example: `  mcpdbg rec ls
  mcpdbg rec ls ./recordings --all
  mcpdbg rec ls --json | jq -r '.[] | select(.errors > 0).file'`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("rec ls takes one folder")
			}
			folder, err := folderOf(args)
			if err != nil {
				return err
			}
			return a.recList(cmd.Context(), folder, len(args) == 0, all, asJSON)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "count also what is in large recordings, which may take a second for each GB")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

// folderOf is the folder that is named, or where sessions are recorded.
func folderOf(args []string) (string, error) {
	if len(args) == 0 {
		folder, err := recordings.DefaultDir()
		if err != nil {
			err = usagef("recordings: %v", err)
		}
		return folder, err
	}
	info, err := os.Stat(args[0])
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", withHint(usagef("%s: there is no such folder", args[0]), "without a folder mcpdbg rec ls lists where sessions are recorded")
	case err != nil:
		return "", usagef("%v", err)
	case !info.IsDir():
		return "", withHint(usagef("%s is no folder", args[0]), "mcpdbg rec info "+word(args[0]))
	}
	return args[0], nil
}

// A listed recording is one line of the list. Counts are nil if they are not
// known.
type listed struct {
	Name     string     `json:"name"` // a name that commands take
	File     string     `json:"file"`
	Start    *time.Time `json:"start,omitempty"`
	Duration *int64     `json:"duration_us,omitempty"`
	State    string     `json:"state,omitempty"` // done, torn, stopped or live
	Size     int64      `json:"bytes"`
	Sent     *uint64    `json:"sent,omitempty"`
	Received *uint64    `json:"received,omitempty"`
	Errors   *uint64    `json:"errors,omitempty"`
	Stray    *uint64    `json:"stray,omitempty"`
	Stderr   *uint64    `json:"stderr_lines,omitempty"`
	Argv     []string   `json:"argv,omitempty"`
	Host     string     `json:"host,omitempty"`
	Problem  string     `json:"problem,omitempty"` // why it can't be read; then all else is missing

	when time.Time
}

func (a *app) recList(ctx context.Context, folder string, own, all, asJSON bool) error {
	files, err := datedRecordings(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return usagef("%v", err)
	}
	list, err := listFiles(ctx, files, all)
	if err != nil {
		return err
	}
	if own {
		shortenNames(list)
	}
	if asJSON {
		doc, err := json.Marshal(list)
		if err != nil {
			return fmt.Errorf("rec ls: %w", err)
		}
		return a.printJSON(doc)
	}
	return a.printList(folder, list)
}

// listFiles looks at files, some at a time, and sorts them: the newest first.
func listFiles(ctx context.Context, files []recent, all bool) ([]listed, error) {
	list := make([]listed, len(files))
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
	slices.SortStableFunc(list, func(a, b listed) int { return b.when.Compare(a.when) })
	return list, context.Cause(ctx)
}

// look says what a recording is.
func look(ctx context.Context, file *recent, all bool) listed {
	l := listed{Name: filepath.Base(file.path), File: file.path, when: file.when}
	s, err := recordings.Peek(file.path)
	if err != nil {
		l.Problem = strings.TrimPrefix(strings.TrimPrefix(err.Error(), "open recording: "), file.path+" ")
		return l
	}
	start := s.Header.Start
	if !start.IsZero() {
		l.Start, l.when = &start, start
	}
	l.State, l.Size, l.Argv, l.Host = listedStates[s.State], s.Size, s.Header.Argv, s.Header.Host
	if s.Duration >= 0 {
		l.Duration = &s.Duration
	}
	if s.Counts == nil && (all || s.Size <= countedSize) {
		s.Counts = countRecording(ctx, file.path)
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

// countRecording reads a recording to count what is in it; nil if it can't be
// read.
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

// shortenNames names recordings in the default folder by the last six letters
// of the names that they were given, where no other has them.
func shortenNames(list []listed) {
	used := map[string]int{}
	for i := range list {
		used[shortName(list[i].Name)]++
	}
	for i := range list {
		if short := shortName(list[i].Name); short != "" && used[short] == 1 {
			list[i].Name = short
		}
	}
}

// shortName is the last part of a name that was given by package recordings, ""
// for another name.
func shortName(base string) string {
	_, letters, _ := recordings.OwnName(base)
	return letters
}

// commandCells is how much of a command line is shown.
const commandCells = 80

// printList prints the list as text.
func (a *app) printList(folder string, list []listed) error {
	var p page
	widths := []int{6, 16, 8, 8, 6, 9, 5}
	for i := range list {
		widths[0] = max(widths[0], termsafe.Width(termsafe.String(list[i].Name)))
	}
	row := func(name, when, long, messages, errors, size, state, server string) {
		p.columns(widths, name, when, right(long, widths[2]), right(messages, widths[3]), right(errors, widths[4]), right(size, widths[5]), state, server)
	}
	shown, total, unknown := uint64(0), int64(0), false
	for i := range list {
		l := &list[i]
		if l.Problem != "" {
			fmt.Fprintln(a.stderr, termsafe.String("mcpdbg: "+l.problem()))
			continue
		}
		if shown++; shown == 1 {
			row("name", "when", "long", "messages", "errors", "size", "state", "server")
		}
		total += l.Size
		unknown = unknown || l.Sent == nil
		row(l.Name, l.when.Local().Format("2006-01-02 15:04"), l.long(), sum(l.Sent, l.Received), sum(l.Errors),
			byteCount(l.Size), l.State, l.command())
	}
	if shown == 0 {
		fmt.Fprintln(a.stderr, termsafe.String("mcpdbg: no recordings in "+shortPath(folder)))
		return nil
	}
	if unknown {
		p.line("  - is not counted yet: --all reads also large recordings")
	}
	p.line(fmt.Sprintf("  %s, %s, in %s", plural(shown, "recording"), byteCount(total), shortPath(folder)))
	_, err := a.stdout.Write([]byte(p.String()))
	return err
}

// right is text of ASCII characters at the right of a column.
func right(text string, width int) string { return fmt.Sprintf("%*s", width, text) }

// problem is why it can't be read, as a sentence.
func (l *listed) problem() string {
	if strings.HasPrefix(l.Problem, "is ") { // not a recording
		return l.File + " " + l.Problem
	}
	return l.File + ": " + l.Problem
}

func (l *listed) long() string {
	if l.Duration == nil {
		return "-"
	}
	return roundTime(*l.Duration).String()
}

// command is what was started, and where.
func (l *listed) command() string {
	text := termsafe.String(strings.Join(l.Argv, " "))
	if l.Host != "" {
		text = termsafe.String(l.Host) + ": " + text
	}
	if termsafe.Width(text) > commandCells {
		text = strings.TrimRight(string(termsafe.AppendAligned(nil, []byte(text), commandCells, termsafe.Left, termsafe.Options{})), " ")
	}
	return text
}

// sum adds counts, "-" if one is not known.
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
