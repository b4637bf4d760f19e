package rec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"

	"github.com/spf13/cobra"

	"mcpdbg/framing"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/logs"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/elements"
	"mcpdbg/session/exchange"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/termsafe"
)

type findOptions struct {
	shown *filter.Filter
	files bool // only their names
	count bool // only how many entries match
	json  bool
	limit int // of the matches of a recording; 0: none
}

func recFindCommand(env *console.Env) *cobra.Command {
	var o findOptions
	cmd := &cobra.Command{
		Use:   "find EXPR [FILE|FOLDER]...",
		Short: "Find entries in recordings",
		Long: `find prints the entries of recordings that match a filter, as FILE:NUMBER: and
what the row shows, such as k=3333. A call is named by the entry of its request:
the row of the request shows its result and its time, and a response names the
entry of its request. A folder means the recordings that rec ls lists of it,
newest first, not those in folders below it; without arguments those of all
recorded sessions are searched. Commands take FILE as printed: mcpdbg rec cat
FILE --filter n:NUMBER.

EXPR is a filter, as for rec cat:
  k=3333 "some text" /regexp/ tool:NAME is:failed is:unanswered is:slow >100ms
k=333 is the whole name and value; "k=333" in quotes also finds k=3330.

The exit code is 1 if nothing matches, and 2 if a file cannot be read; the other
files are still searched.

` + flags.RecordingNames,
		Example: `  mcpdbg rec find k=3333
  mcpdbg rec find 'tool:search is:failed' ./recordings
  mcpdbg rec find -l '/timeout|refused/' last ./recordings
  mcpdbg rec find --json is:unanswered | jq -r .row`,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return flags.CompleteRecordings(cmd, args, typed)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || args[0] == "" {
				return console.WithHint(console.Usagef("rec find requires a filter"), "mcpdbg rec find is:failed")
			}
			if o.limit < 0 {
				return console.Usagef("--limit must not be negative")
			}
			var err error
			if o.shown, err = flags.Filter("mcpdbg rec find", args[0]); err != nil {
				return err
			}
			sources, err := sourcesOf(args[1:])
			if err != nil {
				return err
			}
			return recFind(cmd.Context(), env, sources, o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVarP(&o.files, "files", "l", false, "print only the names of recordings with a match")
	f.BoolVarP(&o.count, "count", "c", false, "print only the number of matches of each recording that has some")
	f.BoolVar(&o.json, "json", false, "print one JSON object per match")
	f.IntVarP(&o.limit, "limit", "m", 0, "stop after this `number` of matches in a recording")
	cmd.MarkFlagsMutuallyExclusive("files", "count", "json")
	return cmd
}

// A finding is the search of one recording.
type finding struct {
	out     *turn
	done    chan struct{} // closed at its end, before which the rest belongs to the search
	matches int
	entries uint64
	warning string // about skipped lines
	err     error
}

// recFind searches several recordings at a time, and prints in order.
func recFind(ctx context.Context, env *console.Env, sources []source, o findOptions) error {
	ctx, cancel := context.WithCancel(ctx)
	var workers sync.WaitGroup
	defer workers.Wait()
	defer cancel()
	found := make([]*finding, len(sources))
	for i := range found {
		found[i] = &finding{out: newTurn(ctx), done: make(chan struct{})}
	}
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	workers.Go(func() {
		for i := range sources {
			select {
			case room <- struct{}{}: // taken until the result is printed, so that few are kept
			case <-ctx.Done():
				return
			}
			workers.Go(func() {
				defer close(found[i].done)
				found[i].err = o.in(ctx, sources[i], found[i])
			})
		}
	})
	out := env.LineOutput()
	matches, unread, entries := 0, 0, uint64(0)
	for i, f := range found {
		f.out.begin(out)
		if err := f.out.until(f.done); err != nil {
			return err
		}
		<-room
		if f.err != nil {
			unread++
			fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: "+f.err.Error()))
		}
		if f.warning != "" {
			fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: "+sources[i].path+": skipped: "+f.warning))
		}
		matches, entries = matches+f.matches, entries+f.entries
	}
	switch {
	case unread > 0:
		return console.Usagef("%s could not be read", wording.Plural(unread, "recording"))
	case matches == 0:
		name := ""
		if len(sources) == 1 {
			name = filepath.Base(sources[0].path)
		}
		return console.WithHint(&console.ResponseError{Err: errors.New(noMatch(o.shown, entries, name, len(sources)))}, hintOf("mcpdbg rec find", o.shown))
	}
	return nil
}

// noMatch describes a search without a match, of a recording with a name or of several.
func noMatch(shown *filter.Filter, entries uint64, name string, n int) string {
	if name == "" {
		name = wording.Plural(n, "recording")
	}
	return fmt.Sprintf("no entry matches %s: searched %s of %s", shown, wording.Counted(int(entries), "entry"), name)
}

// hintOf returns the filter that may be meant by one that matches nothing, or "".
func hintOf(name string, shown *filter.Filter) string {
	if try := shown.Suggest(); try != "" {
		return name + " " + wording.Quote(try)
	}
	return ""
}

var errEnough = errors.New("enough matches")

// in searches a recording. The error is about reading it.
func (o *findOptions) in(ctx context.Context, s source, f *finding) error {
	rec, err := openFor(ctx, s.path, o.shown, false)
	if err != nil {
		return flags.Unreadable(s.path, err)
	}
	defer rec.Close()
	src := rec.ReadAhead()
	lines := logs.NewWriter(src, io.Discard, false)
	lines.Shown = o.shown.Matcher(elements.New(rec))
	rows := rowPrinter{
		out: f.out, source: src, calls: logs.NewCalls(src), times: exchange.NewTable(src), rec: rec,
		name: s.name, path: s.path, buf: make([]byte, 0, summary.Limit+4<<10),
	}
	limit := o.limit
	if o.files {
		limit = 1
	}
	lines.Print = func(number int, row session.Row) error {
		f.matches++
		var err error
		switch {
		case o.files, o.count:
		case o.json:
			err = rows.json(number, row, lines.Part(number, row))
		default:
			err = rows.text(number, row, lines.Part(number, row))
		}
		if err == nil && f.matches == limit {
			err = errEnough
		}
		return err
	}
	err = logs.Copy(ctx, rec, lines, false)
	f.entries, f.warning = rec.Progress().Entries, rec.Warnings().String()
	switch {
	case err != nil && !errors.Is(err, errEnough):
		return flags.Unreadable(s.path, err)
	case f.matches == 0:
	case o.files:
		fmt.Fprintln(f.out, termsafe.String(s.name))
	case o.count:
		fmt.Fprintf(f.out, "%s:%d\n", termsafe.String(s.name), f.matches)
	}
	return nil
}

// openFor opens a recording for a filter: only the lines that may match, if they are
// known; see Filter.Texts.
func openFor(ctx context.Context, path string, shown *filter.Filter, exact bool) (*recordings.Recording, error) {
	if texts := shown.Texts(exact); texts != nil {
		return recordings.OpenWith(ctx, path, recordings.Texts{Any: texts, Method: shown.MatchesMethod})
	}
	return recordings.OpenContext(ctx, path)
}

// A rowPrinter prints what rows show.
type rowPrinter struct {
	out        io.Writer
	source     session.Source
	calls      *logs.Calls
	times      *exchange.Table
	rec        *recordings.Recording
	vain       int64 // bytes that were searched in vain for the other message of an exchange
	name, path string
	line, buf  []byte
}

func (p *rowPrinter) text(number int, row session.Row, part string) error {
	e, err := session.EntryInto(p.source, row, summary.Limit, p.buf)
	if err != nil {
		return err
	}
	b := termsafe.AppendAll(p.line[:0], p.name)
	b = append(strconv.AppendUint(append(b, ':'), e.N, 10), ": "...)
	b = append(b, logs.Mark(row), ' ')
	b = append(termsafe.AppendAll(b, p.says(number, row, &e, part)), '\n')
	p.line = b
	_, err = p.out.Write(b)
	return err
}

// A FoundEntry is a line of rec find --json.
type FoundEntry struct {
	File string `json:"file"`
	N    uint64 `json:"n"`
	T    int64  `json:"t"` // microseconds since the start
	Kind string `json:"k"`
	ID   string `json:"id,omitempty"` // of a message, as JSON
	Row  string `json:"row"`          // the text that is printed without --json
}

func (p *rowPrinter) json(number int, row session.Row, part string) error {
	e, err := session.EntryInto(p.source, row, summary.Limit, p.buf)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(p.out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(FoundEntry{File: p.path, N: e.N, T: e.T, Kind: e.Kind.String(), ID: logs.IDOf(p.source, row, &e), Row: p.says(number, row, &e, part)})
}

// maxSaid is how many bytes of a line that is not a message are printed.
const maxSaid = 300

// says returns what the row of an entry shows, and which part of a line it is, unless "".
func (p *rowPrinter) says(number int, row session.Row, e *session.Entry, part string) string {
	if part != "" {
		return p.says(number, row, e, "") + " (" + part + ")"
	}
	method := p.source.Method(row.Method)
	switch row.Msg {
	case framing.Request, framing.Notification:
		text := summary.Message(row.Msg, method, e.Payload, e.FullSize)
		if method != mcp.MethodToolsCall {
			text = wording.Join(" ", summary.Short(method), text)
		}
		if row.Msg == framing.Request {
			text = wording.Join("  ", text, p.outcome(number, row, e))
		}
		return text
	case framing.Response, framing.ErrorResponse:
		return p.response(number, row, e)
	case framing.Batch:
		return "batch " + summary.Batch(e.Payload)
	}
	text := session.Describe(e)
	if len(text) > maxSaid || e.Cut {
		text = wording.Clip(text, maxSaid, "…")
	}
	return text
}
