package rule

import "bytes"

const (
	// mostOpenKeys limits the keys of the open objects, and mostLevels the nesting.
	// differentKeys returns false beyond them.
	mostOpenKeys = 256
	mostLevels   = 64
)

// openKeys holds hashes of the keys of the open objects.
type openKeys struct {
	hashes [mostOpenKeys]uint64
	count  int
	levels [mostLevels]keyLevel
	depth  int
}

type keyLevel struct {
	from   int // index of its first key in hashes
	object bool
}

// differentKeys reports whether the keys of each object in a valid JSON text are
// certainly different. It also returns false if it cannot tell quickly, because of
// escapes or many keys. It is about ten times as fast as a tokenizer, and relies on
// 64-bit hashes.
func differentKeys(text []byte) bool {
	var open openKeys
	key := false // the next string is a key
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
// the offset of its closing quote, or -1 for a duplicate or a key with escapes.
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

// stringEnd returns the offset of the closing quote. text begins after the opening quote.
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
