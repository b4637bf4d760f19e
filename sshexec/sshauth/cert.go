package sshauth

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"golang.org/x/crypto/ssh"
)

var (
	errNotCert  = errors.New("not a certificate")
	errHostCert = errors.New("a certificate for hosts, not for users")
	errNoHalf   = errors.New("the private key of this certificate is neither in the agent nor in an IdentityFile")
)

type certPath struct {
	path  string
	named bool // by CertificateFile: a remark is added when it is missing
}

// Without CertificateFiles these are the files next to the identity files, as in ssh.
func (a *Authenticator) certPaths() []certPath {
	var paths []certPath
	for _, path := range a.host.CertificateFiles {
		paths = append(paths, certPath{path: path, named: true})
	}
	if len(paths) > 0 {
		return paths
	}
	for _, path := range a.host.IdentityFiles {
		paths = append(paths, certPath{path: path + "-cert.pub"})
	}
	return paths
}

// The private key of a certificate is in the agent or in an identity file.
func (q *queue) addCertificate(p certPath, files []*keyFile, held []*agentSigner) {
	shown := q.auth.show(p.path)
	cert, err := loadCert(p.path)
	if err != nil {
		if p.named || !errors.Is(err, fs.ErrNotExist) {
			_ = q.auth.skip(shown, err)
		}
		return
	}
	q.auth.remarkValidity(shown, cert)
	for _, h := range held {
		if sameKey(h.public, cert) {
			q.add(agentName(h), h)
			return
		}
	}
	half := q.auth.privateHalf(cert.Key, files, held)
	if half == nil {
		_ = q.auth.skip(shown, errNoHalf)
		return
	}
	q.addSigned("certificate "+shown, cert, half)
}

func (q *queue) addSigned(name string, cert *ssh.Certificate, half ssh.Signer) {
	if q.seen[string(cert.Marshal())] {
		return
	}
	q.seen[string(cert.Marshal())] = true
	with, ok := half.(ssh.AlgorithmSigner)
	algorithms := q.auth.accepted(cert)
	if !ok || len(algorithms) == 0 {
		_ = q.auth.skip(name, errAlgorithm)
		return
	}
	restricted, err := ssh.NewSignerWithAlgorithms(with, algorithms)
	if err != nil {
		_ = q.auth.skip(name, err)
		return
	}
	signer, err := ssh.NewCertSigner(cert, restricted)
	if err != nil {
		_ = q.auth.skip(name, err)
		return
	}
	q.put(name, signer)
}

// privateHalf returns the signer for a public key, or nil.
func (a *Authenticator) privateHalf(public ssh.PublicKey, files []*keyFile, held []*agentSigner) ssh.Signer {
	for _, h := range held {
		if sameKey(h.public, public) {
			return h
		}
	}
	for _, f := range files {
		if f.public != nil && sameKey(f.public, public) {
			if signer := a.fileSigner(f); signer != nil {
				return signer
			}
		}
	}
	return nil
}

func loadCert(path string) (*ssh.Certificate, error) {
	data, err := readKeyFile(path, false)
	if err != nil {
		return nil, err
	}
	public, err := parsePublic(data)
	if err != nil {
		return nil, errNotCert
	}
	cert, ok := public.(*ssh.Certificate)
	switch {
	case !ok:
		return nil, errNotCert
	case cert.CertType != ssh.UserCert:
		return nil, errHostCert
	}
	return cert, nil
}

// A certificate that is not valid now is offered nevertheless: the server's clock
// decides, not ours.
func (a *Authenticator) remarkValidity(shown string, cert *ssh.Certificate) {
	now := uint64(time.Now().Unix())
	switch {
	case cert.ValidBefore != ssh.CertTimeInfinity && now >= cert.ValidBefore:
		_ = a.skip(shown, fmt.Errorf("expired %s", stamp(cert.ValidBefore)))
	case now < cert.ValidAfter:
		_ = a.skip(shown, fmt.Errorf("not valid before %s", stamp(cert.ValidAfter)))
	}
}

// stamp formats a time of a certificate, which may be any number.
func stamp(seconds uint64) string {
	const year9999 = 253402300799
	if seconds > year9999 {
		return "the end of time"
	}
	return time.Unix(int64(seconds), 0).UTC().Format(time.RFC3339)
}
