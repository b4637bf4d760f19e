package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
)

// A standIn is for code written for tests, such as the SSH servers of sshtest, with the
// methods that it needs.
type standIn struct {
	testing.TB // nil: other methods panic
	ctx        context.Context
	cleanups   []func()
	err        error
	skipped    bool
}

func (s *standIn) Helper()                  {}
func (s *standIn) Context() context.Context { return s.ctx }
func (s *standIn) Cleanup(f func())         { s.cleanups = append(s.cleanups, f) }
func (s *standIn) Failed() bool             { return s.err != nil && !s.skipped }
func (s *standIn) Logf(string, ...any)      {}

func (s *standIn) Errorf(format string, args ...any) { s.err = fmt.Errorf(format, args...) }
func (s *standIn) FailNow()                          { runtime.Goexit() }
func (s *standIn) Fatal(args ...any)                 { s.Errorf("%s", fmt.Sprint(args...)); s.FailNow() }
func (s *standIn) Fatalf(format string, args ...any) { s.Errorf(format, args...); s.FailNow() }
func (s *standIn) Skip(args ...any)                  { s.skipped = true; s.Fatal(args...) }
func (s *standIn) Skipf(format string, args ...any)  { s.Skip(fmt.Sprintf(format, args...)) }

// f may fail or skip as a test does; do returns why.
func (s *standIn) do(f func(testing.TB)) error {
	s.err, s.skipped = nil, false
	done, finished := make(chan struct{}), false
	go func() {
		defer close(done)
		f(s)
		finished = true
	}()
	<-done
	switch {
	case s.skipped:
		return &missing{what: s.err.Error(), hint: "see README.md of the package sshexec/sshtest"}
	case s.err != nil:
		return s.err
	case !finished:
		return errors.New("ended early")
	}
	return nil
}

// end calls the cleanups, the latest first.
func (s *standIn) end() {
	for _, cleanup := range slices.Backward(s.cleanups) {
		cleanup()
	}
	s.cleanups = nil
}
