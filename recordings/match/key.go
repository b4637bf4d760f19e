package match

import (
	"bytes"

	"github.com/cespare/xxhash/v2"
)

// AppendKey appends what a request is matched by: its method, a newline, and
// its params made canonical, as AppendCanonical does. Missing params are {}.
// Left out are _meta, but for members that a rule keeps (so progress tokens and
// what a client says of itself do not count), and what rules ignore. What rules
// mask is "[masked]", and redacted text "[redacted]", which Equal takes for
// anything.
//
// If params can't be read the key is made of their bytes, and good for requests
// with the very same bytes; the error is ErrNotCanonical.
func AppendKey(dst []byte, method string, params []byte, rules *Rules) ([]byte, error) {
	dst = append(dst, method...)
	dst = append(dst, '\n')
	if len(params) == 0 {
		return append(dst, "{}"...), nil
	}
	k := keying{about: rules.About(method, Subject(method, params))}
	c := canon{src: params, dst: dst, filter: k.filter, path: append(make([]string, 0, 16), "params")}
	return c.whole()
}

// Hash is a 64-bit hash of a key.
func Hash(key []byte) uint64 { return xxhash.Sum64(key) }

const (
	masked      = `"[masked]"`
	redacted    = `"[redacted]"`
	redactedTag = "[redacted:"
)

// keying decides what of params goes into a key.
type keying struct{ about Applied }

func (k *keying) filter(path []string, value []byte) []byte {
	if len(path) == 2 && path[1] == "_meta" && (len(value) <= len("{}") || !k.keeps(path)) {
		return nil
	}
	action, typ := k.about.At(path)
	switch {
	case action == ActionKeep:
	case len(path) == 3 && path[1] == "_meta" && !k.about.KeepsWithin(path):
		return nil
	case action == ActionIgnore && !k.about.KeepsWithin(path):
		return nil
	case action == ActionMask && typ.Fits(path[len(path)-1], value):
		return []byte(masked)
	}
	if IsRedacted(value) {
		return []byte(redacted)
	}
	return value
}

func (k *keying) keeps(path []string) bool {
	action, _ := k.about.At(path)
	return action == ActionKeep || k.about.KeepsWithin(path)
}

// IsRedacted tells whether a JSON value is text out of which something was
// removed, so that nobody knows what it was.
func IsRedacted(value []byte) bool {
	if len(value) == 0 || value[0] != '"' {
		return false
	}
	i := bytes.Index(value, []byte(redactedTag))
	return i >= 0 && bytes.IndexByte(value[i:], ']') > 0
}

// HasRedacted tells whether a key has spots that are not known, so that Equal
// says more of it than its bytes.
func HasRedacted(key []byte) bool { return bytes.Contains(key, []byte(redacted)) }

// Equal tells whether two keys are those of equal requests. Spots that are
// redacted in one of them are equal to anything.
func Equal(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if !HasRedacted(a) && !HasRedacted(b) {
		return false
	}
	methodA, paramsA, _ := bytes.Cut(a, []byte{'\n'})
	methodB, paramsB, _ := bytes.Cut(b, []byte{'\n'})
	if !bytes.Equal(methodA, methodB) || !isCanonical(paramsA) || !isCanonical(paramsB) {
		return false
	}
	same := true
	Diff(paramsA, paramsB, func(_ []string, a, b []byte) bool {
		if string(a) != redacted && string(b) != redacted {
			same = same && isContainer(a) && isContainer(b) && a[0] == b[0]
		}
		return same
	})
	return same
}

// isCanonical tells whether Diff can read a value.
func isCanonical(value []byte) bool {
	canonical, err := AppendCanonical(nil, value)
	return err == nil && bytes.Equal(canonical, value)
}

func isContainer(v []byte) bool { return len(v) > 0 && (v[0] == '{' || v[0] == '[') }

// Subject is what a request is about beyond its method: the name of a tool or
// prompt, or the URI of a resource; "" if nothing is named.
func Subject(method string, params []byte) string {
	name := "uri"
	switch method {
	case "tools/call", "prompts/get":
		name = "name"
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
	default:
		return ""
	}
	value := Member(params, name)
	if len(value) < 2 || value[0] != '"' {
		return ""
	}
	return unquote(value)
}
