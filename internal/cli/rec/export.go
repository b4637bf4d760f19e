package rec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/logs"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/recordings/formats"
	"mcpdbg/recordings/redact"
	"mcpdbg/session"
	"mcpdbg/session/elements"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/termsafe"
)

type exportOptions struct {
	format   string
	scenario scenarioExport
	out      string
	force    bool
	redact   bool
	redactRules
	shown    *filter.Filter
	from, to logs.Bound
}

func recExportCommand(env *console.Env) *cobra.Command {
	var o exportOptions
	var shown string
	var names []string
	for _, f := range formats.Formats() {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	names = append(names, formatScenario)
	cmd := &cobra.Command{
		Use:   "export FILE",
		Short: "Convert a recording for other programs, or to a page to share",
		Long: `export writes a recording in another format:

  html     one self-contained page for a browser, which needs no network:
           failures, times by tool, a waterfall, and a searchable table of
           all messages: failures first beyond 32 MiB or 50,000 entries
  md       a report of at most 60 KB to paste into an issue
  jsonl    one message per line, with time and direction
  har      an HTTP archive (1.2) of requests and responses, for tools that read
           those
  txtar    one file per message in a text archive, for fixtures and reviews
  scenario the calls of the session with the expected results, as YAML for
           mcpdbg run --scenario. --expect sets how much is expected: ok, a
           result or the recorded error; shape, also names of tools and types of
           structured results; exact, the whole result

html and md are limited in size and say what they omit, as does the line on
stderr that names the file. With --filter, --from and --to only a part is
written. Without --format the extension of the -o file decides; .yaml is a
scenario.

The output contains everything in the recording, secrets included. With --redact
it is made from a copy without them, as mcpdbg rec redact makes, and what was
removed is printed to stderr. The flags from --env to --identity name further
secrets, as for mcpdbg rec redact. Read the output before you share it.

` + flags.RecordingNames,
		Example: `  mcpdbg rec export last -o session.html --redact
  mcpdbg rec export last --format md --filter 'method:tools/call or err'
  mcpdbg rec export last --format jsonl | jq -c 'select(.dir == "in")'
  mcpdbg rec export last -o smoke.yaml --expect shape`,
		ValidArgsFunction: flags.CompleteRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return console.Usagef("rec export takes one recording")
			}
			if err := o.check(cmd, shown, names); err != nil {
				return err
			}
			path, err := flags.ResolveRecording(args[0])
			if err != nil {
				return err
			}
			return recExport(cmd.Context(), env, path, o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.format, "format", "", "output `format`: "+strings.Join(names, ", "))
	f.StringVarP(&o.out, "output", "o", "-", "output `file`; - is standard output")
	f.BoolVar(&o.force, "force", false, "overwrite an existing file")
	f.StringVar(&shown, "filter", "", "write only entries that match the filter `expr`, as in rec cat")
	flags.CompleteNothing(cmd, "filter")
	f.Var(&o.from, "from", "start at this entry number, time since the start such as 1.5s, or date and time")
	f.Var(&o.to, "to", "end at this entry or time, inclusive")
	f.BoolVar(&o.redact, "redact", false, "remove secrets first, as mcpdbg rec redact")
	o.register(cmd)
	o.scenario.register(cmd)
	flags.CompleteOneOf(cmd, "format", names...)
	return cmd
}

func (o *exportOptions) check(cmd *cobra.Command, shown string, names []string) error {
	if o.format == "" {
		o.format = strings.TrimPrefix(filepath.Ext(o.out), ".")
	}
	if o.format == "yaml" || o.format == "yml" {
		o.format = formatScenario
	}
	if !slices.Contains(names, o.format) {
		return console.WithHint(console.Usagef("unknown format: --format must be one of %s", strings.Join(names, ", ")), "mcpdbg rec export FILE -o session.html")
	}
	if err := o.scenario.check(cmd, o.format); err != nil {
		return err
	}
	for _, name := range redactFlags {
		if cmd.Flags().Changed(name) && !o.redact {
			return console.Usagef("--%s requires --redact", name)
		}
	}
	var err error
	if o.shown, err = flags.Filter("--filter", shown); err != nil {
		return err
	}
	return nil
}

func recExport(ctx context.Context, env *console.Env, path string, o exportOptions) error {
	rec, err := o.open(ctx, env, path)
	if err != nil {
		return err
	}
	defer rec.Close()
	omitted := 0
	selection := formats.Selection{Source: rec, Omits: func(entries int) { omitted = entries }}
	among, err := logs.Between(rec, o.from, o.to)
	if err != nil {
		return err
	}
	if shown := o.shown.Matcher(elements.New(rec)); o.shown != nil || among.Set {
		selection.Include = func(number int, row session.Row) bool {
			return among.Has(number, row) && shown.Match(number, row)
		}
	}
	secrets := redact.NewDetector()
	if err := exportTo(ctx, env, path, selection, &o, secrets); err != nil {
		return err
	}
	if o.out != "-" {
		fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: wrote "+o.out+wroteText(&o, omitted)))
	}
	if copied, ok := rec.(*redact.Temporary); ok {
		printRedacted(env.Stderr, copied.Report, redactOptions{out: o.out})
	}
	if name := secrets.Found(); name != "" {
		fmt.Fprintf(env.Stderr, "mcpdbg: the output contains what looks like a token (%s)\n", name)
		if !o.redact {
			fmt.Fprintln(env.Stderr, "  try: --redact to remove secrets from the output")
		}
	}
	return nil
}

// wroteText describes a written file.
func wroteText(o *exportOptions, omitted int) string {
	text := ""
	if info, err := os.Stat(o.out); err == nil {
		text = ", " + wording.Bytes(info.Size())
	}
	text += wording.IfCounted(uint64(o.scenario.steps), ", %s", "step")
	if omitted > 0 {
		text += "; omits " + wording.Plural(omitted, "row") + ": --filter selects others"
	}
	return text
}

// Or a redacted copy of one.
type openRecording interface {
	session.Source
	io.Closer
}

func (o *exportOptions) open(ctx context.Context, env *console.Env, path string) (openRecording, error) {
	if !o.redact {
		rec, err := recordings.OpenContext(ctx, path)
		if err != nil {
			return nil, flags.Unreadable(path, err)
		}
		return rec, nil
	}
	rules, err := o.rules(ctx, env)
	if err != nil {
		return nil, err
	}
	copied, err := redact.Open(ctx, path, rules)
	var rule *redact.RuleError
	switch {
	case errors.As(err, &rule):
		return nil, console.Usagef("%v", rule)
	case err != nil:
		return nil, flags.Unreadable(path, err)
	}
	return copied, nil
}

func (o *exportOptions) write() func(context.Context, io.Writer, formats.Selection) error {
	for _, f := range formats.Formats() {
		if f.Name == o.format {
			return f.Write
		}
	}
	return o.scenario.write
}

// The file exists only after success.
func exportTo(ctx context.Context, env *console.Env, path string, s formats.Selection, o *exportOptions, secrets io.Writer) error {
	write := func(to io.Writer) error {
		return writeBehind(io.MultiWriter(to, secrets), func(to io.Writer) error { return o.write()(ctx, to, s) })
	}
	if o.out == "-" {
		return write(env.LineOutput())
	}
	out, err := console.Create(o.out, o.force, path)
	if there, ok := errors.AsType[*console.ExistsError](err); ok {
		return console.WithHint(there, "name another file, or add --force to overwrite it")
	}
	if err != nil {
		return err
	}
	if err := out.Finish(write(out)); err != nil {
		return fmt.Errorf("rec export: %w", err)
	}
	return nil
}
