package dial

import (
	"context"
	"errors"
	"path"
	"strings"
	"sync"
	"time"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
)

// A Kept is an exec server of this program that outlives its connections: the first one
// starts it in the background, and each is a relay to its socket.
type Kept struct {
	Run     executor.Executor
	Program string
	Keep    time.Duration

	mu     sync.Mutex
	socket string
}

// Dial connects. Its error is an *executor.StartError.
func (k *Kept) Dial(ctx context.Context) (wire.Conn, error) {
	socket, err := k.listening(ctx)
	if err != nil {
		return nil, err
	}
	return start(ctx, k.Run, []string{k.Program, "exec-server", "--attach", socket})
}

// listening starts the server if it was not, and returns where it listens.
func (k *Kept) listening(ctx context.Context) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.socket != "" {
		return k.socket, nil
	}
	p, err := k.Run.Start(ctx, executor.Command{
		Argv:   []string{k.Program, "exec-server", "--listen", "unix:", "--keep", k.Keep.String(), "--detach"},
		Pinned: true, NoStdin: true,
		Leave: []string{path.Base(k.Program)}, // the server, which goes on
	})
	if err != nil {
		return "", err
	}
	said, err := output(ctx, p)
	first, _, _ := strings.Cut(said, "\n")
	if socket := strings.TrimSpace(first); strings.HasPrefix(socket, "unix:") {
		k.socket = socket
		return socket, nil
	}
	if err == nil {
		err = errors.New("the exec server does not print where it listens")
	}
	return "", &executor.StartError{Code: executor.StartFailed, Phase: "connect", Err: err, Hint: "mcpdbg there must be of this release"}
}

// output returns what a process writes to standard output until it ends. Its error is why it
// ended, if it failed.
func output(ctx context.Context, p executor.Process) (string, error) {
	sub, err := p.Subscribe(executor.SubscribeOptions{Pin: true})
	if err != nil {
		return "", err
	}
	defer sub.Close()
	out := program{argv: p.Info().Argv, process: p, sub: sub}
	stop := context.AfterFunc(ctx, func() { _, _ = p.Terminate(context.Background()) }) // which ends the reads
	defer stop()
	var text strings.Builder
	buf := make([]byte, maxStderr)
	for text.Len() < maxStderr {
		n, err := out.Read(buf)
		text.Write(buf[:n])
		if err != nil {
			if ctx.Err() != nil {
				return text.String(), executor.StartCancelledBy(ctx, "connect")
			}
			var ended *endedError
			if errors.As(err, &ended) && ended.Exit.Kind == executor.ExitCode && ended.Exit.Code == 0 {
				err = nil
			}
			return text.String(), err
		}
	}
	_, err = p.Terminate(ctx)
	return text.String(), err
}
