package diagnosis

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// bridgeName is the program that bridges stdio to the URL of a server.
const bridgeName = "mcp-remote"

func isBridge(argv []string) bool {
	return slices.ContainsFunc(argv, func(arg string) bool {
		name, _, _ := strings.Cut(path.Base(filepath.ToSlash(arg)), "@")
		return name == bridgeName || strings.Contains(filepath.ToSlash(arg), "/"+bridgeName+"/")
	})
}

type bridgeFailure struct {
	line         *regexp.Regexp
	text, advice string
}

// bridgeFailures are in the order of their meaning: a failed login also has a status.
var bridgeFailures = sync.OnceValue(func() []bridgeFailure {
	return []bridgeFailure{
		{regexp.MustCompile(`authorize this client by visiting|Waiting for authorization|Client Registration rejected|redirect_uris: |\bstatus:? 401\b|\(401\)`),
			"the server behind the URL requires a login (OAuth)",
			"run the command in a terminal and log in with the browser that it opens, or pass a token: --header 'Authorization: Bearer TOKEN'"},
		{regexp.MustCompile(`Non-HTTPS URLs are only allowed`),
			"the URL is not https, which mcp-remote accepts for localhost only",
			"use https, or add --allow-http after the URL"},
		{regexp.MustCompile(`\bstatus:? 404\b|\(404\)|Unexpected content type`),
			"the URL does not lead to an MCP server",
			"check the path of the URL: it is often /mcp or /sse"},
		{regexp.MustCompile(`\bstatus:? [45]\d\d\b|Non-200 status code`),
			"the server behind the URL refused the request",
			"check the token (--header), and the log of the server"},
		{regexp.MustCompile(`ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT`),
			"the server behind the URL is not reachable",
			"check the URL, and that the server runs; a VPN or a proxy may be needed (-e HTTPS_PROXY=...)"},
	}
})

// BridgeFailure finds the most telling failure that the bridge of a command reports on
// stderr. It returns the index of the first line about it, what failed, and what to do
// about it; -1 if there is no such line.
func BridgeFailure(argv, stderr []string) (line int, text, advice string) {
	if !isBridge(argv) {
		return -1, "", ""
	}
	for _, failure := range bridgeFailures() {
		if line := slices.IndexFunc(stderr, failure.line.MatchString); line >= 0 {
			return line, failure.text, failure.advice
		}
	}
	return -1, "", ""
}

var runtimes = map[string]string{"node": "Node.js", "npx": "Node.js", "npm": "Node.js", "uv": "uv", "uvx": "uv", "bunx": "Bun", "pipx": "pipx"}

// AdviceInstall returns what to install if the program of a command was not found;
// "" if that is unknown.
func AdviceInstall(argv []string) string {
	if len(argv) == 0 || runtimes[argv[0]] == "" {
		return ""
	}
	return "install " + runtimes[argv[0]] + " where the server runs: " + argv[0] + " is part of it"
}
