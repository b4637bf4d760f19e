package hosts_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify/hosts"
)

// names returns the Names of a configuration with some hosts.
func names(known ...string) hosts.Names {
	return hosts.Names{
		Canonical: func(dest string) (string, error) {
			if strings.HasPrefix(dest, "-") {
				return "", errors.New("begins with '-'")
			}
			return strings.TrimPrefix(strings.ToLower(dest), "ssh://"), nil
		},
		Known: func() ([]string, error) { return known, nil },
		Match: func(name, pattern string) bool {
			ok, _ := path.Match(pattern, name)
			return ok
		},
	}
}

// read returns the inventory of files named a, b and so on.
func read(n hosts.Names, files ...string) (*hosts.Inventory, error) {
	r := hosts.NewReader(n)
	for i, text := range files {
		if err := r.Read(string(rune('a'+i)), []byte(text), false); err != nil {
			return nil, err
		}
	}
	return r.Inventory()
}

func listed(inv *hosts.Inventory) (list []string) {
	for _, h := range inv.Hosts {
		list = append(list, h.Name)
	}
	return list
}

// All forms of a list without groups.
func TestLists(t *testing.T) {
	n := names("web-1", "db-1", "web-2", "web-9", "web-10")
	for text, want := range map[string][]string{
		"\ufeff# all of them\r\n\r\n  web-1  # the first\n#web-2\nme@db:22\nweb#4\n\tlocal":     {"web-1", "me@db:22", "web#4", "local"},
		"[::1]\n[::1]:2222\n[fe80::1%eth0]:22\n2001:db8::1\nssh://me@h:22\n[web]:22\nDOM\\me@h": {"[::1]", "[::1]:2222", "[fe80::1%eth0]:22", "2001:db8::1", "ssh://me@h:22", "[web]:22", `DOM\me@h`},
		"web-*":               {"web-1", "web-2", "web-9", "web-10"},
		"web-?":               {"web-1", "web-2", "web-9"},
		"web-2\nweb-*":        {"web-2", "web-1", "web-9", "web-10"}, // an explicit name comes first
		"web-*\nweb-2\n*-1":   {"web-1", "web-2", "web-9", "web-10", "db-1"},
		"!web-9\nweb-?":       {"web-1", "web-2"}, // wherever the exclusion is
		"web-?\n!web-9\n":     {"web-1", "web-2"},
		"*\n!web-*":           {"db-1"},
		"other\nweb-1\n!web*": {"other"},
	} {
		inv, err := read(n, text)
		require.NoError(t, err, text)
		require.Equal(t, want, listed(inv), text)
		require.Empty(t, inv.Notes, text)
	}
	inv, err := read(n, "web-?\n!web-9", "web-9")
	require.NoError(t, err)
	require.Equal(t, []string{"web-1", "web-2", "web-9"}, listed(inv), "an exclusion applies to its own list only")
}

func TestExampleHosts(t *testing.T) {
	data, err := os.ReadFile("../../../examples/hosts.txt")
	require.NoError(t, err)
	require.NoError(t, hosts.NewReader(names()).Read("hosts.txt", data, false))
}

func TestRepeats(t *testing.T) {
	inv, err := read(names(), "x\ny", "ssh://X\nz")
	require.NoError(t, err)
	require.Equal(t, []string{"x", "y", "z"}, listed(inv))
	require.Equal(t, []string{"b:1: ssh://X is listed again (first in a:1), and tested once"}, inv.Notes)
	inv, err = read(names(), strings.Repeat("x\n", 9))
	require.NoError(t, err)
	require.Len(t, inv.Notes, 6)
	require.Equal(t, "3 more hosts are listed again", inv.Notes[5])
}

func TestGroups(t *testing.T) {
	inv, err := read(names("web-eu-1", "web-eu-2", "web-eu-3"), `local
web[01:03].eu  mcp_cwd=/srv/notes mcp_skip="is being # rebuilt"  # a comment
[eu]
web-eu-*   ansible_user=eu
!web-eu-3
[eu:vars]
mcp_env = "LOG=info REGION=eu"
mcp_command=/opt/eu "two words"
[prod:children]
eu
[prod:vars]
mcp_command=/opt/mcp/notes --stdio
mcp_via=docker exec -i mcp
[aa]
web-eu-1
[aa:vars]
mcp_env=AA=1
[all:vars]
mcp_env=X=1
mcp_launch=plain
`)
	require.NoError(t, err)
	require.Equal(t, []string{"local", "web01.eu", "web02.eu", "web03.eu", "web-eu-1", "web-eu-2"}, listed(inv))
	require.Equal(t, []string{"aa", "eu", "prod"}, inv.Hosts[4].Groups())
	require.Equal(t, "a:4", inv.Hosts[4].At)
	value := func(host int, name string) string {
		vars, err := inv.Vars(inv.Hosts[host])
		require.NoError(t, err)
		return vars[name].Value + " @ " + vars[name].At
	}
	require.Equal(t, "X=1 @ a:19 [all]", value(0, hosts.VarEnv))
	require.Equal(t, "/srv/notes @ a:2", value(1, hosts.VarCwd))
	require.Equal(t, "is being # rebuilt @ a:2", value(1, hosts.VarSkip))
	require.Equal(t, `/opt/eu "two words" @ a:8 [eu]`, value(4, hosts.VarCommand), "the child wins")
	require.Equal(t, "docker exec -i mcp @ a:13 [prod]", value(4, hosts.VarVia))
	require.Equal(t, "LOG=info REGION=eu @ a:7 [eu]", value(4, hosts.VarEnv), "deeper than aa")
	require.Equal(t, "eu @ a:4", value(5, hosts.VarUser))
	require.Equal(t, "plain @ a:20 [all]", value(5, hosts.VarLaunch))
	vars, err := inv.Vars(inv.Hosts[5])
	require.NoError(t, err)
	require.Contains(t, hosts.Shown(vars), "mcp_env=LOG=*** REGION=***  (a:7 [eu])")
}

func TestRanges(t *testing.T) {
	for text, want := range map[string]string{
		"[1:9:4]x":      "1x 5x 9x",
		"h[08:11]":      "h08 h09 h10 h11",
		"[:2]":          "",
		"h[:2]":         "h0 h1 h2",
		"[a:c]-[1:2]":   "a-1 a-2 b-1 b-2 c-1 c-2",
		"h[y:B]":        "hy hz hA hB",
		"u@h[1:2]:22":   "u@h1:22 u@h2:22",
		"h[2:1]":        "a:1: invalid range [2:1]: the first is after the last",
		"h[01:2]":       "a:1: invalid range [01:2]: with leading zeros, both ends must have the same length",
		"h[1:b]":        "a:1: invalid range [1:b]: both ends must be numbers, or one letter each",
		"h[1:]":         "a:1: invalid range [1:]: both ends must be numbers, or one letter each",
		"h[1:2:0]":      "a:1: invalid range [1:2:0]: the step must be 1 or more",
		"h[1:2:3:4]":    "a:1: invalid range [1:2:3:4]: write [FROM:TO] or [FROM:TO:STEP]",
		"h[1:99999]":    "a:1: invalid range [1:99999]: more than 10000 hosts",
		"[1:200][1:99]": "a:1: more than 10000 hosts",
	} {
		inv, err := read(names(), text)
		if err != nil {
			if want != "" {
				require.EqualError(t, err, want)
			}
			continue
		}
		require.Equal(t, want, strings.Join(listed(inv), " "), text)
	}
}

func TestInvalid(t *testing.T) {
	deep := ""
	for i := range 30 {
		deep += fmt.Sprintf("[g%d:children]\ng%d\n", i, i+1)
	}
	for text, want := range map[string]string{
		"":                           "a: no hosts",
		"# web-1\n\n":                "a: no hosts",
		"a\nweb-1 web-2\n":           "a:2: text after the host that is not NAME=VALUE: write one host per line",
		"a\x1b[31m":                  "a:1: not printable text",
		"\xff":                       "a:1: not printable text",
		"a\n!":                       `a:2: missing pattern after "!"`,
		strings.Repeat("a", 1025):    "a:1: longer than 1024 bytes",
		strings.Repeat("#", 4<<20+1): "a: longer than 4194304 bytes",
		"h[1:10000]\nx":              "a:2: more than 10000 hosts",
		"a\n-oProxyCommand=x":        "a:2: begins with '-'",
		"a\n# x\nx-*":                "a:3: x-* matches none of the 2 hosts in the ssh configuration",
		"a\n!b":                      "a:2: !b excludes none of the hosts in this list",
		"web-*\n!web-3":              "a:2: !web-3 excludes none of the hosts in this list",
		"web-*\n!*":                  "a: no hosts",
		"!web-1":                     "a:1: !web-1 excludes none of the hosts in this list",
		"a\n!a mcp_cwd=/":            "a:2: an excluded host cannot have variables",
		"a 'b=c":                     "a:1: missing closing '",
		"[a b]\nx":                   "a:1: invalid section: a group name cannot contain spaces",
		"[]\nx":                      "a:1: invalid group name: must have 1 to 255 bytes",
		"[a:b]\nx":                   `a:1: unknown section type "b": must be children or vars`,
		"x\n[a:children]\nb":         `a:3: unknown group "b": no section defines it`,
		"x\n[a:vars]\nb=1":           `a:2: unknown group "a": no section defines it`,
		"x\n[a:children]\nall":       `a:3: group "all" cannot be in another group`,
		"x\n[a:children]\na":         `a:3: group "a" contains itself`,
		"[a:children]\nb\n[b:children]\na\n[c]\nx":  `a:2: group "b" contains itself`,
		"x\n" + deep + "[g30]\n":                    "a:41: groups are nested more than 20 deep",
		"x\n[a]\n[a:vars]\nb":                       "a:4: invalid variable: write NAME=VALUE",
		"x mcp_comand=y":                            "a:1: unknown variable mcp_comand: did you mean mcp_command?",
		"x ansible_password=hush":                   "a:1: ansible_password is refused: remove the password, and log in with a key or an agent",
		"x\n[all:vars]\nansible_become_pass = hush": "a:3: ansible_become_pass is refused: remove the password, and log in with a key or an agent",
		"x\n[all:vars]\nmcp_cwd=/srv # there":       "a:3: mcp_cwd has a # after a space: quote the value, or remove the comment",
	} {
		_, err := read(names("web-1", "web-2"), text)
		require.EqualError(t, err, want, text)
	}
	var many strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&many, "[g%d]\n", i)
	}
	_, err := read(names(), many.String())
	require.EqualError(t, err, "a:1001: more than 1000 groups")
	known := make([]string, 10_000)
	for i := range known {
		known[i] = fmt.Sprint("h", i)
	}
	_, err = read(names(known...), strings.Repeat("h*\n", 11))
	require.EqualError(t, err, "a:11: more than 100000 hosts, including repeated ones")
	broken := names()
	broken.Known = func() ([]string, error) { return nil, fs.ErrPermission }
	_, err = read(broken, "x-*")
	require.ErrorIs(t, err, fs.ErrPermission)
}

// Values are checked when they are used.
func TestValues(t *testing.T) {
	for text, want := range map[string]string{
		"x mcp_command='{{ y }}'":              "a:1: mcp_command has a template, which is not expanded: write the value, or set mcp_command with another variable",
		"x other='{{ y }}'":                    "",
		"x\n[all:vars]\nansible_host=!vault |": "a:3 [all]: ansible_host is encrypted with Ansible's vault, which is not read",
		`{"g":{"hosts":["x"]},"_meta":{"hostvars":{"x":{
		"mcp_env":{"A":1}}}}}`: "a:2: mcp_env is a list or an object: must be text",
		`{"g":{"hosts":["x"]},"_meta":{"hostvars":{"x":{"ansible_user":{"__ansible_vault":"x"}}}}}`: "a:1: ansible_user is encrypted with Ansible's vault, which is not read",
	} {
		inv, err := read(names(), text)
		require.NoError(t, err)
		_, err = inv.Vars(inv.Hosts[0])
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, want)
	}
	for text, want := range map[string]string{
		"x mcp_via=sudo": "f:1: mcp_via is refused, because others can write this file: remove their permission with chmod o-w",
		"x mcp_cwd=/":    "",
	} {
		err := hosts.NewReader(names()).Read("f", []byte(text), true)
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, want)
	}
	inv, err := read(names(), "x ansible_become=yes ansible_become_user=svc\ny ansible_become=yes")
	require.NoError(t, err)
	require.Equal(t, []string{"a:1: ansible_become and similar are ignored: use mcp_via='sudo -nu svc'"}, inv.Notes)
}

func TestShown(t *testing.T) {
	vars := map[string]hosts.Var{
		hosts.VarCommand: {Value: "/opt/x --api-token hush --key=1 --password=hush -v", At: "f:1"},
		hosts.VarEnv:     {Value: "A=hush hush", At: "f:2 [g]"},
		"other":          {Value: "hush"},
	}
	require.Equal(t, []string{"mcp_command=/opt/x --api-token *** --key=1 --password=*** -v  (f:1)", "mcp_env=A=*** ***  (f:2 [g])"}, hosts.Shown(vars))
}

func TestInvalidJSON(t *testing.T) {
	for text, want := range map[string]string{
		"{}":                                     "a: no hosts",
		"{":                                      "a:1: invalid JSON of ansible-inventory --list: EOF",
		`{"g":{"hosts":["x"]}} y`:                "a:1: invalid JSON of ansible-inventory --list: invalid character 'y' looking for beginning of value",
		`{"g":{"hosts":["x"]}}{}`:                "a:1: invalid JSON of ansible-inventory --list: text after the end of the object",
		"{\n\"g\":[\"x\"]}":                      "a:2: invalid JSON of ansible-inventory --list: expected {",
		"{\"g\":{\n\"hosts\":[\n7]}}":            "a:3: invalid name",
		`{"g":{"hosts":["x\n"]}}`:                "a:1: invalid name",
		`{"g":{"hosts":["x"],"children":["h"]}}`: `a:1: unknown group "h": no section defines it`,
		"{\"g\":{\"hosts\":[\"x\"]},\n\"_meta\":{\"hostvars\":{\n\"x\":{\"ansible_ssh_pass\":\"hush\"}}}}": "a:3: ansible_ssh_pass is refused: remove the password, and log in with a key or an agent",
	} {
		_, err := read(names(), text)
		require.Error(t, err, text)
		require.EqualError(t, err, want, text)
	}
}

// ansible returns an inventory of testdata.
func ansible(t testing.TB, file string) *hosts.Inventory {
	data, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	r := hosts.NewReader(names())
	require.NoError(t, r.Read(file, data, false))
	inv, err := r.Inventory()
	require.NoError(t, err)
	return inv
}

func members(inv *hosts.Inventory) []hosts.Member {
	var all []hosts.Member
	for _, h := range inv.Hosts {
		all = append(all, hosts.Member{ID: "notes@" + h.Name, Host: h})
	}
	return all
}

// fleet.json is what ansible-inventory --list wrote for fleet.ini.
func TestSameAsAnsible(t *testing.T) {
	ini, list := ansible(t, "fleet.ini"), ansible(t, "fleet.json")
	require.Equal(t, hosts.PlanOf(members(ini), nil), hosts.PlanOf(members(list), nil))
	byName := map[string]*hosts.Host{}
	for _, h := range list.Hosts {
		byName[h.Name] = h
	}
	for _, h := range ini.Hosts {
		other := byName[h.Name]
		require.Equal(t, h.Groups(), other.Groups(), h.Name)
		require.Equal(t, values(t, ini, h), values(t, list, other), h.Name)
	}
}

func values(t *testing.T, inv *hosts.Inventory, h *hosts.Host) map[string]string {
	vars, err := inv.Vars(h)
	require.NoError(t, err)
	all := map[string]string{}
	for name, v := range vars {
		all[name] = v.Value
	}
	return all
}

// limits.txt has what ansible --list-hosts printed for each pattern.
func TestLimitsSameAsAnsible(t *testing.T) {
	data, err := os.ReadFile("testdata/limits.txt")
	require.NoError(t, err)
	n := 0
	for line := range strings.Lines(string(data)) {
		pattern, want, _ := strings.Cut(strings.TrimSpace(line), "\t")
		for _, file := range []string{"fleet.ini", "fleet.json"} {
			require.Equal(t, want, selected(t, ansible(t, file), pattern, nil), "%s in %s", pattern, file)
		}
		n++
	}
	require.GreaterOrEqual(t, n, 30)
}

// selected returns the names or the error.
func selected(t testing.TB, inv *hosts.Inventory, pattern string, files map[string]string) string {
	l, err := hosts.ParseLimit(pattern, func(name string) ([]byte, error) {
		text, ok := files[name]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	})
	if err != nil {
		return err.Error()
	}
	left, err := l.Select(members(inv))
	if err != nil {
		return err.Error()
	}
	var names []string
	for _, m := range left {
		names = append(names, m.Host.Name)
	}
	sort.Strings(names)
	return strings.Join(names, " ")
}

func TestLimit(t *testing.T) {
	inv, err := read(names(), "a\nb:22\n[::1]:22\nme@c\n2001:db8::1\n[g]\nd\na")
	require.NoError(t, err)
	files := map[string]string{
		"names": "\ufeff# some\na\nb:22  # this\n",
		"run.json": `{"mcpdbg_report":2,"targets":[{"id":"notes@a","outcome":"failed"},{"id":"notes@b:22","outcome":"passed"},
			{"id":"notes@d","outcome":"stopped"},{"id":"notes@me@c","outcome":"cancelled"},{"id":"notes@gone","outcome":"failed"},{"id":"notes@[::1]:22","outcome":"tolerated"}]}`,
		"v1.json":  `{"mcpdbg_smoke":1,"targets":[{"host":"a","server":"notes","ok":false},{"host":"d","server":"notes","ok":true}]}`,
		"chk.json": `{"mcpdbg_check":1,"targets":[{"host":"d","server":"notes","ok":false},{"server":"notes","ok":true}]}`,
		"ok.json":  `{"mcpdbg_report":2,"targets":[{"id":"notes@a","outcome":"passed"}]}`,
		"old.json": `{"mcpdbg_report":2,"targets":[{"id":"notes@x","outcome":"failed"}]}`,
		"no.json":  `{"targets":[]}`,
		"none":     "# nothing\n",
	}
	for pattern, want := range map[string]string{
		"b:22":         "b:22",
		"a:b:22":       "b matches no group, host or target",
		"a,b:22":       "a b:22",
		"2001:db8::1":  "2001:db8::1",
		"[::1]:22":     "[::1]:22",
		"[::1]:22,a":   "[::1]:22 a",
		"notes@a":      "a",
		"notes@*:!g":   "2001:db8::1 [::1]:22 b:22 me@c",
		"me@c":         "me@c",
		"@names":       "a b:22",
		"@names,!g":    "b:22",
		"@run.json":    "a d me@c",
		"@run.json,!g": "me@c",
		"g:&@run.json": "a d",
		"@v1.json":     "a",
		"@chk.json":    "d",
		"@ok.json":     "@ok.json: nothing to do: the report has no failures",
		"@old.json":    "@old.json selects none of the 6 targets",
		"@no.json":     "@no.json: not a report of mcpdbg",
		"@none":        "@none: no names",
		"@missing":     "file does not exist",
		"":             "empty; must be a pattern, such as a group or a host",
		" : ":          "empty; must be a pattern, such as a group or a host",
		"a:!":          `"a:!": missing pattern after "!"`,
		"a:@":          `"a:@": missing pattern after "@"`,
		"~a":           `"~a": invalid pattern: must be a name with *, ? or [abc]; regular expressions are not supported`,
		"a:!x":         "x matches no group, host or target",
		"a:!a":         "a:!a selects none of the 6 targets",
	} {
		require.Equal(t, want, selected(t, inv, pattern, files), pattern)
	}
}

func TestShards(t *testing.T) {
	inv, err := read(names(), "[1:200]x\nlocal")
	require.NoError(t, err)
	var all []hosts.Member
	for _, h := range inv.Hosts {
		for _, server := range []string{"a", "b"} {
			all = append(all, hosts.Member{ID: server + "@" + h.Name, Host: h})
		}
	}
	seen := map[string]int{}
	for i := range 3 {
		text := fmt.Sprintf("%d/3", i+1)
		s, _, err := hosts.ParseShard(text, func(string) string { return "" })
		require.NoError(t, err)
		part := hosts.Part(all, s)
		require.InDelta(t, 402/3, len(part), 2)
		of := map[string]int{}
		for _, m := range part {
			seen[m.ID]++
			of[m.Host.Name]++
		}
		delete(of, "local")
		for host, n := range of {
			require.Equal(t, 2, n, "%s is in one shard", host)
		}
		reversed := slices.Clone(all)
		slices.Reverse(reversed)
		require.ElementsMatch(t, part, hosts.Part(reversed, s))
		require.Equal(t, hosts.PlanOf(all, &s), hosts.PlanOf(reversed, &s))
		require.Len(t, hosts.PlanOf(all, &s).IDs, 402)
	}
	require.Len(t, seen, 402)
	for id, n := range seen {
		require.Equal(t, 1, n, id)
	}
	require.NotEqual(t, hosts.PlanOf(all, nil).Hash, hosts.PlanOf(all[1:], nil).Hash)
}

func TestParseShard(t *testing.T) {
	for _, c := range []struct{ text, env, want string }{
		{"2/5", "", "2/5 "},
		{"auto", "CI_NODE_INDEX=2 CI_NODE_TOTAL=5", "2/5 CI_NODE_INDEX and CI_NODE_TOTAL"},
		{"auto", "BUILDKITE_PARALLEL_JOB=0 BUILDKITE_PARALLEL_JOB_COUNT=5", "1/5 BUILDKITE_PARALLEL_JOB and BUILDKITE_PARALLEL_JOB_COUNT"},
		{"auto", "CIRCLE_NODE_INDEX=4 CIRCLE_NODE_TOTAL=5", "5/5 CIRCLE_NODE_INDEX and CIRCLE_NODE_TOTAL"},
		{"auto/5", "JOB_COMPLETION_INDEX=0", "1/5 JOB_COMPLETION_INDEX"},
		{"auto/5", "JOB_COMPLETION_INDEX=5", `shard "5" of "5": the first must be from 0 to 4`},
		{"auto/5", "CI_NODE_INDEX=1 CI_NODE_TOTAL=5", "auto/5: JOB_COMPLETION_INDEX is not set"},
		{"auto", "", "auto: none of CI_NODE_INDEX, BUILDKITE_PARALLEL_JOB, CIRCLE_NODE_INDEX is set with its total: write I/N"},
		{"auto", "CI_NODE_INDEX=1", "auto: none of CI_NODE_INDEX, BUILDKITE_PARALLEL_JOB, CIRCLE_NODE_INDEX is set with its total: write I/N"},
		{"auto", "JOB_COMPLETION_INDEX=1", "auto: JOB_COMPLETION_INDEX is set, but no variable has the number of shards: write auto/N"},
		{"0/5", "", `shard "0" of "5": the first must be from 1 to 5`},
		{"6/5", "", `shard "6" of "5": the first must be from 1 to 5`},
		{"1/x", "", `shard "1" of "x": the first must be from 1 to the number of shards`},
		{"5", "", `"5": must be I/N, such as 2/5, auto or auto/N`},
	} {
		env := map[string]string{}
		for _, pair := range strings.Fields(c.env) {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		s, from, err := hosts.ParseShard(c.text, func(name string) string { return env[name] })
		got := fmt.Sprintf("%d/%d %s", s.Index, s.Of, from)
		if err != nil {
			got = err.Error()
		}
		require.Equal(t, c.want, got, "%s with %s", c.text, c.env)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("# c\nweb-*\n!web-1\nme@db:22 # x\r\nlocal\nlocal\n")
	f.Add("\ufeff!!a*?\n?\n")
	f.Add("[g]\nh[01:03] a='b c'\n[g:vars]\nmcp_env=\"x\"\n[p:children]\ng\n")
	f.Add(`{"_meta":{"hostvars":{"x":{"a":[1],"mcp_cwd":"/"}}},"g":{"hosts":["x"],"children":["h"],"vars":{"b":null}},"h":{}}`)
	n := names("web-1", "web-2", "a")
	f.Fuzz(func(t *testing.T, text string) {
		inv, err := read(n, text)
		if err != nil {
			require.Less(t, len(err.Error()), 3000)
			require.NotContains(t, err.Error(), "\n")
			return
		}
		require.NotEmpty(t, inv.Hosts)
		seen := map[string]bool{}
		for _, host := range inv.Hosts {
			canonical, err := n.Canonical(host.Name)
			require.NoError(t, err)
			require.False(t, seen[canonical])
			seen[canonical] = true
			require.NotContains(t, host.Name, "\n")
			_, _ = inv.Vars(host)
		}
		all := members(inv)
		l, err := hosts.ParseLimit("all", nil)
		require.NoError(t, err)
		left, err := l.Select(all)
		require.NoError(t, err)
		require.Equal(t, all, left)
	})
}

// BenchmarkFleet parses, limits and shards 10,000 hosts, and merges the variables of those
// in the shard. The budget is 0.5 s.
func BenchmarkFleet(b *testing.B) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "[g%d]\nweb-%d-[00:99] mcp_cwd=/srv/%d ansible_user=u\n[g%d:vars]\nmcp_command=/opt/notes\n", i, i, i, i)
	}
	data := []byte(text.String())
	for b.Loop() {
		r := hosts.NewReader(names())
		require.NoError(b, r.Read("f", data, false))
		inv, err := r.Inventory()
		require.NoError(b, err)
		require.Len(b, inv.Hosts, 10_000)
		l, err := hosts.ParseLimit("all:!g7:!web-8-*", nil)
		require.NoError(b, err)
		left, err := l.Select(members(inv))
		require.NoError(b, err)
		s, _, err := hosts.ParseShard("1/2", nil)
		require.NoError(b, err)
		require.NotEmpty(b, hosts.PlanOf(left, &s).Hash)
		for _, m := range hosts.Part(left, s) {
			_, err := inv.Vars(m.Host)
			require.NoError(b, err)
		}
	}
}
