package rec

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/logs"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/session/elements"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/termsafe"
)

// The zero value prints all of a recording, as run does.
type catOptions struct {
	shown    *filter.Filter // nil: all
	from, to logs.Bound
	json     bool
	jq       string // an expression; "": none
	raw      bool   // print strings from jq unquoted
	follow   bool   // also new entries of a running recording
	name     string // of one of several recordings
}

const catHelp = `cat prints a recording as run prints a session: number, seconds since the start,
sequence number, direction, kind and text of each entry. With several files, or
a folder, which means the recordings that rec ls lists of it, each line begins
with the file.

  --json      the lines of the recording, byte for byte, after its header; the
              output is itself a recording
  --jq EXPR   each entry through a jq expression, one result per line. An entry
              has .n .t .k .seq and .m (the message), .raw or .b64;
              docs/reference/recording-format.md lists them. Numbers are
              printed as recorded unless the expression computes with them; then
              integers stay exact and others are 64-bit floats. Members are
              sorted by name. An error names the entry; the other entries are
              still printed.

--filter prints only the entries that match. The syntax is that of the
interface:
  method:tools/* tool:NAME id:7 dir:in dir:out kind:request err >100ms <5s
  is:failed is:unanswered is:slow n:10-20 seq:3- run:2
  k=3333 "some text" /regexp/ !not and or
k=333 is the whole name and value; "k=333" in quotes also finds k=3330.
It runs before --jq and is much faster: use it to skip entries that jq need not
see. With --follow an entry is filtered when it arrives: a request has no
duration yet, only its response has.

` + flags.RecordingNames + `

The exit code is 1 if the --jq expression failed for an entry, and 2 if a file
cannot be read. It is 0 if no entry matches; rec find then exits with 1.`

func recCatCommand(env *console.Env) *cobra.Command {
	var o catOptions
	var shown string
	cmd := &cobra.Command{
		Use:   "cat FILE...",
		Short: "Print the entries of recordings as text, as JSON or through jq",
		Long:  catHelp,
		Example: `  mcpdbg rec cat last
  mcpdbg rec cat last --filter 'method:tools/call >100ms'
  mcpdbg rec cat last --filter err --json > errors.jsonl
  mcpdbg rec cat last --filter kind:request --jq '.m | {method, params}'
  mcpdbg rec cat last --filter kind:stderr --jq .raw -r
  mcpdbg rec cat last --follow --filter err
  mcpdbg rec cat session.jsonl --from 10s --to 12.5s`,
		ValidArgsFunction: flags.CompleteRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return console.Usagef("rec cat requires at least one recording")
			}
			switch jq := cmd.Flags().Changed("jq"); {
			case jq && o.json:
				return console.Usagef("--json and --jq cannot be combined")
			case jq && o.jq == "":
				return console.Usagef("--jq requires an expression, such as . for the whole entry")
			case o.raw && !jq:
				return console.Usagef("--raw-output requires --jq")
			}
			var err error
			if o.shown, err = flags.Filter("--filter", shown); err != nil {
				return err
			}
			sources, err := sourcesOf(args)
			if err != nil {
				return err
			}
			if len(sources) == 1 {
				return recCat(cmd.Context(), env, sources[0].path, o)
			}
			return catAll(cmd.Context(), env, sources, o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&shown, "filter", "", "print only entries that match the filter `expr`")
	flags.CompleteNothing(cmd, "filter")
	f.Var(&o.from, "from", "start at this entry number, time since the start such as 1.5s, or date and time")
	f.Var(&o.to, "to", "end at this entry or time, inclusive")
	f.BoolVar(&o.json, "json", false, "print the lines of the recording")
	f.StringVar(&o.jq, "jq", "", "print the results of the jq `expr` for each entry")
	f.BoolVarP(&o.follow, "follow", "f", false, "keep printing new entries until the recording ends")
	f.BoolVarP(&o.raw, "raw-output", "r", false, "with --jq: print strings without quotes")
	return cmd
}

// catAll prints several recordings, with their names before each line of text.
func catAll(ctx context.Context, env *console.Env, sources []source, o catOptions) error {
	switch {
	case o.json:
		return console.WithHint(console.Usagef("--json prints one recording, not several"), "mcpdbg rec find --json")
	case o.follow:
		return console.Usagef("--follow takes one recording")
	}
	unread := 0
	var failed error // --jq
	for _, s := range sources {
		o.name = s.name
		err := recCat(ctx, env, s.path, o)
		if _, ok := errors.AsType[*unreadableError](err); ok {
			unread++
			fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: "+err.Error()))
		} else if _, ok := errors.AsType[*console.ResponseError](err); ok {
			failed = err
			fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: "+s.name+": "+err.Error()))
		} else if err != nil {
			return err
		}
	}
	if failed != nil {
		return failed
	}
	if unread > 0 {
		return console.Usagef("%s could not be read", wording.Plural(unread, "recording"))
	}
	return nil
}

// An unreadableError is about one of several recordings; the others are still printed.
type unreadableError struct{ error }

func (e *unreadableError) Unwrap() error { return e.error }

// Memory does not grow with the recording: one line at a time, and more than 64 KiB of it
// only for --jq or a text in the filter.
func recCat(ctx context.Context, env *console.Env, path string, o catOptions) error {
	rec, err := o.open(ctx, path)
	if err != nil {
		return &unreadableError{flags.Unreadable(path, err)}
	}
	defer rec.Close()
	src := rec.ReadAhead()
	lines := logs.NewWriter(src, env.LineOutput(), o.json)
	lines.Name = o.name
	lines.Shown = o.shown.Matcher(elements.New(rec))
	if lines.Among, err = logs.Between(rec, o.from, o.to); err != nil {
		return err
	}
	var jq *jqWriter
	if o.jq != "" {
		if jq, err = newJQWriter(ctx, o.jq, lines, env.Stderr); err != nil {
			return err
		}
		jq.raw = o.raw
		lines.Print, lines.ByLine = jq.print, false
	}
	if o.json {
		header, err := rec.HeaderLine()
		if err != nil {
			return flags.Unreadable(path, err)
		}
		if _, err := lines.Out.Write(recordings.WithoutSecrets(header)); err != nil {
			return err
		}
	}
	err = logs.Copy(ctx, rec, lines, o.follow)
	if flushErr := lines.Out.Flush(); err == nil || errors.Is(err, errHalt) {
		err = flushErr
	}
	if err != nil {
		return err
	}
	if text := rec.Warnings().String(); text != "" {
		fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: "+path+": skipped: "+text))
	}
	if jq != nil {
		return jq.failure()
	}
	if lines.Written == 0 && o.shown != nil && !o.follow {
		o.sayNone(env, filepath.Base(path), rec.Progress().Entries, lines.Among.Set)
	}
	return nil
}

// sayNone reports what was searched in vain.
func (o *catOptions) sayNone(env *console.Env, name string, entries uint64, bounded bool) {
	text := noMatch(o.shown, entries, name, 1)
	if bounded {
		text = fmt.Sprintf("no entry matches %s between --from and --to in %s", o.shown, name)
	}
	fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: "+text))
	if try := hintOf("--filter", o.shown); try != "" {
		fmt.Fprintln(env.Stderr, termsafe.String("  try: "+try))
	}
}

// If the output for a row may depend on later rows, such as the response to a request,
// open reads all of them first.
func (o *catOptions) open(ctx context.Context, path string) (*recordings.Recording, error) {
	if o.follow || o.shown == nil && (o.json || o.jq != "") {
		return recordings.OpenProgressive(path)
	}
	if o.json && !o.from.Given() && !o.to.Given() {
		return openFor(ctx, path, o.shown, true)
	}
	return recordings.OpenContext(ctx, path)
}
