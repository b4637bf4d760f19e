package message

import (
	"crypto/sha256"
	"fmt"
)

// maxShort is how many bytes of a token a Request keeps.
const maxShort = 512

// Short returns a raw token as a Request keeps it: a hash of it if it is long.
func Short(token []byte) string {
	if len(token) <= maxShort {
		return string(token)
	}
	return fmt.Sprintf("#%x", sha256.Sum256(token))
}
