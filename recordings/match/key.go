package match

import (
	"bytes"

	"github.com/cespare/xxhash/v2"

	"mcpdbg/framing"
)

// AppendKey appends the key of a request: its method, a newline, and its params in
// the form of AppendCanonical. Missing params are {}. The key omits _meta, except
// for members that a rule keeps (so progress tokens and client information do not
// count), and values that rules ignore. A masked value is "[masked]". The mark of
// redacted text is "[redacted:]", which Equal accepts as equal to anything.
//
// If params can't be read, the key has their bytes and equals only that of the very
// same bytes; the error is ErrNotCanonical.
func AppendKey(dst []byte, method string, params []byte, rules *Rules) ([]byte, error) {
	dst = append(dst, method...)
	dst = append(dst, '\n')
	if len(params) == 0 {
		return append(dst, "{}"...), nil
	}
	k := keyFilter{about: rules.For(method, Subject(method, params))}
	c := canon{src: framing.Cursor{Data: params}, dst: dst, filter: k.filter, path: append(make([]string, 0, 16), "params")}
	return c.whole()
}

// Hash returns a 64-bit hash of a key.
func Hash(key []byte) uint64 { return xxhash.Sum64(key) }

const masked = `"[masked]"`

// keyFilter selects the parts of params that go into a key.
type keyFilter struct{ about Applied }

func (k *keyFilter) filter(path []string, value []byte) []byte {
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
		return redactedMark().ReplaceAllLiteral(value, []byte(redactedTag+"]"))
	}
	return value
}

func (k *keyFilter) keeps(path []string) bool {
	action, _ := k.about.At(path)
	return action == ActionKeep || k.about.KeepsWithin(path)
}

// HasRedacted reports whether a key has redacted text, so that it must be compared with
// Equal and not by its bytes.
func HasRedacted(key []byte) bool { return bytes.Contains(key, []byte(redactedTag)) }

// Equal reports whether two keys are those of equal requests. Text that is redacted in
// one of them is equal to anything.
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
	return equalParts(paramsA, paramsB)
}

func isCanonical(value []byte) bool {
	canonical, err := AppendCanonical(nil, value)
	return err == nil && bytes.Equal(canonical, value)
}

func isContainer(v []byte) bool { return len(v) > 0 && (v[0] == '{' || v[0] == '[') }

// Subject returns the target of a request: the name of a tool or prompt, or the URI
// of a resource; "" if it has none.
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
