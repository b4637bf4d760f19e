package sshauth

import (
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"mcpdbg/session/executor"
)

var (
	errAlgorithm    = errors.New("PubkeyAcceptedAlgorithms excludes its algorithm")
	errNoPassphrase = errors.New("no passphrase was entered")
	errUnsigned     = errors.New("it cannot sign")
)

// A lazySigner is an encrypted key file whose public key is known: it prompts for the
// passphrase when it signs, which is when the server accepts the key.
type lazySigner struct {
	auth   *Authenticator
	file   *keyFile
	public ssh.PublicKey
}

// PublicKey returns the public key.
func (s *lazySigner) PublicKey() ssh.PublicKey { return s.public }

// Sign signs with the default algorithm of the key.
func (s *lazySigner) Sign(rand io.Reader, data []byte) (*ssh.Signature, error) {
	return s.SignWithAlgorithm(rand, data, "")
}

// SignWithAlgorithm prompts for the passphrase, signs, and forgets the private
// key.
func (s *lazySigner) SignWithAlgorithm(rand io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	signer, err := s.auth.unlock(s.file)
	if err != nil {
		return nil, err
	}
	if algorithm == "" {
		return signer.Sign(rand, data)
	}
	with, ok := signer.(ssh.AlgorithmSigner)
	if !ok {
		return nil, errUnsigned
	}
	return with.SignWithAlgorithm(rand, data, algorithm)
}

// unlock prompts until the passphrase is right. An empty one skips the key.
func (a *Authenticator) unlock(f *keyFile) (ssh.Signer, error) {
	text := "Passphrase for key " + a.show(f.path)
	for try := 1; try <= a.tries; try++ {
		secret, err := a.askOne(executor.PromptPassphrase, nth(text, try, a.tries), text)
		switch {
		case errors.Is(err, executor.ErrNoPrompter):
			return nil, a.skip(a.show(f.path), errors.New("needs a passphrase, but mcpdbg cannot prompt for it"))
		case err != nil:
			return nil, err
		case secret == "":
			a.history.locked = a.show(f.path)
			return nil, a.skip(a.show(f.path), errNoPassphrase)
		}
		signer, err := openWith(f, secret)
		if err == nil {
			return signer, nil
		}
		if !errors.Is(err, errWrongPassphrase) {
			return nil, a.skip(a.show(f.path), err)
		}
	}
	a.history.locked = a.show(f.path)
	return nil, a.skip(a.show(f.path), fmt.Errorf("wrong passphrase, %d times", a.tries))
}

// openWith clears its copy of the passphrase.
func openWith(f *keyFile, secret string) (ssh.Signer, error) {
	passphrase := []byte(secret)
	defer clear(passphrase)
	return f.open(passphrase)
}

// restrict limits a signer to the algorithms that the configuration accepts. For RSA
// these are the SHA-2 ones unless ssh-rsa is listed.
func (a *Authenticator) restrict(s ssh.Signer) (ssh.MultiAlgorithmSigner, error) {
	with, ok := s.(ssh.AlgorithmSigner)
	if !ok {
		return nil, errUnsigned
	}
	algorithms := a.accepted(s.PublicKey())
	if len(algorithms) == 0 {
		return nil, errAlgorithm
	}
	return ssh.NewSignerWithAlgorithms(with, algorithms)
}

// accepted returns what PubkeyAcceptedAlgorithms accepts, the strongest first.
func (a *Authenticator) accepted(public ssh.PublicKey) []string {
	cert, isCert := public.(*ssh.Certificate)
	keyType := public.Type()
	if isCert {
		keyType = cert.Key.Type()
	}
	return slices.DeleteFunc(signatures(keyType), func(algorithm string) bool {
		if isCert {
			algorithm = strings.TrimSuffix(algorithm, "@openssh.com") + "-cert-v01@openssh.com"
		}
		return !a.accepts(algorithm)
	})
}

func signatures(keyType string) []string {
	if keyType == ssh.KeyAlgoRSA {
		return []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256, ssh.KeyAlgoRSA}
	}
	return []string{keyType}
}

// The default is OpenSSH's: all but DSA and RSA with SHA-1.
func (a *Authenticator) accepts(algorithm string) bool {
	list := a.host.PubkeyAcceptedAlgorithms
	if len(list) == 0 {
		weak := []string{"ssh-rsa", "ssh-dss"}
		return !slices.Contains(weak, strings.TrimSuffix(algorithm, "-cert-v01@openssh.com"))
	}
	return slices.ContainsFunc(list, func(pattern string) bool {
		ok, err := path.Match(pattern, algorithm)
		return ok && err == nil
	})
}
