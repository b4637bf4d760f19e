package console

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/secret"
	"mcpdbg/ui/widget/termsafe"
)

// An IncompleteList collects incomplete recordings. It is safe for concurrent use.
type IncompleteList struct {
	mu   sync.Mutex
	list []string
}

// Add adds a closed recording if it is incomplete; a log needs a file.
func (l *IncompleteList) Add(log *recordings.File) {
	stats := log.Stats()
	text := stats.RecordingError
	switch {
	case log.Path() == "":
		return
	case stats.Recording == session.RecordingStopped:
		text = log.Path() + ": " + text
	case stats.Recording != session.RecordingIncomplete:
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, text)
}

// RecordedTo names the folder with all recordings.
func (l *IncompleteList) RecordedTo(folder string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := "recorded to " + folder
	if n := len(l.list); n > 0 {
		text += fmt.Sprintf(", %d incomplete", n)
	}
	return text
}

const shownIncomplete = 5

// ReportIncomplete prints incomplete recordings to standard error, and reports whether
// there are any.
func (env *Env) ReportIncomplete() bool {
	env.Incomplete.mu.Lock()
	defer env.Incomplete.mu.Unlock()
	list := env.Incomplete.list
	for i, text := range list {
		if i == shownIncomplete {
			fmt.Fprintf(env.Stderr, "mcpdbg: and %d more recordings are incomplete\n", len(list)-i)
			break
		}
		fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: recording incomplete: "+text))
	}
	return len(list) > 0
}

type temporaryFolder struct {
	mu   sync.Mutex
	path string // "" until it is needed
}

// Use creates the folder at the first call.
func (f *temporaryFolder) Use() (path string, created bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.path == "" {
		created = true
		if f.path, err = os.MkdirTemp("", "mcpdbg-recordings-*"); err != nil { // 0700
			return "", false, err
		}
	}
	return f.path, created, nil
}

func digestKey() (string, error) {
	state, err := recordings.StateDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(state, "digest.key"), nil
}

// DigestKey returns the key of this machine for digests of values, nil if there is none.
func (*Env) DigestKey() *secret.Key {
	path, err := digestKey()
	if err != nil {
		return nil
	}
	key, _ := secret.ReadKey(path) // without it, the report lists the values as unknown
	return key
}

// Digests returns the digests of values for a recording's header, nil if there are none.
// It makes the key if needed.
func (*Env) Digests(values []executor.EnvVar) (*secret.Digests, error) {
	if !secret.Digestible(values) {
		return nil, nil
	}
	path, err := digestKey()
	if err != nil {
		return nil, err
	}
	key, err := secret.EnsureKey(path)
	if err != nil {
		return nil, fmt.Errorf("key for digests: %w", err)
	}
	return secret.NewDigests(values, key), nil
}
