package lint

import "bytes"

const (
	// mostOpenKeys is how many keys of the open objects are held, and mostLevels
	// how many objects and arrays may be open: of larger messages nothing is said.
	mostOpenKeys = 256
	mostLevels   = 64
)

// openKeys are the keys of the objects that are open, as hashes.
type openKeys struct {
	hashes [mostOpenKeys]uint64
	count  int
	levels [mostLevels]keyLevel
	depth  int
}

// A keyLevel is an object or an array that is open.
type keyLevel struct {
	from   int // its first key in hashes
	object bool
}

// differentKeys tells whether all keys of each object in a valid JSON text are
// different. That they are is certain, as far as a hash of 64 bits is nearly
// so; if it can't tell quickly, as of keys with escapes or with very many, it
// is false. It is some ten times as fast as reading the text token by token.
func differentKeys(text []byte) bool {
	var open openKeys
	key := false // the string to come is one
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			end := 0
			if key {
				if end = open.add(text[i+1:]); end < 0 {
					return false
				}
			} else {
				end = stringEnd(text[i+1:])
			}
			key = false
			i += 1 + end
		case '{', '[':
			if open.depth == mostLevels {
				return false
			}
			open.levels[open.depth] = keyLevel{from: open.count, object: c == '{'}
			open.depth++
			key = c == '{'
		case '}', ']':
			open.depth--
			open.count = open.levels[open.depth].from
			key = false
		case ',':
			key = open.depth > 0 && open.levels[open.depth-1].object
		}
	}
	return true
}

// add adds the key at the beginning of text to the innermost object and returns
// where its closing quote is; -1 if it is there already, or can't be told.
func (o *openKeys) add(text []byte) (end int) {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	hash := uint64(offset)
	for end < len(text) && text[end] != '"' {
		if text[end] == '\\' {
			return -1
		}
		hash = (hash ^ uint64(text[end])) * prime
		end++
	}
	for _, other := range o.hashes[o.levels[o.depth-1].from:o.count] {
		if other == hash {
			return -1
		}
	}
	if o.count == mostOpenKeys {
		return -1
	}
	o.hashes[o.count] = hash
	o.count++
	return end
}

// stringEnd is where the closing quote of a string stands, after whose opening
// one text begins.
func stringEnd(text []byte) int {
	for end := 0; ; end++ {
		i := bytes.IndexByte(text[end:], '"')
		if i < 0 {
			return len(text)
		}
		end += i
		escapes := 0
		for escapes < end && text[end-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return end
		}
	}
}
