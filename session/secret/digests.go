package secret

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"slices"

	"mcpdbg/session/executor"
)

const (
	// shortestDigested is the length in bytes from which a value has a digest:
	// shorter values could be guessed from theirs.
	shortestDigested = 8
	// longestDigested is the length in bytes up to which a value gets one.
	longestDigested = 4 << 10
	// MaxDigests is the maximum number of values with a digest.
	MaxDigests = 256
	// saltSize is the length of the salt in bytes.
	saltSize = 16
)

// Digests recognizes the values that a recorder was given, without
// holding them: a recording keeps lengths and salted digests, so that rec redact
// finds the values later. The zero value recognizes nothing.
type Digests struct {
	Salt    []byte   `json:"salt"`
	Digests []Digest `json:"digests"`
}

// A Digest is one value: its variable or input, its length in bytes, and
// the SHA-256 of salt and value.
type Digest struct {
	Name   string `json:"name"`
	Len    int    `json:"len"`
	SHA256 []byte `json:"sha256"`
}

// NewDigests returns digests of the values of at least shortestDigested
// bytes with a new salt, or nil if there are none.
func NewDigests(values []executor.EnvVar) *Digests {
	d := &Digests{Salt: make([]byte, saltSize)}
	_, _ = rand.Read(d.Salt) // never fails
	for _, v := range values {
		if len(v.Value) < shortestDigested || len(v.Value) > longestDigested || len(d.Digests) == MaxDigests || d.Find([]byte(v.Value)) != "" {
			continue
		}
		sum := d.sum([]byte(v.Value))
		d.Digests = append(d.Digests, Digest{Name: v.Name, Len: len(v.Value), SHA256: sum[:]})
	}
	if len(d.Digests) == 0 {
		return nil
	}
	return d
}

// Lengths returns the distinct lengths of the values in ascending order.
// Digests of a file beyond the limits are ignored.
func (d *Digests) Lengths() []int {
	if d == nil {
		return nil
	}
	var lengths []int
	for _, v := range d.Digests[:min(len(d.Digests), MaxDigests)] {
		if v.Len >= shortestDigested && v.Len <= longestDigested {
			lengths = append(lengths, v.Len)
		}
	}
	slices.Sort(lengths)
	return slices.Compact(lengths)
}

// Find returns the name of the value that equals text, or "".
func (d *Digests) Find(text []byte) string {
	if d == nil {
		return ""
	}
	var sum [sha256.Size]byte
	summed := false
	for _, v := range d.Digests[:min(len(d.Digests), MaxDigests)] {
		if v.Len != len(text) {
			continue
		}
		if !summed {
			sum, summed = d.sum(text), true
		}
		if subtle.ConstantTimeCompare(sum[:], v.SHA256) == 1 {
			return v.Name
		}
	}
	return ""
}

func (d *Digests) sum(text []byte) [sha256.Size]byte {
	var usual [512]byte
	return sha256.Sum256(append(append(usual[:0], d.Salt...), text...))
}
