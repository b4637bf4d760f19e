package sshexec

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"mcpdbg/session/executor"
	"mcpdbg/session/executor/guard"
)

// Each kind of shell of a host is asked only once.
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

// The server itself never runs under the user's shell: an interactive one may print, wait
// or start things.
func (l *launcher) harvest(ctx context.Context) (string, *executor.StartError) {
	o := l.openScript(ctx, "PATH-"+l.mark, false, harvestScript(l.mark, l.from))
	if o.failure != nil {
		return "", l.openFailed(ctx, o.failure)
	}
	select {
	case r := <-o.out:
		_ = o.ch.Close() // if the shell still runs, it ends with the guard
		if r.Err == nil && r.Line != "" {
			return r.Line, nil
		}
		e := l.fail(executor.StartFailed, fmt.Errorf("--path-from %s: the shell did not print its PATH: %w", l.from, cmp.Or(r.Err, guard.ErrEnded)), harvestHint)
		e.Said = tail(censor(r.Noise, l.mark))
		return "", e
	case <-ctx.Done(): // the connection is closed; if the shell still runs, it ends with the guard
		e := l.cancelled(ctx)
		if e.Code == executor.StartTimeout {
			e.Err = fmt.Errorf("--path-from %s: the shell did not print its PATH within %v", l.from, l.limit)
			e.Hint = harvestHint + "\n" + longerHint
		}
		return "", e
	}
}

const harvestHint = "check whether its startup files wait for input or replace the shell (such as exec zsh), or use --path-from plain, or --path-from explicit with --env PATH=..."

// harvestScript runs the user's shell as a login shell, or an interactive one,
// and makes it print its PATH. From an interactive login shell it starts one that
// is not a login shell, which reads what the first may not: .bashrc, where nvm is.
// The csh family accepts no other flag together with -l, and always reads its
// startup file. If the shell was replaced, the lines that may have done so are
// written.
func harvestScript(mark string, from PathFrom) string {
	interactive, nested := "", ""
	if from == PathInteractive {
		interactive = " -i"
		nested = `"$_ms" -i -c "exec /bin/sh -c \"\$_mp\"" </dev/null; [ $? = 42 ] && exit 42; `
	}
	return fmt.Sprintf(`unset _m _ml
%[1]s=%[2]s
_ms=${SHELL:-/bin/sh}
_mp='echo; echo "PATH-%[2]s $PATH"; exit 42'
_mh='%[4]seval "$_mp"'
export %[1]s _ms _mp _mh
case $_ms in
*csh) set -- ;;
*) set -- -l ;;
esac
"$_ms" "$@"%[3]s -c 'exec /bin/sh -c "$_mh"' </dev/null
if [ $? = 42 ]; then
IFS= read -r _m
else
cd && grep -n '^[^#]*exec .*sh' .profile .bash_profile .bash_login .bashrc .zprofile .zshrc .kshrc .mkshrc .login .cshrc .tcshrc 2>/dev/null
fi
`, executor.MarkName, mark, interactive, nested)
}
