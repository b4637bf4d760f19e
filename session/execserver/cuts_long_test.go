//go:build long && unix

package execserver

import "testing"

func TestManyCutsOfOwnLoseNothing(t *testing.T) { cutOwn(t, 2_000, 200) }
