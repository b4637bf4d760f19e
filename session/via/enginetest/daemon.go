//go:build linux

package enginetest

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// adminPath begins the paths of requests that a real daemon does not know.
const adminPath = "/enginetest/"

// A daemon owns the containers, and all processes in them.
type daemon struct {
	dir string
	o   Options

	mu         sync.Mutex
	containers []*container // the oldest first
	images     map[string]ImageOptions
	execs      map[string]*execution
	turn       int                        // counts requests for one of several pods
	streams    map[*net.UnixConn]struct{} // attached clients
}

// daemonMain serves until its standard input ends, and ends all processes.
func daemonMain(dir string) int {
	d := &daemon{dir: dir, images: map[string]ImageOptions{}, execs: map[string]*execution{}, streams: map[*net.UnixConn]struct{}{}}
	if err := d.serve(); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	d.end()
	return 0
}

func (d *daemon) serve() error {
	var err error
	if d.o, err = readOptions(d.dir); err == nil {
		err = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	}
	if err != nil {
		return err
	}
	path := filepath.Join(d.dir, socketName)
	listener, err := net.Listen("unix", path)
	if err == nil {
		err = os.Chmod(path, d.o.SocketMode)
	}
	if err != nil {
		return err
	}
	go func() { _ = http.Serve(listener, d.routes()) }() //nolint:gosec // it ends with the process
	return nil
}

func readOptions(dir string) (Options, error) {
	var o writtenOptions
	file, err := os.Open(filepath.Join(dir, optionName))
	if err != nil {
		return o.Options, err
	}
	defer file.Close()
	err = json.NewDecoder(file).Decode(&o)
	o.isolated = o.Isolated
	return o.Options, err
}

// end ends all containers with their processes.
func (d *daemon) end() {
	d.mu.Lock()
	all := slices.Clone(d.containers)
	for conn := range d.streams {
		_ = conn.Close() // none waits for its client
	}
	d.mu.Unlock()
	for _, c := range all {
		c.kill(syscall.SIGKILL)
	}
	for {
		left := descendants(os.Getpid())
		if len(left) == 0 {
			return
		}
		for _, p := range left {
			_ = syscall.Kill(p, syscall.SIGKILL)
		}
		var status syscall.WaitStatus
		if pid, err := syscall.Wait4(-1, &status, 0, nil); err != nil || pid <= 0 {
			return
		}
	}
}

func (d *daemon) routes() http.Handler {
	m := http.NewServeMux()
	handle := func(pattern string, f func(*http.Request) (any, error)) {
		m.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { reply(w, r, f) })
	}
	m.HandleFunc(pingPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Api-Version", apiVersion)
		w.Header().Set("Ostype", "linux")
		fmt.Fprint(w, "OK")
	})
	handle("GET /containers/json", d.list)
	handle("POST /containers/create", d.create)
	handle("GET /containers/{id}/json", d.inspect)
	handle("GET /containers/{id}/top", d.top)
	handle("POST /containers/{id}/start", d.startCreated)
	handle("POST /containers/{id}/kill", d.signal)
	handle("POST /containers/{id}/stop", d.stop)
	handle("POST /containers/{id}/restart", d.restart)
	handle("POST /containers/{id}/resize", func(*http.Request) (any, error) { return nil, nil })
	handle("DELETE /containers/{id}", d.remove)
	handle("POST /containers/{id}/exec", d.createExec)
	handle("GET /exec/{id}/json", d.inspectExec)
	handle("POST /exec/{id}/resize", func(*http.Request) (any, error) { return nil, nil })
	handle("POST /images/create", d.pull)
	handle("/", func(*http.Request) (any, error) { return nil, failed(http.StatusNotFound, "page not found") })
	m.HandleFunc("POST /exec/{id}/start", d.startExec)
	m.HandleFunc("POST /containers/{id}/attach", d.attach)
	m.HandleFunc("POST /containers/{id}/wait", d.wait)
	handle("POST "+adminPath+"container", d.addContainer)
	handle("POST "+adminPath+"image", d.addImage)
	handle("POST "+adminPath+"turn", d.nextTurn)
	handle("POST "+adminPath+"lose", d.lose)
	handle("GET "+adminPath+"processes", d.processes)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rest, ok := strings.CutPrefix(r.URL.Path, "/v"); ok {
			_, after, _ := strings.Cut(rest, "/")
			r.URL.Path = "/" + after
		}
		m.ServeHTTP(w, r)
	})
}

// reply writes the result of f: nil is 204.
func reply(w http.ResponseWriter, r *http.Request, f func(*http.Request) (any, error)) {
	result, err := f(r)
	w.Header().Set("Content-Type", "application/json")
	switch {
	case err != nil:
		writeError(w, err)
	case result == nil:
		w.WriteHeader(http.StatusNoContent)
	default:
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusCreated)
		}
		_ = json.NewEncoder(w).Encode(result) // a client that is gone needs no reply
	}
}

func writeError(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	if e, ok := errors.AsType[*apiError](err); ok {
		status = e.status
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": err.Error()})
}

func decode[T any](r *http.Request) (T, error) {
	var in T
	err := json.NewDecoder(r.Body).Decode(&in)
	if errors.Is(err, io.EOF) {
		err = nil // a request without a body
	}
	return in, err
}

// newID returns an id as docker makes them.
func newID() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}

// find returns a container by its name, id or the beginning of its id.
func (d *daemon) find(name string) (*container, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.containers {
		if c.name == strings.TrimPrefix(name, "/") || c.id == name {
			return c, nil
		}
	}
	for _, c := range d.containers {
		if name != "" && strings.HasPrefix(c.id, name) {
			return c, nil
		}
	}
	return nil, failed(http.StatusNotFound, "No such container: %s", name)
}

// found is find for the container of a path.
func (d *daemon) found(r *http.Request) (*container, error) { return d.find(r.PathValue("id")) }

// add adds a container, unless its name is in use.
func (d *daemon) add(c *container) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, other := range d.containers {
		if other.name == c.name {
			return failed(http.StatusConflict, "Conflict. The container name %q is already in use by container %q. You have to remove (or rename) that container to be able to reuse that name.", "/"+c.name, other.id)
		}
	}
	d.containers = append(d.containers, c)
	return nil
}

func (d *daemon) drop(c *container) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.containers = slices.DeleteFunc(d.containers, func(other *container) bool { return other == c })
}

func (d *daemon) nextTurn(*http.Request) (any, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	turn := d.turn
	if d.o.Rotate {
		d.turn++
	}
	return turn, nil
}

// lose breaks the streams of all clients.
func (d *daemon) lose(*http.Request) (any, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for conn := range d.streams {
		_ = conn.CloseWrite() // the reader of the client's input notices the end by itself
	}
	return nil, nil
}

// processes returns the host's pids of the processes in all containers, without the
// first one of each that only waits.
func (d *daemon) processes(*http.Request) (any, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	pids := []int{}
	for _, p := range descendants(os.Getpid()) {
		if !slices.ContainsFunc(d.containers, func(c *container) bool { return c.waitsIn(p) }) {
			pids = append(pids, p)
		}
	}
	return pids, nil
}
