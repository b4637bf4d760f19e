package flags

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcpdbg/internal/cli/console"
	"mcpdbg/session/executor"
	"mcpdbg/sshexec"
	"mcpdbg/sshexec/link"
	"mcpdbg/sshexec/sshconfig"
	"mcpdbg/ui/widget/termsafe"
)

// SSH are the flags for another machine.
type SSH struct {
	Dest   string
	Config string

	opts sshexec.Options // what the other flags set
	set  *pflag.FlagSet  // which flags were given; nil without flags
}

// SSHWords are the flags that take fixed words.
var SSHWords = map[string][]string{
	"ssh-transport": {string(sshexec.TransportAuto), string(sshexec.TransportNative), string(sshexec.TransportMaster), string(sshexec.TransportBinary)},
	"path-from":     {string(sshexec.PathPlain), string(sshexec.PathLogin), string(sshexec.PathInteractive), string(sshexec.PathExplicit)},
	"ssh-launch":    {string(sshexec.LaunchGuarded), string(sshexec.LaunchPlain)},
}

// SSHOnly are the flags that require --ssh.
var SSHOnly = []string{"ssh-config", "ssh-identity", "ssh-transport", "path-from", "ssh-launch", "accept-new", "ssh-connect-timeout", "ssh-auth-timeout", "ssh-launch-timeout", "ssh-lease"}

// Register adds --ssh and the flags of RegisterWay.
func (s *SSH) Register(cmd *cobra.Command) {
	cmd.Flags().Var((*destination)(&s.Dest), "ssh", "start the server on another machine: an alias from the ssh configuration, `[user@]host[:port]` or ssh://...")
	s.RegisterWay(cmd)
}

// RegisterWay adds the flags for connecting to a host and using it.
func (s *SSH) RegisterWay(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&s.Config, "ssh-config", "F", "", "ssh configuration `file` to use instead of yours and the system's")
	f.StringArrayVar(&s.opts.Identities, "ssh-identity", nil, "private key `file` to log in with, as ssh -i; may be repeated")
	f.StringVar((*string)(&s.opts.Transport), "ssh-transport", string(sshexec.TransportAuto), "SSH implementation: auto, native (built in), master (an open ssh connection) or binary (the ssh program)")
	f.StringVar((*string)(&s.opts.PathFrom), "path-from", string(sshexec.PathPlain), "source of PATH on the host: plain (from sshd), login or interactive (from such a shell) or explicit (-e PATH=...)")
	f.StringVar((*string)(&s.opts.Launch), "ssh-launch", string(sshexec.LaunchGuarded), "how the server is started there: guarded (its process tree is always ended) or plain (the bare command)")
	f.BoolVar(&s.opts.AcceptNew, "accept-new", false, "add unknown host keys to known_hosts without asking, like StrictHostKeyChecking accept-new; a changed key is still refused")
	f.DurationVar(&s.opts.ConnectTimeout, "ssh-connect-timeout", 0, "limit for the connection to each hop, and then for its host key (default: ConnectTimeout of the ssh configuration, or 10s)")
	f.DurationVar(&s.opts.AuthTimeout, "ssh-auth-timeout", link.DefaultAuthTimeout, "limit for the login at each hop; time spent in prompts does not count")
	f.DurationVar(&s.opts.StartTimeout, "ssh-launch-timeout", sshexec.DefaultStartTimeout, "limit from the login to the running server, including the shell and its startup files")
	f.DurationVar(&s.opts.Lease, "ssh-lease", sshexec.DefaultLease, "how long the server runs on the host without contact to mcpdbg; 5m in the interface unless set")
	for name, words := range SSHWords {
		CompleteOneOf(cmd, name, words...)
	}
	_ = cmd.RegisterFlagCompletionFunc("ssh", completeHosts) // the flag exists
	CompleteNothing(cmd, "ssh-connect-timeout", "ssh-auth-timeout", "ssh-launch-timeout", "ssh-lease")
	s.set = f
}

type destination string

// String implements pflag.Value.
func (d *destination) String() string { return string(*d) }

// Type implements pflag.Value.
func (d *destination) Type() string { return "host" }

// Set implements pflag.Value. An invalid destination is rejected later, by an error that
// does not repeat a password.
func (d *destination) Set(text string) error {
	if text == "" {
		return errors.New("empty; must be a host, or user@host:port")
	}
	*d = destination(text)
	return nil
}

func completeHosts(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	config, _ := cmd.Flags().GetString("ssh-config") // the flag exists
	known, _ := (&sshconfig.Resolver{Config: config}).Aliases()
	user := typed[:strings.LastIndexByte(typed, '@')+1]
	var hosts []cobra.Completion
	for _, name := range known {
		if strings.HasPrefix(user+name, typed) && termsafe.String(name) == name { // completions are printed unescaped
			hosts = append(hosts, user+name)
		}
	}
	return hosts, cobra.ShellCompDirectiveNoFileComp
}

// minLease is twice the keep-alive interval: with less, a server in use could be
// killed.
const minLease = 10 * time.Second

// Remote reports whether the server is on another machine. A config file also sets dest.
func (s *SSH) Remote() bool { return s.Dest != "" }

func (s *SSH) given(name string) bool { return s.set != nil && s.set.Changed(name) }

func (t *Target) checkPlace() error {
	if err := t.checkVia(); err != nil {
		return err
	}
	if err := t.checkExecServer(); err != nil {
		return err
	}
	if t.ExecServer.Text != "" && t.Cwd != "" && !isAbs(t.Cwd) {
		return console.Usagef("--cwd %s: with --exec-server it must be an absolute path there (the default is the login directory)", t.Cwd)
	}
	if !t.SSH.Remote() {
		for _, name := range SSHOnly {
			if t.SSH.given(name) {
				return console.Usagef("--%s requires --ssh", name)
			}
		}
		return nil
	}
	if t.Cwd != "" && !path.IsAbs(t.Cwd) {
		return console.Usagef("--cwd %s: with --ssh it must be an absolute path on the host (the default is the login directory)", t.Cwd)
	}
	if t.EnvPolicy != defaultEnvPolicy && t.ExecServer.Text == "" {
		return console.Usagef("--env-policy %s: cannot be combined with --ssh, which passes on only the variables of -e and --env-from", t.EnvPolicy)
	}
	return nil
}

// Choose sets --path-from or --ssh-launch for one host.
func (s *SSH) Choose(flag, word string) error {
	if words := SSHWords[flag]; !slices.Contains(words, word) {
		return fmt.Errorf("%q: must be %s", word, strings.Join(words, ", "))
	}
	if flag == "path-from" {
		s.opts.PathFrom = sshexec.PathFrom(word)
	} else {
		s.opts.Launch = sshexec.Launch(word)
	}
	return nil
}

// AddIdentity adds a key file for one host.
func (s *SSH) AddIdentity(file string) {
	s.opts.Identities = append([]string{file}, s.opts.Identities...)
}

// isAbs reports whether a path is absolute on some system.
func isAbs(dir string) bool { return path.IsAbs(dir) || filepath.IsAbs(dir) }

// CheckConfig rejects unreadable files of --ssh-config and --ssh-identity, which would
// fail every host.
func (s *SSH) CheckConfig() error {
	for _, file := range s.opts.Identities {
		if err := console.CheckReadable(file); err != nil {
			return console.Usagef("--ssh-identity: %v", err)
		}
	}
	if s.Config == "" || s.Config == "none" {
		return nil
	}
	if err := console.CheckReadable(s.Config); err != nil {
		return console.WithHint(console.Usagef("--ssh-config: %v", err), "omit it to use your ssh configuration and the system's, or --ssh-config none to read no file")
	}
	return nil
}

// Options returns the options of an executor.
func (s *SSH) Options(env []executor.EnvVar) (sshexec.Options, error) {
	dest, err := sshconfig.ParseDestination(s.Dest)
	if err != nil {
		from := "--ssh"
		if !s.given("ssh") {
			from = "the host of the config file"
		}
		return sshexec.Options{}, console.Usagef("%s: %v", from, err)
	}
	for name, words := range SSHWords {
		if value := s.set.Lookup(name).Value.String(); !slices.Contains(words, value) {
			return sshexec.Options{}, console.Usagef("--%s %q: must be %s or %s", name, value, strings.Join(words[:len(words)-1], ", "), words[len(words)-1])
		}
	}
	named := slices.ContainsFunc(env, func(v executor.EnvVar) bool { return v.Name == "PATH" })
	switch {
	case s.opts.PathFrom == sshexec.PathExplicit && !named:
		return sshexec.Options{}, console.Usagef("--path-from explicit requires -e PATH=...")
	case s.opts.ConnectTimeout < 0 || s.given("ssh-connect-timeout") && s.opts.ConnectTimeout == 0:
		return sshexec.Options{}, console.Usagef("--ssh-connect-timeout must be more than 0")
	case s.opts.AuthTimeout <= 0:
		return sshexec.Options{}, console.Usagef("--ssh-auth-timeout must be more than 0")
	case s.opts.StartTimeout <= 0:
		return sshexec.Options{}, console.Usagef("--ssh-launch-timeout must be more than 0")
	case s.opts.Lease < minLease:
		return sshexec.Options{}, console.Usagef("--ssh-lease must be at least %v: keep-alives are sent only every few seconds", minLease)
	}
	opts := s.opts
	opts.Destination, opts.Config, opts.NoAcceptNew = dest, s.Config, s.given("accept-new") && !s.opts.AcceptNew
	return opts, nil
}
