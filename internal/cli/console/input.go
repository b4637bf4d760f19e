package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"mcpdbg/internal/input"
)

// CheckReadable returns why a file cannot be read, or nil. It only opens regular files,
// not a shell's <(...).
func CheckReadable(name string) error {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder", name)
	case !info.Mode().IsRegular():
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return f.Close()
}

// StandardInput names it in errors.
const StandardInput = "standard input"

// inputs tracks the reader of standard input, which can be read only once.
type inputs struct {
	mu    sync.Mutex
	stdin string // a flag or an argument; "" for nothing
}

// TakeStdin reserves standard input.
func (env *Env) TakeStdin(reader string) error {
	env.inputs.mu.Lock()
	defer env.inputs.mu.Unlock()
	if other := env.inputs.stdin; other != "" {
		return Usagef("%s and %s cannot both read standard input", other, reader)
	}
	env.inputs.stdin = reader
	return nil
}

// Open opens a file; - is standard input. Errors, also of reads, do not name the flag.
func (env *Env) Open(ctx context.Context, flag, name string) (io.ReadCloser, error) {
	if name != "-" {
		return input.Open(ctx, name)
	}
	if err := env.TakeStdin(flag); err != nil {
		return nil, err
	}
	return input.Reader(ctx, env.Stdin), nil
}

// ReadFile reads a file; - is standard input. The error is wrong usage, or the signal
// that ended ctx.
func (env *Env) ReadFile(ctx context.Context, flag, name string) ([]byte, error) {
	from, err := env.Open(ctx, flag, name)
	if err != nil {
		return nil, UnreadInput(flag, err)
	}
	defer from.Close()
	if name == "-" {
		name = StandardInput
	}
	data, err := input.ReadAll(name, from)
	if err != nil {
		return nil, UnreadInput(flag, err)
	}
	return data, nil
}

// UnreadInput returns wrong usage, or the signal that ended the read.
func UnreadInput(flag string, err error) error {
	var sig *SignalError
	var usage *UsageError
	if errors.As(err, &sig) || errors.As(err, &usage) || errors.Is(err, context.Canceled) {
		return err
	}
	return Usagef("%s: %v", flag, err)
}
