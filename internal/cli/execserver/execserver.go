// Package execserver has the command exec-server: it starts processes for an mcpdbg, or
// another client of the protocol, that is somewhere else.
package execserver

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/input"
	"mcpdbg/session/execserver/serve"
	"mcpdbg/session/executor"
	"mcpdbg/session/localexec"
	"mcpdbg/session/unixsocket"
)

const (
	stdio  = "stdio"
	prefix = "unix:"
)

// options are the flags.
type options struct {
	listen, attach string
	keep           time.Duration
	detach         bool
}

// Command returns the command exec-server.
func Command(env *console.Env) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "exec-server (--listen stdio|unix:[PATH] | --attach PATH)",
		Short: "Start processes for a client that is somewhere else",
		Long: `exec-server starts and ends processes for a client such as mcpdbg
--exec-server. It speaks the JSON-RPC protocol of Codex's exec server, without
files, HTTP, terminals and sandboxes, and with extensions that it announces.

With --listen stdio the processes end with standard input. With --listen
unix:PATH the server prints unix:PATH when it listens, and serves connections of
the same user only; an empty PATH selects a new socket. The processes of a
connection end with it, unless --keep is set: they then continue on purpose for
that time, and the client can connect again without losing output. If the
server is killed, its processes end at once.

A server with --keep ends when its last session has ended, or when no client has
been connected for 10 s longer than that time.`,
		Example: `  mcpdbg exec-server --listen stdio
  mcpdbg exec-server --listen unix: --keep 10m --detach
  ssh devbox mcpdbg exec-server --attach /tmp/mcpdbg-1000/exec-1.sock`,
		Args: flags.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(env, runtime.GOOS); err != nil {
				return err
			}
			switch {
			case o.attach != "":
				return relay(cmd.Context(), env, strings.TrimPrefix(o.attach, prefix))
			case o.detach:
				return detach(cmd.Context(), env, o)
			case o.listen == stdio:
				return o.onStdio(cmd.Context(), env)
			}
			return o.onSocket(cmd.Context(), env)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.listen, "listen", "", "serve one client on `stdio`, or clients on the socket unix:PATH")
	f.DurationVar(&o.keep, "keep", 0, "with unix:PATH: keep the processes of a lost connection for so `long`, up to 1h")
	f.BoolVar(&o.detach, "detach", false, "with --keep: print unix:PATH and continue in the background")
	f.StringVar(&o.attach, "attach", "", "relay between standard input and output and the server on the socket `PATH`")
	flags.CompleteOneOf(cmd, "listen", stdio, prefix)
	flags.CompleteNothing(cmd, "keep")
	return cmd
}

func (o *options) check(env *console.Env, goos string) error {
	socket := strings.HasPrefix(o.listen, prefix)
	switch {
	case env.HasCommand:
		return console.Usagef("exec-server takes no command: its clients name the commands")
	case o.listen == "" && o.attach == "":
		return console.WithHint(console.Usagef("exec-server requires --listen or --attach"), "mcpdbg exec-server --listen stdio")
	case o.listen != "" && o.attach != "":
		return console.Usagef("--listen and --attach cannot be combined")
	case o.listen != "" && o.listen != stdio && !socket:
		return console.Usagef("--listen %q: must be stdio or unix:PATH", o.listen)
	case goos == "windows" && o.listen != stdio:
		return console.Usagef("sockets are unsupported on Windows: use --listen stdio")
	case o.keep < 0 || o.keep > serve.MaxKeep:
		return console.Usagef("--keep %s: must be between 0 and 1h", o.keep)
	case o.keep > 0 && !socket:
		return console.Usagef("--keep requires --listen unix:PATH: on stdio the processes end with standard input")
	case o.detach && o.keep == 0:
		return console.Usagef("--detach requires --keep: without it nothing would end the server")
	}
	return nil
}

// server returns the server of this machine.
func (o *options) server(env *console.Env) *serve.Server {
	return serve.New(serve.Options{
		Keep: o.keep, Environment: serve.Describe(console.Version),
		Executor: func() executor.Executor {
			return localexec.New(localexec.Options{
				Watchdog: append(env.Self, console.WatchdogCommand), Journal: serve.Journal, Retention: serve.Retention(o.keep),
			})
		},
	})
}

// A stream is standard input and output.
type stream struct {
	io.ReadCloser
	io.Writer
}

func (o *options) onStdio(ctx context.Context, env *console.Env) error {
	if err := env.TakeStdin("exec-server"); err != nil {
		return err
	}
	s := o.server(env)
	defer s.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.ServeConn(ctx, stream{closing{input.Reader(ctx, env.Stdin), cancel}, env.Stdout})
	return nil
}

// A closing reader ends a read when it is closed.
type closing struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (c closing) Close() error {
	c.cancel()
	return c.ReadCloser.Close()
}

func (o *options) onSocket(ctx context.Context, env *console.Env) error {
	path, err := o.path()
	if err != nil {
		return err
	}
	l, err := unixsocket.Listen(path)
	if err != nil {
		return err
	}
	s := o.server(env)
	defer s.Close()
	if _, err := fmt.Fprintln(env.Stdout, prefix+path); err != nil {
		_ = l.Close()
		return err
	}
	if err := s.Serve(ctx, l); ctx.Err() == nil && !errors.Is(err, serve.ErrIdle) {
		return err
	}
	return nil
}

// path returns the absolute path of the socket.
func (o *options) path() (string, error) {
	if path := strings.TrimPrefix(o.listen, prefix); path != "" {
		return filepath.Abs(path)
	}
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return filepath.Join("/tmp", "mcpdbg-"+strconv.Itoa(os.Getuid()), "exec-"+hex.EncodeToString(b[:])+".sock"), nil
}

// relay copies between standard input and output and a socket until one of them ends.
func relay(ctx context.Context, env *console.Env, path string) error {
	if err := env.TakeStdin("exec-server"); err != nil {
		return err
	}
	conn, err := unixsocket.Dial(ctx, path)
	if err != nil {
		return console.WithHint(err, "the server may have ended: start it with mcpdbg exec-server --listen unix:"+path)
	}
	defer conn.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	in := input.Reader(ctx, env.Stdin)
	defer in.Close()
	ended := make(chan error, 2)
	go func() {
		_, err := io.Copy(conn, in)
		ended <- err
	}()
	go func() {
		_, err := io.Copy(env.Stdout, conn)
		ended <- err
	}()
	// Either end is the end of both: the client connects again. The other copy may be blocked
	// by a reader of standard output that does not read, and ends with the program.
	<-ended
	return nil
}
