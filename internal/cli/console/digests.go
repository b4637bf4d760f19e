package console

import (
	"fmt"
	"path/filepath"

	"mcpdbg/recordings"
	"mcpdbg/session/executor"
	"mcpdbg/session/secret"
)

// digestKey returns the file of the key for digests of given values.
func digestKey() (string, error) {
	state, err := recordings.StateDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(state, "digest.key"), nil
}

// DigestKey returns the key with which digests of values given on this machine were
// made, nil if there is none.
func (*Env) DigestKey() *secret.Key {
	path, err := digestKey()
	if err != nil {
		return nil
	}
	key, _ := secret.ReadKey(path) // without it, the report says that the values are unknown
	return key
}

// Digests returns the digests of values for the header of a recording, nil if none of
// them gets one. It makes the key if need be.
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
