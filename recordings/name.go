package recordings

import (
	"crypto/rand"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

const maxName = 40

// StateDir returns the folder for data that the program keeps between runs:
// $XDG_STATE_HOME/mcpdbg, by default ~/.local/state/mcpdbg, on Windows
// %LOCALAPPDATA%\mcpdbg. It need not exist. Recordings are in its subfolder
// "recordings".
func StateDir() (string, error) {
	// The XDG Base Directory Specification: relative paths must be ignored.
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

// DefaultDir returns the default folder for recordings: the folder recordings in
// StateDir. It need not exist.
func DefaultDir() (string, error) {
	state, err := StateDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(state, "recordings"), nil
}

// TapState returns the folder for data of taps: StateDir without XDG_STATE_HOME, in the
// home folder that the user database names if HOME is not set. Many clients pass
// neither variable to the servers that they start, so that the tap and the terminal of
// the person would have different folders.
func TapState() (string, error) {
	if runtime.GOOS == "windows" {
		return StateDir()
	}
	home := os.Getenv("HOME")
	if !filepath.IsAbs(home) {
		u, err := user.Current()
		if err != nil {
			return "", fmt.Errorf("no home folder: %w", err)
		}
		home = u.HomeDir
	}
	return filepath.Join(home, ".local", "state", "mcpdbg"), nil
}

// TapDir returns the folder for recordings of taps, in TapState.
func TapDir() (string, error) {
	state, err := TapState()
	if err != nil {
		return "", err
	}
	return filepath.Join(state, "recordings"), nil
}

// fileName returns the start time in UTC, the server, and the last six characters of the
// id.
func fileName(start time.Time, server, id string) string {
	return start.UTC().Format("20060102-150405") + "-" + safeName(server) + "-" + strings.ToLower(id[len(id)-6:]) + ".jsonl"
}

// safeName returns a name that is valid on every file system.
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

// newID returns a ULID (github.com/ulid/spec): 48 bits of milliseconds and 80 random bits
// as 26 characters that sort by time.
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

// pattern compiles on first use. Inlined, each call would add 400 bytes to the program.
//
//go:noinline
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var partName = pattern(`^(.+)\.part([1-9][0-9]{0,8})$`)

// PartPath returns the path of part n of the recording whose first file is at
// path: NAME.part2.jsonl next to NAME.jsonl. Part 1 is the first file itself.
func PartPath(path string, n int) string {
	if n < 2 {
		return path
	}
	ext := filepath.Ext(path)
	return fmt.Sprintf("%s.part%d%s", strings.TrimSuffix(path, ext), n, ext)
}

// partOf is the inverse of PartPath; n is 0 if path is not the name of a later part.
func partOf(path string) (first string, n int) {
	ext := filepath.Ext(path)
	found := partName().FindStringSubmatch(strings.TrimSuffix(path, ext))
	if found == nil {
		found = partName().FindStringSubmatch(path) // without an extension, the suffix looks like one
		ext = ""
	}
	if found == nil {
		return path, 0
	}
	if n, _ = strconv.Atoi(found[2]); n < 2 {
		return path, 0
	}
	return found[1] + ext, n
}

// FirstPart returns the first file of the recording that the file at path is a
// later part of; ok is false for any other file, and if the first is missing.
func FirstPart(path string) (first string, ok bool) {
	first, n := partOf(path)
	if n == 0 {
		return "", false
	}
	part, err := headerOf(path)
	if err != nil || part.Part != n {
		return "", false
	}
	whole, err := headerOf(first)
	return first, err == nil && whole.ID == part.ID && whole.Part == 0
}

// laterParts returns the numbers greater than after of the files named as later parts of
// path.
func laterParts(path string, after int) []int {
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil
	}
	var numbers []int
	for _, file := range files {
		if first, n := partOf(file.Name()); n > after && first == filepath.Base(path) {
			numbers = append(numbers, n)
		}
	}
	return numbers
}
