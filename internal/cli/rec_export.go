package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/recordings"
	"mcpdbg/recordings/export"
	"mcpdbg/recordings/redact"
	"mcpdbg/session"
	"mcpdbg/ui/filter"
	"mcpdbg/ui/termsafe"
)

// exporters write the formats, by name; formatScenario has options of its own.
var exporters = map[string]func(context.Context, io.Writer, export.Selection) error{
	"jsonl": export.JSONL, "md": export.Markdown, "html": export.HTML, "har": export.HAR, "txtar": export.Txtar,
}

// exportOptions say what is exported, and where it goes.
type exportOptions struct {
	format   string
	scenario scenarioExport
	out      string
	force    bool
	shown    *filter.Filter
	from, to bound
}

func (a *app) recExportCommand() *cobra.Command {
	var o exportOptions
	var shown string
	formats := slices.Sorted(maps.Keys(exporters))
	formats = append(formats, formatScenario)
	cmd := &cobra.Command{
		Use:   "export FILE",
		Short: "Write a recording for other programs, or as a page to share",
		Long: `export writes a recording in another format:

  html     one page for a browser that needs nothing else, not even a network:
           facts, what is wrong, and a table to search, with every message
  md       a report to paste into an issue
  jsonl    one message a line, with time and direction
  har      an HTTP archive (1.2) of requests and answers, for tools that read
           those
  txtar    one file per message in a text archive, for fixtures and reviews
  scenario the calls of the session with what is expected of each, as YAML:
           mcpdbg run --scenario runs it. --expect says how much is expected:
           ok: a result or the error that it was; shape: also names of tools and
           types of structured results; exact: the whole result

html and md are bounded and say what they leave out. With --filter, --from and
--to only a part is written. Without --format the end of the name behind -o
tells it: .yaml is a scenario.

What is written has what the recording has, secrets included: mcpdbg rec redact
makes a copy without them.

` + recordingNames,
		Example: `  mcpdbg rec export last -o session.html
  mcpdbg rec export last --format md --filter 'method:tools/call or err'
  mcpdbg rec export last --format jsonl | jq -c 'select(.dir == "in")'
  mcpdbg rec export last -o smoke.yaml --expect shape`,
		ValidArgsFunction: completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("rec export takes one recording")
			}
			if o.format == "" {
				o.format = strings.TrimPrefix(filepath.Ext(o.out), ".")
			}
			if o.format == "yaml" || o.format == "yml" {
				o.format = formatScenario
			}
			if !slices.Contains(formats, o.format) {
				return withHint(usagef("which format? --format is one of %s", strings.Join(formats, ", ")), "mcpdbg rec export FILE -o session.html")
			}
			if err := o.scenario.check(cmd, o.format); err != nil {
				return err
			}
			var err error
			if o.shown, err = filter.Parse(shown); err != nil {
				return usagef("--filter: %v", err)
			}
			path, err := resolveRecording(args[0])
			if err != nil {
				return err
			}
			return a.recExport(cmd.Context(), path, o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.format, "format", "", "write this `format`: "+strings.Join(formats, ", "))
	f.StringVarP(&o.out, "output", "o", "-", "write to this `file`; - is stdout")
	f.BoolVar(&o.force, "force", false, "replace a file that is there")
	f.StringVar(&shown, "filter", "", "write only what passes the filter `expr`, as in rec cat")
	completeNothing(cmd, "filter")
	f.Var(&o.from, "from", "begin there: at the number of an entry, a time since the start such as 1.5s, or a date and time")
	f.Var(&o.to, "to", "end there, that entry or time included")
	o.scenario.register(cmd)
	completeOneOf(cmd, "format", formats...)
	return cmd
}

func (a *app) recExport(ctx context.Context, path string, o exportOptions) error {
	rec, err := recordings.OpenContext(ctx, path)
	if err != nil {
		return unreadable(path, err)
	}
	defer rec.Close()
	selection := export.Selection{Source: rec}
	among, err := between(rec, o.from, o.to)
	if err != nil {
		return err
	}
	if shown := o.shown.Over(rec); o.shown != nil || among.set {
		selection.Include = func(number int, row session.Row) bool {
			return among.has(number, row) && shown.Match(number, row)
		}
	}
	secrets := redact.NewDetector()
	if err := a.exportTo(ctx, path, selection, o, secrets); err != nil {
		return err
	}
	if name := secrets.Found(); name != "" {
		fmt.Fprintf(a.stderr, "mcpdbg: what was written has what looks like a token (%s)\n", name)
		fmt.Fprintln(a.stderr, termsafe.String("  try: mcpdbg rec redact "+path+" -o OUT, and export OUT"))
	}
	return nil
}

// exportTo writes the selection of the recording at path to its file, which is
// there only if that succeeds.
func (a *app) exportTo(ctx context.Context, path string, s export.Selection, o exportOptions, secrets io.Writer) error {
	write := exporters[o.format]
	if o.format == formatScenario {
		write = o.scenario.write
	}
	if o.out == "-" {
		return write(ctx, io.MultiWriter(a.lineOutput(), secrets), s)
	}
	out, err := createNew(o.out, o.force, path)
	if there, ok := errors.AsType[*occupiedError](err); ok {
		return withHint(there, "name another file, or add --force to replace it")
	}
	if err != nil {
		return err
	}
	if err := out.finish(write(ctx, io.MultiWriter(out, secrets), s)); err != nil {
		return fmt.Errorf("rec export: %w", err)
	}
	return nil
}
