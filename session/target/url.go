package target

import "strings"

// IsURL reports whether a word is the URL of a server.
func IsURL(word string) bool {
	scheme, _, found := strings.Cut(word, "://")
	return found && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// BridgeHint returns how to start a server behind a URL.
func BridgeHint(url string) string {
	if strings.ContainsAny(url, " \t\n\"'`$&;|<>()[]{}*?!#~\\") {
		url = "'" + strings.ReplaceAll(url, "'", `'\''`) + "'"
	}
	return "-- npx -y mcp-remote " + url + " (a program that bridges stdio to the URL)"
}

// withoutSecrets returns a URL without user and query, which may contain tokens.
func withoutSecrets(url string) string {
	scheme, rest, _ := strings.Cut(url, "://")
	rest, _, _ = strings.Cut(rest, "?")
	host, path, slash := strings.Cut(rest, "/")
	host = host[strings.LastIndexByte(host, '@')+1:]
	if slash {
		path = "/" + path
	}
	return scheme + "://" + host + path
}
