package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/localexec"
	"mcpdbg/session/mcp"
	"mcpdbg/sshexec"
)

// targetFlags are the flags of every command that starts a server.
type targetFlags struct {
	cwd            string
	env            []string
	envFrom        []string
	envPolicy      string
	leave          []string
	era            string
	protocol       string
	startupTimeout time.Duration
	timeout        time.Duration
	overrun        string
	answers        string
	canned         session.Answers // of the file that answers names, once it is read
	record         string
	noRecord       bool
	recordings     string // folder; "" is the usual one
	maxPart        int64
	lineLimit      size
	collectorDelay time.Duration
	ssh            sshFlags
	config         configFlags

	set            *pflag.FlagSet        // tells which of them were given
	from           *configured           // the server of a config file that they name; nil for a command
	defaultAnswers session.Answers       // without --answers
	person         bool                  // somebody is there to answer the server
	configure      func(*session.Config) // if set, has the last word
	shown          []string              // the command as the recording tells it; nil for as it is
}

func (t *targetFlags) given(name string) bool { return t.set != nil && t.set.Changed(name) }

// defaultEnvPolicy is the --env-policy of who names none.
const defaultEnvPolicy = "inherit"

// register adds all of them.
func (t *targetFlags) register(cmd *cobra.Command) {
	t.registerLocal(cmd)
	t.ssh.register(cmd)
	t.config.register(cmd)
}

// registerLocal adds those that need no other machine.
func (t *targetFlags) registerLocal(cmd *cobra.Command) {
	t.registerSession(cmd)
	f := cmd.Flags()
	f.StringVar(&t.record, "record", "", "record to this new `file`")
	t.registerRecording(cmd)
}

// registerRecording adds those that hold for the recording, wherever it is.
func (t *targetFlags) registerRecording(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Var(&limit[int64]{value: &t.maxPart, parse: recordings.ParsePartSize}, "max-part", "go on in a new file before one has more bytes than `SIZE`, such as 256M")
	f.BoolVar(&t.noRecord, "no-record", false, "keep no recording")
}

// registerSession adds those that say how the server is started and spoken to.
func (t *targetFlags) registerSession(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&t.cwd, "cwd", "C", "", "working `directory` of the server")
	f.StringArrayVarP(&t.env, "env", "e", nil, "set the environment variable `NAME=VALUE`; may be repeated")
	f.StringArrayVar(&t.envFrom, "env-from", nil, "pass on the variable `NAME` of this environment; may be repeated")
	f.StringVar(&t.envPolicy, "env-policy", defaultEnvPolicy, "which variables the server gets besides: inherit, client (as MCP clients do) or none")
	f.StringArrayVar(&t.leave, "leave", nil, "leave processes of the program `NAME`, and what they started, running when the server is ended; may be repeated")
	f.StringVar(&t.era, "era", "auto", "era of the protocol: auto, legacy (initialize) or modern (server/discover)")
	f.StringVar(&t.protocol, "protocol", "", "protocol `version` to ask for")
	f.DurationVar(&t.startupTimeout, "startup-timeout", session.DefaultStartupTimeout, "limit for the whole of a start, from the way to its host to the end of the handshake")
	f.DurationVar(&t.timeout, "timeout", session.DefaultTimeout, "limit for the answer to one request")
	f.StringVar(&t.overrun, "overrun", "hold", "when the server is faster than its log: hold (it waits) or drop (with a gap entry)")
	completeOneOf(cmd, "env-policy", "inherit", "client", "none")
	completeOneOf(cmd, "era", "auto", "legacy", "modern")
	completeOneOf(cmd, "overrun", "hold", "drop")
	f.StringVar(&t.answers, "answers", "", "`file` with canned answers to the server's own requests")
	f.Var(&t.lineLimit, "line-limit", "longest line that is taken whole, such as 64M (default 256M)")
	t.set = f
	f.DurationVar(&t.collectorDelay, "collector-delay", 0, "wait before each event is taken, to see what lag does")
}

// live is a session with all that belongs to it.
type live struct {
	*session.Session
	log  *recordings.File
	exec executor.Executor

	incomplete *incompleteList // takes the log if it is
	urgent     context.Context // over: no ending may wait any more
	calm       func() bool     // stops to look at it
	signals    *interrupts
	tidied     sync.WaitGroup // old recordings are being removed
}

// prepare checks the flags and makes a session for argv; nothing is started.
// Questions about another machine go to the prompter.
func (a *app) prepare(ctx context.Context, t targetFlags, argv []string, prompter executor.Prompter) (*live, error) {
	if t.record != "" && t.noRecord {
		return nil, usagef("--record and --no-record can't be mixed")
	}
	if err := a.readAnswers(ctx, &t); err != nil {
		return nil, err
	}
	if err := a.warnShelf(&t); err != nil {
		return nil, err
	}
	cfg, err := t.sessionConfig(argv)
	if err != nil {
		return nil, err
	}
	exec, err := a.executor(t, cfg.Command.Env, prompter)
	if err != nil {
		return nil, err
	}
	l, err := a.live(t, cfg, exec, recordings.Options{
		Path: t.record, Dir: t.recordings, Server: t.serverName(argv), MaxPart: t.partSize(),
	})
	if err != nil {
		return nil, withHint(err, "--record FILE names another file, and --no-record needs none")
	}
	if !t.noRecord && t.record == "" && t.recordings == "" {
		l.tidied.Go(func() { tidy(a.urgent, func(text string) { l.Note(text, "") }) })
	}
	return l, nil
}

// live makes a session that is started by exec, and closes it when it ends.
func (a *app) live(t targetFlags, cfg session.Config, exec executor.Executor, place recordings.Options) (*live, error) {
	place.NoRecord, place.Header = t.noRecord, t.header(cfg)
	log, err := recordings.Create(place)
	if err != nil {
		_ = exec.Close() // nothing was started
		return nil, usagef("%v", err)
	}
	cfg.Executor, cfg.Log = exec, log
	l := &live{
		Session: session.New(cfg), log: log, exec: exec, incomplete: &a.incomplete, urgent: a.urgent, signals: &a.signals,
	}
	a.signals.add(l)
	l.calm = context.AfterFunc(a.urgent, func() { _ = l.Kill() }) // end tells of what it could not kill
	if t.from != nil {
		l.Note(t.from.origin(), "")
		for _, p := range t.from.problems() {
			l.Note(p.Error(), p.Try)
		}
	}
	return l, nil
}

// partSize is how many bytes a file of a recording has at most; without the flag
// the settings say it. What is wrong with those the interface says.
func (t *targetFlags) partSize() int64 {
	if t.given("max-part") {
		return t.maxPart
	}
	settings, err := readSettings()
	if err != nil {
		return 0
	}
	return settings.MaxPart
}

// serverName is what the server is called: by its config file, or as its
// program.
func (t *targetFlags) serverName(argv []string) string {
	if t.from != nil {
		return t.from.entry.Name
	}
	return filepath.Base(argv[0])
}

// executor is where the flags want the server to be started.
func (a *app) executor(t targetFlags, env []executor.EnvVar, prompter executor.Prompter) (executor.Executor, error) {
	if !t.ssh.remote() {
		return localexec.New(localexec.Options{Watchdog: append(a.self, watchdogCommand)}), nil
	}
	if err := t.ssh.checkConfig(); err != nil {
		return nil, err
	}
	opts, err := t.ssh.options(env)
	if err != nil {
		return nil, err
	}
	opts.Prompter, opts.Lease = prompter, t.lease()
	exec, err := sshexec.New(opts)
	if err != nil {
		return nil, usagef("--ssh: %v", err)
	}
	return exec, nil
}

// lease is how long the guard on a host waits for a sign of life. It is longer for
// an interactive session, because a laptop may sleep for a moment.
func (t *targetFlags) lease() time.Duration {
	if t.person && !t.ssh.given("ssh-lease") {
		return sshexec.ScreenLease
	}
	return t.ssh.lease
}

// header is what the recording says of the session.
func (t *targetFlags) header(cfg session.Config) session.Header {
	argv := cfg.Command.Argv
	if t.from != nil {
		argv = t.from.start.MaskedArgs()
	}
	if t.shown != nil {
		argv = t.shown
	}
	h := session.Header{
		Tool: "mcpdbg " + version, Placement: "local", Argv: session.Conceal(argv, cfg.Command.Env),
		Cwd: cfg.Command.Dir, Era: cfg.Era.String(),
		Secrets: session.NewSecretDigests(slices.Concat(cfg.Command.Env, cfg.Secrets)),
	}
	if t.ssh.remote() {
		h.Placement, h.Host = "ssh", t.ssh.dest
	}
	return h
}

func (t *targetFlags) sessionConfig(argv []string) (session.Config, error) {
	cfg := session.Config{
		ClientName: "mcpdbg", ClientVersion: version, Protocol: t.protocol,
		StartupTimeout: t.startupTimeout, Timeout: t.timeout,
		LineLimit: int(t.lineLimit), CollectorDelay: t.collectorDelay, Answers: t.defaultAnswers,
	}
	if len(argv) == 0 {
		return cfg, usagef("no command: name the server's command after --, or its config file with --config")
	}
	var ok bool
	if cfg.Era, ok = mcp.ParseEra(t.era); !ok {
		return cfg, usagef("--era %q: must be auto, legacy or modern", t.era)
	}
	switch t.overrun {
	case "hold":
		cfg.Overrun = executor.OverrunHold
	case "drop":
		cfg.Overrun = executor.OverrunDrop
	default:
		return cfg, usagef("--overrun %q: must be hold or drop", t.overrun)
	}
	if t.startupTimeout <= 0 || t.timeout <= 0 {
		return cfg, usagef("--startup-timeout and --timeout must be more than 0")
	}
	if t.answers != "" {
		cfg.Answers = t.canned
	}
	if t.from != nil {
		cfg.Secrets = t.from.start.Secrets()
	}
	cmd, err := t.command(argv)
	cfg.Command = cmd
	if t.person {
		cfg.Policies = personAnswers(cfg.Answers, t.folder(cmd))
	}
	if t.configure != nil && err == nil {
		t.configure(&cfg)
	}
	return cfg, err
}

// readAnswers reads the file of --answers, unless that is done: it may be a pipe,
// and several sessions may need it.
func (a *app) readAnswers(ctx context.Context, t *targetFlags) error {
	if t.answers == "" || t.canned != nil {
		return nil
	}
	data, err := a.readFile(ctx, "--answers", t.answers)
	if err != nil {
		return err
	}
	if t.canned, err = session.ParseAnswers(data); err != nil {
		return usagef("--answers %s: %v", t.answers, err)
	}
	if t.canned == nil {
		t.canned = session.Answers{}
	}
	return nil
}

// folder is where the server is to be started; "" on a host that was not told.
func (t *targetFlags) folder(cmd executor.Command) string {
	if cmd.Dir != "" || t.ssh.remote() {
		return cmd.Dir
	}
	folder, _ := os.Getwd() // where it is not known, none is named
	return folder
}

func (t *targetFlags) command(argv []string) (executor.Command, error) {
	cmd := executor.Command{Argv: argv}
	if err := t.checkPlace(); err != nil {
		return cmd, err
	}
	switch t.envPolicy {
	case defaultEnvPolicy:
		cmd.EnvPolicy = executor.EnvInherit
	case "client":
		cmd.EnvPolicy = executor.EnvClient
	case "none":
		cmd.EnvPolicy = executor.EnvNone
	default:
		return cmd, usagef("--env-policy %q: must be inherit, client or none", t.envPolicy)
	}
	if t.from != nil {
		cmd.Env = t.from.start.Environ()
	}
	for _, pair := range t.env {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return cmd, usagef("--env %q: must be NAME=VALUE (--env-from NAME passes a variable on)", pair)
		}
		cmd.Env = append(cmd.Env, executor.EnvVar{Name: name, Value: value})
	}
	for _, name := range t.envFrom {
		value, ok := os.LookupEnv(name)
		if !ok {
			return cmd, usagef("--env-from %s: there is no such variable in this environment", name)
		}
		cmd.Env = append(cmd.Env, executor.EnvVar{Name: name, Value: value})
	}
	cmd.Env = lastOfEach(cmd.Env)
	for _, name := range t.leave {
		if name == "" || strings.ContainsAny(name, `/\`) {
			return cmd, usagef("--leave %q: must be the name of a program, such as adb", name)
		}
	}
	cmd.Leave = t.leave
	if t.ssh.remote() {
		cmd.EnvPolicy, cmd.Dir = executor.EnvNone, t.cwd
	} else if t.cwd != "" {
		dir, err := filepath.Abs(t.cwd)
		if err != nil {
			return cmd, usagef("--cwd: %v", err)
		}
		cmd.Dir = dir
	}
	return cmd, nil
}

// lastOfEach leaves of variables with one name the last, which is to win.
func lastOfEach(env []executor.EnvVar) []executor.EnvVar {
	last := make(map[string]int, len(env))
	for i, v := range env {
		last[v.Name] = i
	}
	var out []executor.EnvVar
	for i, v := range env {
		if last[v.Name] == i {
			out = append(out, v)
		}
	}
	return out
}

// end shuts the server down, whatever ended the command, and closes the log. A
// signal cuts the ladder short; when one has ended ctx before, the next does. A
// log that could not be written to its end is no error: its Stats tell.
func (l *live) end(ctx context.Context) (session.ShutdownReport, error) {
	defer l.signals.begin()()
	defer l.signals.remove(l)
	if ctx.Err() != nil {
		ctx = l.urgent
	}
	report, err := l.Close(ctx)
	l.calm()
	err = errors.Join(err, l.exec.Close())
	l.tidied.Wait()
	_ = l.log.Close()
	l.incomplete.add(l.log)
	return report, err
}

// ending reports whether the session shuts its server down, or will when ctx of
// its Open is done: a handshake that is broken off ends the process.
func (l *live) ending() bool {
	status := l.Status()
	return status.State == session.Handshaking || status.State == session.Stopping || status.Ending.Step != 0
}

// size is a flag for a number of bytes, with K, M or G behind it.
type size int

// String implements pflag.Value.
func (s *size) String() string {
	if *s == 0 {
		return ""
	}
	return fmt.Sprint(int(*s))
}

// Type implements pflag.Value.
func (s *size) Type() string { return "size" }

// Set implements pflag.Value.
func (s *size) Set(text string) error {
	digits := strings.TrimRight(strings.ToUpper(text), "B")
	unit := 1
	for suffix, factor := range map[string]int{"K": 1 << 10, "M": 1 << 20, "G": 1 << 30} {
		if rest, ok := strings.CutSuffix(digits, suffix); ok {
			digits, unit = rest, factor
			break
		}
	}
	var n int
	if _, err := fmt.Sscanf(digits, "%d", &n); err != nil || fmt.Sprint(n) != digits || n <= 0 || n > maxSize/unit {
		return fmt.Errorf("%q is no size: write 65536, 64K, 16M or 1G", text)
	}
	*s = size(n * unit)
	return nil
}

// maxSize bounds a size flag.
const maxSize = 2 << 30
