package console

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"mcpdbg/ui/widget/termsafe"
)

// A Report is a document about a result of type T, which a flag names.
type Report[T any] struct {
	Flag  string
	Path  string // "-" is standard output, in place of the text; "" writes nothing
	Write func(io.Writer, T) error
}

// Reports are the documents of one run. A nil one writes nothing.
type Reports[T any] struct {
	Stdout *Report[T] // the one that replaces the text, or nil
	files  []*NewFile
	of     []Report[T] // of the files
}

// CheckReports returns wrong usage: two documents in one place. json is whether a
// command prints its own document.
func CheckReports[T any](json bool, all []Report[T]) error {
	taken := map[string]string{}
	if json {
		taken["-"] = "--json"
	}
	for _, r := range all {
		if r.Path == "" {
			continue
		}
		path := filepath.Clean(r.Path)
		if other, ok := taken[path]; ok && path == "-" {
			return Usagef("%s and %s - cannot be combined: both write to standard output", other, r.Flag)
		} else if ok {
			return Usagef("%s and %s cannot write to the same file, %s", other, r.Flag, r.Path)
		}
		taken[path] = r.Flag
	}
	return nil
}

// OpenReports creates the files before the run, so that an error is found at once.
func OpenReports[T any](all []Report[T]) (*Reports[T], error) {
	out := &Reports[T]{}
	for _, r := range all {
		switch r.Path {
		case "":
			continue
		case "-":
			out.Stdout = &r
			continue
		}
		f, err := CreateReport(r.Path)
		if err != nil {
			out.Abandon()
			return nil, WithHint(fmt.Errorf("%s: %w", r.Flag, err), "a file in an existing folder that you can write to, or - for standard output")
		}
		out.files, out.of = append(out.files, f), append(out.of, r)
	}
	return out, nil
}

var errAbandoned = errors.New("abandoned")

// Abandon removes the files.
func (o *Reports[T]) Abandon() {
	if o == nil {
		return
	}
	for _, f := range o.files {
		_ = f.Finish(errAbandoned)
	}
	o.files = nil
}

// Write writes the document of standard output, if any, and the files, which it names on
// standard error.
func (o *Reports[T]) Write(env *Env, result T) error {
	var errs []error
	if o.Stdout != nil {
		errs = append(errs, o.Stdout.Write(env.Stdout, result))
	}
	for i, f := range o.files {
		err := f.Finish(o.of[i].Write(f, result))
		if err == nil {
			fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: wrote "+o.of[i].Path))
		}
		errs = append(errs, err)
	}
	o.files = nil
	return errors.Join(errs...)
}

// Has reports whether the document of a flag is written.
func (o *Reports[T]) Has(flag string) bool {
	if o.Stdout != nil && o.Stdout.Flag == flag {
		return true
	}
	for _, r := range o.of {
		if r.Flag == flag {
			return true
		}
	}
	return false
}
