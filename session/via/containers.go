package via

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"mcpdbg/session/executor"
)

const (
	// queryTime limits one question to an engine.
	queryTime = 10 * time.Second
	// queryLimit is how much of the answer is kept.
	queryLimit = 64 << 10
)

// look returns the command that shows the processes inside, and one that ends them, or "".
func (p *prefix) look() string {
	c := &p.client
	if !p.engine || c.Unknown != "" || c.Target == "" || strings.HasPrefix(c.Verb, "compose") || c.Engine == kubectl || p.runs() {
		return ""
	}
	return fmt.Sprintf("; %s top %s shows them, %[1]s restart %[2]s ends them", c.Engine, c.Target)
}

// query runs a command of the engine in the place of the prefix, and returns its output.
func (p *process) query(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTime)
	defer cancel()
	cmd := executor.Command{Argv: slices.Concat(p.prefix.words[:p.prefix.client.At], args), NoStdin: true}
	c, err := startClient(ctx, p.ex.opts.Below, cmd)
	if err != nil {
		return "", err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	out, err := io.ReadAll(io.LimitReader(c, queryLimit))
	<-c.ended
	defer c.Close() //nolint:errcheck // it has ended
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s: %w", strings.Join(args, " "), context.Cause(ctx))
	case err != nil:
		return "", err
	case c.Exit() != executor.Exit{Kind: executor.ExitCode}:
		return "", fmt.Errorf("%s %s %s: %s", p.prefix.name, args[0], c.Exit().How(), tail([]byte(c.stderr())))
	}
	return string(out), nil
}

// endContainers ends the containers with the label of the process. It runs at most twice:
// one may have been started just now.
func (p *process) endContainers(ctx context.Context) {
	if !p.prefix.labels() || p.ex.opts.Plain {
		p.setUnseen(errors.New("the container has no label of ours"))
		return
	}
	for range 2 {
		out, err := p.query(ctx, "ps", "-q", "--no-trunc", "--filter", "label="+runLabel+"="+p.mark)
		ids := strings.Fields(out)
		if err == nil && len(ids) == 0 {
			p.setUnseen(nil)
			return
		}
		if err == nil {
			_, err = p.query(ctx, append([]string{"kill"}, ids...)...)
		}
		p.setUnseen(err)
		if err == nil {
			p.notify(executor.Notice{Code: "via.killed", Text: fmt.Sprintf("%s kill ended the container %s, which the server had left running", p.prefix.name, strings.Join(ids, ", "))})
		}
	}
}

// setUnseen records why the end of the containers is unknown.
func (p *process) setUnseen(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unseen = ""
	if err != nil {
		p.unseen = "container state: cannot tell: " + err.Error()
	}
}

// A tailOf keeps the end of what is written to it.
type tailOf struct {
	mu  sync.Mutex
	end []byte
}

func (t *tailOf) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, b...)
	if extra := len(t.end) - saidLimit; extra > 0 {
		t.end = bytes.Clone(t.end[extra:])
	}
	return len(b), nil
}

func (t *tailOf) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.end)
}
