//go:build long && linux

package execserver

import "testing"

func TestLongConformanceOwnRelay(t *testing.T) { conformRelay(t) }
