package ui

import (
	"net/netip"
	"net/url"
	"strings"
	"unicode"
)

// hostOf is where the host of an address stands, as a browser reads it: a
// backslash is a slash, and what stands before the last @ is no host.
func hostOf(address string) (from, to int) {
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

// addressWarnings is what a person should know before they go to an address.
func addressWarnings(address string) []string {
	from, to := hostOf(address)
	host := address[from:to]
	warns := []string{"It is not opened, and nothing of it is fetched. Its host is " + host}
	if host == "" {
		warns[0] = "It is not opened, and nothing of it is fetched. It has no host."
	}
	warn := func(wrong bool, text string) {
		if wrong {
			warns = append(warns, text)
		}
	}
	u, err := url.Parse(address)
	if err != nil {
		return append(warns, "it is no address that can be read: "+strings.TrimPrefix(err.Error(), "parse "))
	}
	scheme := strings.ToLower(u.Scheme)
	warn(scheme == "http", "http: anybody on the way can read it, and change what comes back")
	warn(scheme != "http" && scheme != "https", "it is no web address")
	warn(u.User != nil || strings.Contains(address[:from], "@"), "it has a user name before the host, which may look like one")
	warn(u.Port() != "" && u.Port() != map[string]string{"http": "80", "https": "443"}[scheme], "it has the unusual port "+u.Port())
	warn(hasPunycode(host), "the host is written in punycode: it stands for letters that are not ASCII, and may look like another one")
	warn(strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }), "the host has letters that are not ASCII, and may only look like another one")
	_, notIP := netip.ParseAddr(strings.Trim(host, "[]"))
	warn(notIP == nil, "the host is a number, not a name")
	warn(strings.ContainsFunc(address, hides), "it has blanks, controls, backslashes or letters that are not seen")
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

// hides tells whether a character has no business in an address.
func hides(r rune) bool {
	return r == '\\' || unicode.IsSpace(r) || unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) || r == unicode.ReplacementChar
}
