package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"mcpdbg/internal/smoke"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/localexec"
	"mcpdbg/sshexec"
	"mcpdbg/sshexec/link"
)

// A fleet makes the sessions of a smoke test, all of them over the same
// connections to hosts on the way, and on this machine by one executor.
type fleet struct {
	app     *app
	flags   targetFlags // of all targets
	servers []smokeServer
	targets []smoke.Target
	server  []int // of each target, among servers
	remote  bool  // some of them are not here
	maxPart int64

	recorded func(target int, path string) // is told of each recording

	ids    executor.IDs
	local  executor.Executor // nil if no target is here
	dialer *link.Dialer      // nil if all are
}

// maxTargets is how many targets a run may have.
const maxTargets = 10_000

// newFleet makes the targets: every server on every host, host by host. Without
// hosts each server is on that of its config file, or here. All that can be
// wrong with the flags is found before anything starts.
func (a *app) newFleet(t targetFlags, servers []smokeServer, hosts []string, f *smokeFlags) (*fleet, error) {
	if err := a.warnShelf(&t); err != nil {
		return nil, err
	}
	fl := &fleet{app: a, flags: t, servers: servers, maxPart: t.partSize(), recorded: func(int, string) {}}
	if n := len(hosts) * len(servers); n > maxTargets {
		return nil, usagef("%d hosts x %d servers are more than %d targets", len(hosts), len(servers), maxTargets)
	}
	for _, host := range hosts {
		for i := range servers {
			fl.add(host, i)
		}
	}
	if len(hosts) == 0 {
		for i := range servers {
			fl.add(servers[i].home(), i)
		}
	}
	err := fl.check(f)
	if err == nil {
		err = fl.makeFolder()
	}
	if err != nil {
		return nil, errors.Join(err, fl.close())
	}
	return fl, nil
}

// size says how many targets there are.
func (fl *fleet) size() string {
	hosts := map[string]bool{}
	for _, t := range fl.targets {
		hosts[t.Host] = true
	}
	all := plural(uint64(len(fl.targets)), "target")
	if len(fl.targets) != len(hosts)*len(fl.servers) || len(fl.targets) == 1 {
		return all
	}
	return fmt.Sprintf("%s x %s: %s", plural(uint64(len(hosts)), "host"), plural(uint64(len(fl.servers)), "server"), all)
}

func (fl *fleet) add(host string, server int) {
	fl.targets = append(fl.targets, smoke.Target{Host: host, Server: fl.servers[server].name})
	fl.server = append(fl.server, server)
	fl.remote = fl.remote || host != smoke.Local
}

// check refuses what can't be started, and makes the executor and the dialer.
// Hosts differ in nothing but where they are: of each server one target here and
// one elsewhere is looked at.
func (fl *fleet) check(f *smokeFlags) error {
	type kind struct {
		server int
		here   bool
	}
	seen := map[kind]bool{}
	for i, target := range fl.targets {
		k := kind{fl.server[i], target.Host == smoke.Local}
		if seen[k] {
			continue
		}
		seen[k] = true
		t, argv, err := fl.at(i)
		if err != nil {
			return err
		}
		cfg, err := t.sessionConfig(argv)
		if err != nil {
			return err
		}
		if !seen[kind{k.server, !k.here}] && !f.out.quiet {
			fl.app.warn(t.from)
		}
		if k.here {
			fl.startHere()
			continue
		}
		opts, err := t.ssh.options(cfg.Command.Env)
		if err != nil {
			return err
		}
		fl.dial(opts, f)
	}
	return nil
}

// startHere makes the executor of this machine. Who is done with a process has
// read it to its end: nothing of it is to stay.
func (fl *fleet) startHere() {
	if fl.local == nil {
		fl.local = localexec.New(localexec.Options{
			Watchdog: append(fl.app.self, watchdogCommand), IDs: &fl.ids, Retention: time.Second,
		})
	}
}

// dial makes the dialer of all hosts. It does not knock at many doors at once,
// and not twice at one that was closed to it.
func (fl *fleet) dial(opts sshexec.Options, f *smokeFlags) {
	if fl.dialer == nil {
		opts.Limits, opts.Seed, opts.RememberRefusals = link.FanOut(), 1<<32|uint64(f.seed), true // a seed of 0 is one, too
		fl.dialer = sshexec.NewDialer(opts)
	}
}

// makeFolder makes the folder of the recordings, and finds out whether it can be
// written to before there is anything to write.
func (fl *fleet) makeFolder() error {
	folder := fl.shelf()
	if folder == "" {
		return nil
	}
	err := os.MkdirAll(folder, 0o700)
	var probe *os.File
	if err == nil {
		probe, err = os.CreateTemp(folder, ".mcpdbg-*.tmp")
	}
	switch {
	case err == nil:
		return errors.Join(probe.Close(), os.Remove(probe.Name()))
	case fl.flags.recordings != "":
		return usagef("--recordings: %v", err)
	}
	return withHint(usagef("recordings can't be kept: %v", err), "--recordings FOLDER keeps them elsewhere, --no-record keeps none")
}

// shelf is the folder of the recordings; "" for none.
func (fl *fleet) shelf() string {
	if fl.flags.noRecord || fl.flags.recordings != "" {
		return fl.flags.recordings
	}
	folder, _ := recordings.DefaultDir() // without it no target could be made
	return folder
}

// at is how a target is started: its flags and its command.
func (fl *fleet) at(target int) (targetFlags, []string, error) {
	t, host := fl.flags, fl.targets[target].Host
	if host == smoke.Local {
		host = ""
		if fl.remote {
			t.ssh = sshFlags{} // its flags are for the others
		}
	}
	return fl.servers[fl.server[target]].at(t, host)
}

// make makes the session of a target. It implements smoke.Options.Make.
func (fl *fleet) make(_ context.Context, target int, configure func(*session.Config)) (*smoke.Made, error) {
	t, argv, err := fl.at(target)
	if err != nil {
		return nil, err
	}
	t.configure = configure
	cfg, err := t.sessionConfig(argv)
	if err != nil {
		return nil, err
	}
	exec, err := fl.executor(t, cfg.Command.Env)
	if err != nil {
		return nil, err
	}
	l, err := fl.app.live(t, cfg, exec, recordings.Options{Dir: fl.flags.recordings, Server: fl.word(target), MaxPart: fl.maxPart})
	if err != nil {
		return nil, err
	}
	fl.recorded(target, l.log.Path())
	return &smoke.Made{
		Session: l.Session, Recording: l.log.Path(), Close: l.end,
		Release: func() { _ = l.log.Release() }, // it was only read
	}, nil
}

// word is a target in the name of its recording.
func (fl *fleet) word(target int) string {
	if t := fl.targets[target]; t.Host != smoke.Local {
		return t.Server + "-" + t.Host
	}
	return fl.targets[target].Server
}

// executor starts the server of one target. Nobody is there to be asked.
func (fl *fleet) executor(t targetFlags, env []executor.EnvVar) (executor.Executor, error) {
	if !t.ssh.remote() {
		return lent{fl.local}, nil
	}
	opts, err := t.ssh.options(env)
	if err != nil {
		return nil, err
	}
	opts.Dialer, opts.IDs = fl.dialer, &fl.ids
	return sshexec.New(opts)
}

// A lent executor is closed by its owner.
type lent struct{ executor.Executor }

// Close implements executor.Executor.
func (lent) Close() error { return nil }

// close ends what the sessions shared.
func (fl *fleet) close() error {
	var errs []error
	if fl.local != nil {
		errs = append(errs, fl.local.Close())
	}
	if fl.dialer != nil {
		errs = append(errs, fl.dialer.Close())
	}
	return errors.Join(errs...)
}
