package secret

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// keySize is the length of a key in bytes, and keyIDSize that of its id.
const (
	keySize   = 32
	keyIDSize = 8
)

// A Key makes digests that only its owner can compare with a guess. A recording has its
// id, so that a program with another key knows that it cannot use the digests.
type Key struct {
	ID    string
	bytes []byte
}

func newKey(bytes []byte) *Key {
	k := &Key{bytes: bytes}
	k.ID = hex.EncodeToString(k.sum([]byte("id of the key"))[:keyIDSize])
	return k
}

func (k *Key) sum(texts ...[]byte) []byte {
	h := hmac.New(sha256.New, k.bytes)
	for _, text := range texts {
		h.Write(text)
	}
	return h.Sum(nil)
}

// ReadKey reads the key in a file. The error is fs.ErrNotExist if there is none.
func ReadKey(path string) (*Key, error) {
	bytes, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(bytes) != keySize {
		return nil, fmt.Errorf("%s: not a key: %d bytes instead of %d", path, len(bytes), keySize)
	}
	return newKey(bytes), nil
}

// EnsureKey reads the key in a file, which only its user can read, and makes it and its
// folder if there is none. Of several processes that make it at once, one succeeds, and
// all get its key: the file has its contents from the moment at which it has its name.
func EnsureKey(path string) (*Key, error) {
	key, err := ReadKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	made, err := os.CreateTemp(folder, filepath.Base(path)+".*") // O_EXCL, 0600
	if err != nil {
		return nil, err
	}
	defer os.Remove(made.Name()) //nolint:errcheck // a temporary name
	bytes := make([]byte, keySize)
	_, _ = rand.Read(bytes) // never fails
	_, err = made.Write(bytes)
	if err = errors.Join(err, made.Sync(), made.Close()); err != nil {
		return nil, err
	}
	if err := os.Link(made.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return ReadKey(path)
}
