package sshconfig

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

const (
	sourceG = "ssh -G"
	// One run takes 13 ms if no "Match exec" waits.
	timeoutG = 5 * time.Second
	// Limits of its two streams.
	maxOutput    = 1 << 20
	maxComplaint = 4 << 10
)

// errNoG reports that the ssh program is not OpenSSH's, or older than option -G.
var errNoG = errors.New("this ssh has no option -G")

// runG runs ssh -G for d, without a shell.
//
// It does not use -T, which would hide whether the configuration requests a
// terminal.
func runG(ctx context.Context, binary, home string, config []string, d Destination) (settings, error) {
	ctx, cancel := context.WithTimeout(ctx, timeoutG)
	defer cancel()

	args := append([]string{"-G"}, config...)
	if d.User != "" {
		args = append(args, "-l", d.User)
	}
	if d.Port != 0 {
		args = append(args, "-p", strconv.Itoa(d.Port))
	}
	cmd := exec.CommandContext(ctx, binary, append(args, "--", d.Host)...)
	out := &bounded{max: maxOutput, over: cancel}
	complaint := &bounded{max: maxComplaint}
	cmd.Stdout, cmd.Stderr = out, complaint
	cmd.WaitDelay = 3 * time.Second // for a child of "Match exec" that holds the pipes
	if home != "" {
		cmd.Env = append(os.Environ(), "HOME="+home) // used by Include for ~
	}
	detach(cmd)

	err := cmd.Run()
	switch {
	case out.exceeded:
		return nil, fmt.Errorf("%s printed more than %d bytes", sourceG, maxOutput)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, &ConfigError{Err: fmt.Errorf(`%s did not finish in %s; a "Match exec" may hang`, sourceG, timeoutG)}
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s: %w", sourceG, context.Cause(ctx))
	case err != nil:
		return nil, complained(string(complaint.kept), err)
	}
	s, err := parseG(out.kept)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sourceG, err)
	}
	return s, nil
}

const maxVersion = 200

// versionOf reads standard error. The version is safe to display, and empty if there is
// none.
func versionOf(ctx context.Context, binary string) string {
	ctx, cancel := context.WithTimeout(ctx, timeoutG)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "-V")
	out := &bounded{max: maxVersion, over: func() {}}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = 3 * time.Second
	detach(cmd)
	if cmd.Run() != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(out.kept), "\n")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, line))
}

// Any keyword is accepted; a line that does not begin with one, or is not text, is an
// error.
func parseG(out []byte) (settings, error) {
	if len(out) > maxOutput {
		return nil, fmt.Errorf("more than %d bytes", maxOutput)
	}
	s := settings{}
	for n := 1; len(out) > 0; n++ {
		var line []byte
		line, out, _ = bytes.Cut(out, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) == 0 {
			continue
		}
		key, value, _ := strings.Cut(string(line), " ")
		if !isKeyword(key) {
			return nil, fmt.Errorf("line %d of the output does not begin with a keyword", n)
		}
		if !utf8.ValidString(value) || strings.ContainsFunc(value, isControl) {
			return nil, fmt.Errorf("line %d of the output is not text", n)
		}
		s.add(strings.ToLower(key), value)
	}
	for _, key := range []string{"hostname", "user", "port"} {
		if s.get(key) == "" {
			return nil, fmt.Errorf("the output has no %s", key)
		}
	}
	return s, nil
}

// pathsG splits the files that ssh -G prints in one line, and replaces ssh's home
// directory by Home.
func (s settings) pathsG(m machine) settings {
	for _, key := range []string{"userknownhostsfile", "globalknownhostsfile"} {
		s[key] = splitPaths(s[key])
	}
	if m.passwdHome == "" || m.passwdHome == m.home {
		return s
	}
	// ssh replaces "~" by the home of the password database.
	from, to := m.passwdHome+"/", m.home+"/"
	for _, key := range []string{"userknownhostsfile", "globalknownhostsfile", "controlpath", "identityagent"} {
		for i, v := range s[key] {
			if rest, ok := strings.CutPrefix(v, from); ok && !strings.HasPrefix(v, to) {
				s[key][i] = to + rest
			}
		}
	}
	return s
}

// ssh -G does not quote a path that contains a space: a word that does not begin like an
// absolute path belongs to the previous word.
func splitPaths(lines []string) []string {
	var list []string
	for _, line := range lines {
		for i, word := range strings.Fields(line) {
			if i > 0 && !beginsPath(word) {
				list[len(list)-1] += " " + word
				continue
			}
			list = append(list, word)
		}
	}
	for i, path := range list {
		if rest, ok := strings.CutPrefix(path, programData); ok {
			list[i] = os.Getenv("ProgramData") + rest
		}
	}
	return list
}

// ssh for Windows prints programData in place of a folder.
const programData = "__PROGRAMDATA__"

func beginsPath(s string) bool {
	drive := len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/')
	return drive || strings.ContainsAny(s[:1], `/~%$\`) || strings.HasPrefix(s, programData)
}

func isKeyword(s string) bool {
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// Package variables would be compiled at every start of the program. Inlined, each
// call would add 400 bytes to it.
//
//go:noinline
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var (
	complaintAt = pattern(`(?m)^(.+?):? line ([0-9]+): (.+?)\r?$`)
	noTerminal  = pattern(`(?m)^Pseudo-terminal will not be allocated.*$`)
	usageText   = pattern(`(?i)(^|\n)usage:|(illegal|unknown|invalid|unrecognized) (option|argument)`)
)

func complained(text string, err error) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() < 0 {
		return fmt.Errorf("%s: %w", sourceG, err)
	}
	if at := complaintAt().FindStringSubmatch(text); at != nil {
		line, _ := strconv.Atoi(at[2]) // a number that is too long is not a line
		return &ConfigError{File: at[1], Line: line, Err: errors.New(at[3])}
	}
	if usageText().MatchString(text) {
		return errNoG
	}
	text = noTerminal().ReplaceAllString(text, "")
	if text = strings.TrimSpace(text); text == "" {
		text = err.Error()
	}
	return &ConfigError{Err: fmt.Errorf("%s: %s", sourceG, text)}
}

// bounded keeps the first max bytes; over is called when there are more.
type bounded struct {
	kept     []byte
	max      int
	over     func()
	exceeded bool
}

func (b *bounded) Write(p []byte) (int, error) {
	room := b.max - len(b.kept)
	b.kept = append(b.kept, p[:min(room, len(p))]...)
	if len(p) > room && !b.exceeded {
		b.exceeded = true
		if b.over != nil {
			b.over()
		}
	}
	return len(p), nil
}
