package via_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/via"
)

func TestContainerEngineIsFoundBehindWrappers(t *testing.T) {
	for line, want := range map[string]string{
		"docker run -i --rm mcp/time":               "docker",
		"/usr/bin/podman run -i x":                  "podman",
		`C:\Program\Docker\docker.exe run x`:        "docker",
		"sudo -u ada -E nerdctl run -i x":           "nerdctl",
		"env A=b kubectl exec -i pod -- server":     "kubectl",
		"npx -y docker run x":                       "docker",
		"timeout 10 /usr/local/bin/docker run -i x": "docker",
		"npx -y server-filesystem /home/ada/docker": "",
		"docker compose -f x.yml run server":        "docker",
		"docker --context far container exec x y":   "docker",
		"kubectl -n tools attach -i pod":            "kubectl",
		"podman start -ai x":                        "podman",
		"docker.exe":                                "docker",
		"docker ps":                                 "",
		"kubectl get pods":                          "",
		"sh -c docker ps; exec server run":          "",
		"npx -y docker-mcp":                         "",
		"node server.js docker":                     "",
		"python -m docker":                          "",
		"mcp-server --engine docker":                "",
		"docker-compose -f x.yml exec -T server x":  "docker-compose",
		"nsenter -t 1 -m podman exec -i x":          "podman",
		"chroot /srv/docker exec":                   "",
		"":                                          "",
	} {
		c, ok := via.ClientOf(strings.Fields(line))
		require.Equal(t, want, strings.Split(c.Where, " ")[0], line)
		require.Equal(t, want != "", ok, line)
	}
	c, _ := via.ClientOf([]string{"sh", "-c", "exec docker run -i x"})
	require.Equal(t, via.Client{Where: "docker"}, c)
	_, ok := via.ClientOf([]string{"sh", "-c", "exec server"})
	require.False(t, ok)
}

func TestClientOfNamesCommands(t *testing.T) {
	for line, want := range map[string]via.Client{
		"docker exec -i web server":                {"docker exec web", "docker top web shows the processes, docker restart web ends them", true},
		"/bin/docker --context far exec -i web x":  {"docker exec web", "/bin/docker --context far top web shows the processes, /bin/docker --context far restart web ends them", true},
		"sudo -n podman container exec -i web x":   {"podman exec web", "sudo -n podman container top web shows the processes, sudo -n podman container restart web ends them", false},
		"docker start -ai web":                     {"docker start web", "docker top web shows the processes, docker stop web ends them", true},
		"docker compose -f a.yml exec web x":       {"docker compose exec web", "docker compose -f a.yml top web shows the processes, docker compose -f a.yml restart web ends them", true},
		"docker-compose -p p exec web x":           {"docker-compose exec web", "docker-compose -p p top web shows the processes, docker-compose -p p restart web ends them", true},
		"docker run -i --rm mcp/time":              {"docker run mcp/time", "no label was added; docker ps --filter ancestor=mcp/time finds it, docker kill ID ends it", true},
		"docker run -i --name t mcp/time":          {"docker run mcp/time", "no label was added; docker kill t ends it", true},
		"podman run -i --cidfile=/x/id mcp/time":   {"podman run mcp/time", "no label was added; podman kill ID ends it, with the id in /x/id", true},
		"nerdctl -n k8s.io run -i img":             {"nerdctl run img", "no label was added; nerdctl -n k8s.io ps finds it, nerdctl -n k8s.io kill ID ends it", true},
		"docker-compose run web x":                 {"docker-compose run web", "no label was added; docker ps finds it, docker kill ID ends it", true},
		"docker -H h compose run --name n web x":   {"docker compose run web", "no label was added; docker -H h kill n ends it", true},
		"kubectl -n a exec -i web -c c -- x":       {"kubectl exec web -c c -n a", "kubectl -n a delete pod web ends them", true},
		"kubectl exec -i pod/web -n a -q -- x":     {"kubectl exec pod/web -n a", "kubectl delete pod web -n a ends them", true},
		"kubectl exec --context=c -i deploy/x -- ": {"kubectl exec deploy/x", "kubectl rollout restart deploy/x --context=c ends them", true},
		"kubectl exec -i svc/x -- x":               {"kubectl exec svc/x", "", true},
		"kubectl run n --image=y -i -- z":          {"kubectl run n", "kubectl delete pod n ends them", true},
		"kubectl --token abc exec -i web -- x":     {"kubectl exec web", "", true},
		"docker exec --new web x":                  {"docker", "", true},
		"sh -c docker run -i x; true":              {"docker", "", false},
		"sh /x/bin/docker run -i x":                {"docker run x", "no label was added; /x/bin/docker ps --filter ancestor=x finds it, /x/bin/docker kill ID ends it", false},
		"/x/docker-compose compose -f a exec w x":  {"docker compose exec w", "/x/docker-compose compose -f a top w shows the processes, /x/docker-compose compose -f a restart w ends them", true},
		"docker compose up web run":                {"docker", "", true},
	} {
		got, ok := via.ClientOf(strings.Fields(line))
		require.True(t, ok, line)
		require.Equal(t, want, got, line)
	}
}

// TestParse has the words, without indexes, as they are found by them: the client, the
// verb, a place to insert options, and the command inside.
func TestParse(t *testing.T) {
	for line, want := range map[string]via.Prefix{
		"docker exec -i web":                                     {Engine: "docker", Verb: "exec", At: 1, Insert: 2, Target: "web", Rest: 4, Interactive: true},
		"docker exec -it web sh -c x":                            {Engine: "docker", Verb: "exec", At: 1, Insert: 2, Target: "web", Rest: 4, Interactive: true, TTY: true},
		"docker exec -iu 5 -w=/x web":                            {Engine: "docker", Verb: "exec", At: 1, Insert: 2, Target: "web", Rest: 6, Interactive: true},
		"docker exec --tty=false -t=0 -- web":                    {Engine: "docker", Verb: "exec", At: 1, Insert: 2, Target: "web", Rest: 6},
		"docker exec --tty --interactive=true web":               {Engine: "docker", Verb: "exec", At: 1, Insert: 2, Target: "web", Rest: 5, Interactive: true, TTY: true},
		"docker exec -d web x":                                   {Engine: "docker", Verb: "exec", At: 1, Insert: 2, Target: "web", Rest: 4, Detach: true},
		"docker exec -e -i -e B=-t web":                          {Engine: "docker", Verb: "exec", At: 1, Insert: 2, Target: "web", Rest: 7},
		"docker exec -i":                                         {Engine: "docker", Verb: "exec", At: 1, Insert: 2, Rest: 3, Interactive: true},
		"docker exec --new x web":                                {Engine: "docker", Verb: "exec", At: 1, Insert: 2, Rest: 5, Unknown: "--new"},
		"docker exec --new=x -i web":                             {Engine: "docker", Verb: "exec", At: 1, Insert: 2, Target: "web", Rest: 5, Interactive: true},
		"docker exec -iZ web":                                    {Engine: "docker", Verb: "exec", At: 1, Insert: 2, Rest: 4, Unknown: "-iZ"},
		"docker --what exec -i web":                              {Engine: "docker", Unknown: "--what"},
		"docker -H tcp://h:1 --tls -c=b container exec -i web x": {Engine: "docker", Verb: "exec", At: 5, Insert: 7, Target: "web", Rest: 9, Interactive: true},
		"docker run -i --rm -v /a:/b --name n img:1 srv -t":      {Engine: "docker", Verb: "run", At: 1, Insert: 2, Target: "img:1", Rest: 9, Interactive: true},
		"podman run -it --userns keep-id img":                    {Engine: "podman", Verb: "run", At: 1, Insert: 2, Target: "img", Rest: 6, Interactive: true, TTY: true},
		"nerdctl -n k8s.io exec -i web":                          {Engine: "nerdctl", Verb: "exec", At: 3, Insert: 4, Target: "web", Rest: 6, Interactive: true},
		"docker start -ai web":                                   {Engine: "docker", Verb: "start", At: 1, Insert: 2, Target: "web", Rest: 4, Interactive: true},
		"docker compose -f a.yml exec web srv":                   {Engine: "docker", Verb: "compose exec", At: 1, Insert: 5, Target: "web", Rest: 6, Interactive: true},
		"docker compose exec -T --interactive=false web":         {Engine: "docker", Verb: "compose exec", At: 1, Insert: 3, Target: "web", Rest: 6},
		"docker compose up web run":                              {Engine: "docker", Verb: "compose up", At: 1, Insert: 3, Rest: 5},
		"docker-compose -p x run --rm web srv":                   {Engine: "docker-compose", Verb: "run", At: 3, Insert: 4, Target: "web", Rest: 6, Interactive: true},
		"kubectl exec -i deploy/api --":                          {Engine: "kubectl", Verb: "exec", At: 1, Insert: 2, Target: "deploy/api", Rest: 5, Interactive: true, Dashes: true},
		"kubectl -n a exec web -n b -c c -it -- sh -t": {Engine: "kubectl", Verb: "exec", At: 3, Insert: 4, Target: "web", Rest: 11, Interactive: true, TTY: true,
			Dashes: true, Namespace: "b", Container: "c"},
		"kubectl exec -i web sh -n b":          {Engine: "kubectl", Verb: "exec", At: 1, Insert: 2, Target: "web", Rest: 4, Interactive: true},
		"kubectl exec --stdin web --new x --":  {Engine: "kubectl", Verb: "exec", At: 1, Insert: 2, Rest: 7, Unknown: "--new", Interactive: true},
		"kubectl run x --image=y -i --rm -- z": {Engine: "kubectl", Verb: "run", At: 1, Insert: 2, Target: "x", Rest: 7, Interactive: true, Dashes: true},
		"kubectl exec -n -- web -- x":          {Engine: "kubectl", Verb: "exec", At: 1, Insert: 2, Target: "web", Rest: 6, Dashes: true, Namespace: "--"},
		"sudo -nu svc docker exec -i web":      {Engine: "docker", Client: 3, Verb: "exec", At: 4, Insert: 5, Target: "web", Rest: 7, Interactive: true},
	} {
		p, ok := via.Parse(strings.Fields(line))
		require.True(t, ok, line)
		require.Equal(t, want, p, line)
	}
	p, ok := via.Parse([]string{"sh", "-c", "exec docker run -i x"})
	require.True(t, ok)
	require.Equal(t, via.Prefix{Engine: "docker", Unknown: "sh"}, p)
	p, ok = via.Parse([]string{"env", "A=b c", "docker", "exec", "-i", "web"})
	require.True(t, ok)
	require.Equal(t, 2, p.Client)
	require.Equal(t, "web", p.Target)
	for _, line := range []string{"", "docker ps", "sudo -n sh", "chroot /srv/x", "sh -c x"} {
		_, ok := via.Parse(strings.Fields(line))
		require.False(t, ok, line)
	}
}

// FuzzParse checks that no words panic, and that indexes are within them.
func FuzzParse(f *testing.F) {
	f.Add("docker exec -i web")
	f.Add("sudo -nu svc kubectl -n a exec deploy/api -c x --")
	f.Add("docker compose -f x run -- --")
	f.Add("bwrap --overlay a b c --bind x y timeout -k 1 5 env - A=b nice")
	f.Fuzz(func(t *testing.T, line string) {
		words := strings.Split(line, " ")
		if p, ok := via.Parse(words); ok {
			require.Less(t, p.Client, len(words))
			require.True(t, p.Verb == "" || p.Client < p.At && p.At < p.Insert && p.Insert <= p.Rest && p.Rest <= len(words), "%+v", p)
		}
		_, _ = via.ClientOf(words)
		_, _, _ = via.Descendant(words), via.PassesEnv(words), via.Place(words)
	})
}
