package copies

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/recordings/formats"
	"mcpdbg/recordings/redact"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
)

// With a cursor.
const (
	lineFormat = iota
	lineRedact
	lineFile
	lineCount
)

type exportView struct {
	title  string         // of the workspace
	source session.Source // its log
	file   string         // its recording; "" if it has none

	formats []formats.Format
	format  int
	redact  bool
	rules   redact.Rules
	path    *kit.Field
	at      int

	found *redact.Report // what redaction removes; nil until it is known
	wrong string
	stop  context.CancelFunc // cancels the search for secrets
	job   *exportJob         // nil for none

	block paint.Lines
}

type recorded interface{ Path() string }

func openExport(c host.Context) tea.Cmd {
	ws := c.Workspace
	v := &exportView{title: ws.Title, source: ws.Log, file: ws.Path, formats: formats.Formats(), redact: true, rules: redact.Default(), path: kit.NewField(false)}
	if ws.DigestKey != nil {
		v.rules.DigestKey = ws.DigestKey()
	}
	if log, ok := ws.Log.(recorded); ok && v.file == "" {
		v.file = log.Path()
	}
	v.path.Add(v.fileName())
	ctx, stop := context.WithCancel(c.Host.Lifetime())
	v.stop = stop
	c.Host.Open(ws, v)
	if v.file == "" {
		return nil
	}
	file, rules := v.file, v.rules
	return func() tea.Msg {
		found, err := redact.Copy(ctx, file, nil, rules)
		stop()
		return host.Result{Then: func(c host.Context) tea.Cmd {
			v.found = found
			if err != nil && !errors.Is(err, context.Canceled) {
				v.wrong = err.Error()
			}
			c.Host.Redraw()
			return nil
		}}
	}
}

// fileName returns the name that is offered for a file of the chosen format: that of the
// recording, in the working folder.
func (v *exportView) fileName() string {
	name := "session"
	if v.file != "" {
		name = strings.TrimSuffix(filepath.Base(v.file), filepath.Ext(v.file))
	}
	format := v.formats[v.format].Name
	if format == "jsonl" {
		name += "-messages" // a recording has the same extension
	}
	return name + "." + format
}

func (*exportView) Scope() string { return ScopeExport }

func (v *exportView) Update(_ host.Context, msg tea.Msg) tea.Cmd {
	if v.at == lineFile && v.job == nil {
		v.path.Update(msg)
		v.wrong = ""
	}
	return nil
}

func (v *exportView) Move(_ host.Context, way string) tea.Cmd {
	n, _ := kit.LinesOf(way, lineCount)
	v.at = kit.Between(0, v.at+n, lineCount-1)
	return nil
}

func (v *exportView) toggle() {
	if v.at == lineFile && v.job == nil {
		v.path.Add(" ")
		return
	}
	v.change(1)
}

// A file name that was offered is replaced.
func (v *exportView) change(by int) {
	if v.job != nil {
		return
	}
	v.wrong = ""
	switch v.at {
	case lineRedact:
		v.redact = !v.redact
	case lineFormat:
		offered := string(v.path.Text) == v.fileName()
		v.format = (v.format + by + len(v.formats)) % len(v.formats)
		if offered {
			v.path.Wipe()
			v.path.Add(v.fileName())
		}
	}
}

// Back cancels writing, or closes the dialog.
func (v *exportView) Back(c host.Context) tea.Cmd {
	if v.job != nil {
		v.job.stop()
		return nil
	}
	v.stop()
	c.Host.Close(v)
	return nil
}

// target returns the file to write, as an absolute path.
func (v *exportView) target() (string, error) {
	path := strings.TrimSpace(string(v.path.Text))
	if path == "" {
		return "", errors.New("enter a file name")
	}
	if rest, home := strings.CutPrefix(path, "~/"); home {
		folder, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		path = filepath.Join(folder, rest)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	there, err := os.Stat(path)
	switch {
	case err != nil:
		return path, nil // a new file, or one that cannot be written
	case there.IsDir():
		return "", errors.New(path + " is a folder")
	}
	if own, err := os.Stat(v.file); err == nil && os.SameFile(own, there) {
		return "", errors.New("that is the recording itself: enter another file name")
	}
	return path, nil
}

const exportProgress = 100 * time.Millisecond

// write confirms before it replaces a file.
func (v *exportView) write(c host.Context, replace bool) tea.Cmd {
	path, err := v.target()
	switch {
	case err != nil:
		v.wrong, v.at = err.Error(), lineFile
		return nil
	case v.redact && v.file == "":
		v.wrong, v.at = "secrets cannot be removed from a session that is not recorded: turn redaction off to write everything", lineRedact
		return nil
	}
	ctx, stop := context.WithCancel(c.Host.Lifetime())
	j := &exportJob{file: v.file, source: v.source, format: v.formats[v.format], redact: v.redact, rules: v.rules, path: path, replace: replace, stop: stop}
	v.job, v.wrong = j, ""
	run := func() tea.Msg {
		err := j.run(ctx)
		cancelled := ctx.Err() != nil
		stop()
		return host.Result{Then: func(c host.Context) tea.Cmd { return v.written(c, j, cancelled, err) }}
	}
	return tea.Batch(run, v.tick(c, j))
}

func (v *exportView) tick(c host.Context, j *exportJob) tea.Cmd {
	return c.Host.After(exportProgress, host.Result{Then: func(c host.Context) tea.Cmd {
		if v.job != j {
			return nil
		}
		c.Host.Redraw()
		return v.tick(c, j)
	}})
}

func (v *exportView) written(c host.Context, j *exportJob, cancelled bool, err error) tea.Cmd {
	v.job = nil
	c.Host.Redraw()
	switch {
	case cancelled:
		v.wrong = "cancelled; no file was written"
	case errors.Is(err, fs.ErrExist):
		c.Host.Confirm(c.Workspace, &host.Dialog{
			Title: "Replace the file?", Lines: []string{j.path, "exists already."}, No: "keep it",
			Yes: func(c host.Context) tea.Cmd { return v.write(c, true) },
		})
	case err != nil:
		v.wrong = err.Error()
	default:
		v.stop()
		c.Host.Close(v)
		c.Host.Notify("exported to " + j.path + j.removed())
	}
	return nil
}

// ScopeExport is the scope of the dialog.
const ScopeExport = "export"

// The actions of the dialog that other texts mention.
const (
	actWrite = "export-write"
	actOther = "export-toggle"
)

// ExportActions returns the actions of exporting.
func ExportActions() []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: "export", Scope: keymap.Global, Title: "export", Synonyms: []string{"save", "share", "html", "web page", "report", "markdown", "md", "har", "txtar", "jsonl", "redact", "secrets"}, Help: "Write the session or recording to a file, as a page, a report or messages, without secrets.", Hint: key.Help{Key: ":export", Desc: "share"}, Enabled: host.HasSession, Now: host.Ranks{Recording: 56}.Now}, Do: openExport},
		{Entry: host.Entry{ID: actWrite, Keys: []string{"enter"}, Scope: ScopeExport, Title: "write the file", Help: "Write the file.", Asks: "before it replaces a file", Priority: 90, Enabled: canWriteExport}, Do: host.On(func(c host.Context, v *exportView) tea.Cmd { return v.write(c, false) })},
		{Entry: host.Entry{ID: actOther, Keys: []string{"space"}, Scope: ScopeExport, Title: "change", Help: "Take the next format, or turn redaction on or off; in the file name, type a space.", Priority: 70}, Do: host.On(func(_ host.Context, v *exportView) tea.Cmd { v.toggle(); return nil })},
		{Entry: host.Entry{ID: "export-next", Keys: []string{"right"}, Scope: ScopeExport, Title: "next", Help: "Take the next format, or turn redaction on or off.", Priority: 55, Hint: key.Help{Key: "left/right", Desc: "change"}}, Do: host.On(func(_ host.Context, v *exportView) tea.Cmd { v.change(1); return nil })},
		{Entry: host.Entry{ID: "export-previous", Keys: []string{"left"}, Scope: ScopeExport, Title: "previous", Help: "Take the previous format, or turn redaction on or off."}, Do: host.On(func(_ host.Context, v *exportView) tea.Cmd { v.change(-1); return nil })},
		{Entry: host.Entry{ID: "export-clear", Keys: []string{"ctrl+u"}, Scope: ScopeExport, Title: "clear", Help: "Clear the file name."}, Do: host.On(func(_ host.Context, v *exportView) tea.Cmd { v.path.Wipe(); return nil })},
		host.Override(host.Entry{Name: kit.Down, Scope: ScopeExport, Keys: []string{"down", "tab"}, Help: "Go to the next line.", Priority: 60, Hint: key.Help{Key: "up/down", Desc: "choose"}}),
		host.Override(host.Entry{Name: kit.Up, Scope: ScopeExport, Keys: []string{"up", "shift+tab"}, Help: "Go to the previous line."}),
		host.Override(host.Entry{Name: host.CloseName, Scope: ScopeExport, Title: "cancel", Help: "Cancel writing, then close without writing anything."}),
	}
}

func canWriteExport(c host.Context) (bool, string) {
	v, ok := c.View.(*exportView)
	return ok && v.job == nil, "the file is being written"
}
