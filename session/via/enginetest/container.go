//go:build linux

package enginetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"mcpdbg/session/exectest"
)

const (
	// markName marks the processes of a container that has no pid namespace.
	markName    = "ENGINETEST_CONTAINER"
	defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	// stopTime is how long docker stop waits after TERM, and drainTime how long a daemon
	// waits for output after the process that wrote it has ended.
	stopTime  = 10 * time.Second
	drainTime = 2 * time.Second
)

// A container is a first process, and what docker exec has added.
type container struct {
	d       *daemon
	id      string
	name    string
	made    time.Time
	image   ImageOptions
	config  createConfig
	isolate bool
	waits   bool          // its first process does nothing
	started chan struct{} // closed once when it first runs, or cannot
	once    sync.Once

	mu     sync.Mutex
	io     *plug // of docker run, if a client is attached
	first  *os.Process
	over   chan struct{} // closed when the first process has ended
	life   *os.File      // the first process waits for its end
	state  containerState
	roots  []int         // started by docker exec
	absent bool          // it was removed
	gone   chan struct{} // closed when it is removed
}

func (d *daemon) newContainer(name string, image ImageOptions, config createConfig) *container {
	c := &container{
		d: d, id: newID(), name: name, made: time.Now(), image: image, config: config, isolate: d.o.isolated,
		started: make(chan struct{}), gone: make(chan struct{}), over: make(chan struct{}), state: containerState{Status: "created"},
	}
	close(c.over)
	return c
}

// environ returns the variables of a process in the container. A name without a value
// removes one.
func (c *container) environ(home string, tty bool, lists ...[]string) []string {
	vars := map[string]string{"PATH": defaultPath, "HOSTNAME": c.id[:12], "HOME": home}
	if !c.isolate {
		vars[markName] = c.id
	}
	if tty {
		vars["TERM"] = "xterm"
	}
	for _, list := range slices.Concat([][]string{c.image.Env, c.config.Env}, lists) {
		for _, v := range list {
			if name, value, ok := strings.Cut(v, "="); ok {
				vars[name] = value
			} else {
				delete(vars, name)
			}
		}
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		list = append(list, name+"="+vars[name])
	}
	return list
}

// argv returns the program of docker run, or nil for a container that only waits.
func (c *container) argv() []string {
	if c.waits {
		return nil
	}
	cmd := c.config.Cmd
	if len(cmd) == 0 {
		cmd = c.image.Cmd
	}
	entrypoint := c.image.Entrypoint
	if len(c.config.Entrypoint) > 0 {
		entrypoint = c.config.Entrypoint
	}
	return slices.Concat(entrypoint, cmd)
}

// start starts the first process, and returns the error of runc.
func (c *container) start(p *plug) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state.Running {
		return nil
	}
	env := c.environ("", c.config.Tty)
	s := stage{Isolated: c.isolate, Root: c.image.Root, Argv: c.argv(), Path: valueOf(env, "PATH"), Dir: cmpOr(c.config.WorkingDir, "/"), User: c.config.User}
	if c.isolate {
		s.Programs = c.programs()
	}
	if err := c.refuse(s.Argv); err != nil {
		return err
	}
	process, life, err := c.startFirst(s, env, p)
	if err != nil {
		return err
	}
	c.first, c.life, c.over = process, life, make(chan struct{})
	c.state = containerState{Status: "running", Running: true, Pid: process.Pid}
	go c.watch(process, p)
	return nil
}

// programs returns the folder that replaces those of programs.
func (c *container) programs() string {
	switch {
	case c.image.NoShell:
		return filepath.Join(c.d.dir, "empty")
	case c.image.Busybox:
		return filepath.Join(c.d.dir, "busybox")
	}
	return ""
}

// refuse returns the error for a shell in a container that has none.
func (c *container) refuse(argv []string) error {
	if !c.image.NoShell || len(argv) == 0 || !slices.Contains([]string{"sh", "bash", "dash", "ash", "busybox"}, filepath.Base(argv[0])) {
		return nil
	}
	_, err := lookUp(strings.Replace(argv[0], "/", "/no-shell/", 1), "")
	return errors.New(strings.ReplaceAll(err.Error(), "/no-shell/", "/"))
}

// startFirst runs initMain in namespaces of its own, and waits until it is ready.
func (c *container) startFirst(s stage, env []string, p *plug) (*os.Process, *os.File, error) {
	arg, err := json.Marshal(s)
	if err != nil {
		return nil, nil, err
	}
	report, reportEnd, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer report.Close()
	lifeEnd, life, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	files := []*os.File{null, null, null, reportEnd, lifeEnd}
	if p != nil {
		copy(files, p.theirs[:])
	}
	sys := &syscall.SysProcAttr{Setsid: true, Setctty: p != nil && p.tty}
	if c.isolate {
		sys.Cloneflags = syscall.CLONE_NEWPID | syscall.CLONE_NEWNS
	}
	process, err := os.StartProcess(filepath.Join(c.d.dir, daemonName), []string{"init", initRole, string(arg)}, &os.ProcAttr{Env: env, Files: files, Sys: sys, Dir: "/"})
	for _, f := range []*os.File{null, reportEnd, lifeEnd} {
		_ = f.Close()
	}
	if p != nil {
		p.letGo()
	}
	if err == nil {
		var message []byte
		if message, err = io.ReadAll(report); err == nil && len(message) > 0 {
			_, _ = process.Wait()
			err = errors.New(string(message))
		}
	}
	if err != nil {
		_ = life.Close()
		return nil, nil, err
	}
	return process, life, nil
}

// watch waits for the first process. All others end with it.
func (c *container) watch(process *os.Process, p *plug) {
	code := exitCode(process.Wait())
	c.mu.Lock()
	c.first = nil
	c.killMembers()
	_ = c.life.Close()
	c.state = containerState{Status: "exited", ExitCode: code}
	over := c.over
	c.mu.Unlock()
	close(over)
	if c.config.HostConfig.AutoRemove {
		c.removeNow()
	}
	if p != nil {
		p.drain()
	}
}

func (c *container) removeNow() {
	c.d.drop(c)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.absent {
		c.absent = true
		close(c.gone)
	}
}

// members returns the host's pids of all processes but the first one. Without a pid
// namespace, processes that have lost their parent are found by their environment.
func (c *container) members() []int {
	var pids []int
	heads := c.roots
	if c.first != nil {
		heads = append(slices.Clone(heads), c.first.Pid)
	}
	for _, head := range heads {
		pids = append(pids, descendants(head)...)
	}
	pids = append(pids, c.roots...)
	pids = slices.DeleteFunc(pids, func(pid int) bool { return !exectest.Alive(pid) }) // not reaped yet
	if !c.isolate {
		for _, pid := range descendants(os.Getpid()) {
			environ, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
			if pid != c.state.Pid && bytes.Contains(environ, []byte(markName+"="+c.id)) {
				pids = append(pids, pid)
			}
		}
	}
	slices.Sort(pids)
	return slices.Compact(pids)
}

// killMembers does what the kernel does when the first process of a pid namespace ends.
func (c *container) killMembers() {
	for !c.isolate {
		pids := c.members()
		if len(pids) == 0 {
			break
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(time.Millisecond) // until they are dead
	}
	c.roots = nil
}

// exitCode returns the status of docker: 128 more than a signal.
func exitCode(state *os.ProcessState, err error) int {
	if err != nil {
		return 255
	}
	status, _ := state.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}

// kill signals the first process, and reports whether the container runs.
func (c *container) kill(sig syscall.Signal) bool {
	c.mu.Lock()
	running, first, over := c.state.Running, c.first, c.over
	if running {
		_ = first.Signal(sig) // it may just have ended
	}
	c.mu.Unlock()
	if running && sig == syscall.SIGKILL {
		<-over
	}
	return running
}

// halt is docker stop.
func (c *container) halt(wait time.Duration) {
	if !c.kill(syscall.SIGTERM) {
		return
	}
	c.mu.Lock()
	over := c.over
	c.mu.Unlock()
	select {
	case <-over:
	case <-time.After(wait):
		c.kill(syscall.SIGKILL)
	}
}

// running returns the pid of the first process.
func (c *container) running() (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.state.Running {
		return 0, failed(http.StatusConflict, "container %s is not running", c.id)
	}
	return c.state.Pid, nil
}

// waitsIn reports whether pid is the first process, and only waits.
func (c *container) waitsIn(pid int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.Running && c.state.Pid == pid && c.argv() == nil
}

// pids returns the host's pids of the processes in the container, as docker top does.
func (c *container) pids() []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	pids := c.members()
	if c.state.Running && c.argv() != nil {
		pids = append([]int{c.state.Pid}, pids...)
	}
	return pids
}

func valueOf(env []string, name string) string {
	for _, v := range env {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
