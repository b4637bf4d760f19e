package scenario

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/itchyny/gojq"

	"mcpdbg/session/jq"
)

// A jq operation cannot be interrupted, and its input comes from a server, so the input
// is bounded: most operations then take at most a few seconds and a gigabyte. The
// exceptions compare two lists of a server, such as .a - .b.
const (
	// maxCaptured is the largest value that is captured, in bytes.
	maxCaptured = 1 << 20
	maxGrowth   = 1 << 30
	// maxProgramValue is the largest JSON input of a jq program, in bytes. Split into
	// characters it takes 700 MiB.
	maxProgramValue = 8 << 20
)

func decodeForJQ(raw []byte) (any, error) {
	if len(raw) > maxProgramValue {
		return nil, fmt.Errorf("%d bytes exceed the jq limit of %d", len(raw), maxProgramValue)
	}
	value, err := decodeJSON(raw)
	if err == nil {
		err = jq.CheckNumbers(value)
	}
	return value, err
}

// results passes the results of a program to take, until that returns false.
func (v *Vars) results(ctx context.Context, text string, value any, take func(any) (more bool)) error {
	names := named(text, v.has)
	code, err := compileJQ(text, names)
	if err != nil {
		return err
	}
	values := make([]any, len(names))
	for i, name := range names {
		if values[i], err = decodeForJQ(v.values[name]); err != nil {
			return fmt.Errorf("$%s: %w", name, err)
		}
	}
	return jq.Run(ctx, code, maxGrowth, value, values, take)
}

// holds reports whether a program gives results, none of them false or null. got is the
// last one.
func (v *Vars) holds(ctx context.Context, text string, value any) (got string, ok bool, err error) {
	got, ok = "nothing", false
	err = v.results(ctx, text, value, func(result any) bool {
		ok = result != nil && result != false
		got = gives(result)
		return ok
	})
	return got, ok && err == nil, err
}

func gives(result any) string {
	if !jq.Fits(result, maxCaptured) {
		return gojq.TypeOf(result) + " too large to show"
	}
	text, err := gojq.Marshal(result)
	if err != nil {
		return fmt.Sprint(result)
	}
	return string(text)
}

func (v *Vars) captured(ctx context.Context, text string, value any) ([]byte, error) {
	var got any
	if err := v.results(ctx, text, value, func(result any) bool { got = result; return false }); err != nil {
		return nil, err
	}
	switch {
	case got == nil:
		return nil, errors.New("no result")
	case !jq.Fits(got, maxCaptured):
		return nil, fmt.Errorf("the result is too large: the limits are %d bytes and %d levels", maxCaptured, jq.MaxLevels)
	}
	raw, err := gojq.Marshal(got)
	if err == nil && len(raw) > maxCaptured {
		err = fmt.Errorf("the result has %d bytes, the limit is %d", len(raw), maxCaptured)
	}
	return raw, err
}

const jqLetters = "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// named returns the known variables that a program uses, sorted; there may be thousands,
// and large ones. Names with a - are not valid in jq.
func named(program string, known func(name string) bool) []string {
	names := map[string]bool{}
	for _, rest, more := strings.Cut(program, "$"); more; _, rest, more = strings.Cut(rest, "$") {
		if name := rest[:len(rest)-len(strings.TrimLeft(rest, jqLetters))]; known(name) {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
