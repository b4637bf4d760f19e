package sshauth

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

type candidate struct {
	name string // with its source, for messages
	// called when the key is about to be offered; for a file with an encrypted public key
	// it prompts for the passphrase
	signer func() (ssh.Signer, error)
}

// A queue holds the keys that are still to be offered.
type queue struct {
	auth *Authenticator
	list []candidate
	seen map[string]bool // by wire format
}

// Keys are offered one by one, so that we count them and neither read nor prompt for more
// than needed.
func (a *Authenticator) offerKey() ssh.AuthMethod {
	if a.keys == nil {
		a.keys = a.gather()
	}
	q := a.keys
	if len(q.list) == 0 || len(a.history.keys) >= maxOffers {
		a.history.unoffered = len(q.list)
		return nil
	}
	next := q.list[0]
	q.list = q.list[1:]
	return ssh.PublicKeysCallback(func() ([]ssh.Signer, error) {
		signer, err := next.signer()
		if err != nil {
			return nil, err
		}
		a.history.keys = append(a.history.keys, next.name)
		return []ssh.Signer{signer}, nil
	})
}

// gather sorts the keys as described in doc.go.
func (a *Authenticator) gather() *queue {
	q := &queue{auth: a, seen: make(map[string]bool)}
	files := a.loadFiles()
	held := a.agentKeys()
	for _, path := range a.certPaths() {
		q.addCertificate(path, files, held)
	}
	for _, f := range files {
		q.addMatching(f, held)
	}
	isNamed := func(f *keyFile) bool { return slices.Contains(a.host.Identities, f.path) }
	for _, f := range files {
		if isNamed(f) {
			q.addFile(f)
		}
	}
	if !a.host.IdentitiesOnly {
		for _, h := range held {
			q.add(agentName(h), h)
		}
	}
	for _, f := range files {
		if !isNamed(f) {
			q.addFile(f)
		}
	}
	return q
}

func (a *Authenticator) loadFiles() []*keyFile {
	var files []*keyFile
	for _, path := range a.host.IdentityFiles {
		k, err := loadKey(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if !a.isDefault(path) {
				_ = a.skip(a.show(path), errors.New("does not exist"))
			}
			continue
		case err != nil && k.public == nil:
			_ = a.skip(a.show(path), err)
			continue
		case err != nil:
			k.why = err
		}
		files = append(files, k)
	}
	return files
}

// A default identity file may be missing.
func (a *Authenticator) isDefault(path string) bool {
	dir, name := filepath.Split(path)
	return filepath.Clean(dir) == filepath.Join(a.home, ".ssh") && strings.HasPrefix(name, "id_")
}

// If the agent is not running, or does not reply, a remark is added.
func (a *Authenticator) agentKeys() []*agentSigner {
	if a.host.IdentityAgent == "" {
		return nil
	}
	link, err := dialAgent(a.ctx, a.host.IdentityAgent)
	if err != nil {
		_ = a.skip("agent", err)
		return nil
	}
	a.agent = link
	signers, err := link.list()
	switch {
	case err != nil:
		_ = a.skip("agent", err)
	case len(signers) == 0:
		_ = a.skip("agent", errors.New("it holds no keys, or is locked"))
	}
	var held []*agentSigner
	for _, s := range signers {
		if signer, ok := s.(ssh.AlgorithmSigner); ok {
			held = append(held, newAgentSigner(a, link, signer))
		}
	}
	return held
}

// Each key is added once.
func (q *queue) add(name string, signer ssh.Signer) {
	blob := string(signer.PublicKey().Marshal())
	if q.seen[blob] {
		return
	}
	q.seen[blob] = true
	restricted, err := q.auth.restrict(signer)
	if err != nil {
		_ = q.auth.skip(name, err)
		return
	}
	q.put(name, restricted)
}

func (q *queue) put(name string, signer ssh.Signer) {
	q.list = append(q.list, candidate{name: name, signer: func() (ssh.Signer, error) { return signer, nil }})
}

// addMatching adds the agent's keys for an identity file: the key, and certificates for
// it.
func (q *queue) addMatching(f *keyFile, held []*agentSigner) {
	if f.public == nil {
		return
	}
	for _, h := range held {
		if cert, ok := h.public.(*ssh.Certificate); ok && sameKey(cert.Key, f.public) {
			q.add(agentName(h), h)
		}
	}
	for _, h := range held {
		if sameKey(h.public, f.public) {
			q.add(agentName(h), h)
		}
	}
}

// The agent does not hold the identity file.
func (q *queue) addFile(f *keyFile) {
	name := "file " + q.auth.show(f.path)
	if f.public == nil {
		q.list = append(q.list, candidate{name: name, signer: func() (ssh.Signer, error) {
			signer, err := q.auth.unlock(f)
			if err != nil {
				return nil, err
			}
			return q.auth.restrict(signer)
		}})
		return
	}
	if signer := q.auth.fileSigner(f); signer != nil {
		q.add(name, signer)
		return
	}
	if !q.seen[string(f.public.Marshal())] {
		_ = q.auth.skip(q.auth.show(f.path), f.reason())
	}
}

// fileSigner returns nil without a private key.
func (a *Authenticator) fileSigner(f *keyFile) ssh.Signer {
	switch {
	case f.signer != nil:
		return f.signer
	case f.sealed != nil && f.public != nil:
		return &lazySigner{auth: a, file: f, public: f.public}
	default:
		return nil
	}
}

func (a *Authenticator) skip(what string, why error) error {
	if errors.Is(why, errHardware) {
		a.history.hardware = true
	}
	return a.history.remark(fmt.Errorf("%s: %w", what, why))
}

func agentName(h *agentSigner) string {
	name := "agent: " + ssh.FingerprintSHA256(h.public)
	if comment := plain(h.comment); comment != "" {
		name += " (" + comment + ")"
	}
	return name
}

func sameKey(a, b ssh.PublicKey) bool { return string(a.Marshal()) == string(b.Marshal()) }
