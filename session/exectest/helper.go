package exectest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// helperArg as the first argument turns a test binary into the helper.
const helperArg = "exectest-helper"

// HelperArgs returns the arguments with which a test binary, whose TestMain
// calls HelperMain, runs steps one after the other:
//
//	out TEXT        write TEXT to standard output, in one write
//	err TEXT        the same on standard error
//	pid             write "pid N\n" to standard output
//	args A... end   write the arguments as a JSON list
//	env             write the environment, one NAME=value a line
//	cwd             write the working directory
//	line            read one line of standard input, byte by byte
//	cue FIFO        read one byte from a named pipe
//	echo            copy standard input to standard output until its end
//	flood N SIZE    write N lines of SIZE bytes as fast as it can, one write
//	                each; every line begins with its number
//	floode N SIZE   the same on standard error
//	ignore SIG      ignore INT or TERM
//	trap SIG CODE   exit with CODE on INT or TERM
//	closeout        close standard output and standard error
//	overwrite       overwrite the memory that holds the environment; elsewhere
//	                than on Linux, execute itself with another environment and
//	                another name, and go on with the steps that follow
//	uid             write "uid N\n" to standard output
//	user N          become the user and group N, which only root may
//	spawn KIND S... end
//	                start a process that runs the steps S: a "child" of the same
//	                group, one with a "group" of its own, a "clean" one with a
//	                session of its own and no environment, a "daemon" that has
//	                left group, session and parent, a "stray", a daemon without
//	                an environment, or a "named=NAME" daemon whose first argument
//	                is /opt/NAME
//	pids            write "pid N\n" for each process that was spawned
//	reap            wait for all processes that were spawned
//	nap MS          wait for so many milliseconds
//	hang            wait forever
//	exit CODE       exit; the end of the steps exits with 0
func HelperArgs(steps ...string) []string { return append([]string{helperArg}, steps...) }

// HelperMain runs the helper and reports whether this process was started as
// one; TestMain then returns.
func HelperMain() (ran bool) {
	if len(os.Args) < 2 || os.Args[1] != helperArg {
		return false
	}
	h := helper{steps: os.Args[2:]}
	for len(h.steps) > 0 {
		h.run(h.pop())
	}
	// Skip the exit hooks of the test binary, some of which take a second.
	syscall.Exit(0)
	return true
}

type helper struct {
	steps   []string
	spawned []*exec.Cmd
}

func (h *helper) pop() string {
	if len(h.steps) == 0 {
		h.fail("a step lacks its argument")
	}
	s := h.steps[0]
	h.steps = h.steps[1:]
	return s
}

func (h *helper) number() int {
	n, err := strconv.Atoi(h.pop())
	h.check(err)
	return n
}

// block takes the words up to the matching end.
func (h *helper) block() []string {
	depth := 1
	for i, s := range h.steps {
		switch s {
		case "spawn", "args":
			depth++
		case "end":
			depth--
		}
		if depth == 0 {
			words := h.steps[:i]
			h.steps = h.steps[i+1:]
			return words
		}
	}
	h.fail("a block has no end")
	return nil
}

func (h *helper) check(err error) {
	if err != nil {
		h.fail(err.Error())
	}
}

func (h *helper) fail(why string) {
	fmt.Fprintln(os.Stderr, "helper:", why)
	syscall.Exit(120)
}

func (h *helper) run(step string) {
	switch step {
	case "out":
		h.write(os.Stdout, []byte(h.pop()))
	case "err":
		h.write(os.Stderr, []byte(h.pop()))
	case "pid":
		h.write(os.Stdout, fmt.Appendf(nil, "pid %d\n", os.Getpid()))
	case "args":
		list, err := json.Marshal(h.block())
		h.check(err)
		h.write(os.Stdout, list)
	case "env":
		h.write(os.Stdout, []byte(strings.Join(os.Environ(), "\n")+"\n"))
	case "cwd":
		dir, err := os.Getwd()
		h.check(err)
		h.write(os.Stdout, []byte(dir))
	case "line":
		h.line()
	case "cue":
		h.cue(h.pop())
	case "echo":
		_, err := io.Copy(os.Stdout, os.Stdin)
		h.check(err)
	case "flood":
		h.flood(os.Stdout, h.number(), h.number())
	case "floode":
		h.flood(os.Stderr, h.number(), h.number())
	case "ignore":
		signal.Ignore(h.signal())
	case "trap":
		h.trap(h.signal(), h.number())
	case "closeout":
		h.check(os.Stdout.Close())
		h.check(os.Stderr.Close())
	case "overwrite":
		h.check(overwriteEnvironment(h.steps))
	case "uid":
		h.write(os.Stdout, fmt.Appendf(nil, "uid %d\n", os.Getuid()))
	case "user":
		h.check(becomeUser(h.number()))
	case "spawn":
		h.spawn(h.pop(), h.block())
	case "pids":
		for _, c := range h.spawned {
			h.write(os.Stdout, fmt.Appendf(nil, "pid %d\n", c.Process.Pid))
		}
	case "reap":
		for _, c := range h.spawned {
			_ = c.Wait() // their exit status does not matter
		}
	case "nap":
		time.Sleep(time.Duration(h.number()) * time.Millisecond)
	case "hang":
		// Not an empty select, which the runtime would report as a deadlock.
		signal.Notify(make(chan os.Signal, 1), syscall.Signal(0))
		<-make(chan struct{})
	case "exit":
		syscall.Exit(h.number())
	default:
		h.fail("unknown step " + step)
	}
}

func (h *helper) write(f *os.File, b []byte) {
	_, err := f.Write(b)
	h.check(err)
}

func (h *helper) line() {
	for b := make([]byte, 1); b[0] != '\n'; {
		_, err := io.ReadFull(os.Stdin, b)
		h.check(err)
	}
}

func (h *helper) cue(path string) {
	f, err := os.Open(path)
	h.check(err)
	_, err = io.ReadFull(f, make([]byte, 1))
	h.check(err)
	h.check(f.Close())
}

func (h *helper) flood(f *os.File, n, size int) {
	line := append(bytes.Repeat([]byte{'x'}, size-1), '\n')
	for i := range n {
		for digit := min(7, size-2); digit >= 0; digit-- {
			line[digit] = byte('0' + i%10)
			i /= 10
		}
		h.check(writeDirectly(f, line))
	}
}

func (h *helper) signal() os.Signal {
	switch name := h.pop(); name {
	case "INT":
		return os.Interrupt
	case "TERM":
		return syscall.SIGTERM
	default:
		h.fail("unknown signal " + name)
		return nil
	}
}

func (h *helper) trap(sig os.Signal, code int) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, sig)
	go func() {
		<-c
		syscall.Exit(code)
	}()
}

func (h *helper) spawn(kind string, steps []string) {
	program := os.Args[0]
	if self, err := os.Executable(); err == nil {
		program = self // os.Args[0] may be another name
	}
	name, named := strings.CutPrefix(kind, "named=")
	leaves := kind == "daemon" || kind == "stray" || named
	if leaves {
		// The process between this one and the daemon exits at once.
		between := "session"
		if named {
			between += "=" + name
		}
		steps = slices.Concat([]string{"spawn", between}, steps, []string{"end"})
	}
	c := exec.Command(program, HelperArgs(steps...)...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	kind, name, named = strings.Cut(kind, "=")
	if named && kind == "session" {
		c.Args[0] = "/opt/" + name
	}
	c.SysProcAttr = spawnAttr(kind)
	if kind == "stray" || kind == "clean" {
		c.Env = []string{}
	}
	h.check(c.Start())
	if leaves {
		h.check(c.Wait())
		return
	}
	h.spawned = append(h.spawned, c)
}
