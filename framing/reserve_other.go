//go:build !unix

package framing

import "errors"

// reserve always fails on this system: the buffer falls back to slices.
func reserve(int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unreserve([]byte) {}
