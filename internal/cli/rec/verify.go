package rec

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/logs"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
)

func recVerifyCommand(env *console.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify FILE...",
		Short: "Check that recordings are complete and unaltered",
		Long: `verify reads recordings from start to end, reassembles every stream of every
process, and compares its length and hash with what the recorder wrote. It also
looks for gaps in the sequence numbers, and checks every line against the
format, which docs/reference/recording-format.md describes.

An unfinished recording, because it is still being written or its recorder was
killed or found the disk full, gets a note and is not a problem. A partial copy,
such as the output of rec cat --filter --json, is a problem.

` + flags.RecordingNames + `

The exit code is 1 if there is a problem, and 2 if a file cannot be read.`,
		Example: `  mcpdbg rec verify last
  mcpdbg rec verify --json *.jsonl`,
		ValidArgsFunction: flags.CompleteRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return console.Usagef("rec verify takes one or more recordings")
			}
			if err := flags.ResolveRecordings(args); err != nil {
				return err
			}
			return recVerify(cmd.Context(), env, args, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array with an object for each recording")
	return cmd
}

// Verification is what rec verify --json prints.
type Verification struct {
	File     string               `json:"file"`
	OK       bool                 `json:"ok"`
	Finished bool                 `json:"finished"`
	Stopped  string               `json:"stopped,omitempty"` // why its recorder could not write the rest
	Entries  int                  `json:"entries"`
	Skipped  string               `json:"skipped,omitempty"` // unsupported parts, counted
	Streams  []recordings.Stream  `json:"streams"`
	Problems []recordings.Problem `json:"problems"`
	More     int                  `json:"problems_more,omitempty"` // not listed
}

func recVerify(ctx context.Context, env *console.Env, files []string, asJSON bool) error {
	all := make([]Verification, 0, len(files))
	bad, printErr := 0, error(nil)
	for _, file := range files {
		report, err := verifyFile(ctx, env, file)
		if err != nil {
			return flags.Unreadable(file, err)
		}
		info := newVerifyInfo(file, report)
		if !info.OK {
			bad++
		}
		if all = append(all, info); !asJSON && printErr == nil {
			printErr = printVerify(env, &info)
		}
	}
	if asJSON {
		printErr = env.PrintDocument(all)
	}
	if bad > 0 {
		return console.Printed(&console.ResponseError{Err: fmt.Errorf("problems in %d of %s", bad, wording.Plural(len(files), "recording"))}, printErr)
	}
	return printErr
}

func verifyFile(ctx context.Context, env *console.Env, file string) (*recordings.Report, error) {
	meter := logs.NewMeter(env, "verifying "+filepath.Base(file))
	defer meter.Close()
	var part *logs.Part
	return recordings.VerifyContext(ctx, file, func(read, size int64) {
		if part == nil {
			part = meter.Part(size)
		}
		part.To(read)
	})
}

func newVerifyInfo(file string, r *recordings.Report) Verification {
	return Verification{
		File: file, OK: r.OK(), Finished: r.Finished, Stopped: r.Stopped, Entries: r.Entries, Skipped: r.Warnings.String(),
		Streams:  append([]recordings.Stream{}, r.Streams...), // [] instead of null
		Problems: append([]recordings.Problem{}, r.Problems...), More: r.More,
	}
}

func printVerify(env *console.Env, info *Verification) error {
	var p console.Page
	verdict := "ok"
	if !info.OK {
		verdict = "NOT OK, " + wording.Plural(len(info.Problems)+info.More, "problem")
	}
	p.Line(fmt.Sprintf("%s: %s, %s", info.File, verdict, wording.Plural(info.Entries, "entry")))
	for _, s := range info.Streams {
		state := "as recorded"
		switch {
		case s.Wrong:
			state = "WRONG"
		case !s.Checked:
			state = "nothing to compare with"
		}
		p.Columns(streamWidths, s.Process, s.Name, wording.Bytes(int64(s.Bytes)), s.XXH64, state)
	}
	for _, problem := range info.Problems {
		p.Columns(nil, problem.String())
	}
	if info.More > 0 {
		p.Columns(nil, fmt.Sprintf("and %d more", info.More))
	}
	switch {
	case info.Stopped != "":
		p.Columns(nil, "note: incomplete: "+info.Stopped)
	case !info.Finished:
		p.Columns(nil, "note: unfinished: the recorder is still writing, was killed, or could not write")
	}
	if info.Skipped != "" {
		p.Columns(nil, "note: "+info.Skipped)
	}
	_, err := env.Stdout.Write([]byte(p.String()))
	return err
}

var streamWidths = []int{12, 6, 12, 16}
