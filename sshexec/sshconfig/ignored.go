package sshconfig

import "strings"

// An ignorable is a keyword that mcpdbg does not honour, with the values that
// have no effect.
type ignorable struct {
	name    string
	neutral []string
}

// ignorables are reported to the user in this order. The list omits settings
// that Debian sets for everyone, and those that only concern ssh's own
// terminal.
var ignorables = []ignorable{
	{"LocalForward", nil},
	{"RemoteForward", nil},
	{"DynamicForward", nil},
	{"RemoteCommand", []string{"none"}},
	{"RequestTTY", []string{"auto", "no", "false"}},
	{"SessionType", []string{"default"}},
	{"LocalCommand", []string{"none"}},
	{"Compression", []string{"no", "false"}},
	{"ForwardAgent", []string{"no", "false"}},
	{"ForwardX11", []string{"no", "false"}},
	{"Tunnel", []string{"no", "false"}},
	{"BindInterface", nil},
	{"ProxyUseFdpass", []string{"no", "false"}},
	{"KnownHostsCommand", []string{"none"}},
	{"RevokedHostKeys", []string{"none"}},
	{"RequiredRSASize", []string{"1024"}},
	{"HostbasedAuthentication", []string{"no", "false"}},
	{"PKCS11Provider", []string{"none"}},
	{"AddKeysToAgent", []string{"no", "false"}},
	{"BatchMode", []string{"no", "false"}},
}

// ignored returns the settings that have no effect in mcpdbg.
func (s settings) ignored() []string {
	var list []string
	for _, ig := range ignorables {
		key := strings.ToLower(ig.name)
		if key == "localcommand" && !s.flag("permitlocalcommand", false) {
			continue
		}
	values:
		for _, v := range s[key] {
			for _, n := range ig.neutral {
				if strings.EqualFold(v, n) {
					continue values
				}
			}
			if v == "" {
				continue
			}
			list = append(list, ig.name+" "+v)
		}
	}
	return list
}
