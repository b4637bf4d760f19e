// Package jq compiles and runs jq programs on values that come from a server.
//
// A program has no access to files, the environment or further input. Compile
// guards it against numbers with so many digits that calculating takes hours, and
// Run ends it with a context or when memory grows too much. A single operation is
// never interrupted, so inputs must be bounded by the caller, and results checked
// with Fits before they are written.
package jq

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/itchyny/gojq"
)

// Compile compiles a program. variables are the names of values passed to Run,
// each with its $. A syntax error names the byte of the program, counted from 1.
func Compile(program string, variables ...string) (*gojq.Code, error) {
	query, err := gojq.Parse(program)
	if wrong, ok := errors.AsType[*gojq.ParseError](err); ok {
		return nil, fmt.Errorf("byte %d: %w", wrong.Offset+1-len(wrong.Token), err)
	}
	if err != nil {
		return nil, err
	}
	query.FuncDefs = slices.Concat(guards(), query.FuncDefs)
	return gojq.Compile(query, gojq.WithVariables(variables), gojq.WithFunction("_fewdigits", 0, 0, fewDigits))
}

// Run runs a program on a value and passes its results to take, until that returns
// false. It returns the error of the program, ErrMemory when memory has grown by more
// than memory bytes, or the cause of the end of ctx. A program that halts without an
// error has no further results. The value must not be used by others meanwhile.
func Run(ctx context.Context, code *gojq.Code, memory uint64, value any, variables []any, take func(result any) (more bool)) error {
	_, err := RunToHalt(ctx, code, memory, value, variables, take)
	return err
}

// RunToHalt is like Run, and reports whether the program halted without an error.
func RunToHalt(ctx context.Context, code *gojq.Code, memory uint64, value any, variables []any, take func(result any) (more bool)) (halted bool, err error) {
	ctx, release := bounded(ctx, memory)
	defer release()
	results := code.RunWithContext(ctx, value, variables...)
	for {
		result, ok := results.Next()
		if !ok {
			return false, nil
		}
		if err, failed := result.(error); failed {
			if ctx.Err() != nil {
				return false, context.Cause(ctx)
			}
			if halt, ok := errors.AsType[*gojq.HaltError](err); ok && halt.Value() == nil {
				return true, nil
			}
			return false, err
		}
		if !take(result) {
			return false, nil
		}
	}
}
