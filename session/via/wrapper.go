package via

import (
	"slices"
	"strings"

	"mcpdbg/internal/wording"
)

// A wrapper is a program that starts the command behind its options and operands.
type wrapper struct {
	syntax
	operands    int    // how many precede the command
	assignments bool   // NAME=VALUE may precede the command
	clears      string // options with which the command does not get the environment
	foreign     bool   // it may run the command as another user, with another environment
	plain       bool   // it changes no place, only how the command runs
	place       string // options that name the place; without them, the first operand does
}

// wrappers by name. The options are those of coreutils 9, util-linux 2.41, numactl 2,
// bubblewrap 0.11, sudo 1.9 and OpenDoas 6, from their manual pages; those that do
// something else than to start a command are unknown, such as setsid --fork, which is not
// the parent of the command.
var wrappers = map[string]wrapper{
	"env": {syntax: syntax{"-i --ignore-environment -v --debug --block-signal --default-signal --ignore-signal --list-signal-handling",
		"-u --unset -C --chdir"}, assignments: true, clears: "-i --ignore-environment -", plain: true},
	"nice":      {syntax: syntax{values: "-n --adjustment"}, plain: true},
	"ionice":    {syntax: syntax{"-t --ignore", "-c --class -n --classdata"}, plain: true},
	"nohup":     {plain: true},
	"setsid":    {syntax: syntax{flags: "-c --ctty -w --wait"}, plain: true},
	"stdbuf":    {syntax: syntax{values: "-i --input -o --output -e --error"}, plain: true},
	"time":      {syntax: syntax{"-a --append -p --portability -q --quiet -v --verbose", "-f --format -o --output"}, plain: true},
	"timeout":   {syntax: syntax{"--foreground --preserve-status -f -p -v --verbose", "-k --kill-after -s --signal"}, operands: 1, plain: true},
	"prlimit":   {plain: true},
	"taskset":   {syntax: syntax{flags: "-a --all-tasks -c --cpu-list"}, operands: 1, plain: true},
	"busybox":   {plain: true},
	"tini":      {syntax: syntax{"-g -s -v -w", "-e -p"}, plain: true},
	"dumb-init": {syntax: syntax{"-c --single-child -v --verbose", "-r --rewrite"}, plain: true},
	"numactl": {syntax: syntax{"-a --all -b --balancing -l --localalloc",
		"-C --physcpubind -i --interleave -m --membind -N --cpunodebind -p --preferred -P --preferred-many -w --weighted-interleave"}, plain: true},
	"chrt": {syntax: syntax{"-a --all-tasks -b --batch -d --deadline -f --fifo -i --idle -o --other -r --rr -R --reset-on-fork -v --verbose",
		"-D --sched-deadline -P --sched-period -T --sched-runtime"}, operands: 1, plain: true},
	"setpriv": {syntax: syntax{"--clear-groups --init-groups --keep-groups --nnp --no-new-privs --reset-env",
		"--ambient-caps --apparmor-profile --bounding-set --egid --euid --groups --inh-caps --landlock-access --landlock-rule --pdeathsig --ptracer " +
			"--regid --reuid --rgid --ruid --seccomp-filter --securebits --selinux-label"}, clears: "--reset-env", place: "--reuid --ruid"},
	"chroot": {syntax: syntax{"--skip-chdir", "--groups --userspec"}, operands: 1},
	"unshare": {syntax: syntax{
		"-c --map-current-user -C --cgroup -f --fork -i --ipc --keep-caps --kill-child -m --mount --map-auto --mount-binfmt --mount-proc -n --net -p --pid " +
			"-r --map-root-user -T --time -u --uts -U --user",
		"--boottime -G --setgid -l --load-interp --map-group --map-groups --map-user --map-users --monotonic --owner --propagation -R --root -S --setuid " +
			"--setgroups -w --wd"}, place: "-R --root"},
	"nsenter": {syntax: syntax{
		"-a --all -c --join-cgroup -C --cgroup -e --env -F --no-fork -i --ipc --keep-caps -m --mount -n --net -p --pid --preserve-credentials -r --root " +
			"-T --time -u --uts -U --user --user-parent -w --wd -Z --follow-context",
		"-G --setgid -N --net-socket -S --setuid -t --target -W --wdns"}, clears: "-e --env", place: "-t --target"},
	"bwrap": {syntax: syntax{
		"--as-pid-1 --assert-userns-disabled --clearenv --die-with-parent --disable-userns --new-session --share-net --unshare-all --unshare-cgroup " +
			"--unshare-cgroup-try --unshare-ipc --unshare-net --unshare-pid --unshare-user --unshare-user-try --unshare-uts",
		"--add-seccomp-fd --args --argv0 --block-fd --cap-add --cap-drop --chdir --dev --dir --exec-label --file-label --gid --hostname --info-fd " +
			"--json-status-fd --lock-file --mqueue --overlay-src --perms --pidns --proc --remount-ro --ro-overlay --seccomp --size --sync-fd --tmp-overlay " +
			"--tmpfs --uid --unsetenv --userns --userns2 --userns-block-fd"}, clears: "--clearenv --args"},
	"sudo": {syntax: syntax{"-A --askpass -b --background -B --bell -E --preserve-env -H --set-home -k --reset-timestamp -n --non-interactive " +
		"-N --no-update -P --preserve-groups -S --stdin",
		"-a --auth-type -c --login-class -C --close-from -D --chdir -g --group -h --host -p --prompt -r --role -R --chroot -t --type -T --command-timeout " +
			"-u --user -U --other-user"}, assignments: true, foreign: true, place: "-u --user"},
	"doas": {syntax: syntax{"-n", "-a -C -u"}, foreign: true, place: "-u"},
	"runuser": {syntax: syntax{"-m -p --preserve-environment -P --pty -T --no-pty", "-g --group -G --supp-group -u --user -w --whitelist-environment"},
		foreign: true, place: "-u --user"},
}

// bwrapTwo and bwrapThree are options of bwrap with that many values.
const (
	bwrapTwo = "--bind --bind-data --bind-fd --bind-try --chmod --dev-bind --dev-bind-try --file --ro-bind --ro-bind-data --ro-bind-fd --ro-bind-try " +
		"--setenv --symlink"
	bwrapThree = "--overlay"
)

// A step is one wrapper of several, one in the other.
type step struct {
	at, end int // position of its program, and of the command behind it
	name    string
	wrapper wrapper
	given   []option
	operand string
}

// steps reads the wrappers that a command begins with. rest are the words that follow
// them; all is false if it is unknown where an option of theirs ends.
func steps(words []string) (found []step, rest []string, all bool) {
	for length := len(words); len(words) > 0; {
		s := step{at: length - len(words), name: programName(words[0])}
		var known bool
		if s.wrapper, known = wrappers[s.name]; !known {
			break
		}
		at, ok := s.read(words)
		if !ok {
			return found, words, false
		}
		s.end = s.at + at
		found, words = append(found, s), words[at:]
	}
	return found, words, true
}

// read returns the position of the command behind the options and operands.
func (s *step) read(words []string) (at int, ok bool) {
	at = 1
	for {
		given, next, unknown := s.wrapper.scan(words, at)
		s.given = append(s.given, given...)
		if at = next; unknown == "" {
			break
		}
		values := 0
		switch {
		case s.name == "bwrap" && has(bwrapTwo, unknown):
			values = 2
		case s.name == "bwrap" && has(bwrapThree, unknown):
			values = 3
		}
		if at += 1 + values; values == 0 || at > len(words) {
			return 0, false
		}
	}
	if at < len(words) && words[at] == dashes {
		at++
	}
	for s.wrapper.assignments && at < len(words) && (words[at] == "-" || strings.Contains(words[at], "=")) {
		s.given = append(s.given, option{name: words[at]})
		at++
	}
	if at+s.wrapper.operands > len(words) {
		return 0, false
	}
	if s.wrapper.operands > 0 {
		s.operand = words[at]
	}
	return at + s.wrapper.operands, true
}

// Descendant reports whether the processes that a prefix starts stay its descendants on
// the machine where it runs, and of its user, so that the machine's executor can end
// them. It reports false if that is unknown.
func Descendant(words []string) bool {
	found, rest, all := steps(words)
	return len(found) > 0 && len(rest) == 0 && all && !slices.ContainsFunc(found, func(s step) bool { return s.wrapper.foreign })
}

// PassesEnv reports whether the command of a prefix gets the environment that the prefix
// is started with. It reports false if that is unknown.
func PassesEnv(words []string) bool {
	found, _, _ := steps(words)
	return Descendant(words) && !slices.ContainsFunc(found, func(s step) bool {
		return slices.ContainsFunc(s.given, func(o option) bool { return has(s.wrapper.clears, o.name) })
	})
}

// Place names the place that a prefix leads to, for people: docker web, kubectl
// deploy/api, sudo svc, chroot /srv/x. It is untrusted text.
func Place(words []string) string {
	if len(words) == 0 {
		return ""
	}
	if p, ok := Parse(words); ok {
		return p.place()
	}
	found, rest, _ := steps(words)
	name := programName(words[0])
	for _, s := range found {
		if s.wrapper.plain {
			continue
		}
		where := s.operand
		if s.wrapper.place != "" {
			where = last(s.given, s.wrapper.place)
		}
		return strings.TrimSuffix(s.name+" "+where, " ")
	}
	if len(found) > 0 && len(rest) > 0 {
		name = programName(rest[0])
	}
	return name
}

// Where names the exec server that starts processes, the place of a prefix and the host that
// it is on, such as docker web on build-7. Without any it is "".
func Where(execServer string, words []string, host string) string {
	return wording.Join(" on ", wording.ExecServer(execServer), Place(words), host)
}

func (p *Prefix) place() string {
	words := []string{p.Engine}
	if verb := strings.TrimPrefix(p.Verb, "compose "); verb == "run" {
		words = append(words, verb)
	}
	if p.Target != "" {
		words = append(words, p.Target)
	}
	if p.Container != "" {
		words = append(words, "-c", p.Container)
	}
	if p.Namespace != "" {
		words = append(words, "-n", p.Namespace)
	}
	return strings.Join(words, " ")
}
