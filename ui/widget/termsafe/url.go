package termsafe

import (
	"net/netip"
	"net/url"
	"strings"
	"unicode"
)

// URLHost returns the position of the host in a URL, as a browser parses it:
// a backslash is a slash, and anything before the last @ is not part of the host.
func URLHost(address string) (from, to int) {
	from = strings.Index(address, "://")
	if from < 0 {
		return 0, 0
	}
	from += len("://")
	to = len(address)
	if end := strings.IndexAny(address[from:], `/?#\`); end >= 0 {
		to = from + end
	}
	if at := strings.LastIndexByte(address[from:to], '@'); at >= 0 {
		from += at + 1
	}
	if colon := strings.LastIndexByte(address[from:to], ':'); colon >= 0 && !strings.HasSuffix(address[from:to], "]") {
		to = from + colon
	}
	return from, to
}

// URLWarnings returns warnings for the user before they open a URL.
func URLWarnings(address string) []string {
	from, to := URLHost(address)
	host := address[from:to]
	warns := []string{"mcpdbg does not open or fetch this URL. Its host is " + host}
	if host == "" {
		warns[0] = "mcpdbg does not open or fetch this URL. It has no host."
	}
	warn := func(wrong bool, text string) {
		if wrong {
			warns = append(warns, text)
		}
	}
	u, err := url.Parse(address)
	if err != nil {
		return append(warns, "invalid URL: "+strings.TrimPrefix(err.Error(), "parse "))
	}
	scheme := strings.ToLower(u.Scheme)
	warn(scheme == "http", "not encrypted (http): anyone on the network path can read and change it")
	warn(scheme != "http" && scheme != "https", "not a web address")
	warn(u.User != nil || strings.Contains(address[:from], "@"), "a user name before the host may look like the host")
	warn(u.Port() != "" && u.Port() != map[string]string{"http": "80", "https": "443"}[scheme], "unusual port "+u.Port())
	warn(hasPunycode(host), "the host is in punycode: it contains non-ASCII letters and may look like another host")
	warn(strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }), "the host contains non-ASCII letters and may look like another host")
	_, notIP := netip.ParseAddr(strings.Trim(host, "[]"))
	warn(notIP == nil, "the host is an IP address, not a name")
	warn(strings.ContainsFunc(address, misleads), "it contains spaces, control characters, backslashes or invisible characters")
	return warns
}

func hasPunycode(host string) bool {
	for label := range strings.SplitSeq(strings.ToLower(host), ".") {
		if strings.HasPrefix(label, "xn--") {
			return true
		}
	}
	return false
}

// misleads reports whether a character should not be in a URL.
func misleads(r rune) bool {
	return r == '\\' || unicode.IsSpace(r) || unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) || r == unicode.ReplacementChar
}
