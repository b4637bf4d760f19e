package sshauth

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/crypto/ssh"
)

// maxKeyFile is that of OpenSSH.
const maxKeyFile = 1 << 20

var (
	errWrongPassphrase = errors.New("wrong passphrase")
	errPublicOnly      = errors.New("it has only the public key, and the agent does not hold the private key")
	errHardware        = errors.New("a FIDO key cannot be used from its file")
	errTooOpen         = errors.New("its permissions are too open: others can read it")
	errNotRegular      = errors.New("not a regular file")
	errTooLarge        = fmt.Errorf("larger than %d bytes", maxKeyFile)
	errOtherKey        = errors.New("the .pub file next to it belongs to another key")
	errSealedPKCS8     = errors.New("encrypted PKCS#8 is not supported: convert it with ssh-keygen -p")
)

// A keyFile is read without its passphrase.
type keyFile struct {
	path   string
	public ssh.PublicKey // nil: unknown without the passphrase
	signer ssh.Signer    // nil: encrypted, or without a private key
	sealed []byte        // the encrypted file
	why    error         // why the private key cannot be used, if known
}

func (k *keyFile) reason() error {
	if k.why != nil {
		return k.why
	}
	return errPublicOnly
}

// loadKey reads an identity file and the .pub file next to it. An error together with a
// keyFile explains why the private key cannot be used; the public key may still match one
// of the agent.
func loadKey(path string) (*keyFile, error) {
	public, err := readKeyFile(path+".pub", false)
	if err != nil {
		public = nil // as ssh does: the file is a convenience
	}
	private, err := readKeyFile(path, true)
	defer clear(private)
	k, parseErr := parseKey(private, public)
	k.path = path
	if err != nil && (k.public == nil || !errors.Is(err, fs.ErrNotExist)) {
		return k, err
	}
	return k, parseErr
}

// Other users must not be able to read a private file.
func readKeyFile(path string, private bool) ([]byte, error) {
	// Stat first: opening a FIFO would wait for a writer.
	info, err := os.Stat(path)
	if err != nil {
		return nil, bare(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	if info.Size() > maxKeyFile {
		return nil, errTooLarge
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, bare(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxKeyFile))
	if err != nil {
		return nil, bare(err)
	}
	if private && tooOpen(info) && !isPublic(data) {
		clear(data)
		return nil, errTooOpen
	}
	return data, nil
}

// The surrounding message has the operation and the path.
func bare(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// An identity file with only a public key selects a key of the agent.
func isPublic(data []byte) bool {
	_, err := parsePublic(data)
	return err == nil
}

func parsePublic(data []byte) (ssh.PublicKey, error) {
	public, _, _, _, err := ssh.ParseAuthorizedKey(data)
	return public, err
}

// Either file may be nil. The result is never nil.
func parseKey(private, public []byte) (*keyFile, error) {
	k := &keyFile{}
	if p, err := parsePublic(public); err == nil {
		k.public = p
	}
	if private == nil {
		return k, nil
	}
	if p, err := parsePublic(private); err == nil {
		k.public = p
		return k, nil
	}
	signer, err := ssh.ParsePrivateKey(private)
	var missing *ssh.PassphraseMissingError
	switch {
	case err == nil:
		k.public, k.signer = signer.PublicKey(), signer
		return k, nil
	case errors.As(err, &missing):
		if missing.PublicKey != nil {
			k.public = missing.PublicKey
		}
		if k.public != nil && isHardware(k.public.Type()) {
			return k, errHardware
		}
		k.sealed = bytes.Clone(private)
		return k, nil
	default:
		return k, k.explain(private, err)
	}
}

// explain returns why a private file cannot be used, and still sets its public key.
func (k *keyFile) explain(private []byte, err error) error {
	if p := embeddedPublic(private); p != nil {
		k.public = p
	}
	if k.public != nil && isHardware(k.public.Type()) {
		return errHardware
	}
	if block, _ := pem.Decode(private); block != nil && block.Type == "ENCRYPTED PRIVATE KEY" {
		return errSealedPKCS8
	}
	return fmt.Errorf("not a private key: %s", plain(strings.TrimPrefix(err.Error(), "ssh: ")))
}

func isHardware(keyType string) bool { return strings.HasPrefix(keyType, "sk-") }

// embeddedPublic returns the unencrypted public key in a file of OpenSSH's format (see
// its PROTOCOL.key), or nil.
func embeddedPublic(private []byte) ssh.PublicKey {
	const magic = "openssh-key-v1\x00"
	block, _ := pem.Decode(private)
	if block == nil {
		return nil
	}
	defer clear(block.Bytes)
	body, ok := bytes.CutPrefix(block.Bytes, []byte(magic))
	if !ok {
		return nil
	}
	var file struct {
		Cipher, KDF, Options string
		Keys                 uint32
		Public               []byte
		Rest                 []byte `ssh:"rest"`
	}
	if err := ssh.Unmarshal(body, &file); err != nil {
		return nil
	}
	public, err := ssh.ParsePublicKey(file.Public)
	if err != nil {
		return nil
	}
	return public
}

// For a wrong passphrase the error is errWrongPassphrase; after any other error no
// passphrase works.
func (k *keyFile) open(passphrase []byte) (ssh.Signer, error) {
	signer, err := ssh.ParsePrivateKeyWithPassphrase(k.sealed, passphrase)
	if err != nil {
		// The older format has no reliable check: a wrong passphrase decrypts
		// to noise that may fail anywhere in the parser.
		if errors.Is(err, x509.IncorrectPasswordError) || !bytes.Contains(k.sealed, []byte("OPENSSH PRIVATE KEY")) {
			return nil, errWrongPassphrase
		}
		return nil, fmt.Errorf("can't be decrypted: %s", plain(strings.TrimPrefix(err.Error(), "ssh: ")))
	}
	if k.public != nil && !bytes.Equal(k.public.Marshal(), signer.PublicKey().Marshal()) {
		return nil, errOtherKey
	}
	return signer, nil
}
