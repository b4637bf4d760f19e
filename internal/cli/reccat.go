package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/ui/filter"
	"mcpdbg/ui/termsafe"
)

// catOptions say what of a recording is printed, and how. The zero value is
// all of it, as run prints.
type catOptions struct {
	shown    *filter.Filter // nil: all
	from, to bound
	json     bool
	jq       string // an expression; "": none
	raw      bool   // strings of jq as they are
	follow   bool   // also what is added while it is being recorded
}

func (a *app) recCatCommand() *cobra.Command {
	var o catOptions
	var shown string
	cmd := &cobra.Command{
		Use:   "cat FILE",
		Short: "Print a recording: a line for each entry, or what jq makes of it",
		Long: `cat prints a recording as run prints a session: number, seconds since the start,
sequence number, direction, kind and text of each entry.

  --json      the lines of the recording as they are, byte for byte, behind its
              header; what is printed is a recording again
  --jq EXPR   each entry through an expression of jq, one result a line. An
              entry has .n .t .k .seq and .m (the message), .raw or .b64;
              docs/recording-format.md lists them. Numbers are as they stand in
              the recording until the expression reckons with them; then whole
              numbers stay exact and others are 64-bit floats. Members are
              sorted by name. Where it fails, an error names the entry, and the
              others go on.

With --filter, the filter of the screen, only entries are printed that pass:
  method:tools/* tool:NAME id:7 dir:in dir:out kind:request err >100ms <5s
  n:10-20 seq:3- run:2 text "some text" /regexp/ !not and or
It goes before --jq, and is much faster: use it to leave out what jq need not
see. With --follow an entry is judged when it comes: how long a request took,
for one, only its response knows then.

` + recordingNames + `

The exit code is 1 if the expression of --jq failed for an entry, and 2 if the
file can't be read.`,
		Example: `  mcpdbg rec cat last
  mcpdbg rec cat last --filter 'method:tools/call >100ms'
  mcpdbg rec cat last --filter err --json > errors.jsonl
  mcpdbg rec cat last --filter kind:request --jq '.m | {method, params}'
  mcpdbg rec cat last --filter kind:stderr --jq .raw -r
  mcpdbg rec cat last --follow --filter err
  mcpdbg rec cat session.jsonl --from 10s --to 12.5s`,
		ValidArgsFunction: completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("rec cat takes one recording")
			}
			switch jq := cmd.Flags().Changed("jq"); {
			case jq && o.json:
				return usagef("--json and --jq can't be mixed")
			case jq && o.jq == "":
				return usagef("--jq needs an expression; . is the whole entry")
			case o.raw && !jq:
				return usagef("--raw-output means nothing without --jq")
			}
			var err error
			if o.shown, err = filter.Parse(shown); err != nil {
				return usagef("--filter: %v", err)
			}
			path, err := resolveRecording(args[0])
			if err != nil {
				return err
			}
			return a.recCat(cmd.Context(), path, o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&shown, "filter", "", "print only what passes the filter `expr`")
	completeNothing(cmd, "filter")
	f.Var(&o.from, "from", "begin there: at the number of an entry, a time since the start such as 1.5s, or a date and time")
	f.Var(&o.to, "to", "end there, that entry or time included")
	f.BoolVar(&o.json, "json", false, "print the lines of the recording")
	f.StringVar(&o.jq, "jq", "", "print what the jq `expr` makes of each entry")
	f.BoolVarP(&o.follow, "follow", "f", false, "go on with what is added while it is being recorded, until that ends")
	f.BoolVarP(&o.raw, "raw-output", "r", false, "with --jq: strings as they are, without quotes")
	return cmd
}

// recCat prints a recording. The memory that it takes does not depend on how
// long the recording is: of one line at a time more than 64 KiB is held only
// for --jq, and for a text in the filter.
func (a *app) recCat(ctx context.Context, path string, o catOptions) error {
	rec, err := o.open(ctx, path)
	if err != nil {
		return unreadable(path, err)
	}
	defer rec.Close()
	src := rec.Ahead()
	lines := newLineWriter(src, a.lineOutput(), o.json)
	lines.shown = o.shown.Over(src)
	if lines.among, err = between(src, o.from, o.to); err != nil {
		return err
	}
	var jq *jqWriter
	if o.jq != "" {
		if jq, err = newJQWriter(ctx, o.jq, lines, a.stderr); err != nil {
			return err
		}
		jq.raw = o.raw
		lines.print = jq.print
	}
	if o.json {
		header, err := rec.HeaderLine()
		if err != nil {
			return unreadable(path, err)
		}
		if _, err := lines.w.Write(recordings.WithoutSecrets(header)); err != nil {
			return err
		}
	}
	err = catRows(ctx, rec, lines, o.follow)
	if flushErr := lines.w.Flush(); err == nil || errors.Is(err, errHalt) {
		err = flushErr
	}
	if err != nil {
		return err
	}
	if text := rec.Warnings().String(); text != "" {
		fmt.Fprintln(a.stderr, termsafe.String("mcpdbg: "+path+": not understood: "+text))
	}
	if jq != nil {
		return jq.failure()
	}
	return nil
}

// open opens a recording. What it prints of a row may depend on later ones, such
// as the answer to a request; then all of them are read first.
func (o *catOptions) open(ctx context.Context, path string) (*recordings.Recording, error) {
	if o.follow || o.shown == nil && (o.json || o.jq != "") {
		return recordings.OpenAtOnce(path)
	}
	return recordings.OpenContext(ctx, path)
}

// catRows writes the rows as they are indexed: those that the file had when it
// was opened, or with follow also those that its recorder adds, until it ends.
func catRows(ctx context.Context, rec *recordings.Recording, lines *lineWriter, follow bool) error {
	for {
		changed, over := rec.Changed(), false
		select {
		case <-rec.Indexed():
			over = !follow || rec.Stats().Recording != session.RecordingOn
			if !follow && lines.stop == 0 {
				lines.stop = rec.Len()
			}
		default:
		}
		if err := lines.write(ctx); err != nil {
			return err
		}
		if over {
			return rec.Progress().Err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// lineOutput is stdout for lines with whatever a server wrote: as they are, or
// made safe where a terminal shows them.
func (a *app) lineOutput() io.Writer {
	out, _ := a.stdout.(*resultWriter)
	file, _ := out.w.(*os.File)
	if a.terminal || file != nil && isTerminal(file) {
		return &safeWriter{w: a.stdout}
	}
	return a.stdout
}

// A safeWriter makes what is written safe for a terminal, line by line. A line
// that comes in several writes is made safe in as many pieces.
type safeWriter struct {
	w    io.Writer
	part []byte // of a character that is not whole yet
	buf  []byte
}

// Write implements io.Writer.
func (s *safeWriter) Write(p []byte) (int, error) {
	text := append(s.part, p...)
	whole := wholeCharacters(text)
	s.part = bytes.Clone(text[whole:])
	s.buf = s.buf[:0]
	for line := range bytes.Lines(text[:whole]) {
		end := bytes.HasSuffix(line, []byte("\n"))
		s.buf = safe(s.buf, string(bytes.TrimSuffix(line, []byte("\n"))))
		if end {
			s.buf = append(s.buf, '\n')
		}
	}
	if _, err := s.w.Write(s.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}

// wholeCharacters is how long text is without a character that is cut at its
// end.
func wholeCharacters(text []byte) int {
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if last := text[len(text)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return len(text) - i
			}
			break
		}
	}
	return len(text)
}
