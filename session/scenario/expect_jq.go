package scenario

import (
	"context"
	"errors"
	"fmt"
	"iter"
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
	names := v.names()
	code, err := compileJQ(text, names)
	if err != nil {
		return err
	}
	values := make([]any, len(names))
	for i, name := range names {
		if values[i], err = decodeJSON(v.values[name]); err != nil {
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

// names are those of the variables that have a value and that jq can name.
func (v *Vars) names() []string {
	if v == nil {
		return nil
	}
	return jqNames(maps.Keys(v.values))
}

// jqNames are the names of variables that jq can name, sorted: it knows none
// with a -.
func jqNames(names iter.Seq[string]) []string {
	return slices.DeleteFunc(slices.Sorted(names), func(name string) bool { return strings.Contains(name, "-") })
}
