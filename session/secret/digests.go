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
	saltSize   = 16
)

// Digests recognizes the values that a recorder was given, without
// holding them: a recording keeps lengths and digests, so that rec redact
// finds the values later. The zero value recognizes nothing.
type Digests struct {
	Salt    []byte   `json:"salt"`
	KeyID   string   `json:"key,omitempty"` // of the key of the digests; older files have none
	Digests []Digest `json:"digests"`
	key     *Key
}

// A Digest is one value: its variable or input, its length in bytes, and the HMAC of
// salt and value with a key of the recorder's machine. Older files have the SHA-256 of
// salt and value instead, which anyone can compare with a guess.
type Digest struct {
	Name   string `json:"name"`
	Len    int    `json:"len"`
	SHA256 []byte `json:"sha256,omitempty"`
	HMAC   []byte `json:"hmac,omitempty"`
}

// NewDigests returns digests of those values that Digestible reports, with a key and a
// new salt, or nil if there are none.
func NewDigests(values []executor.EnvVar, key *Key) *Digests {
	d := &Digests{Salt: make([]byte, saltSize), KeyID: key.ID, key: key}
	_, _ = rand.Read(d.Salt) // never fails
	for _, v := range values {
		if !digestible(v) || len(d.Digests) == MaxDigests || d.Find([]byte(v.Value)) != "" {
			continue
		}
		d.Digests = append(d.Digests, Digest{Name: v.Name, Len: len(v.Value), HMAC: key.sum(d.Salt, []byte(v.Value))})
	}
	if len(d.Digests) == 0 {
		return nil
	}
	return d
}

// Digestible reports whether any of the values gets a digest: neither short nor very
// long ones do.
func Digestible(values []executor.EnvVar) bool { return slices.ContainsFunc(values, digestible) }

func digestible(v executor.EnvVar) bool {
	return len(v.Value) >= shortestDigested && len(v.Value) <= longestDigested
}

// With returns digests that recognize the values for which a key is needed if key, which
// may be nil, is the one that they were made with.
func (d *Digests) With(key *Key) *Digests {
	if d == nil {
		return nil
	}
	with := *d
	if with.key = nil; key != nil && key.ID == d.KeyID {
		with.key = key
	}
	return &with
}

// Unknown returns the number of values that cannot be recognized, because they have
// digests of another key.
func (d *Digests) Unknown() (n int) {
	if d == nil {
		return 0
	}
	for i := range d.all() {
		if !d.knows(&d.Digests[i]) {
			n++
		}
	}
	return n
}

// knows reports whether the value of a digest can be recognized.
func (d *Digests) knows(v *Digest) bool { return v.HMAC == nil || d.key != nil }

// all ignores those of a file beyond the limit.
func (d *Digests) all() []Digest { return d.Digests[:min(len(d.Digests), MaxDigests)] }

// Lengths returns the distinct lengths of the values that can be recognized, in
// ascending order. Digests of a file beyond the limits are ignored.
func (d *Digests) Lengths() []int {
	if d == nil {
		return nil
	}
	var lengths []int
	for _, v := range d.all() {
		if v.Len >= shortestDigested && v.Len <= longestDigested && d.knows(&v) {
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
	var bySalt, byKey []byte
	for _, v := range d.all() {
		if v.Len != len(text) || !d.knows(&v) {
			continue
		}
		want, have := v.HMAC, &byKey
		if want == nil {
			want, have = v.SHA256, &bySalt
		}
		switch {
		case *have != nil:
		case v.HMAC == nil:
			*have = d.sum(text)
		default:
			*have = d.key.sum(d.Salt, text)
		}
		if subtle.ConstantTimeCompare(*have, want) == 1 {
			return v.Name
		}
	}
	return ""
}

func (d *Digests) sum(text []byte) []byte {
	var usual [512]byte
	sum := sha256.Sum256(append(append(usual[:0], d.Salt...), text...))
	return sum[:]
}
