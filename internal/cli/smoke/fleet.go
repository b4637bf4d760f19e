package smoke

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/live"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/probe"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/execserver/dial"
	"mcpdbg/session/via"
)

type fleet struct {
	env     *console.Env
	flags   flags.Target // of all targets
	servers []flags.Server
	plan    *probe.Plan
	maxPart int64

	recorded func(target int, path string) // called with each recording

	pool *live.Pool
}

// newFleet makes every server on every host, host by host; without hosts each on that of
// its config file, or local. Errors in the flags are found before anything starts.
func newFleet(env *console.Env, t flags.Target, servers []flags.Server, hosts []string, f *fleetFlags) (*fleet, error) {
	if err := live.WarnTemporary(env, &t); err != nil {
		return nil, err
	}
	named := make([]probe.Server, len(servers))
	for i := range servers {
		named[i] = probe.Server{Name: servers[i].Name, Home: cmp.Or(servers[i].Home(), verify.Local)}
	}
	plan, err := probe.NewPlan(named, hosts)
	if err != nil {
		return nil, console.Usagef("%v", err)
	}
	for i := range plan.Targets {
		plan.Targets[i].Source = f.source
	}
	fl := &fleet{env: env, flags: t, servers: servers, plan: plan, maxPart: t.PartSize(), pool: live.NewPool(env), recorded: func(int, string) {}}
	fl.place()
	err = fl.check(f)
	if err == nil {
		err = fl.makeFolder(f.folder)
	}
	if err != nil {
		return nil, errors.Join(err, fl.close())
	}
	return fl, nil
}

// place names where the servers run that this machine starts elsewhere.
func (fl *fleet) place() {
	for i := range fl.plan.Targets {
		one := &fl.plan.Targets[i]
		if one.Host != verify.Local {
			continue
		}
		t, _, err := fl.at(i)
		if err == nil { // check reports it
			server, _ := dial.Parse(t.ExecServer.Text) // checked with the flags
			one.Place = wording.Join(" on ", server.Label(), via.Place(t.Via))
		}
	}
}

// check also prepares the pool.
func (fl *fleet) check(f *fleetFlags) error {
	warned := map[int]bool{}
	for _, i := range fl.plan.Samples() {
		t, argv, err := fl.at(i)
		if err != nil {
			return err
		}
		cfg, err := t.SessionConfig(argv)
		if err != nil {
			return err
		}
		if server := fl.plan.Server(i); !warned[server] && !f.quiet {
			warned[server] = true
			live.WarnConfig(fl.env, t.From)
		}
		if err := fl.pool.Prepare(&t, cfg.Command.Env, uint32(f.opts.Seed)); err != nil {
			return err
		}
	}
	return nil
}

// makeFolder checks that the folder is writable before the run.
func (fl *fleet) makeFolder(flag string) error {
	folder := fl.recordingsFolder()
	if folder == "" {
		return nil
	}
	if err := live.MakeFolder(folder); err != nil {
		return console.Usagef("--%s: %v", flag, err)
	}
	return nil
}

// "" for none.
func (fl *fleet) recordingsFolder() string {
	if fl.flags.NoRecord || fl.flags.Recordings != "" {
		return fl.flags.Recordings
	}
	folder, _ := recordings.DefaultDir() // it exists, or there would be no targets
	return folder
}

func (fl *fleet) at(target int) (flags.Target, []string, error) {
	t, host := fl.flags, fl.plan.Targets[target].Host
	if host == verify.Local {
		host = ""
		if fl.plan.Remote() {
			t.SSH = flags.SSH{} // the ssh flags are for the other targets
		}
	}
	return fl.servers[fl.plan.Server(target)].At(t, host)
}

// make implements probe.Options.Make.
func (fl *fleet) make(_ context.Context, target int, p probe.Process, configure func(*session.Config)) (*verify.Made, error) {
	t, argv, err := fl.at(target)
	if err != nil {
		return nil, err
	}
	t.Configure = configure
	cfg, err := t.SessionConfig(argv)
	if err != nil {
		return nil, err
	}
	exec, err := fl.pool.Executor(t, cfg.Command.Env)
	if err != nil {
		return nil, err
	}
	label := fl.plan.Label(target)
	if p.Number > 0 {
		label += fmt.Sprintf("-%02d-%s", p.Number, p.Name)
	}
	l, err := live.New(fl.env, t, cfg, exec, recordings.Options{Dir: fl.flags.Recordings, Server: label, MaxPart: fl.maxPart})
	if err != nil {
		return nil, err
	}
	fl.recorded(target, l.Log.Path())
	return &verify.Made{
		Session: l.Session, Recording: l.Log.Path(), Close: l.End,
		Release: func() { _ = l.Log.Release() }, // only read, so errors do not matter
	}, nil
}

// close closes what the sessions shared.
func (fl *fleet) close() error { return fl.pool.Close() }
