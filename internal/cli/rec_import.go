package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/recordings"
	"mcpdbg/recordings/imports"
	"mcpdbg/ui/termsafe"
)

// shownUnread is how many lines that could not be read are named.
const shownUnread = 5

// importOptions say what is imported, and where it goes.
type importOptions struct {
	imports.Options
	json bool
}

func (a *app) recImportCommand() *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FILE [-- COMMAND [ARG...]]",
		Short: "Make a recording of what another program wrote",
		Long: `import makes a recording of a session that another program wrote down. What it
is is found out by what is in it:

  mcpsnoop         the session logs of mcpsnoop
  mcpsnoop-json    what mcpsnoop export --format json writes
  mcp-cassette     cassettes of mcp-cassette (npm), versions 1 and 2
  claude-desktop   mcp-server-NAME.log and mcp.log of Claude Desktop
  inspector        what the MCP Inspector 2.x exports of its protocol screen
  jsonl            one message a line with a direction: in and out, send and
                   recv, client and server, c2s and s2c and such; also what
                   mcpdbg rec export --format jsonl writes
  txtar            what mcpdbg rec export --format txtar writes

Messages are taken byte for byte as FILE has them. What it has not, such as
stderr or exit codes, is said in the first entry of the recording and on
standard error; lines that can't be read become notes in the recording. FILE may
be -, which is standard input. COMMAND is how the server was started, for a
FILE that does not tell.

Without -o the recording goes to the folder where sessions are recorded, and its
path is printed. A file that is there is never overwritten.`,
		Example: `  mcpdbg rec import ~/Library/Logs/Claude/mcp-server-weather.log
  mcpdbg rec import session.cassette.jsonl -o session.jsonl
  pbpaste | mcpdbg rec import - --format claude-desktop -- npx -y weather`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("rec import takes one file")
			}
			o.Argv = a.command
			return a.recImport(cmd.Context(), args[0], o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&o.Path, "output", "o", "", "the recording to make, a new `file`")
	f.StringVar(&o.Format, "format", "", "read it as this `format`: "+strings.Join(imports.Formats(), ", "))
	f.StringVar(&o.Only, "only", "", "of several sessions or servers in the file take the one of this `name`, not the first")
	f.BoolVar(&o.json, "json", false, "print the report as one JSON object to stdout")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(imports.Formats(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (a *app) recImport(ctx context.Context, path string, o importOptions) error {
	if o.Path == "-" {
		return withHint(usagef("a recording can't go to standard output"), "name a file with -o")
	}
	from, err := a.importSource(ctx, path, &o.Options)
	if err != nil {
		return err
	}
	defer from.Close()
	o.Tool = "mcpdbg " + version
	report, err := imports.Import(ctx, from, o.Options)
	if err != nil {
		return importFailed(path, err)
	}
	if o.json {
		doc, err := json.Marshal(report)
		if err != nil {
			return fmt.Errorf("rec import: %w", err)
		}
		return a.printJSON(doc)
	}
	printImported(a.stderr, report)
	_, err = fmt.Fprintln(a.stdout, termsafe.String(report.Recording))
	return err
}

// importSource opens what is imported.
func (a *app) importSource(ctx context.Context, path string, o *imports.Options) (io.ReadCloser, error) {
	o.File, o.Modified = standardInput, time.Now()
	if path != "-" {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, withHint(usagef("%s: there is no such file", path), "name the file that the other program wrote, or - for standard input")
		case err != nil:
			return nil, usagef("%v", err)
		}
		o.File, o.Modified = filepath.Base(path), info.ModTime()
	}
	from, err := a.open(ctx, "rec import", path)
	if err != nil {
		return nil, usagef("%v", err)
	}
	return from, nil
}

// importFailed words why there is no recording.
func importFailed(path string, err error) error {
	if errors.As(err, new(*signalError)) {
		return err
	}
	formats := "--format is one of " + strings.Join(imports.Formats(), ", ")
	if unknown, ok := errors.AsType[*imports.UnknownError](err); ok {
		if unknown.Saw == imports.Recording {
			return withHint(usagef("%s: it is a recording already", path), "mcpdbg open "+path)
		}
		return withHint(usagef("%s: %v", path, unknown), formats)
	}
	if empty, ok := errors.AsType[*imports.EmptyError](err); ok {
		return withHint(usagef("%s: %v", path, empty), formats)
	}
	if exists, ok := errors.AsType[*recordings.CreateError](err); ok {
		return withHint(usagef("%v", exists), "name another file with -o")
	}
	return fmt.Errorf("rec import %s: %w", path, err)
}

// printImported prints what became of a file, whose contents anybody may have
// written.
func printImported(w io.Writer, r *imports.Report) {
	line := func(format string, args ...any) { fmt.Fprintln(w, termsafe.String(fmt.Sprintf(format, args...))) }
	line("imported as %s: %s sent, %d received%s%s", r.From, plural(r.Sent, "message"), r.Received,
		count(r.Stray, ", %s that are no message", "line"), count(r.Stderr, ", %s of stderr", "line"))
	for _, remark := range r.Remarks {
		line("  %s", remark)
	}
	for _, remark := range []struct {
		n    int
		text string
	}{
		{r.Cut, "%s of which there is only the beginning"},
		{r.Moved, "%s whose time fell, and is that of the one before"},
	} {
		if remark.n > 0 {
			line("  "+remark.text, plural(uint64(remark.n), "entry"))
		}
	}
	if r.LeftOut > 0 {
		line("  %s left out, of others: %s (--only takes one of them)", plural(uint64(r.LeftOut), "line"), r.Others)
	}
	for i, bad := range r.Problems {
		if i == shownUnread {
			break
		}
		line("  line %d could not be read, and is a note: %s", bad.Line, bad.Why)
	}
	if r.Unread > shownUnread {
		line("  %s could not be read in all", plural(uint64(r.Unread), "line"))
	}
}
