package termsafe

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestURLWarnings(t *testing.T) {
	for address, want := range map[string][]string{
		"https://example.com/a?b#c":         {"host is example.com"},
		"http://example.com":                {"host is example.com", "not encrypted"},
		"https://example.com:443/":          {"host is example.com"},
		"https://example.com:8443/":         {"host is example.com", "unusual port 8443"},
		"https://bank.com@evil.example/":    {"host is evil.example", "user name before the host"},
		"https://bank.com\\@evil.example/":  {"host is bank.com", "invalid URL"},
		"https://xn--pple-43d.com/":         {"host is xn--pple-43d.com", "punycode"},
		"https://аpple.com/":                {"host is аpple.com", "non-ASCII"},
		"https://127.0.0.1/":                {"host is 127.0.0.1", "an IP address"},
		"https://[::1]:443/x":               {"host is [::1]", "an IP address"},
		"javascript:alert(1)":               {"no host", "not a web address"},
		"file:///etc/passwd":                {"no host", "not a web address"},
		"https://example.com/\u202egpj.exe": {"host is example.com", "invisible"},
		"":                                  {"no host", "not a web address"},
	} {
		warns := URLWarnings(address)
		require.Len(t, warns, len(want), "%s: %v", address, warns)
		for i, text := range want {
			require.Contains(t, warns[i], text, address)
		}
	}
}
