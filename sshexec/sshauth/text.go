package sshauth

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"mcpdbg/internal/wording"
)

// Limits of untrusted text, in bytes.
const (
	maxRemote   = 4 << 10 // name and instruction of a challenge
	maxQuestion = 1 << 10 // one question of it
	maxName     = 100     // a method, a comment of a key, a prompt in an error
	maxNames    = 16      // methods that a server lists
)

// plain makes untrusted text safe to display: short, on one line, with everything
// unprintable escaped.
func plain(s string) string {
	short := wording.Cut(strings.TrimSpace(s), maxName)
	quoted := strconv.Quote(short)
	text := strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
	if len(short) < len(strings.TrimSpace(s)) {
		text += "…"
	}
	return text
}

func names(list []string) []string {
	out := make([]string, 0, min(len(list), maxNames))
	for _, name := range list[:min(len(list), maxNames)] {
		out = append(out, plain(name))
	}
	return out
}

// "" if unknown
func homeDir() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Clean(home)
}

// The path is in full, so that the user can find the file.
func (a *Authenticator) show(path string) string {
	if rest, ok := strings.CutPrefix(path, a.home+string(filepath.Separator)); ok && a.home != "" {
		path = "~" + string(filepath.Separator) + rest
	}
	quoted := strconv.Quote(wording.Cut(path, maxRemote))
	return quoted[1 : len(quoted)-1]
}
