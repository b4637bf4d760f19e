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
	"mcpdbg/internal/verify/history"
	"mcpdbg/internal/verify/hosts"
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
	given   int    // the servers of the command line; the others are of hosts files
	name    string // --name
	plan    *probe.Plan
	planned verify.Plan // before the selection of a shard
	members []hosts.Member
	places  map[string]*place // by host
	series  *history.Series   // nil without --history
	maxPart int64

	recorded func(target int, path string) // called with each recording

	pool *live.Pool
}

// newFleet plans the targets that the flags select. Errors in the flags are found before
// anything starts. The error is errNothing if there is nothing to run.
func newFleet(ctx context.Context, env *console.Env, t flags.Target, servers []flags.Server, inv *hosts.Inventory, f *fleetFlags) (*fleet, error) {
	if err := live.WarnTemporary(env, &t); err != nil {
		return nil, err
	}
	fl := &fleet{
		env: env, flags: t, servers: servers, given: len(servers), name: f.name, plan: &probe.Plan{}, places: map[string]*place{}, series: f.trend.series,
		maxPart: t.PartSize(), pool: live.NewPool(env), recorded: func(int, string) {},
	}
	var err error
	if fl.pool.Limits, err = f.selected.limits(); err != nil {
		return nil, err
	}
	if err := fl.targets(inv, f.source); err != nil {
		return nil, err
	}
	if err := f.selected.apply(ctx, env, fl); err != nil {
		return nil, err
	}
	fl.placeLocal()
	err = fl.check(f)
	switch {
	case err == nil && f.selected.dryRun:
		err = cmp.Or(fl.printPlan(env), errNothing)
	case err == nil:
		err = fl.makeFolder(f.folder)
	}
	if err != nil {
		return nil, errors.Join(err, fl.close())
	}
	return fl, nil
}

// placeLocal names where the servers run that this machine starts elsewhere.
func (fl *fleet) placeLocal() {
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
	for _, i := range fl.checked() {
		t, argv, err := fl.at(i)
		if err != nil {
			return err
		}
		cfg, err := t.SessionConfig(argv)
		if at := fl.plan.Targets[i].At; err != nil && at != "" && fl.places[fl.plan.Targets[i].Host] != nil {
			return console.Usagef("%s: %v", at, err)
		}
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
	p := fl.places[host]
	if p != nil {
		host = p.dest
	}
	if host == verify.Local || host == "" {
		host = ""
		if fl.plan.Remote() {
			t.SSH = flags.SSH{} // the ssh flags are for the other targets
		}
	}
	t, argv, err := fl.servers[fl.plan.Server(target)].At(t, host)
	if err == nil && p != nil {
		if err = p.apply(&t); err != nil {
			err = console.Usagef("%v", err)
		}
	}
	return t, argv, err
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
