package rec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/recordings/formats"
	"mcpdbg/ui/widget/termsafe"
)

const shownUnread = 5

type importOptions struct {
	formats.ImportOptions
	json bool
}

func recImportCommand(env *console.Env) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FILE [-- COMMAND [ARG...]]",
		Short: "Convert the session log of another program to a recording",
		Long: `import makes a recording from a session log that another program wrote. It
detects the format by the contents:

  claude-desktop   mcp-server-NAME.log and mcp.log of Claude Desktop
  inspector        exports of the protocol screen of the MCP Inspector 2.x
  vscode           MCP output of VS Code: [editor -> server] {...}
  mcp-remote       log of mcp-remote --debug, which has no results
  har              HTTP archives of rec export
  json-rpc         lines of messages only; their direction is inferred
  arrows           lines with --> {...}, <-- {...}, →, <, ...
  jsonl            one message per line with a direction: in and out, send and
                   recv, client and server, c2s and s2c, and the like; also the
                   output of mcpdbg rec export --format jsonl

mcpdbg 0.1.0 is the last version that reads logs of mcpsnoop, cassettes of
mcp-cassette and txtar exports.

Messages are copied byte for byte. The first entry of the recording, and
standard error, list what FILE lacks, such as stderr or exit codes; lines that
cannot be read become notes in the recording. FILE may be - for standard input.
COMMAND is the command that started the server.

Without -o the recording goes to the folder where sessions are recorded, and its
path is printed. An existing file is never overwritten.`,
		Example: `  mcpdbg rec import ~/Library/Logs/Claude/mcp-server-weather.log
  mcpdbg rec import messages.jsonl -o session.jsonl
  pbpaste | mcpdbg rec import - --format claude-desktop -- npx -y weather`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return console.Usagef("rec import takes one file")
			}
			o.Argv = env.Command
			return recImport(cmd.Context(), env, args[0], o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&o.Path, "output", "o", "", "write the recording to this new `file`")
	f.StringVar(&o.Format, "format", "", "input `format`: "+strings.Join(formats.ImportFormats(), ", "))
	f.StringVar(&o.Only, "only", "", "import the session or server of this `name`, if the file has several (default: the first)")
	f.BoolVar(&o.json, "json", false, "print the report as one JSON object to stdout")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats.ImportFormats(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func recImport(ctx context.Context, env *console.Env, path string, o importOptions) error {
	if o.Path == "-" {
		return console.WithHint(console.Usagef("a recording cannot be written to standard output"), "name a file with -o")
	}
	from, err := importSource(ctx, env, path, &o.ImportOptions)
	if err != nil {
		return err
	}
	defer from.Close()
	o.Tool = "mcpdbg " + console.Version
	report, err := formats.Import(ctx, from, o.ImportOptions)
	if err != nil {
		return importFailed(path, err)
	}
	if o.json {
		return env.PrintDocument(report)
	}
	printImported(env.Stderr, report)
	_, err = fmt.Fprintln(env.Stdout, termsafe.String(report.Recording))
	return err
}

func importSource(ctx context.Context, env *console.Env, path string, o *formats.ImportOptions) (io.ReadCloser, error) {
	o.File, o.Modified = console.StandardInput, time.Now()
	if path != "-" {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, console.WithHint(console.Usagef("%s: file not found", path), "name the file that the other program wrote, or - for standard input")
		case err != nil:
			return nil, console.Usagef("%v", err)
		}
		o.File, o.Modified = filepath.Base(path), info.ModTime()
	}
	from, err := env.Open(ctx, "rec import", path)
	if err != nil {
		return nil, console.Usagef("%v", err)
	}
	return from, nil
}

func importFailed(path string, err error) error {
	if errors.As(err, new(*console.SignalError)) {
		return err
	}
	known := "--format with one of " + strings.Join(formats.ImportFormats(), ", ")
	if unknown, ok := errors.AsType[*formats.UnknownFormatError](err); ok {
		if unknown.Description == formats.OwnRecording {
			return console.WithHint(console.Usagef("%s: already a recording", path), "mcpdbg open "+path)
		}
		return console.WithHint(console.Usagef("%s: %v", path, unknown), known)
	}
	if empty, ok := errors.AsType[*formats.EmptyLogError](err); ok {
		return console.WithHint(console.Usagef("%s: %v", path, empty), known)
	}
	if exists, ok := errors.AsType[*recordings.CreateError](err); ok {
		return console.WithHint(console.Usagef("%v", exists), "name another file with -o")
	}
	return fmt.Errorf("rec import %s: %w", path, err)
}

// The file's contents are untrusted.
func printImported(w io.Writer, r *formats.ImportReport) {
	line := func(format string, args ...any) { fmt.Fprintln(w, termsafe.String(fmt.Sprintf(format, args...))) }
	line("imported as %s: %s sent, %d received%s%s", r.From, wording.Plural(r.Sent, "message"), r.Received,
		wording.IfAny(", ", strayLines(r.Stray)), wording.IfCounted(r.Stderr, ", %s of stderr", "line"))
	for _, remark := range r.Remarks {
		line("  %s", remark)
	}
	for _, remark := range []struct {
		n    int
		text string
	}{
		{r.Cut, "%s with only the beginning of the message"},
		{r.Moved, "%s with a time that goes back, replaced by that of the entry before"},
		{r.Renumbered, "%s with another number than in the source, such as the messages of a batch after the first"},
	} {
		if remark.n > 0 {
			line("  "+remark.text, wording.Plural(remark.n, "entry"))
		}
	}
	if r.Notes > 0 {
		line("  %s kept as notes", strayLines(uint64(r.Notes)))
	}
	if r.Skipped > 0 {
		line("  %s of other sessions or servers skipped: %s (--only chooses one)", wording.Plural(r.Skipped, "line"), r.Others)
	}
	for i, bad := range r.Problems {
		if i == shownUnread {
			break
		}
		line("  line %d could not be read, and became a note: %s", bad.Line, bad.Why)
	}
	if r.Unread > shownUnread {
		line("  %s in total could not be read", wording.Plural(r.Unread, "line"))
	}
}
