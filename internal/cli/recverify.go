package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"mcpdbg/recordings"
)

func (a *app) recVerifyCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify FILE...",
		Short: "Check that recordings are whole and hold what was recorded",
		Long: `verify reads recordings from end to end, puts every stream of every process
together again, and holds its length and hash against what the recorder wrote;
it looks for holes in the sequence numbers, and holds every line against the
format, which docs/recording-format.md describes.

A recording that is not finished, because it is still being written or its
recorder was killed or found the disk full, is no problem but a note. A copy
that was cut down, such as one that rec cat --filter --json printed, is one.

` + recordingNames + `

The exit code is 1 if there is a problem, and 2 if a file can't be read.`,
		Example: `  mcpdbg rec verify last
  mcpdbg rec verify --json *.jsonl`,
		ValidArgsFunction: completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("rec verify takes one recording or more")
			}
			if err := resolveRecordings(args); err != nil {
				return err
			}
			return a.recVerify(cmd.Context(), args, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array with an object for each recording")
	return cmd
}

// verifyInfo is what rec verify --json says of a recording.
type verifyInfo struct {
	File     string          `json:"file"`
	OK       bool            `json:"ok"`
	Finished bool            `json:"finished"`
	Stopped  string          `json:"stopped,omitempty"` // why its recorder could not write the rest
	Entries  int             `json:"entries"`
	Skipped  string          `json:"skipped,omitempty"` // what was not understood
	Streams  []verifyStream  `json:"streams"`
	Problems []verifyProblem `json:"problems"`
	More     int             `json:"problems_more,omitempty"` // that are not listed
}

type verifyStream struct {
	Process string `json:"process"`
	Stream  string `json:"stream"`
	Bytes   uint64 `json:"bytes"`
	XXH64   string `json:"xxh64"`
	Checked bool   `json:"checked"`         // bytes and hash are those that the recorder wrote
	Wrong   bool   `json:"wrong,omitempty"` // they are others
}

type verifyProblem struct {
	N    uint64 `json:"n,omitempty"` // of the entry; 0: before the first one
	Text string `json:"text"`
}

func (a *app) recVerify(ctx context.Context, files []string, asJSON bool) error {
	all := make([]verifyInfo, 0, len(files))
	bad, printErr := 0, error(nil)
	for _, file := range files {
		report, err := recordings.VerifyContext(ctx, file)
		if err != nil {
			return unreadable(file, err)
		}
		info := newVerifyInfo(file, report)
		if !info.OK {
			bad++
		}
		if all = append(all, info); !asJSON && printErr == nil {
			printErr = a.printVerify(&info)
		}
	}
	if asJSON {
		doc, err := json.Marshal(all)
		if err != nil {
			return fmt.Errorf("rec verify: %w", err)
		}
		printErr = a.printJSON(doc)
	}
	if bad > 0 {
		return printed(&answerError{err: fmt.Errorf("something is wrong in %d of %s", bad, plural(uint64(len(files)), "recording"))}, printErr)
	}
	return printErr
}

func newVerifyInfo(file string, r *recordings.Report) verifyInfo {
	info := verifyInfo{
		File: file, OK: r.OK(), Finished: r.Finished, Stopped: r.Stopped, Entries: r.Entries, Skipped: r.Warnings.String(), More: r.More,
		Streams: []verifyStream{}, Problems: []verifyProblem{},
	}
	for _, s := range r.Streams {
		info.Streams = append(info.Streams, verifyStream{Process: s.Process, Stream: s.Name, Bytes: s.Bytes, XXH64: s.XXH64, Checked: s.Checked, Wrong: s.Wrong})
	}
	for _, p := range r.Problems {
		info.Problems = append(info.Problems, verifyProblem(p))
	}
	return info
}

// printVerify prints what was found out about one recording.
func (a *app) printVerify(info *verifyInfo) error {
	var p page
	verdict := "ok"
	if !info.OK {
		verdict = "NOT OK, " + plural(uint64(len(info.Problems)+info.More), "problem")
	}
	p.line(fmt.Sprintf("%s: %s, %s", info.File, verdict, plural(uint64(info.Entries), "entry")))
	for _, s := range info.Streams {
		state := "the same as recorded"
		switch {
		case s.Wrong:
			state = "WRONG"
		case !s.Checked:
			state = "nothing to hold it against"
		}
		p.columns(streamWidths, s.Process, s.Stream, byteCount(int64(s.Bytes)), s.XXH64, state)
	}
	for _, problem := range info.Problems {
		p.columns(nil, recordings.Problem(problem).String())
	}
	if info.More > 0 {
		p.columns(nil, fmt.Sprintf("and %d more", info.More))
	}
	switch {
	case info.Stopped != "":
		p.columns(nil, "note: incomplete: "+info.Stopped)
	case !info.Finished:
		p.columns(nil, "note: not finished: the recorder is at work, was ended, or could not write")
	}
	if info.Skipped != "" {
		p.columns(nil, "note: "+info.Skipped)
	}
	_, err := a.stdout.Write([]byte(p.String()))
	return err
}

// streamWidths are those of the columns of streams: process, stream, size, hash.
var streamWidths = []int{12, 6, 12, 16}
