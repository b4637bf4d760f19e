package hosts

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// expandRanges expands ranges such as web[01:20], [1:9:2] and [a:f], of which a name may
// have several. Brackets around an IPv6 address, or without a colon, are not a range.
func expandRanges(name string) ([]string, error) {
	done, left := []string{""}, name
	for {
		open := strings.IndexByte(left, '[')
		if open < 0 {
			break
		}
		inner, rest, ok := strings.Cut(left[open+1:], "]")
		if !ok {
			break
		}
		values := []string{"[" + inner + "]"}
		if strings.Contains(inner, ":") && !isIPv6(inner) {
			var err error
			if values, err = rangeValues(inner); err != nil {
				return nil, fmt.Errorf("invalid range [%.40s]: %w", inner, err)
			}
		}
		if len(done)*len(values) > maxHosts {
			return nil, fmt.Errorf("more than %d hosts", maxHosts)
		}
		next := make([]string, 0, len(done)*len(values))
		for _, head := range done {
			for _, value := range values {
				next = append(next, head+left[:open]+value)
			}
		}
		done, left = next, rest
	}
	for i := range done {
		done[i] += left
	}
	return done, nil
}

func rangeValues(inner string) ([]string, error) {
	parts := strings.Split(inner, ":")
	from, to, step := parts[0], parts[1], 1
	if len(parts) > 3 {
		return nil, errors.New("write [FROM:TO] or [FROM:TO:STEP]")
	}
	if len(parts) == 3 {
		var err error
		if step, err = strconv.Atoi(parts[2]); err != nil || step < 1 {
			return nil, errors.New("the step must be 1 or more")
		}
	}
	if from == "" {
		from = "0"
	}
	if letter(from) && letter(to) {
		return span(order(from), order(to), step, func(i int) string { return letters[i : i+1] })
	}
	first, err := number(from)
	if err != nil {
		return nil, err
	}
	last, err := number(to)
	if err != nil {
		return nil, err
	}
	width := 0
	if from[0] == '0' && len(from) > 1 {
		if width = len(from); len(to) != width {
			return nil, errors.New("with leading zeros, both ends must have the same length")
		}
	}
	return span(first, last, step, func(i int) string { return fmt.Sprintf("%0*d", width, i) })
}

// letters are in the order of ranges, as Ansible has them.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

func letter(text string) bool { return len(text) == 1 && strings.Contains(letters, text) }

func order(letter string) int { return strings.Index(letters, letter) }

func number(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || text[0] == '+' {
		return 0, errors.New("both ends must be numbers, or one letter each")
	}
	return int(n), nil
}

func span(first, last, step int, text func(int) string) ([]string, error) {
	switch {
	case first > last:
		return nil, errors.New("the first is after the last")
	case (last-first)/step >= maxHosts:
		return nil, fmt.Errorf("more than %d hosts", maxHosts)
	}
	var values []string
	for i := first; i <= last; i += step {
		values = append(values, text(i))
	}
	return values, nil
}
