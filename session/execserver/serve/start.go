package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
)

// startParams are those of a start, with the members of Codex that this server must refuse.
type startParams struct {
	wire.StartParams
	Sandbox        json.RawMessage `json:"sandbox"`
	ManagedNetwork bool            `json:"enforceManagedNetwork"`
}

func (c *connection) start(id, params json.RawMessage) (func(), *wire.Error) {
	var p startParams
	if err := decode(params, &p, "processId", "argv", "cwd", "env", "tty"); err != nil {
		return nil, err
	}
	cmd, err := commandOf(&p, os.Environ())
	if err != nil {
		return nil, &wire.Error{Code: wire.ErrParams, Message: err.Error()}
	}
	if c.session.full() {
		return nil, &wire.Error{Code: wire.ErrInternal, Message: fmt.Sprintf("the session has %d processes, and cannot have more", maxProcesses)}
	}
	return func() {
		proc, err := c.session.exec.Start(context.Background(), cmd)
		if err != nil {
			c.fail(id, startFailure(cmd.ID, err))
			return
		}
		p := c.session.add(c, proc) // first: the client may write as soon as it has the response
		c.reply(id, startResult(proc.Info()))
		c.session.follow(p)
	}, nil
}

func commandOf(p *startParams, environ []string) (executor.Command, error) {
	switch {
	case p.ProcessID == "":
		return executor.Command{}, errors.New("processId must not be empty")
	case len(p.Argv) == 0:
		return executor.Command{}, errors.New("argv must not be empty")
	case p.TTY:
		return executor.Command{}, errors.New("tty is unsupported")
	case p.Arg0 != "" && p.Arg0 != p.Argv[0]:
		return executor.Command{}, errors.New("arg0 is unsupported")
	case len(p.Sandbox) > 0 && string(p.Sandbox) != "null", p.ManagedNetwork:
		return executor.Command{}, errors.New("sandbox and enforceManagedNetwork are unsupported")
	}
	dir, err := pathOf(p.CWD, runtime.GOOS)
	if err != nil {
		return executor.Command{}, fmt.Errorf("cwd %.200q is not valid on this exec-server host: %w", p.CWD, err)
	}
	cmd := executor.Command{
		ID: p.ProcessID, Argv: p.Argv, Dir: dir, EnvPolicy: executor.EnvNone, NoStdin: !p.PipeStdin, Leave: p.Leave, Pinned: true,
	}
	vars := p.Env
	switch p.Policy {
	case "":
		if p.EnvPolicy != nil {
			if vars, err = selectEnv(p.EnvPolicy, environ, p.Env); err != nil {
				return executor.Command{}, err
			}
		}
	case executor.EnvInherit.String():
		cmd.EnvPolicy = executor.EnvInherit
	case executor.EnvClient.String():
		cmd.EnvPolicy = executor.EnvClient
	case executor.EnvNone.String():
	default:
		return executor.Command{}, fmt.Errorf("unknown policy %.40q", p.Policy)
	}
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		cmd.Env = append(cmd.Env, executor.EnvVar{Name: name, Value: vars[name]})
	}
	return cmd, cmd.Validate()
}

// pathOf returns the path of a file URI.
func pathOf(uri, goos string) (string, error) {
	u, err := url.Parse(uri)
	switch {
	case err != nil:
		return "", errors.New("not a URI")
	case u.Scheme != "file" || u.Opaque != "":
		return "", errors.New("not a file URI")
	case u.Host != "" || u.RawQuery != "" || u.Fragment != "":
		return "", errors.New("a file URI of another host, or with a query")
	}
	path := u.Path
	drive := len(path) >= 3 && path[2] == ':'
	switch {
	case goos == "windows" && !drive, goos != "windows" && !strings.HasPrefix(path, "/"):
		return "", errors.New("not an absolute path")
	case goos == "windows":
		return filepath.FromSlash(path[1:]), nil
	case drive:
		return "", errors.New("a path of Windows")
	}
	return path, nil
}

func startResult(info executor.Info) wire.StartResult {
	r := wire.StartResult{ProcessID: info.ID, PID: info.PID, Program: info.Program, Env: &wire.EnvReport{
		Named: info.Env.Named, Passed: info.Env.Passed, Omitted: info.Env.Omitted, Added: info.Env.Added,
	}}
	for _, n := range info.Notices {
		if n.Code == executor.NoticeUnseen {
			r.CannotTell = append(r.CannotTell, n.Text)
		}
	}
	return r
}

// startFailure returns the error of a start as Codex has it, with what the executor knows.
func startFailure(id string, err error) *wire.Error {
	failed, ok := errors.AsType[*executor.StartError](err)
	if !ok {
		return &wire.Error{Code: wire.ErrInternal, Message: err.Error()}
	}
	e := &wire.Error{Code: wire.ErrInternal, Message: textOf(failed.Err)}
	switch failed.Code {
	case executor.StartDuplicate:
		e.Code, e.Message = wire.ErrRequest, fmt.Sprintf("process %s already exists", id)
	case executor.StartCancelled:
		e.Code, e.Message = wire.ErrRequest, fmt.Sprintf("process %s start was cancelled", id)
	case executor.StartInvalid:
		e.Code = wire.ErrParams
	}
	data, err := json.Marshal(wire.StartFailure{Code: string(failed.Code), Phase: failed.Phase, Hint: failed.Hint})
	if err == nil { // always
		e.Data = data
	}
	return e
}
