//go:build linux

package enginetest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A newContainer is the request of Engine.Container.
type newContainer struct {
	Name    string
	Image   ImageOptions
	Labels  map[string]string
	Stopped bool
}

func (d *daemon) addContainer(r *http.Request) (any, error) {
	in, err := decode[newContainer](r)
	if err != nil {
		return nil, err
	}
	c := d.newContainer(in.Name, in.Image, createConfig{Image: "test", Labels: in.Labels})
	c.waits = true
	if err := d.add(c); err != nil {
		return nil, err
	}
	if in.Stopped {
		c.state = containerState{Status: "exited"}
		return created{ID: c.id}, nil
	}
	return created{ID: c.id}, c.start(nil)
}

func (d *daemon) addImage(r *http.Request) (any, error) {
	in, err := decode[map[string]ImageOptions](r)
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.Copy(d.images, in)
	return nil, err
}

// withTag returns the name of an image with its tag.
func withTag(image string) string {
	if strings.Contains(image[strings.LastIndexByte(image, '/')+1:], ":") || strings.Contains(image, "@") {
		return image
	}
	return image + ":latest"
}

func (d *daemon) create(r *http.Request) (any, error) {
	config, err := decode[createConfig](r)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	image, ok := d.images[withTag(config.Image)]
	d.mu.Unlock()
	if !ok {
		return nil, failed(http.StatusNotFound, "No such image: %s", withTag(config.Image))
	}
	name := r.URL.Query().Get("name")
	c := d.newContainer(name, image, config)
	if name == "" {
		c.name = "quiet_" + c.id[:12]
	}
	if len(c.argv()) == 0 {
		return nil, failed(http.StatusBadRequest, "no command specified")
	}
	return created{ID: c.id}, d.add(c)
}

// pull fails: there is no registry.
func (d *daemon) pull(r *http.Request) (any, error) {
	image := strings.TrimPrefix(r.URL.Query().Get("fromImage"), "docker.io/library/")
	return nil, failed(http.StatusNotFound, "pull access denied for %s, repository does not exist or may require 'docker login'", image)
}

func (d *daemon) inspect(r *http.Request) (any, error) {
	c, err := d.found(r)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return containerJSON{ID: c.id, Name: "/" + c.name, Image: c.config.Image, State: c.state, Config: c.config}, nil
}

// list is docker ps: the newest first.
func (d *daemon) list(r *http.Request) (any, error) {
	filters := map[string]map[string]bool{}
	if text := r.URL.Query().Get("filters"); text != "" {
		if err := json.NewDecoder(strings.NewReader(text)).Decode(&filters); err != nil {
			return nil, failed(http.StatusBadRequest, "%v", err)
		}
	}
	for name := range filters {
		if !slices.Contains([]string{"label", "name", "id", "status"}, name) {
			return nil, failed(http.StatusBadRequest, "invalid filter '%s'", name)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	list := []containerSummary{}
	for _, c := range slices.Backward(d.containers) {
		c.mu.Lock()
		all := r.URL.Query().Get("all") == "1" || len(filters["status"]) > 0
		if (all || c.state.Running) && c.matches(filters) {
			list = append(list, containerSummary{
				ID: c.id, Names: []string{"/" + c.name}, Image: c.config.Image, Command: strings.Join(c.argv(), " "),
				Created: c.made.Unix(), State: c.state.Status, Status: c.describe(), Labels: c.config.Labels,
			})
		}
		c.mu.Unlock()
	}
	return list, nil
}

func (c *container) describe() string {
	switch c.state.Status {
	case "running":
		return "Up Less than a second"
	case "exited":
		return fmt.Sprintf("Exited (%d) Less than a second ago", c.state.ExitCode)
	}
	return "Created"
}

// matches reports whether all filters match: all of the labels, and one of the others.
func (c *container) matches(filters map[string]map[string]bool) bool {
	for filter := range filters["label"] {
		name, want, valued := strings.Cut(filter, "=")
		if got, ok := c.config.Labels[name]; !ok || valued && got != want {
			return false
		}
	}
	either := func(name string, matches func(string) bool) bool {
		return len(filters[name]) == 0 || slices.ContainsFunc(slices.Collect(maps.Keys(filters[name])), matches)
	}
	return either("name", func(s string) bool { return strings.Contains(c.name, s) }) &&
		either("id", func(s string) bool { return strings.HasPrefix(c.id, s) }) &&
		either("status", func(s string) bool { return c.state.Status == s })
}

// top has the columns of ps -ef, with the pids of the host.
func (d *daemon) top(r *http.Request) (any, error) {
	c, err := d.found(r)
	if err == nil {
		_, err = c.running()
	}
	if err != nil {
		return nil, err
	}
	table := topTable{Titles: []string{"UID", "PID", "PPID", "C", "STIME", "TTY", "TIME", "CMD"}, Processes: [][]string{}}
	for _, pid := range c.pids() {
		dir := filepath.Join("/proc", strconv.Itoa(pid))
		stat, _ := os.ReadFile(filepath.Join(dir, "stat"))
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		if len(stat) == 0 {
			continue // it has just ended
		}
		var info syscall.Stat_t
		_ = syscall.Stat(dir, &info)
		parent := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))[1]
		words := strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))
		table.Processes = append(table.Processes, []string{strconv.Itoa(int(info.Uid)), strconv.Itoa(pid), parent, "0", c.made.Format("15:04"), "?", "00:00:00", words})
	}
	return table, nil
}

func (d *daemon) startCreated(r *http.Request) (any, error) {
	c, err := d.found(r)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	p := c.io
	c.mu.Unlock()
	if err := c.start(p); err != nil {
		message := fmt.Sprintf("failed to create task for container: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: %v: unknown", err)
		c.mu.Lock()
		c.state = containerState{Status: "created", ExitCode: codeOf(err)}
		c.mu.Unlock()
		if p != nil {
			p.abandon()
		}
		c.once.Do(func() { close(c.started) })
		if c.config.HostConfig.AutoRemove {
			c.removeNow()
		}
		return nil, failed(http.StatusBadRequest, "%s", message)
	}
	c.once.Do(func() { close(c.started) })
	return nil, nil
}

func (d *daemon) signal(r *http.Request) (any, error) {
	c, err := d.found(r)
	if err != nil {
		return nil, err
	}
	name := strings.ToUpper(cmp.Or(r.URL.Query().Get("signal"), "KILL"))
	number, err := strconv.Atoi(name)
	if err != nil {
		if number = int(unix.SignalNum("SIG" + strings.TrimPrefix(name, "SIG"))); number == 0 {
			return nil, failed(http.StatusBadRequest, "invalid signal: %s", r.URL.Query().Get("signal"))
		}
	}
	if !c.kill(syscall.Signal(number)) {
		return nil, failed(http.StatusConflict, "cannot kill container: %s: container %s is not running", r.PathValue("id"), c.id)
	}
	return nil, nil
}

// grace returns how long docker waits after TERM.
func grace(r *http.Request) time.Duration {
	seconds, err := strconv.Atoi(r.URL.Query().Get("t"))
	if err != nil {
		return stopTime
	}
	return time.Duration(seconds) * time.Second
}

func (d *daemon) stop(r *http.Request) (any, error) {
	c, err := d.found(r)
	if err != nil {
		return nil, err
	}
	c.halt(grace(r))
	return nil, nil
}

func (d *daemon) restart(r *http.Request) (any, error) {
	c, err := d.found(r)
	if err != nil {
		return nil, err
	}
	c.halt(grace(r))
	return nil, c.start(nil)
}

func (d *daemon) remove(r *http.Request) (any, error) {
	c, err := d.found(r)
	if err != nil {
		return nil, err
	}
	_, err = c.running()
	switch {
	case err != nil:
	case r.URL.Query().Get("force") == "1":
		c.kill(syscall.SIGKILL)
	default:
		return nil, failed(http.StatusConflict, "cannot remove container %q: container is running: stop the container before removing or force remove", "/"+c.name)
	}
	c.removeNow()
	return nil, nil
}

// attach connects a client to the first process, before it starts.
func (d *daemon) attach(w http.ResponseWriter, r *http.Request) {
	c, err := d.found(r)
	if err != nil {
		writeError(w, err)
		return
	}
	p, err := newPlug(c.config.Tty, c.config.OpenStdin)
	if err != nil {
		writeError(w, err)
		return
	}
	c.mu.Lock()
	c.io = p
	c.mu.Unlock()
	_, _ = io.Copy(io.Discard, r.Body) // else it would be input
	conn, input, err := d.take(w, c.config.Tty)
	if err != nil {
		return
	}
	defer d.release(conn)
	p.pump(&frames{to: conn, raw: c.config.Tty})
	go p.feed(conn, input)
	p.readers.Wait()
}

// wait replies when the container has ended, or is removed.
func (d *daemon) wait(w http.ResponseWriter, r *http.Request) {
	c, err := d.found(r)
	if err != nil {
		writeError(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush() // the client starts the container only now
	if r.URL.Query().Get("condition") != "" {
		<-c.started
	}
	c.mu.Lock()
	over := c.over
	c.mu.Unlock()
	<-over
	if r.URL.Query().Get("condition") == "removed" {
		<-c.gone
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = json.NewEncoder(w).Encode(waited{c.state.ExitCode})
}
