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
	var o verifyOptions
	cmd := &cobra.Command{
		Use:   "verify FILE...",
		Short: "Check that recordings are complete and unaltered",
		Long: `verify reads recordings from start to end, reassembles every stream of every
process, and compares its length and hash with what the recorder wrote. It also
looks for gaps in the sequence numbers, and checks every line against the
format, which docs/reference/recording-format.md describes.

The last entry has a hash of the header and all entries, so that an edited time,
exit code or header is found too. Unfinished recordings, and those of older
versions or other programs, have none, and verify reports that. It is not a
signature: after an edit on purpose it can be computed again.

An unfinished recording, because it is still being written or its recorder was
killed or found the disk full, or because the end of the file is missing, is "ok
so far"; with --complete it is a problem. A partial copy, such as the output of
rec cat --filter --json, is always a problem.

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
			return recVerify(cmd.Context(), env, args, o)
		},
	}
	cmd.Flags().BoolVar(&o.complete, "complete", false, "an unfinished recording is a problem")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print a JSON array with an object for each recording")
	return cmd
}

type verifyOptions struct{ complete, asJSON bool }

// Verification is what rec verify --json prints.
type Verification struct {
	File     string               `json:"file"`
	OK       bool                 `json:"ok"`
	Finished bool                 `json:"finished"`
	Stopped  string               `json:"stopped,omitempty"` // why its recorder could not write the rest
	Whole    bool                 `json:"whole"`             // the hash over header and entries agrees
	Entries  int                  `json:"entries"`
	Skipped  string               `json:"skipped,omitempty"` // unsupported parts, counted
	Streams  []recordings.Stream  `json:"streams"`
	Problems []recordings.Problem `json:"problems"`
	More     int                  `json:"problems_more,omitempty"` // not listed
}

func recVerify(ctx context.Context, env *console.Env, files []string, o verifyOptions) error {
	all := make([]Verification, 0, len(files))
	bad, printErr := 0, error(nil)
	for _, file := range files {
		report, err := verifyFile(ctx, env, file)
		if err != nil {
			return flags.Unreadable(file, err)
		}
		info := newVerifyInfo(file, report)
		info.OK = info.OK && (info.Finished || !o.complete)
		if !info.OK {
			bad++
		}
		if all = append(all, info); !o.asJSON && printErr == nil {
			printErr = printVerify(env, &info, report.Header.Part)
		}
	}
	if o.asJSON {
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
		File: file, OK: r.OK(), Finished: r.Finished, Whole: r.Whole, Stopped: r.Stopped, Entries: r.Entries, Skipped: r.Warnings.String(),
		Streams:  append([]recordings.Stream{}, r.Streams...), // [] instead of null
		Problems: append([]recordings.Problem{}, r.Problems...), More: r.More,
	}
}

func printVerify(env *console.Env, info *Verification, part int) error {
	var p console.Page
	p.Line(fmt.Sprintf("%s: %s, %s", info.File, verdict(info), wording.Plural(info.Entries, "entry")))
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
	p.Columns(nil, "covered: "+covered(info, part))
	switch {
	case info.Stopped != "":
		p.Columns(nil, "note: incomplete: "+info.Stopped)
	case !info.Finished:
		p.Columns(nil, "note: unfinished: the recorder is still writing, was killed, or the end of the file is missing")
	}
	if info.Skipped != "" {
		p.Columns(nil, "note: "+info.Skipped)
	}
	_, err := env.Stdout.Write([]byte(p.String()))
	return err
}

func verdict(info *Verification) string {
	switch problems := len(info.Problems) + info.More; {
	case problems > 0:
		return "NOT OK, " + wording.Plural(problems, "problem")
	case !info.OK:
		return "NOT OK, unfinished"
	case !info.Finished:
		return "ok so far, unfinished"
	}
	return "ok"
}

// covered describes which changes would have been found.
func covered(info *Verification, part int) string {
	but := "streams, numbers and format; not times, header and exit codes: "
	switch {
	case info.Whole:
		return "the header and every entry, with times and exit codes"
	case part > 0:
		return but + "this is one of several parts"
	case !info.Finished:
		return but + "the recording is unfinished"
	case !info.OK:
		return but + "see above"
	}
	return but + "the last entry has no hash"
}

var streamWidths = []int{12, 6, 12, 16}
