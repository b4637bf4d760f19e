package recordings

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// maxName is the longest server name in a file name, in bytes.
const maxName = 40

// StateDir is the folder for what the program keeps between runs:
// $XDG_STATE_HOME/mcpdbg, by default ~/.local/state/mcpdbg, on Windows
// %LOCALAPPDATA%\mcpdbg. It need not exist. Recordings are in its folder
// "recordings".
func StateDir() (string, error) {
	// The XDG Base Directory Specification: a relative path is to be ignored.
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "mcpdbg"), nil
	}
	if runtime.GOOS == "windows" {
		dir, err := os.UserCacheDir() // %LOCALAPPDATA%
		return filepath.Join(dir, "mcpdbg"), err
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "state", "mcpdbg"), err
}

// DefaultDir is where recordings go that are given no place of their own: the
// folder recordings in StateDir. It need not exist.
func DefaultDir() (string, error) {
	state, err := StateDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(state, "recordings"), nil
}

// fileName is the default name of a recording: when in UTC, what, and the last
// six characters of its id.
func fileName(start time.Time, server, id string) string {
	return start.UTC().Format("20060102-150405") + "-" + safeName(server) + "-" + strings.ToLower(id[len(id)-6:]) + ".jsonl"
}

// safeName makes of a server's name something that every file system takes.
func safeName(name string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_':
			return r
		}
		return '-'
	}, name)
	for strings.Contains(safe, "--") {
		safe = strings.ReplaceAll(safe, "--", "-")
	}
	safe = strings.Trim(safe[:min(len(safe), maxName)], "-.")
	if safe == "" {
		return "server"
	}
	return safe
}

// newID is a ULID (github.com/ulid/spec): 48 bits of milliseconds and 80 random
// bits as 26 characters that sort by time.
func newID(at time.Time) string {
	const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	var id [26]byte
	ms := uint64(at.UnixMilli())
	for i := 9; i >= 0; i-- {
		id[i] = alphabet[ms&31]
		ms >>= 5
	}
	for i, b := range random {
		id[10+i] = alphabet[b&31]
	}
	return string(id[:])
}
