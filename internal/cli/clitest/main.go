// Package clitest runs the program for the tests of internal/cli and its commands: as a
// process, in a terminal, over SSH or in the test's own process. Their TestMain calls
// Main.
package clitest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/testhome"
)

// Entry has the functions of internal/cli that start the program. This package cannot
// import them, since it serves the tests of that one.
type Entry struct {
	Main    func(args []string) int
	Execute func(ctx context.Context, env *console.Env, args []string) int
}

// A Role is run instead of tests if a variable is set.
type Role struct {
	Variable string
	Run      func(value string) (code int)
}

// Set by Main.
var (
	entry  Entry
	binary string
	build  func() error // it makes binary
)

// Main runs the tests with folders of their own, and ends the process. A copy of the test
// binary that replaces the program, or has one of the roles, does that instead.
func Main(m *testing.M, program Entry, roles ...Role) {
	entry = program
	if isMarkedCopy() {
		os.Exit(entry.Main(os.Args[1:]))
	}
	for _, role := range roles {
		if value := os.Getenv(role.Variable); value != "" {
			os.Exit(role.Run(value))
		}
	}
	// Tests mostly wait for processes: one test per processor would leave them idle.
	flag.Parse()
	if !isGiven("test.parallel") && !isGiven("test.fuzz") {
		_ = flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0))) // it exists
	}
	os.Exit(testhome.Run(func() int { return run(m) }))
}

func isGiven(name string) bool {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "mcpdbg-test-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	// One test runs the program as another user.
	if err := errors.Join(os.Chmod(dir, 0o755), os.Setenv("PATH", readable(os.Getenv("PATH")))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	binary = filepath.Join(dir, "mcpdbg")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	build = buildOf(binary)
	return m.Run()
}

// readable returns PATH without folders that this user cannot read.
func readable(path string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, "."))
		return errors.Is(err, fs.ErrPermission)
	})
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// Binary returns the program's path; the first call builds it.
func Binary() string {
	IsStandIn()
	return binary
}

// IsStandIn reports whether Binary is a copy of the test binary, because the build
// failed.
var IsStandIn = sync.OnceValue(func() bool {
	err := build()
	if err == nil {
		return false
	}
	fmt.Fprintf(os.Stderr, "the test binary replaces the program: %v\n", err)
	if err := copySelf(binary); err != nil {
		panic(err)
	}
	return true
})

// The program is built without the network. The first test that needs it may have changed
// PATH and the current folder.
func buildOf(path string) func() error {
	tool, missing := exec.LookPath("go")
	dir, err := os.Getwd()
	env := append(os.Environ(), "GOPROXY=off", "GOTOOLCHAIN=local")
	return func() error {
		if err := errors.Join(missing, err); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), WaitLimit)
		defer cancel()
		cmd := exec.CommandContext(ctx, tool, "build", "-o", path, "mcpdbg")
		cmd.Dir, cmd.Env = dir, env
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %w\n%.1000s", err, out)
		}
		return nil
	}
}

// programMark ends the copy of the test binary that is the program where there is no go
// command or source code.
const programMark = "\x00this copy of the test binary is mcpdbg\x00"

// isMarkedCopy reports whether this process runs that copy.
func isMarkedCopy() bool {
	self, err := os.Executable()
	if err != nil {
		return false
	}
	f, err := os.Open(self)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false
	}
	end := make([]byte, len(programMark))
	_, err = f.ReadAt(end, info.Size()-int64(len(end)))
	return err == nil && string(end) == programMark
}

func copySelf(path string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	from, err := os.Open(self)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, io.MultiReader(from, strings.NewReader(programMark)))
	return errors.Join(err, to.Close())
}
