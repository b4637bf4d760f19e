package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/target"
	"mcpdbg/ui"
	"mcpdbg/ui/termsafe"
)

// A launcher makes sessions of what there is at home, for the interface. What
// is open when the interface ends is closed by end. It implements ui.Launcher.
type launcher struct {
	app      *app
	prompter executor.Prompter
	// target, if set, knows the flags of the targets of a run, by their recordings.
	target func(recording string) (t targetFlags, ok bool, err error)

	mu   sync.Mutex
	live []*live
	open []*recordings.Recording
	// warnings are for standard error, once the screen is gone.
	warnings []string
}

// The first words of an item's key; a NUL byte is between the words.
const (
	serverKey    = "server"
	recordingKey = "recording"
	demoKey      = "demo"
	keySep       = "\x00"
)

// Home implements ui.Launcher.
func (l *launcher) Home(context.Context) (ui.Home, error) {
	h := lookAround()
	home := ui.Home{Notes: h.notes}
	for i := range h.files {
		f := &h.files[i]
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
	for i := range h.recent {
		home.Items = append(home.Items, recordingItem(&h.recent[i]))
	}
	home.Items = append(home.Items, ui.Item{
		Kind: ui.DemoItem, Key: demoKey, Name: "demo server", From: "built in", Where: where(""), Command: "mcpdbg " + demoServer,
	})
	return home, nil
}

func serverItem(e *target.Entry) ui.Item {
	item := ui.Item{
		Kind: ui.ServerItem, Key: strings.Join([]string{serverKey, e.File, e.Project, e.Name}, keySep), Name: e.Name,
		From: fmt.Sprintf("%s, %s:%d", e.Client, shortPath(e.File), e.Line), Where: where(e.SSH), Command: commandText(e),
	}
	if why, try := e.Why(); why != "" {
		item.Blocked = why
		if try != "" {
			item.Blocked += " (try: " + try + ")"
		}
	}
	for i := range e.Problems {
		item.Notes = append(item.Notes, e.Problems[i].Text)
	}
	for _, in := range e.Inputs {
		input := ui.Input{ID: in.ID, Description: in.Description, Default: in.Default.Reveal(), Secret: in.Secret}
		for _, o := range in.Options {
			input.Options = append(input.Options, o.Value)
		}
		item.Inputs = append(item.Inputs, input)
	}
	return item
}

func recordingItem(r *recent) ui.Item {
	return ui.Item{
		Kind: ui.RecordingItem, Key: recordingKey + keySep + r.path, Name: r.name(), From: shortPath(r.path),
		Where: where(r.header.Host), Command: strings.Join(r.header.Argv, " "), When: r.when, Size: r.size, Live: !r.whole,
	}
}

// Open implements ui.Launcher.
func (l *launcher) Open(ctx context.Context, item ui.Item, inputs map[string]string) (ui.Opened, error) {
	key := strings.Split(item.Key, keySep)
	switch {
	case key[0] == demoKey:
		return l.start(ctx, freshFlags(), append(slices.Clone(l.app.self), demoServer), "demo server")
	case key[0] == recordingKey && len(key) == 2:
		return l.recording(key[1])
	case key[0] == serverKey && len(key) == 4:
		t, err := configuredServer(key[1], key[2], key[3], inputs)
		if err != nil {
			return ui.Opened{}, err
		}
		return l.start(ctx, t, t.from.start.Args(), t.from.entry.Name)
	}
	return ui.Opened{}, fmt.Errorf("%q can't be opened", item.Name)
}

// freshFlags are the flags of a command line without any.
func freshFlags() targetFlags {
	var t targetFlags
	t.register(&cobra.Command{})
	return t
}

// configuredServer finds a server in its file again, as that is now.
func configuredServer(path, project, name string, inputs map[string]string) (targetFlags, error) {
	opts, err := targetOptions()
	if err != nil {
		return targetFlags{}, err
	}
	file, err := target.Read(path, opts)
	if err != nil {
		return targetFlags{}, configError(err)
	}
	i := slices.IndexFunc(file.Entries, func(e target.Entry) bool { return e.Name == name && e.Project == project })
	if i < 0 {
		return targetFlags{}, fmt.Errorf("%s has no server %q any more", path, name)
	}
	return freshFlags().use(file.Entries[i], file.How, answerInputs(inputs))
}

// start makes a session that is not started yet.
func (l *launcher) start(ctx context.Context, t targetFlags, argv []string, name string) (ui.Opened, error) {
	t.person = true
	temporary, err := l.app.shelve(&t)
	if err != nil {
		return ui.Opened{}, err
	}
	s, err := l.app.prepare(ctx, t, argv, l.prompter)
	if err != nil {
		return ui.Opened{}, err
	}
	l.mu.Lock()
	l.live = append(l.live, s)
	l.warnings = append(l.warnings, temporary)
	l.mu.Unlock()
	kept, warning := notesOf(s.log.Path(), s.log.Header().ID)
	warning = cmp.Or(warning, temporary)
	return ui.Opened{
		Session: s.Session, Source: s.log, Title: title(name, t.ssh.dest), Start: s.Open, Notes: kept, Warning: warning,
		Close: func(ctx context.Context) error { return l.close(ctx, s) },
	}, nil
}

// title is what the screen calls a session.
func title(name, host string) string { return fmt.Sprintf("%s (%s)", name, where(host)) }

// close ends a session that is taken off the screen.
func (l *launcher) close(ctx context.Context, s *live) error {
	l.mu.Lock()
	i := slices.Index(l.live, s)
	if i >= 0 {
		l.live = slices.Delete(l.live, i, i+1)
	}
	l.mu.Unlock()
	if i < 0 {
		return nil // end did it
	}
	report, err := s.end(ctx)
	for _, p := range report.Survivors {
		err = errors.Join(err, fmt.Errorf("still alive: pid %d %s", p.PID, p.Command))
	}
	return err
}

// end ends all that is still open, the servers beside each other, and says what
// it took.
func (l *launcher) end(ctx context.Context, err error) error {
	l.mu.Lock()
	left, open, warnings := l.live, l.open, l.warnings
	l.live, l.open, l.warnings = nil, nil, nil
	l.mu.Unlock()
	reports := make([]session.ShutdownReport, len(left))
	errs := make([]error, len(left))
	var wg sync.WaitGroup
	for i, s := range left {
		wg.Go(func() { reports[i], errs[i] = s.end(ctx) })
	}
	wg.Wait()
	for _, text := range warnings {
		if text != "" {
			fmt.Fprintln(l.app.stderr, termsafe.String("mcpdbg: "+text))
		}
	}
	for i, s := range left {
		l.app.reportNeeded(reports[i])
		l.app.reportEnd(s, true, reports[i], err)
	}
	for _, r := range open {
		errs = append(errs, r.Close())
	}
	return errors.Join(errs...)
}
