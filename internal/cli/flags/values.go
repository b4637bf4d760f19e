package flags

import (
	"fmt"
	"strings"
)

// A Limit is a flag for a number with a unit.
type Limit[N ~int64] struct {
	text  string
	Value *N
	Parse func(string) (N, error)
}

// String implements pflag.Value.
func (l *Limit[N]) String() string { return l.text }

// Type implements pflag.Value.
func (l *Limit[N]) Type() string { return "limit" }

// Set implements pflag.Value.
func (l *Limit[N]) Set(text string) error {
	value, err := l.Parse(text)
	*l.Value, l.text = value, text
	return err
}

// size is a flag for a number of bytes, with an optional suffix K, M or G.
type size int

// String implements pflag.Value.
func (s *size) String() string {
	if *s == 0 {
		return ""
	}
	return fmt.Sprint(int(*s))
}

// Type implements pflag.Value.
func (s *size) Type() string { return "size" }

// Set implements pflag.Value.
func (s *size) Set(text string) error {
	digits := strings.TrimRight(strings.ToUpper(text), "B")
	unit := 1
	for suffix, factor := range map[string]int{"K": 1 << 10, "M": 1 << 20, "G": 1 << 30} {
		if rest, ok := strings.CutSuffix(digits, suffix); ok {
			digits, unit = rest, factor
			break
		}
	}
	var n int
	if _, err := fmt.Sscanf(digits, "%d", &n); err != nil || fmt.Sprint(n) != digits || n <= 0 || n > maxSize/unit {
		return fmt.Errorf("invalid size %q: write 65536, 64K, 16M or 1G", text)
	}
	*s = size(n * unit)
	return nil
}

// maxSize bounds a size flag.
const maxSize = 2 << 30
