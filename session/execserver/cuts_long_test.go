//go:build long && unix

package execserver

import "testing"

func TestLongCutsOfOwn(t *testing.T) { cutOwn(t, 10_000, 200) }
