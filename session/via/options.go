package via

import (
	"slices"
	"strconv"
	"strings"
)

// A syntax has the options of a command: those without a value, and those whose value may
// be the next word.
type syntax struct{ flags, values string }

// An option is one that a command was given. Value is "" for one without.
type option struct{ name, value string }

// off reports whether a flag is switched off, as in --tty=false.
func (o *option) off() bool {
	value, err := strconv.ParseBool(o.value)
	return err == nil && !value
}

// words returns the option as words of a command with this syntax.
func (o *option) words(s *syntax) []string {
	switch {
	case !has(s.values, o.name) && o.value == "":
		return []string{o.name}
	case has(s.values, o.name) && !strings.HasPrefix(o.name, dashes):
		return []string{o.name, o.value}
	}
	return []string{o.name + "=" + o.value}
}

const dashes = "--"

// scan reads the options from a position on, to the first operand or "--". An option that
// is not in the syntax ends it, unless its value follows an equals sign: whether the next
// word belongs to it is unknown.
func (s *syntax) scan(words []string, at int) (given []option, next int, unknown string) {
	for at < len(words) {
		word := words[at]
		if word == dashes || len(word) < 2 || word[0] != '-' {
			return given, at, ""
		}
		at++
		read := s.cluster
		if strings.HasPrefix(word, dashes) {
			read = s.long
		}
		options, open, known := read(word)
		if !known || open && at == len(words) {
			return given, at - 1, word
		}
		if open {
			options[len(options)-1].value = words[at]
			at++
		}
		given = append(given, options...)
	}
	return given, at, ""
}

// long reads --name or --name=value. If it is open, the value is the next word.
func (s *syntax) long(word string) (given []option, open, known bool) {
	name, value, self := strings.Cut(word, "=")
	open = !self && has(s.values, name)
	return []option{{name, value}}, open, self || open || has(s.flags, name)
}

// cluster reads -abc, of which the last may have a value.
func (s *syntax) cluster(word string) (given []option, open, known bool) {
	for i := 1; i < len(word); i++ {
		name, rest := "-"+word[i:i+1], word[i+1:]
		switch {
		case has(s.values, name):
			return append(given, option{name, strings.TrimPrefix(rest, "=")}), rest == "", true
		case !has(s.flags, name):
			return given, false, false
		case strings.HasPrefix(rest, "="):
			return append(given, option{name, rest[1:]}), false, true
		}
		given = append(given, option{name: name})
	}
	return given, false, true
}

func has(list, name string) bool { return slices.Contains(strings.Fields(list), name) }

// last returns the value of the last option with one of the names.
func last(given []option, names string) string {
	for _, o := range slices.Backward(given) {
		if has(names, o.name) {
			return o.value
		}
	}
	return ""
}

// on reports whether the last option with one of the names is a flag that is on.
func on(given []option, names string) bool {
	for _, o := range slices.Backward(given) {
		if has(names, o.name) {
			return !o.off()
		}
	}
	return false
}

// The options of docker 28 (docker run --help, and so on), podman 5 (podman-run(1),
// podman-exec(1), podman(1)) and nerdctl 2 (docs/command-reference.md) in one table each:
// none has a value in one of them and none in another.
var (
	engineGlobal = syntax{
		flags: "-D --debug --debug-full --tls --tlsverify -r --remote --syslog --transient-store --noout --experimental --insecure-registry --kube-hide-dupe",
		values: "--config -c --context -H --host -l --log-level --tlscacert --tlscert --tlskey " +
			"--cgroup-manager --conmon --connection --events-backend --hooks-dir --identity --imagestore --module --network-cmd-path " +
			"--network-config-dir --out --root --runroot --runtime --runtime-flag --ssh --storage-driver --storage-opt --tmpdir --url --volumepath " +
			"-a --address -n --namespace --bridge-ip --cni-netconfpath --cni-path --data-root --host-gateway-ip --hosts-dir --snapshotter --cdi-spec-dirs --userns-remap",
	}
	engineExec = syntax{
		flags:  "-d --detach -i --interactive --privileged -t --tty --no-session",
		values: "--detach-keys -e --env --env-file -u --user -w --workdir --preserve-fd --preserve-fds",
	}
	engineRun = syntax{
		flags: "-d --detach --disable-content-trust --init -i --interactive --no-healthcheck --oom-kill-disable --privileged -P --publish-all -q --quiet " +
			"--read-only --rm --sig-proxy -t --tty --use-api-socket --env-host --http-proxy --no-hosts --no-hostname --passwd --read-only-tmpfs --replace --rmi --rootfs --tls-verify",
		values: "--add-host --annotation -a --attach --blkio-weight --blkio-weight-device --cap-add --cap-drop --cgroup-parent --cgroupns --cidfile " +
			"--cpu-count --cpu-percent --cpu-period --cpu-quota --cpu-rt-period --cpu-rt-runtime -c --cpu-shares --cpus --cpuset-cpus --cpuset-mems " +
			"--detach-keys --device --device-cgroup-rule --device-read-bps --device-read-iops --device-write-bps --device-write-iops " +
			"--dns --dns-opt --dns-option --dns-search --domainname --entrypoint -e --env --env-file --expose --gpus --group-add " +
			"--health-cmd --health-interval --health-retries --health-start-interval --health-start-period --health-timeout -h --hostname " +
			"--io-maxbandwidth --io-maxiops --ip --ip6 --ipc --isolation --kernel-memory -l --label --label-file --link --link-local-ip " +
			"--log-driver --log-opt --mac-address -m --memory --memory-reservation --memory-swap --memory-swappiness --mount --name " +
			"--net --network --net-alias --network-alias --oom-score-adj --pid --pids-limit --platform -p --publish --pull --restart --runtime " +
			"--security-opt --shm-size --stop-signal --stop-timeout --storage-opt --sysctl --tmpfs --ulimit -u --user --userns --uts " +
			"-v --volume --volume-driver --volumes-from -w --workdir " +
			"--arch --authfile --cert-dir --cgroup-conf --cgroups --chrootdirs --conmon-pidfile --creds --decryption-key --env-merge --gidmap --group-entry " +
			"--hosts-file --hostuser --image-volume --init-ctr --init-path --os --passwd-entry --personality --pidfile --pod --pod-id-file --preserve-fd " +
			"--preserve-fds --rdt-class --requires --retry --retry-delay --sdnotify --seccomp-policy --secret --shm-size-systemd --subgidname --subuidname " +
			"--systemd --timeout --tz --uidmap --umask --unsetenv --variant --init-binary --ipfs-address --verify --cosign-key",
	}
	engineStart = syntax{flags: "-a --attach -i --interactive --sig-proxy --no-stdin", values: "--detach-keys --checkpoint --checkpoint-dir"}

	// docs.docker.com/reference/cli/docker/compose; podman compose runs it, or
	// podman-compose.
	compose = syntax{
		flags:  "--all-resources --compatibility --dry-run --verbose --no-ansi",
		values: "--ansi --env-file -f --file --parallel --profile --progress --project-directory -p --project-name --workdir",
	}
	composeExec = syntax{
		flags:  "-d --detach -i --interactive --privileged -T --no-tty --no-TTY -t --tty",
		values: "-e --env --index -u --user -w --workdir",
	}
	composeRun = syntax{
		flags: "--build -d --detach -i --interactive -T --no-tty --no-TTY -t --tty --no-deps --quiet -q --quiet-build --quiet-pull --remove-orphans --rm " +
			"-P --service-ports --use-aliases",
		values: "--cap-add --cap-drop --entrypoint -e --env --env-from-file -l --label --name -p --publish --pull -u --user -v --volume -w --workdir",
	}

	// kubectl 1.32: kubectl options, kubectl exec --help, kubectl run --help. All may
	// come before the verb and after the pod.
	kubectlGlobal = syntax{
		flags: "--disable-compression --insecure-skip-tls-verify --match-server-version --warnings-as-errors",
		values: "--as --as-group --as-uid --as-user-extra --cache-dir --certificate-authority --client-certificate --client-key --cluster --context --kubeconfig " +
			"--kuberc --log-flush-frequency -n --namespace --password --profile --profile-output --request-timeout -s --server --tls-server-name --token --user " +
			"--username -v --v --vmodule",
	}
	kubectlExec = syntax{
		flags:  kubectlGlobal.flags + " -q --quiet -i --stdin -t --tty",
		values: kubectlGlobal.values + " -c --container -f --filename --pod-running-timeout",
	}
	kubectlRun = syntax{
		flags: kubectlExec.flags + " --attach --command --expose --force --leave-stdin-open --privileged -R --recursive --rm --save-config --show-managed-fields " +
			"--wait --allow-missing-template-keys",
		values: kubectlExec.values + " --annotations --cascade --env --field-manager --grace-period --image --image-pull-policy -k --kustomize -l --labels -o --output " +
			"--override-type --overrides --port --restart --template --timeout",
	}
)
