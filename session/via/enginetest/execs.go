//go:build linux

package enginetest

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// earlyParam makes an error of the start the reply, as those engines need it that do not
// write it to the process's output.
const earlyParam = "early"

// An execution is one docker exec.
type execution struct {
	id     string
	c      *container
	config execConfig

	mu    sync.Mutex
	state execState
}

func (d *daemon) createExec(r *http.Request) (any, error) {
	c, err := d.found(r)
	if err != nil {
		return nil, err
	}
	config, err := decode[execConfig](r)
	if err != nil {
		return nil, err
	}
	if _, err := c.running(); err != nil {
		return nil, err
	}
	e := &execution{id: newID(), c: c, config: config}
	e.state = execState{ID: e.id, ContainerID: c.id}
	d.mu.Lock()
	d.execs[e.id] = e
	d.mu.Unlock()
	return created{ID: e.id}, nil
}

func (d *daemon) foundExec(r *http.Request) (*execution, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e := d.execs[r.PathValue("id")]; e != nil {
		return e, nil
	}
	return nil, failed(http.StatusNotFound, "No such exec instance: %s", r.PathValue("id"))
}

func (d *daemon) inspectExec(r *http.Request) (any, error) {
	e, err := d.foundExec(r)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state, nil
}

func (e *execution) setExit(code int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state.Running, e.state.ExitCode = false, &code
}

// startExec starts the process and stays its parent. A client may be attached.
func (d *daemon) startExec(w http.ResponseWriter, r *http.Request) {
	e, err := d.foundExec(r)
	if err == nil {
		_, err = e.c.running()
	}
	in, decodeErr := decode[execConfig](r)
	if err = cmp.Or(err, decodeErr); err != nil {
		writeError(w, err)
		return
	}
	p, err := newPlug(e.config.Tty, e.config.AttachStdin && !in.Detach)
	if err != nil {
		writeError(w, err)
		return
	}
	if in.Detach {
		if err := e.start(p); err != nil {
			writeError(w, failed(http.StatusBadRequest, "%v", err))
			return
		}
		p.pump(&frames{to: discard{}, raw: true})
		go p.drainAfter(e)
		w.WriteHeader(http.StatusOK)
		return
	}
	early := r.URL.Query().Has(earlyParam)
	if early {
		if err := e.start(p); err != nil {
			writeError(w, failed(http.StatusBadRequest, "%v", err))
			return
		}
	}
	conn, input, err := d.take(w, e.config.Tty)
	if err != nil {
		p.abandon()
		return
	}
	defer d.release(conn)
	out := &frames{to: conn, raw: e.config.Tty}
	if !early {
		if err := e.start(p); err != nil {
			out.write(frameStdout, []byte(err.Error()+"\r\n"))
			return
		}
	}
	p.pump(out)
	go p.feed(conn, input)
	p.drainAfter(e)
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// drainAfter returns when the process has ended and its output is complete.
func (p *plug) drainAfter(e *execution) {
	<-p.ended
	p.drain()
}

// start starts the process, or sets the status of docker and returns its text.
func (e *execution) start(p *plug) error {
	process, err := e.spawn(p)
	if err != nil {
		p.abandon()
		e.setExit(codeOf(err))
		return err
	}
	p.letGo()
	go func() {
		code := exitCode(process.Wait())
		e.c.mu.Lock()
		e.c.roots = slices.DeleteFunc(e.c.roots, func(pid int) bool { return pid == process.Pid })
		e.c.mu.Unlock()
		e.setExit(code)
		close(p.ended)
	}()
	return nil
}

// spawn starts the process in the container.
func (e *execution) spawn(p *plug) (*os.Process, error) {
	e.c.mu.Lock()
	defer e.c.mu.Unlock()
	if !e.c.state.Running {
		return nil, failed(http.StatusConflict, "container %s is not running", e.c.id)
	}
	if err := e.c.refuse(e.config.Cmd); err != nil {
		return nil, ociError(err)
	}
	var process *os.Process
	run := func() error {
		var err error
		process, err = e.fork(p)
		return err
	}
	var err error
	if e.c.isolate {
		err = inside(e.c.state.Pid, run)
	} else {
		err = run()
	}
	if err != nil {
		return nil, err
	}
	e.c.roots = append(e.c.roots, process.Pid)
	e.mu.Lock()
	e.state.Running, e.state.Pid = true, process.Pid
	e.mu.Unlock()
	return process, nil
}

// fork runs where the container's files are.
func (e *execution) fork(p *plug) (*os.Process, error) {
	user := cmp.Or(e.config.User, e.c.config.User)
	uid, gid, home, err := userOf(user)
	if err != nil {
		return nil, err
	}
	dir := cmp.Or(e.config.WorkingDir, e.c.config.WorkingDir, "/")
	if _, err := os.Stat(dir); err != nil {
		return nil, ociError(fmt.Errorf("chdir to cwd (%q) set in config.json failed: %w", dir, causeOf(err)))
	}
	env := e.c.environ(home, e.config.Tty, e.config.Env)
	path, err := lookUp(e.config.Cmd[0], valueOf(env, "PATH"))
	if err != nil {
		return nil, ociError(err)
	}
	sys := &syscall.SysProcAttr{Setsid: true, Setctty: p.tty}
	if user != "" {
		sys.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid), NoSetGroups: os.Geteuid() != 0}
	}
	process, err := os.StartProcess(path, e.config.Cmd, &os.ProcAttr{Dir: dir, Env: env, Files: p.theirs[:], Sys: sys})
	if err != nil {
		return nil, ociError(fmt.Errorf("exec: %q: %w", e.config.Cmd[0], causeOf(err)))
	}
	return process, nil
}

// ociError returns the error of docker for one of runc.
func ociError(err error) error {
	return fmt.Errorf("OCI runtime exec failed: exec failed: unable to start container process: %w: unknown", err)
}

// codeOf returns the exit status for a program that did not start.
func codeOf(err error) int {
	const notInvoked, notFound = 126, 127
	text := err.Error()
	if !strings.Contains(text, "chdir to cwd") && (strings.Contains(text, "executable file not found") || strings.Contains(text, "no such file or directory")) {
		return notFound
	}
	return notInvoked
}
