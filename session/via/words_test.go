package via_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/via"
)

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		"docker exec -i web":           {"docker", "exec", "-i", "web"},
		" sudo\t-nu 'my svc' ":         {"sudo", "-nu", "my svc"},
		`sh -c 'exec "$@"; true' sh`:   {"sh", "-c", `exec "$@"; true`, "sh"},
		"env A=$B C=*.x D=${E} '$(F)'": {"env", "A=$B", "C=*.x", "D=${E}", "$(F)"},
		"docker compose exec web":      {"docker", "compose", "exec", "web"},
		"docker exec --new web":        {"docker", "exec", "--new", "web"},
		"kubectl exec -i web --":       {"kubectl", "exec", "-i", "web", "--"},
		"docker compose up web":        {"docker", "compose", "up", "web"},
		"chroot '/srv/a\nb' -x":        {"chroot", "/srv/a\nb", "-x"},
	} {
		got, err := via.Split(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for text, want := range map[string]string{
		"":                            "empty: must be the beginning of a command, such as docker exec -i NAME",
		"  ":                          "empty: must be the beginning of a command, such as docker exec -i NAME",
		"'' x":                        "empty: must be the beginning of a command, such as docker exec -i NAME",
		"-i web":                      "begins with the option -i: must begin with a program",
		"docker exec; rm -r":          "unquoted ; at character 12: no shell runs this, quote it",
		"docker exec $(id)":           "unquoted ( at character 14: no shell runs this, quote it",
		"docker exec\nrm":             "line break at character 12: no shell runs this, quote it",
		"docker exec -it web":         "docker exec has -t: a terminal would change the bytes of the protocol, remove it",
		"sudo podman exec -t --new x": "podman exec has -t: a terminal would change the bytes of the protocol, remove it",
		"kubectl exec web -ti --":     "kubectl exec has -t: a terminal would change the bytes of the protocol, remove it",
		"docker exec web":             "docker exec has no -i: the server would get no input, add it",
		"docker run --rm img":         "docker run has no -i: the server would get no input, add it",
		"docker exec -di web":         "docker exec has -d: the server would run without a client, remove it",
		"kubectl exec -i web":         "kubectl exec needs -- before the server's command, add it at the end",
		"docker exec 'web":            "unclosed quote at character 13",
	} {
		_, err := via.Split(text)
		require.EqualError(t, err, want, text)
	}
}

func TestWrappers(t *testing.T) {
	for line, want := range map[string]struct {
		stays, passes bool
		place         string
	}{
		"chroot /srv/x": {true, true, "chroot /srv/x"},
		"/usr/sbin/chroot --userspec a:b --groups=1 /x": {true, true, "chroot /x"},
		"chroot":                      {false, false, "chroot"},
		"chroot /srv/docker":          {true, true, "chroot /srv/docker"},
		"nice -n 5 chroot /srv/x":     {true, true, "chroot /srv/x"},
		"nice -n5 ionice -c2 -n 7 --": {true, true, "nice"},
		"nice -10":                    {false, false, "nice"},
		"unshare -p -f --mount-proc":  {true, true, "unshare"},
		"unshare -pf -R /srv/x":       {true, true, "unshare /srv/x"},
		"nsenter -t 1 -m":             {true, true, "nsenter 1"},
		"nsenter -t1 -mue":            {true, false, "nsenter 1"},
		"bwrap --unshare-pid --bind / / --proc /proc --overlay a b c": {true, true, "bwrap"},
		"bwrap --setenv A":                      {false, false, "bwrap"},
		"bwrap --clearenv --dev /dev --":        {true, false, "bwrap"},
		"env -u A B=c":                          {true, true, "env"},
		"env - A=b":                             {true, false, "env"},
		"env -i nice":                           {true, false, "env"},
		"env -S 'a b'":                          {false, false, "env"},
		"timeout -k 1 5 setsid -w":              {true, true, "timeout"},
		"setsid -f":                             {false, false, "setsid"},
		"taskset -c 1-2 stdbuf -oL":             {true, true, "taskset"},
		"setpriv --reuid 5 --clear-groups":      {true, true, "setpriv 5"},
		"setpriv --reuid=5 --reset-env":         {true, false, "setpriv 5"},
		"chrt -f 10 numactl -N 0":               {true, true, "chrt"},
		"sudo -nu svc":                          {false, false, "sudo svc"},
		"sudo -n --user=svc A=b --":             {false, false, "sudo svc"},
		"sudo":                                  {false, false, "sudo"},
		"doas -u svc":                           {false, false, "doas svc"},
		"nice sudo -n":                          {false, false, "sudo"},
		"nice ./wrap.sh":                        {false, false, "wrap.sh"},
		"./wrap.sh -x":                          {false, false, "wrap.sh"},
		"docker exec -i web":                    {false, false, "docker web"},
		"docker run -i mcp/time":                {false, false, "docker run mcp/time"},
		"docker exec --new x web":               {false, false, "docker"},
		"docker compose exec web":               {false, false, "docker web"},
		"sudo docker exec -i web":               {false, false, "docker web"},
		"env docker exec -i web":                {false, false, "docker web"},
		"kubectl -n b exec -ic c deploy/api --": {false, false, "kubectl deploy/api -c c -n b"},
		"":                                      {false, false, ""},
	} {
		words := strings.Fields(line)
		require.Equal(t, want.stays, via.Descendant(words), line)
		require.Equal(t, want.passes, via.PassesEnv(words), line)
		require.Equal(t, want.place, via.Place(words), line)
		require.Equal(t, strings.TrimPrefix(want.place+" on build-7", " on "), via.Where("", words, "build-7"))
		require.Equal(t, want.place, via.Where("", words, ""))
	}
}
