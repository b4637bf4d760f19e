//go:build soak && linux

package soak

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"mcpdbg/internal/demo/demotest"
)

// programs runs the program itself, without a screen, again and again.
type programs struct {
	lab    *lab
	rng    *rand.Rand
	rate   int
	binary string
}

// A programFault is what happens to a program.
type programFault struct {
	name string
	run  func(p *programs) error
}

var programFaults = []programFault{
	{"program killed", killProgram}, {"program stopped", stopProgram}, {"program interrupted", interruptProgram},
	{"program not read", stallReader}, {"disk full", fillDisk},
}

// errSkip is the error of a fault that is impossible here.
var errSkip = errors.New("skipped")

func (p *programs) run(ctx context.Context) {
	for ctx.Err() == nil {
		f := programFaults[p.rng.IntN(len(programFaults))]
		err := f.run(p)
		if err != nil && !errors.Is(err, errSkip) {
			p.lab.fail("program", fmt.Errorf("%s: %w", f.name, err))
			continue
		}
		if err != nil {
			f.name += fmt.Sprintf(" (%v)", err)
		}
		p.lab.count(f.name)
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(p.rng.Int64N(int64(10 * time.Second)))):
		}
	}
}

// A program is a running command line of the program.
type program struct {
	*exec.Cmd
	lab          *lab
	mark, record string
	out          *bufio.Reader
	stderr       bytes.Buffer
}

// start starts a session of the program that prints its entries, and waits until it
// is ready.
func (p *programs) start(server []string) (*program, error) {
	mark := newMark()
	record := filepath.Join(p.lab.dir, "program-"+mark+".jsonl")
	run := &program{lab: p.lab, mark: mark, record: record, Cmd: exec.Command(p.binary, append([]string{"run", "--json", "--record", record, "--"}, server...)...)}
	run.Env = append(os.Environ(), markName+"="+mark)
	run.Stderr = &run.stderr
	out, err := run.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := run.Start(); err != nil {
		return nil, err
	}
	run.out = bufio.NewReaderSize(out, 1<<16)
	return run, run.until(`"state":"ready"`)
}

// until reads up to a line with the text.
func (r *program) until(text string) error {
	for {
		line, err := r.out.ReadString('\n')
		if strings.Contains(line, text) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("before %q: %w: %s", text, err, r.stderr.String())
		}
	}
}

// read reads the output for a while.
func (r *program) read(d time.Duration) error {
	for end := time.Now().Add(d); time.Now().Before(end); {
		if _, err := r.out.ReadSlice('\n'); err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
	return nil
}

// after checks the end of the program: its exit code, that no process is left, and
// whether its recording is finished.
func (r *program) after(code int, finished bool) error {
	_, err := io.Copy(io.Discard, r.out)
	_ = r.Wait() // the exit code is compared
	if got := r.ProcessState.ExitCode(); got != code {
		err = errors.Join(err, fmt.Errorf("exit code %d, not %d: %s", got, code, r.stderr.String()))
	}
	err = errors.Join(err, allGone(r.mark))
	got, verified := r.lab.verify(r.record)
	if verified == nil && got != finished {
		verified = fmt.Errorf("the recording is finished: %t, not %t", got, finished)
	}
	if err = errors.Join(err, verified); err != nil {
		return err // the recording stays
	}
	return os.Remove(r.record)
}

func (p *programs) between(least, most time.Duration) time.Duration {
	return least + time.Duration(p.rng.Int64N(int64(most-least)))
}

// killProgram kills the program at any moment of a busy session.
func killProgram(p *programs) error {
	run, err := p.start(busy(p.rate))
	if err != nil {
		return err
	}
	if err := run.read(p.between(0, 2*time.Second)); err != nil {
		return err
	}
	if err := run.Process.Kill(); err != nil {
		return err
	}
	return run.after(-1, false)
}

// stopProgram stops the program while its server goes on, and interrupts it later.
func stopProgram(p *programs) error {
	run, err := p.start(busy(p.rate))
	if err != nil {
		return err
	}
	if err := pause(run.Process.Pid, p.between(100*time.Millisecond, 4*time.Second)); err != nil {
		return err
	}
	if err := run.read(time.Second); err != nil {
		return err
	}
	if err := run.Process.Signal(unix.SIGINT); err != nil {
		return err
	}
	return run.after(128+int(unix.SIGINT), true)
}

// interruptProgram ends a program whose server ignores all but SIGKILL.
func interruptProgram(p *programs) error {
	run, err := p.start(demotest.Command("ignores-eof-term"))
	if err != nil {
		return err
	}
	if err := run.Process.Signal(unix.SIGTERM); err != nil {
		return err
	}
	return run.after(128+int(unix.SIGTERM), true)
}

// stallReader does not read the output of the program for a while, then all of it:
// no entry is missing.
func stallReader(p *programs) error {
	run, err := p.start(busy(p.rate))
	if err != nil {
		return err
	}
	time.Sleep(p.between(100*time.Millisecond, 3*time.Second))
	if err := run.Process.Signal(unix.SIGTERM); err != nil {
		return err
	}
	if err := run.until(`"k":"end"`); err != nil {
		return err
	}
	return run.after(128+int(unix.SIGTERM), true)
}

// fillDisk records in a file system of 3 MiB, which exists for this run only.
func fillDisk(p *programs) error {
	mark, kept := newMark(), filepath.Join(p.lab.dir, "full.jsonl")
	place, err := os.MkdirTemp(p.lab.dir, "full-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(place) }() // an empty folder
	const script = `mount -t tmpfs -o size=3m tmpfs "$1" || exit 99
cd "$1" && kept="$2" && shift 2
"$@"
code=$?
cp z.jsonl "$kept"
exit $code`
	cmd := exec.Command("sh", append([]string{"-c", script, "sh", place, kept, p.binary, "call", "--quiet", "--record", "z.jsonl",
		"--tool", "big", "bytes:=4000000", "--"}, busy(p.rate)...)...)
	cmd.Env = append(os.Environ(), markName+"="+mark)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err = cmd.Run()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == 99 {
		return fmt.Errorf("%w: no file system can be mounted: %w: %s", errSkip, orNone(err), stderr.String())
	}
	if code := cmd.ProcessState.ExitCode(); code != 6 || !strings.Contains(stderr.String(), "no space left on device") {
		return fmt.Errorf("exit code %d of a full disk: %s", code, stderr.String())
	}
	if finished, err := p.lab.verify(kept); err != nil || finished {
		return fmt.Errorf("a recording on a full disk is finished: %t: %w", finished, orNone(err))
	}
	return errors.Join(allGone(mark), os.Remove(kept))
}
