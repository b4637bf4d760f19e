package smoke

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/expect"
	"mcpdbg/internal/verify/hosts"
	"mcpdbg/internal/wording"
	"mcpdbg/session/via"
	"mcpdbg/sshexec/sshconfig"
)

// A place has what the variables of a host set.
type place struct {
	vars     map[string]hosts.Var
	dest     string // "" is this machine
	argv     []string
	via, env []string
	expects  []*expect.Expect
}

// placeOf returns nil for a host without variables.
func placeOf(inv *hosts.Inventory, h *hosts.Host) (*place, error) {
	vars, err := inv.Vars(h)
	if err != nil || len(vars) == 0 {
		return nil, err
	}
	p := &place{vars: vars}
	for _, one := range []struct {
		name string
		to   *[]string
		read func(string) ([]string, error)
	}{{hosts.VarCommand, &p.argv, wording.SplitWords}, {hosts.VarVia, &p.via, via.Split}, {hosts.VarEnv, &p.env, environment}} {
		v, ok := vars[one.name]
		if !ok {
			continue
		}
		if *one.to, err = one.read(v.Value); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", v.At, one.name, err)
		}
	}
	if v, ok := vars[hosts.VarExpect]; ok {
		if p.expects, err = expectations(v.Value); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", v.At, hosts.VarExpect, err)
		}
	}
	p.dest, err = destinationOf(h, vars)
	return p, err
}

// expectations parses those on one target.
func expectations(text string) ([]*expect.Expect, error) {
	all, err := expect.Parse(text)
	for _, e := range all {
		if e.Share() {
			return nil, fmt.Errorf("%q: failed, host and flaky are of a whole run: use --expect", e)
		}
	}
	return all, err
}

// environment does not repeat a value in its error.
func environment(text string) ([]string, error) {
	pairs, err := wording.SplitWords(text)
	if err != nil {
		return nil, err
	}
	for i, pair := range pairs {
		if name, _, ok := strings.Cut(pair, "="); !ok || name == "" {
			return nil, fmt.Errorf("word %d is not NAME=VALUE", i+1)
		}
	}
	return pairs, nil
}

func destinationOf(h *hosts.Host, vars map[string]hosts.Var) (string, error) {
	switch v := vars[hosts.VarConnection]; {
	case v.Value == "local" || v.Value == "" && h.Name == verify.Local:
		return "", nil
	case v.Value != "" && v.Value != "ssh":
		return "", fmt.Errorf("%s: %s must be ssh or local", v.At, hosts.VarConnection)
	}
	text, at := h.Name, h.At
	if v, ok := vars[hosts.VarHost]; ok {
		text, at = v.Value, v.At
	}
	d, err := sshconfig.ParseDestination(text)
	if err != nil {
		return "", fmt.Errorf("%s: %w", at, err)
	}
	if v, ok := vars[hosts.VarUser]; ok {
		d.User, at = v.Value, v.At
	}
	if v, ok := vars[hosts.VarPort]; ok {
		if d.Port, err = strconv.Atoi(v.Value); err != nil || d.Port < 1 {
			return "", fmt.Errorf("%s: %s must be a number from 1 to 65535", v.At, hosts.VarPort)
		}
		at = v.At
	}
	if _, err := sshconfig.ParseDestination(d.String()); err != nil {
		return "", fmt.Errorf("%s: %w", at, err)
	}
	return d.String(), nil
}

// value returns the value of a variable, or "".
func (p *place) value(name string) string {
	if p == nil {
		return ""
	}
	return p.vars[name].Value
}

func (p *place) command() []string {
	if p == nil {
		return nil
	}
	return p.argv
}

// apply sets what the variables set in the flags of a target: flags of the command line
// are for what no variable sets.
func (p *place) apply(t *flags.Target) error {
	t.Env = append(t.Env[:len(t.Env):len(t.Env)], p.env...)
	if p.via != nil {
		t.Via, t.ShownVia = p.via, p.via
	}
	if dir := p.value(hosts.VarCwd); dir != "" {
		t.Cwd = dir
	}
	for _, name := range []string{hosts.VarPathFrom, hosts.VarLaunch, hosts.VarKey} {
		v, ok := p.vars[name]
		if !ok || !t.SSH.Remote() {
			continue
		}
		var err error
		switch name {
		case hosts.VarPathFrom:
			err = t.SSH.Choose("path-from", v.Value)
		case hosts.VarLaunch:
			err = t.SSH.Choose("ssh-launch", v.Value)
		default:
			t.SSH.AddIdentity(home(v.Value))
		}
		if err != nil {
			return fmt.Errorf("%s: %s %w", v.At, name, err)
		}
	}
	return nil
}

// home replaces a ~/ at the beginning.
func home(file string) string {
	rest, ok := strings.CutPrefix(file, "~/")
	if dir, err := os.UserHomeDir(); ok && err == nil {
		return filepath.Join(dir, rest)
	}
	return file
}
