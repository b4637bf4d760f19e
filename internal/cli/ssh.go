package cli

import (
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec"
	"mcpdbg/sshexec/link"
	"mcpdbg/sshexec/sshconfig"
	"mcpdbg/ui/termsafe"
)

// sshFlags are the flags that say on which other machine the server is started.
type sshFlags struct {
	dest           string
	config         string
	identities     []string
	transport      string
	pathFrom       string
	launch         string
	acceptNew      bool
	connectTimeout time.Duration
	authTimeout    time.Duration
	launchTimeout  time.Duration
	lease          time.Duration

	set *pflag.FlagSet // tells which of them were given; nil where there are none
}

// sshWords are the flags that take one of a few words.
var sshWords = map[string][]string{
	"ssh-transport": {string(sshexec.TransportAuto), string(sshexec.TransportNative), string(sshexec.TransportMaster), string(sshexec.TransportBinary)},
	"path-from":     {string(sshexec.PathPlain), string(sshexec.PathLogin), string(sshexec.PathInteractive), string(sshexec.PathExplicit)},
	"ssh-launch":    {string(sshexec.LaunchGuarded), string(sshexec.LaunchPlain)},
}

// sshOnly are the flags that mean nothing without --ssh.
var sshOnly = []string{"ssh-config", "ssh-identity", "ssh-transport", "path-from", "ssh-launch", "accept-new", "ssh-connect-timeout", "ssh-auth-timeout", "ssh-launch-timeout", "ssh-lease"}

func (s *sshFlags) register(cmd *cobra.Command) {
	cmd.Flags().Var((*destination)(&s.dest), "ssh", "start the server on another machine: an alias of the ssh configuration, `[user@]host[:port]` or ssh://...")
	s.registerWay(cmd)
}

// registerWay adds those that say how a host is reached and used.
func (s *sshFlags) registerWay(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&s.config, "ssh-config", "F", "", "ssh configuration `file` instead of yours and the system's")
	f.StringArrayVar(&s.identities, "ssh-identity", nil, "private key `file` to log in with, as ssh -i; may be repeated")
	f.StringVar(&s.transport, "ssh-transport", string(sshexec.TransportAuto), "who speaks SSH: auto, native (this program), master (an open connection of ssh) or binary (the ssh program)")
	f.StringVar(&s.pathFrom, "path-from", string(sshexec.PathPlain), "PATH on the host: plain (what sshd gives), login or interactive (that of such a shell) or explicit (-e PATH=...)")
	f.StringVar(&s.launch, "ssh-launch", string(sshexec.LaunchGuarded), "how the server is started there: guarded (its whole tree is ended, whatever happens) or plain (the bare command)")
	completeOneOf(cmd, "ssh-transport", string(sshexec.TransportAuto), "native", "master", "binary")
	completeOneOf(cmd, "path-from", string(sshexec.PathPlain), "login", "interactive", "explicit")
	completeOneOf(cmd, "ssh-launch", string(sshexec.LaunchGuarded), "plain")
	f.BoolVar(&s.acceptNew, "accept-new", false, "write unknown host keys to known_hosts without asking, as StrictHostKeyChecking accept-new does; a changed key is still refused")
	f.DurationVar(&s.connectTimeout, "ssh-connect-timeout", 0, "limit for the connection to each hop, and then for its host key (default: ConnectTimeout of the ssh configuration, or 10s)")
	f.DurationVar(&s.authTimeout, "ssh-auth-timeout", link.DefaultAuthTimeout, "limit for the login at each hop; time in which you are asked does not count")
	f.DurationVar(&s.launchTimeout, "ssh-launch-timeout", sshexec.DefaultStartTimeout, "limit from the login to the running server, for the shell there and its startup files")
	f.DurationVar(&s.lease, "ssh-lease", sshexec.DefaultLease, "how long the server lives on the host when nothing is heard of this program any more; 5m on the screen unless given")
	for name, words := range sshWords {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
	}
	_ = cmd.RegisterFlagCompletionFunc("ssh", completeHosts)
	for _, name := range []string{"ssh-connect-timeout", "ssh-auth-timeout", "ssh-launch-timeout", "ssh-lease"} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
	s.set = f
}

// A destination is a flag that names a host.
type destination string

// String implements pflag.Value.
func (d *destination) String() string { return string(*d) }

// Type implements pflag.Value.
func (d *destination) Type() string { return "host" }

// Set implements pflag.Value. What is no destination is refused later, by an
// error that does not repeat a password.
func (d *destination) Set(text string) error {
	if text == "" {
		return errors.New("it is empty; write a host, or user@host:port")
	}
	*d = destination(text)
	return nil
}

// completeHosts completes a host by the names that the ssh configuration has.
func completeHosts(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	config, _ := cmd.Flags().GetString("ssh-config") // the flag is there
	known, _ := (&sshconfig.Resolver{Config: config}).Aliases()
	user := typed[:strings.LastIndexByte(typed, '@')+1]
	var hosts []cobra.Completion
	for _, name := range known {
		if strings.HasPrefix(user+name, typed) && termsafe.String(name) == name { // it goes to the terminal as it is
			hosts = append(hosts, user+name)
		}
	}
	return hosts, cobra.ShellCompDirectiveNoFileComp
}

// minLease is twice the time between two signs of life: with less, a server that
// is still wanted could be ended.
const minLease = 10 * time.Second

// remote tells whether the server is started on another machine: dest is also
// set by a config file.
func (s *sshFlags) remote() bool { return s.dest != "" }

func (s *sshFlags) given(name string) bool { return s.set != nil && s.set.Changed(name) }

// checkPlace refuses flags that do not go together.
func (t *targetFlags) checkPlace() error {
	if !t.ssh.remote() {
		for _, name := range sshOnly {
			if t.ssh.given(name) {
				return usagef("--%s means nothing without --ssh DEST", name)
			}
		}
		return nil
	}
	if t.cwd != "" && !path.IsAbs(t.cwd) {
		return usagef("--cwd %s: with --ssh it is a directory of the host, and has to begin with /; without --cwd it is the login directory", t.cwd)
	}
	if t.envPolicy != defaultEnvPolicy {
		return usagef("--env-policy %s: with --ssh nothing of this environment is passed on; name what shall be, with -e and --env-from", t.envPolicy)
	}
	return nil
}

// checkConfig refuses files of --ssh-config and --ssh-identity that can't be read:
// every host would fail for them.
func (s *sshFlags) checkConfig() error {
	for _, file := range s.identities {
		if err := mayRead(file); err != nil {
			return usagef("--ssh-identity: %v", err)
		}
	}
	if s.config == "" || s.config == "none" {
		return nil
	}
	if err := mayRead(s.config); err != nil {
		return withHint(usagef("--ssh-config: %v", err), "without it your ssh configuration counts, and that of the system; none reads no file")
	}
	return nil
}

// options checks the flags and makes the options of an executor of them.
func (s *sshFlags) options(env []executor.EnvVar) (sshexec.Options, error) {
	dest, err := sshconfig.ParseDestination(s.dest)
	if err != nil {
		from := "--ssh"
		if !s.given("ssh") {
			from = "the host of the config file"
		}
		return sshexec.Options{}, usagef("%s: %v", from, err)
	}
	for name, words := range sshWords {
		if value := s.set.Lookup(name).Value.String(); !slices.Contains(words, value) {
			return sshexec.Options{}, usagef("--%s %q: must be %s or %s", name, value, strings.Join(words[:len(words)-1], ", "), words[len(words)-1])
		}
	}
	named := slices.ContainsFunc(env, func(v executor.EnvVar) bool { return v.Name == "PATH" })
	switch {
	case s.pathFrom == string(sshexec.PathExplicit) && !named:
		return sshexec.Options{}, usagef("--path-from explicit: name it, with -e PATH=...")
	case s.connectTimeout < 0 || s.given("ssh-connect-timeout") && s.connectTimeout == 0:
		return sshexec.Options{}, usagef("--ssh-connect-timeout must be more than 0")
	case s.authTimeout <= 0:
		return sshexec.Options{}, usagef("--ssh-auth-timeout must be more than 0")
	case s.launchTimeout <= 0:
		return sshexec.Options{}, usagef("--ssh-launch-timeout must be more than 0")
	case s.lease < minLease:
		return sshexec.Options{}, usagef("--ssh-lease must be at least %v: a sign of life goes out every few seconds only", minLease)
	}
	return sshexec.Options{
		Destination: dest, Config: s.config, Identities: s.identities, Transport: sshexec.Transport(s.transport), PathFrom: sshexec.PathFrom(s.pathFrom),
		Launch: sshexec.Launch(s.launch), AcceptNew: s.acceptNew, NoAcceptNew: s.given("accept-new") && !s.acceptNew,
		ConnectTimeout: s.connectTimeout, AuthTimeout: s.authTimeout, StartTimeout: s.launchTimeout, Lease: s.lease,
	}, nil
}
