//go:build unix

package sshconfig

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/sshexec/sshtest"
)

// TestSemantics pins what counts where, for ssh and for our own parser alike.
// DIR is the folder of the files, of which "never" sets Port 1 for everybody.
func TestSemantics(t *testing.T) {
	t.Setenv("MY_VAR", "a%hb")
	port := func(n int) Host { return Host{Port: n} }
	for name, c := range map[string]struct {
		alias, text string
		want        Host // the fields that are set
	}{
		"first wins":               {"x", "Port 2\nPort 3\n", port(2)},
		"first block wins":         {"x", "Host x\nPort 2\nHost *\nPort 3\n", port(2)},
		"negated":                  {"x", "Host * !x\nPort 2\nHost *\nPort 3\n", port(3)},
		"negated before":           {"x", "Host !x *\nPort 2\nHost *\nPort 3\n", port(3)},
		"only negated":             {"x", "Host !y\nPort 2\nHost *\nPort 3\n", port(3)},
		"case of alias":            {"X", "Host x\nPort 2\nHost X\nPort 3\n", port(3)},
		"case in match":            {"X", "Match originalhost x\nPort 2\n", port(2)},
		"match list":               {"x", "Match host y,x\nPort 2\n", port(2)},
		"match negated list":       {"x", "Match host *,!x\nPort 2\nMatch all\nPort 3\n", port(3)},
		"match negated list first": {"x", "Match host !x,*\nPort 2\nMatch all\nPort 3\n", port(3)},
		"match negated":            {"x", "Match !host y\nPort 2\n", port(2)},
		"match both":               {"x", "Match host x user y\nPort 2\nMatch all\nPort 3\n", port(3)},
		"match !all":               {"x", "Match !all\nPort 2\nMatch all\nPort 3\n", port(3)},
		"match host is HostName":   {"x", "HostName y%h\nMatch host x\nPort 2\nMatch host yx\nPort 3\n", port(3)},
		"match user so far":        {"x", "Match user u\nPort 2\nMatch all\nUser u\nMatch user u\nPort 3\n", port(3)},
		"match equals":             {"x", "Match host=x originalhost = x\nPort 2\n", port(2)},
		"match quoted":             {"x", "Match \"host\" \"x\" user \"*\" # c\nPort 2\n", port(2)},
		"match final":              {"x", "HostName y\nMatch final host y\nPort 2\n", port(2)},
		"match final, early":       {"x", "Match final\nPort 2\nMatch all\nPort 3\n", port(3)},
		"match final, again":       {"x", "HostName Y.z\nHost y.z\nPort 2\nMatch final all\n", port(2)},
		"match canonical":          {"x", "Match canonical\nPort 2\nMatch all\nPort 3\n", port(3)},
		"decided before all":       {"x", "Match host y all\nPort 2\nMatch host x all\nPort 3\n", port(3)},
		"include":                  {"x", "Include DIR/nev*\n", port(1)},
		"include in block":         {"x", "Host y\nInclude DIR/never\nHost x\nPort 2\n", port(2)},
		"include in inner block":   {"x", "Host y\nInclude DIR/outer\nHost x\nPort 2\n", port(2)},
		"include ends its block":   {"x", "Host x\nInclude DIR/other\nPort 2\n", port(2)},
		"include nothing":          {"x", "Include DIR/missing DIR/*.none\nPort 2\n", port(2)},
		"include directory":        {"x", "Include DIR DIR/*.d\nPort 2\n", port(2)},
		"unknown ignored":          {"x", "IgnoreUnknown No*,Use?\nUsex 3\nNoSuch x\nPort 2\n", port(2)},
		"equals":                   {"x", "Host=x\nPort=2\n", port(2)},
		"spaced equals":            {"x", "\tHost = x\r\n  Port\t=  2\r\n", port(2)},
		"quoted":                   {"x", "Host \"x\"\nPort \"2\"\n", port(2)},
		"comment":                  {"x", "# Port 1\nHost x # y\nPort 2 # 3\n", port(2)},
		"form feed":                {"x", "Port 2 \f\n", port(2)},
		"leading zeros":            {"x", "Port 0022\n", port(22)},

		"jump, command":       {"x", "ProxyJump j\nProxyCommand c\n", Host{ProxyJump: []Destination{{Host: "j"}}}},
		"command, jump":       {"x", "ProxyCommand c\nProxyJump j\n", Host{ProxyCommand: "c"}},
		"no command, jump":    {"x", "Port 5\nProxyCommand none\nProxyJump j\n", port(5)},
		"no jump, command":    {"x", "ProxyJump none\nProxyCommand c\n", Host{ProxyCommand: "c"}},
		"no jump, jump":       {"x", "Port 5\nProxyJump none\nProxyJump j\n", port(5)},
		"command as it is":    {"x", "ProxyCommand = \"c d\" '%h' # %%\t\n", Host{ProxyCommand: `"c d" 'x' # %`}},
		"jump with comment":   {"x", "ProxyJump j # k\n", Host{ProxyJump: []Destination{{Host: "j"}}}},
		"identities add up":   {"x", "IdentityFile /a\nIdentityFile none\nHost x\nIdentityFile /b\nIdentityFile /a\n", Host{IdentityFiles: []string{"/a", "/b"}}},
		"escapes":             {"x", `IdentityFile /a\ b\"c\\d\e"f g"'h "i'#j` + "\n", Host{IdentityFiles: []string{`/a b"c\d\ef gh "i#j`}}},
		"escapes in quotes":   {"x", `IdentityFile "/a\ b\"c"` + "\n", Host{IdentityFiles: []string{`/a\ b"c`}}},
		"variables stay":      {"x", "IdentityFile /${MY_VAR}/%n%%\n", Host{IdentityFiles: []string{"/a%hb/x%"}}},
		"hosts files win":     {"x", "UserKnownHostsFile /a /b\nUserKnownHostsFile /c\n", Host{UserKnownHosts: []string{"/a", "/b"}}},
		"no agent":            {"x", "IdentityAgent none\n", Host{Alias: "x"}},
		"agent":               {"x", "IdentityAgent $MY_VAR\n", Host{IdentityAgent: "a%hb"}},
		"names add up":        {"x", "SendEnv A LC_B\nSendEnv LC_C D\nSendEnv -LC_*\n", Host{SendEnv: []string{"A", "D"}}},
		"no names left":       {"x", "SendEnv LC_B\nSendEnv -LC_*\nSendEnv\t-X\n", Host{Alias: "x"}},
		"first SetEnv wins":   {"x", "SetEnv A=1 A=2 B='3 4'\nSetEnv C=5\n", Host{SetEnv: map[string]string{"A": "1", "B": "3 4"}}},
		"alias is lowered":    {"x", "HostKeyAlias ABC\n", Host{HostKeyAlias: "abc"}},
		"name is lowered":     {"X.Y", "", Host{HostName: "x.y"}},
		"address is shorted":  {"x", "HostName FE80::0:1\n", Host{HostName: "fe80::1"}},
		"address is excluded": {"x", "HostName FE80::0:1\nAddressFamily inet\n", Host{HostName: "FE80::0:1"}},
		"address of both":     {"x", "HostName 10.0.0.1\nAddressFamily inet\n", Host{HostName: "10.0.0.1"}},
		"like an address":     {"X", "HostName a%%b-%h\n", Host{HostName: "a%b-X"}},
		"size":                {"x", "RekeyLimit 3m 1h\n", Host{RekeyLimit: 3 << 20}},
		"forwards":            {"x", "LocalForward 1 a:2\nTunnel yes\nLocalCommand c\n", Host{Ignored: []string{"LocalForward", "Tunnel"}}},
		"cleared":             {"x", "LocalForward 1 a:2\nTunnel yes\nClearAllForwardings yes\nRequestTTY yes\n", Host{Ignored: []string{"RequestTTY"}}},
		"explicit list":       {"x", "Ciphers aes256-ctr,3des-cbc,aes256-ctr\n", Host{Ciphers: []string{"aes256-ctr", "3des-cbc"}}},
		"list taken away":     {"x", "Ciphers -chacha*,aes*gcm*\n", Host{Ciphers: []string{"aes128-ctr", "aes192-ctr", "aes256-ctr"}}},
		"list put before":     {"x", "Ciphers ^aes256-ctr\n", Host{Ciphers: strings.Fields("aes256-ctr chacha20-poly1305@openssh.com aes128-ctr aes192-ctr aes128-gcm@openssh.com aes256-gcm@openssh.com")}},
		"list added":          {"x", "Ciphers -aes*\nCiphers +aes128-cbc\n", Host{Ciphers: []string{"chacha20-poly1305@openssh.com"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, text := range map[string]string{
				"never": "Host *\nPort 1\n", "outer": "Include DIR/never\nMatch all\nPort 1\n", "other": "Host y\nPort 1\n",
				"x.d/a": "NoSuch\n", "config": c.text,
			} {
				writeFile(t, filepath.Join(dir, file), strings.ReplaceAll(text, "DIR", dir))
			}
			for _, binary := range []string{sshtest.Need(t, "ssh"), NoBinary} {
				r := &Resolver{Config: filepath.Join(dir, "config"), Binary: binary}
				h, err := r.Resolve(t.Context(), Destination{Host: c.alias})
				require.NoError(t, err, binary)
				requireFields(t, c.want, stripped(h), binary)
			}
		})
	}
}

// requireFields compares the fields of want that are set.
func requireFields(t *testing.T, want Host, got *Host, binary string) {
	t.Helper()
	w, g := reflect.ValueOf(want), reflect.ValueOf(*got)
	for i := range w.NumField() {
		if !w.Field(i).IsZero() {
			require.Equal(t, w.Field(i).Interface(), g.Field(i).Interface(), "%s: %s", binary, w.Type().Field(i).Name)
		}
	}
}
