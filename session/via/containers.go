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

	"mcpdbg/internal/wording"
	"mcpdbg/session/executor"
)

const (
	// queryTime limits one question to an engine.
	queryTime = 3 * time.Second
	// queryLimit is how much of the answer is kept.
	queryLimit = 64 << 10
)

// look names the commands that show and end the processes inside, or "".
func (p *prefix) look() string {
	if !p.engine || p.runs() {
		return ""
	}
	return wording.IfAny("; ", p.client.help(p.words))
}

// query runs a command of the engine in the place of the prefix, and returns its output.
func (p *process) query(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTime)
	defer cancel()
	words := slices.Concat(p.prefix.words[:p.prefix.client.At], args)
	permitted, failure := p.ex.sudoPermits(ctx, &p.prefix, words)
	if failure != nil {
		return "", failure
	}
	if !permitted {
		return "", fmt.Errorf("%s %s: %w", p.prefix.name, args[0], errSudo)
	}
	a, err := p.ex.ask(ctx, words)
	switch {
	case err != nil:
		return "", fmt.Errorf("%s %s: %w", p.prefix.name, args[0], err)
	case a.exit != executor.Exit{Kind: executor.ExitCode}:
		return "", fmt.Errorf("%s %s %s: %s", p.prefix.name, args[0], a.exit.How(), tail([]byte(a.said)))
	}
	return a.out, nil
}

// An answer is the output of a command that was asked something.
type answer struct {
	out, said string // standard output and error
	exit      executor.Exit
}

// ask runs a command to its end.
func (e *Executor) ask(ctx context.Context, argv []string) (answer, error) {
	c, err := startClient(ctx, e.opts.Below, executor.Command{Argv: argv, NoStdin: true})
	if err != nil {
		return answer{}, err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	out, err := io.ReadAll(io.LimitReader(c, queryLimit))
	if err == nil {
		_, err = io.Copy(io.Discard, c)
	}
	<-c.ended
	if stop() {
		_ = c.Close() // it has ended
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return answer{string(out), c.stderr(), c.Exit()}, err
}

// endContainers ends the containers with the label of the process, after the client has
// ended. It looks again after it has found one: another may have been started just now.
func (p *process) endContainers(ctx context.Context) {
	if !p.prefix.labels() || p.ex.opts.Plain {
		p.setUnseen("container state: cannot tell: the container has no label of ours")
		return
	}
	for range 3 {
		running, err := p.labelled(ctx, "running", "paused", "restarting")
		created, err2 := p.labelled(ctx, "created") // it cannot be killed
		if err = errors.Join(err, err2); err == nil && len(running)+len(created) == 0 {
			p.setUnseen("")
			return
		}
		if len(running) > 0 {
			_, err = p.query(ctx, append([]string{"kill"}, running...)...)
		}
		if len(created) > 0 {
			_, err2 = p.query(ctx, append([]string{"rm", "-f"}, created...)...)
		}
		if err = errors.Join(err, err2); err != nil {
			p.setUnseen("container state: cannot tell: " + err.Error())
			return
		}
		p.notify(executor.Notice{Code: "via.killed", Text: p.prefix.name + " kill ended the container " + strings.Join(slices.Concat(running, created), ", ")})
	}
}

// labelled returns the ids of the containers with the label of the process in one of
// these states.
func (p *process) labelled(ctx context.Context, states ...string) ([]string, error) {
	args := []string{"ps", "-aq", "--no-trunc", "--filter", "label=" + runLabel + "=" + p.mark}
	for _, state := range states {
		args = append(args, "--filter", "status="+state)
	}
	out, err := p.query(ctx, args...)
	return strings.Fields(out), err
}

// setUnseen records why processes inside are unknown, or "".
func (p *process) setUnseen(why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unseen = why
}

// A headOf keeps the beginning of what is written to it.
type headOf struct {
	mu   sync.Mutex
	text []byte
}

func (h *headOf) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, b[:min(len(b), saidLimit-len(h.text))]...)
	return len(b), nil
}

func (h *headOf) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return string(h.text)
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

func (t *tailOf) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.end)
}
