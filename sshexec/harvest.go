package sshexec

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mcpdbg/session/executor"
)

// harvestTime is how long a login shell may take to say its PATH.
const harvestTime = 3 * time.Second

// errHarvest is the cause of a harvest whose time is over.
var errHarvest = errors.New("the shell did not say its PATH in time")

// A pathCache holds what each kind of shell of a host has as its PATH: it is
// asked once.
type pathCache struct {
	mu    sync.Mutex
	known map[PathFrom]string
}

func (c *pathCache) get(ctx context.Context, l *launcher) (string, *executor.StartError) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if path, ok := c.known[l.from]; ok {
		return path, nil
	}
	path, err := l.harvest(ctx)
	if err != nil {
		return "", err
	}
	if c.known == nil {
		c.known = make(map[PathFrom]string)
	}
	c.known[l.from] = path
	return path, nil
}

// harvest asks the user's shell for its PATH. The server itself never runs
// under such a shell: an interactive one may print, wait or start things.
func (l *launcher) harvest(ctx context.Context) (string, *executor.StartError) {
	short, cancel := context.WithTimeoutCause(ctx, harvestTime, errHarvest)
	defer cancel()
	o := l.openScript(short, harvestScript(l.mark, l.from), "PATH-"+l.mark, false)
	if o.failure != nil {
		return "", l.openFailed(ctx, o.failure)
	}
	select {
	case r := <-o.out:
		_ = o.ch.Close() // what the shell still does ends with the guard
		if r.err == nil && r.line != "" {
			return r.line, nil
		}
		return "", l.harvestFailed(fmt.Errorf("the shell did not say its PATH: %w", errors.Join(r.err, errEnded)), r)
	case <-short.Done():
		if ctx.Err() != nil {
			return "", l.cancelled(ctx)
		}
		return "", l.harvestFailed(errHarvest, reading{})
	}
}

func (l *launcher) harvestFailed(err error, r reading) *executor.StartError {
	e := l.fail(executor.StartFailed, fmt.Errorf("--path-from %s: %w", l.from, err),
		"is there something in its startup files that waits for a person? --path-from plain does without, --path-from explicit takes --env PATH=...")
	e.Said = tail(censor(r.noise, l.mark))
	return e
}

// harvestScript runs the user's shell as a login shell, or an interactive one,
// and has it say its PATH. The csh family takes no other flag beside -l, and
// reads its startup file always.
func harvestScript(mark string, from PathFrom) string {
	interactive := ""
	if from == PathInteractive {
		interactive = " -i"
	}
	return fmt.Sprintf(`unset _m
%[1]s=%[2]s
_mh='echo; echo "PATH-%[2]s $PATH"'
export %[1]s _mh
_ms=${SHELL:-/bin/sh}
case $_ms in
*csh) set -- ;;
*) set -- -l ;;
esac
exec "$_ms" "$@"%[3]s -c 'exec /bin/sh -c "$_mh"' </dev/null
`, markName, mark, interactive)
}
