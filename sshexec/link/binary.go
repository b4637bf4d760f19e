package link

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshconfig"
)

const (
	// The login takes at least a tenth of a second.
	socketPoll = 10 * time.Millisecond
	// maxSocket is 108 bytes on Linux and 104 elsewhere with the NUL, less what ssh
	// appends while it sets the socket up.
	maxSocket = 104 - 1 - len(".0123456789abcdef")
)

var errNoSSH = errors.New("ssh program not found")

// The ssh program is a private master, which never prompts.
func (d *Dialer) connectBinary(ctx context.Context, w *route, r Reporter) (*Conn, *executor.StartError) {
	return d.connectAlone(ctx, w.last(), r, func(ctx context.Context, t *trace) (*Conn, *executor.StartError) {
		h := &hop{dialer: d, host: w.last(), name: hopName(w.last()), trace: t}
		step := t.begin(phaseConnect, h.name+" with the ssh program")
		limit := h.connectTimeout() + h.authTimeout()
		ctx, cancel := executor.WithPausableTimeout(ctx, limit, fmt.Errorf("%w within %s", errProgramLate, seconds(limit)))
		defer cancel()
		c, err := h.connectProgram(ctx, w)
		if err != nil {
			return nil, h.fail(ctx, step, err, nil)
		}
		step.end("", nil)
		c.info.Hops = w.hops(len(w.hosts))
		return c, nil
	})
}

// connectProgram leaves neither a process nor a file, in any case.
func (h *hop) connectProgram(ctx context.Context, w *route) (*Conn, error) {
	program, err := h.dialer.program()
	if err != nil {
		return nil, err
	}
	if err := w.uncheckedJump(); err != nil {
		return nil, err
	}
	dir, err := socketDir()
	if err != nil {
		return nil, err
	}
	socket := filepath.Join(dir, "s")
	arguments := h.dialer.arguments(w, socket, h.connectTimeout())
	if knowsFork(ctx, program) {
		arguments = append([]string{"-o", noFork}, arguments...)
	}
	child, err := startChild(exec.Command(program, arguments...))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	h.program = h.dialer.resolver.Version()
	h.proxied = h.host.ProxyCommand != "" && h.host.ProxyCommand != "none"
	h.release = func() {
		child.kill()
		_ = os.RemoveAll(dir) // what remains is an empty folder of ours
	}
	conn, err := awaitSocket(ctx, child, socket)
	if err != nil {
		h.release()
		return nil, err
	}
	c, err := h.control(ctx, conn, Binary)
	if err != nil {
		h.release()
		return nil, &programError{said: child.stderr.String(), err: err}
	}
	c.notices = append(c.notices, uncheckedNotices(h.host)...)
	c.wire.setUnder(func() *executor.LostError {
		child.settle()
		byItself := child.hasExited()
		child.kill() // and reap it, so that its stderr is complete
		lost := programLost(h.name, child.stderr.String(), time.Since(c.wire.opened))
		if byItself && bySignal(child.err) {
			lost.Err = fmt.Errorf("the ssh program on this machine ended: %w", child.err)
		}
		return lost
	})
	return c, nil
}

// uncheckedJump returns an error if ssh would connect to a jump host without checking its
// host key: the options that it gets are those of the destination.
func (w *route) uncheckedJump() error {
	for _, h := range w.hosts[:len(w.hosts)-1] {
		if h.StrictHostKeyChecking == "no" {
			return &configError{fmt.Errorf("the ssh program would not check the host key of the jump host %s: StrictHostKeyChecking is no", h.Alias)}
		}
	}
	return nil
}

func (d *Dialer) program() (string, error) {
	switch d.options.SSH {
	case "none":
		return "", &programError{err: errNoSSH}
	case "":
		path, err := exec.LookPath("ssh")
		if err != nil {
			return "", &programError{err: fmt.Errorf("%w: %w", errNoSSH, err)}
		}
		return path, nil
	}
	return d.options.SSH, nil
}

// noFork keeps ssh in our process group. It is known since OpenSSH 8.7; earlier versions
// fork only with -f.
const noFork = "ForkAfterAuthentication=no"

func knowsFork(ctx context.Context, program string) bool {
	return exec.CommandContext(ctx, program, "-G", "-F", os.DevNull, "-o", noFork, "host").Run() == nil
}

// The options take precedence over the configuration.
func (d *Dialer) arguments(w *route, socket string, connectTimeout time.Duration) []string {
	strict := "yes"
	if d.options.newKeyPolicy(w.last()) == acceptNewKey {
		strict = "accept-new"
	}
	args := []string{
		"-N", "-M", "-S", strings.ReplaceAll(socket, "%", "%%"), // -S expands tokens
		"-T", "-a", "-x",
		"-o", "ControlPersist=no",
		"-o", "BatchMode=yes",
		"-o", "ClearAllForwardings=yes",
		"-o", "EscapeChar=none",
		"-o", "PermitLocalCommand=no",
		"-o", "StrictHostKeyChecking=" + strict,
		"-o", fmt.Sprintf("ConnectTimeout=%d", max(1, int(connectTimeout.Seconds()))),
	}
	if d.options.Config != "" {
		args = append(args, "-F", d.options.Config)
	}
	args = append(args, sshconfig.IdentityArgs(w.last().Identities)...)
	if w.dest.User != "" {
		args = append(args, "-l", w.dest.User)
	}
	if w.dest.Port != 0 {
		args = append(args, "-p", strconv.Itoa(w.dest.Port))
	}
	return append(args, "--", w.dest.Host)
}

// Only this user can read the folder, and its path is short enough for a socket in it.
func socketDir() (string, error) {
	var err error
	for _, parent := range []string{os.TempDir(), os.Getenv("XDG_RUNTIME_DIR"), "/tmp"} {
		if parent == "" {
			continue
		}
		var dir string
		if dir, err = os.MkdirTemp(parent, "mcpdbg-"); err != nil {
			continue
		}
		if len(dir)+len("/s") <= maxSocket {
			return dir, nil
		}
		err = fmt.Errorf("the path %s is too long for a socket", dir)
		_ = os.Remove(dir) // it is empty
	}
	return "", fmt.Errorf("no folder for a socket: %w", err)
}

// ssh creates the socket under another name after the login and renames it, so it accepts
// connections once it is visible.
func awaitSocket(ctx context.Context, child *child, socket string) (net.Conn, error) {
	ticker := time.NewTicker(socketPoll)
	defer ticker.Stop()
	var d net.Dialer
	for {
		select {
		case <-ticker.C:
			if _, err := os.Lstat(socket); err == nil {
				conn, err := d.DialContext(ctx, "unix", socket)
				if err != nil {
					return nil, &programError{said: child.stderr.String(), err: err}
				}
				return conn, nil
			}
		case <-child.exited:
			child.kill() // and reap it, so that its stderr is complete
			return nil, &programError{said: child.stderr.String(), err: child.err}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
