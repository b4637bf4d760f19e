package scenario

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// maxCaptured is the largest value that is captured, in bytes.
const maxCaptured = 1 << 20

// results hands what a program makes of a value to take, until that wants no
// more. The variables are the program's as $NAME.
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
	ctx, release := bounded(ctx, maxGrowth)
	defer release()
	iter := code.RunWithContext(ctx, value, values...)
	for {
		result, ok := iter.Next()
		if !ok {
			return nil
		}
		if err, failed := result.(error); failed {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			var halt *gojq.HaltError
			if errors.As(err, &halt) && halt.Value() == nil {
				return nil
			}
			return err
		}
		if !take(result) {
			return nil
		}
	}
}

// holds tells whether a program gives something, and nothing that is false or
// null; got is what it gives instead.
func (v *Vars) holds(ctx context.Context, text string, value any) (got string, ok bool, err error) {
	got, ok = "nothing", false
	err = v.results(ctx, text, value, func(result any) bool {
		ok = result != nil && result != false
		got = gives(result)
		return ok
	})
	return got, ok && err == nil, err
}

// gives is a result of a program as JSON.
func gives(result any) string {
	if !fits(result) {
		return gojq.TypeOf(result) + " too large to be shown"
	}
	text, err := gojq.Marshal(result)
	if err != nil {
		return fmt.Sprint(result)
	}
	return string(text)
}

// captured is the first result of a program.
func (v *Vars) captured(ctx context.Context, text string, value any) ([]byte, error) {
	var got any
	if err := v.results(ctx, text, value, func(result any) bool { got = result; return false }); err != nil {
		return nil, err
	}
	switch {
	case got == nil:
		return nil, errors.New("it gives nothing")
	case !fits(got):
		return nil, fmt.Errorf("it gives too much: at most %d bytes are kept, of at most %d levels", maxCaptured, maxLevels)
	}
	raw, err := gojq.Marshal(got)
	if err == nil && len(raw) > maxCaptured {
		err = fmt.Errorf("it gives %d bytes, and at most %d are kept", len(raw), maxCaptured)
	}
	return raw, err
}

// jqLetters are what names of variables in jq are made of.
const jqLetters = "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// named are the variables that a program names, of those that are known, sorted.
// A program is compiled, and run, with no others: there may be thousands, and
// large ones. jq knows no names with a -.
func named(program string, known func(name string) bool) []string {
	names := map[string]bool{}
	for _, rest, more := strings.Cut(program, "$"); more; _, rest, more = strings.Cut(rest, "$") {
		if name := rest[:len(rest)-len(strings.TrimLeft(rest, jqLetters))]; known(name) {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
