package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/host"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/live"
	"mcpdbg/internal/cli/tap"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
	"mcpdbg/session/tap/control"
	"mcpdbg/session/target"
	"mcpdbg/session/via"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

// Again implements host.Launcher.
func (l *Launcher) Again(ctx context.Context, again host.Rerun) (workspace.Opened, error) {
	t, argv, err := l.rerun(again)
	if err != nil {
		return workspace.Opened{}, err
	}
	return l.start(ctx, t, argv, "replay of "+t.ServerName(argv)+added(again.Header.Argv, again.Argv))
}

// rerun returns the flags and the command of a replay, with the values of its variables.
func (l *Launcher) rerun(again host.Rerun) (t flags.Target, argv []string, err error) {
	t, ofRun, err := l.flagsOf(again)
	if err != nil {
		return t, nil, err
	}
	t.Shown = again.Argv
	var secrets []executor.EnvVar
	var pairs []string
	if t.From != nil {
		for _, secret := range t.From.Start.Secrets() {
			pairs = append(pairs, "${"+secret.Name+"}", secret.Value)
		}
	}
	for _, name := range again.Named {
		value, given := again.Values[name]
		if !given && ofRun {
			continue // set by the flags
		}
		if !given {
			var there bool
			if value, there = os.LookupEnv(name); !there {
				return t, nil, fmt.Errorf("%s needs a value: not set in this environment", name)
			}
		}
		t.Env = append(t.Env, name+"="+value)
		pairs = append(pairs, "${"+name+"}", value)
	}
	for name, value := range again.Values {
		secrets = append(secrets, executor.EnvVar{Name: name, Value: value})
		if !slices.Contains(again.Named, name) {
			pairs = append(pairs, "${"+name+"}", value)
		}
	}
	fill := strings.NewReplacer(pairs...)
	for _, word := range again.Argv {
		argv = append(argv, fill.Replace(word))
	}
	if len(again.Header.Via) > 0 {
		t.Via, t.ShownVia = nil, again.Header.Via
		for _, word := range again.Header.Via {
			t.Via = append(t.Via, fill.Replace(word))
		}
	}
	t.Configure = func(cfg *session.Config) {
		delete(cfg.Policies, mcp.MethodRoots) // answered from the recording, or by the person
		cfg.Secrets = append(cfg.Secrets, secrets...)
		again.Configure(cfg)
	}
	return t, argv, nil
}

// added returns the words that the recorded command does not have, for a title: they tell
// several replays apart.
func added(recorded, argv []string) string {
	const longest = 40 // cells
	var words []string
	for _, word := range argv {
		if !slices.Contains(recorded, word) {
			words = append(words, word)
		}
	}
	if len(words) == 0 || len(recorded) == 0 {
		return ""
	}
	return " " + termsafe.Truncate(strings.Join(words, " "), longest, termsafe.Ellipsis)
}

// flagsOf returns the flags to re-run a recording's server: those of the run that made
// it, or else of its header.
func (l *Launcher) flagsOf(again host.Rerun) (t flags.Target, ofRun bool, err error) {
	if l.Target != nil && again.File != "" {
		if t, ofRun, err = l.Target(again.File); ofRun {
			return t, true, err
		}
	}
	t = flags.Defaults()
	t.Cwd = again.Header.Cwd
	if again.Header.Host != "" {
		t.SSH.Dest = again.Header.Host
	}
	t.ExecServer.Text = again.Header.ExecServer
	if again.EnvPolicy != "" && (!t.SSH.Remote() || t.ExecServer.Text != "") {
		t.EnvPolicy = again.EnvPolicy
	}
	return t, false, nil
}

// A Launcher opens servers and recordings. It implements host.Launcher; end closes what
// is still open.
type Launcher struct {
	Env      *console.Env
	prompter executor.Prompter
	tokens   *flags.Tokens // of exec servers, by sessions of this run
	// Target, if set, returns the flags of the target with this recording.
	Target func(recording string) (t flags.Target, ok bool, err error)

	mu   sync.Mutex
	live []*live.Session
	open []openFile
	// printed to standard error after the interface ends
	warnings []string
}

// Of an item's key, separated by NUL bytes.
const (
	serverKey    = "server"
	recordingKey = "recording"
	demoKey      = "demo"
	keySep       = "\x00"
)

// Home implements host.Launcher.
func (l *Launcher) Home(ctx context.Context) (host.Home, error) {
	h := discover()
	taps := flags.Taps(h.Recordings)
	live := flags.LiveTaps(ctx, taps)
	home := host.Home{Notes: h.Notes, Items: liveItems(live)}
	for i := range h.Files {
		f := &h.Files[i]
		if f.Err != nil {
			home.Notes = append(home.Notes, f.Err.Error())
		}
		for _, p := range f.Unread {
			home.Notes = append(home.Notes, p.Error())
		}
		for j := range f.Entries {
			home.Items = append(home.Items, serverItem(&f.Entries[j]))
		}
	}
	listed := h.Recordings[:min(len(h.Recordings), maxListed)]
	home.Items = append(home.Items, grouped(listed, live, taps)...)
	if older := len(h.Recordings) - len(listed); older > 0 {
		home.Notes = append(home.Notes, fmt.Sprintf("%d older recordings: mcpdbg rec ls", older))
	}
	home.Items = append(home.Items, host.Item{
		Kind: host.DemoItem, Key: demoKey, Name: "demo server", From: "built in", Where: wording.Place(""), Command: "mcpdbg " + console.DemoServer,
	})
	return home, nil
}

func serverItem(e *target.Entry) host.Item {
	item := host.Item{
		Kind: host.ServerItem, Key: strings.Join([]string{serverKey, e.File, e.Project, e.Name}, keySep), Name: e.Name,
		From: fmt.Sprintf("%s, %s:%d", e.Client, wording.Path(e.File), e.Line), Where: wording.Place(via.Where(e.ExecServer, e.Prefix(), e.SSH)), Command: commandText(e),
	}
	item.Wrapped, item.Unwrapped = e.Tap != nil, tap.Unwrappable(e)
	if why, try := e.Why(); why != "" {
		item.Blocked = why
		if try != "" {
			item.Blocked += " (try: " + try + ")"
		}
	}
	for i := range e.Problems {
		name := e.Problems[i].Variable()
		if name == "" {
			item.Notes = append(item.Notes, e.Problems[i].Text)
		} else if !slices.ContainsFunc(item.Inputs, func(in host.Input) bool { return in.ID == name }) {
			item.Notes = append(item.Notes, name+" is not set: enter asks for it")
			item.Inputs = append(item.Inputs, host.Input{ID: name, Description: "a variable that is not set; empty starts without it", Secret: true})
		}
	}
	for _, in := range e.Inputs {
		input := host.Input{ID: in.ID, Description: in.Description, Default: in.Default.Reveal(), Secret: in.Secret}
		for _, o := range in.Options {
			input.Options = append(input.Options, o.Value)
		}
		item.Inputs = append(item.Inputs, input)
	}
	return item
}

// Open implements host.Launcher.
func (l *Launcher) Open(ctx context.Context, item host.Item, inputs map[string]string) (workspace.Opened, error) {
	key := strings.Split(item.Key, keySep)
	switch {
	case item.Kind == host.CommandItem:
		return l.command(ctx, item.Words)
	case key[0] == demoKey:
		return l.start(ctx, flags.Defaults(), append(slices.Clone(l.Env.Self), console.DemoServer), "demo server")
	case key[0] == recordingKey && len(key) == 2:
		return l.recording(ctx, key[1])
	case key[0] == serverKey && len(key) == 4:
		t, err := flags.ConfiguredServer(key[1], key[2], key[3], inputs)
		if err != nil {
			return workspace.Opened{}, err
		}
		return l.start(ctx, t, t.From.Start.Args(), t.From.Entry.Name)
	}
	return workspace.Opened{}, fmt.Errorf("cannot open %q", item.Name)
}

func (l *Launcher) command(ctx context.Context, words []string) (workspace.Opened, error) {
	t, argv, err := l.tokens.Typed(words)
	if err != nil {
		return workspace.Opened{}, err
	}
	return l.start(ctx, t, argv, t.ServerName(argv))
}

// The session is not started yet.
func (l *Launcher) start(ctx context.Context, t flags.Target, argv []string, name string) (workspace.Opened, error) {
	t.Person = true
	temporary, err := live.UseTemporary(l.Env, &t)
	if err != nil {
		return workspace.Opened{}, err
	}
	s, err := live.Prepare(ctx, l.Env, t, argv, l.prompter)
	if err != nil {
		return workspace.Opened{}, err
	}
	l.mu.Lock()
	l.live = append(l.live, s)
	l.warnings = append(l.warnings, temporary)
	l.mu.Unlock()
	kept, warning := notesOf(s.Log.Path(), s.Log.Header().ID)
	warning = cmp.Or(warning, temporary)
	return workspace.Opened{
		Session: s.Session, Source: s.Log, Title: title(name, place(s.Log.Header())), Start: s.Open, Notes: kept, Warning: warning,
		Close: func(ctx context.Context) error { return l.close(ctx, s) },
	}, nil
}

func title(name, place string) string { return fmt.Sprintf("%s (%s)", name, wording.Place(place)) }

func place(h session.Header) string { return via.Where(h.ExecServer, h.Via, h.Host) }

func (l *Launcher) close(ctx context.Context, s *live.Session) error {
	l.mu.Lock()
	i := slices.Index(l.live, s)
	if i >= 0 {
		l.live = slices.Delete(l.live, i, i+1)
	}
	l.mu.Unlock()
	if i < 0 {
		return nil // end did it
	}
	report, err := s.End(ctx)
	for _, p := range report.Survivors {
		err = errors.Join(err, fmt.Errorf("still running: pid %d %s", p.PID, p.Command))
	}
	return err
}

// End closes everything still open, servers concurrently, and prints how they ended.
func (l *Launcher) End(ctx context.Context, err error) error {
	l.mu.Lock()
	left, open, warnings := l.live, l.open, l.warnings
	l.live, l.open, l.warnings = nil, nil, nil
	l.mu.Unlock()
	reports := make([]session.ShutdownReport, len(left))
	errs := make([]error, len(left))
	var wg sync.WaitGroup
	for i, s := range left {
		wg.Go(func() { reports[i], errs[i] = s.End(ctx) })
	}
	wg.Wait()
	for _, text := range warnings {
		if text != "" {
			fmt.Fprintln(l.Env.Stderr, termsafe.String("mcpdbg: "+text))
		}
	}
	for i, s := range left {
		live.ReportNeeded(l.Env, reports[i])
		live.ReportEnd(l.Env, s, true, reports[i], err)
	}
	for _, f := range open {
		errs = append(errs, f.close())
	}
	return errors.Join(errs...)
}

// An openFile is an open recording, with the viewer of the tap that writes it, or nil.
type openFile struct {
	recording *recordings.Recording
	viewer    *control.Viewer
}

func (f *openFile) close() error {
	if f.viewer != nil {
		_ = f.viewer.Close() // the tap goes on, or has ended
	}
	return f.recording.Close()
}

func (l *Launcher) recording(ctx context.Context, path string) (workspace.Opened, error) {
	r, err := recordings.OpenTail(path)
	if err != nil {
		return workspace.Opened{}, flags.Unreadable(path, err)
	}
	f := openFile{recording: r}
	tap, viewer := watch(ctx, path, r.Header())
	f.viewer = viewer
	l.mu.Lock()
	l.open = append(l.open, f)
	l.mu.Unlock()
	kept, warning := notesOf(path, r.Header().ID)
	return workspace.Opened{
		Source: r, Title: filepath.Base(path), File: path, Tap: tap, Notes: kept, Warning: warning,
		Close: func(context.Context) error {
			l.mu.Lock()
			defer l.mu.Unlock()
			if i := slices.Index(l.open, f); i >= 0 {
				l.open = slices.Delete(l.open, i, i+1)
				return f.close()
			}
			return nil
		},
	}, nil
}
