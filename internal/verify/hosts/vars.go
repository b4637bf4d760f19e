package hosts

import (
	"fmt"
	"strings"

	"mcpdbg/internal/wording"
)

// A Var is a variable's value and its origin.
type Var struct {
	Value string
	At    string // file:line, or file:line [group]

	structured bool // a list or an object
}

// The variables of mcpdbg.
const (
	VarCommand  = "mcp_command"
	VarServer   = "mcp_server"
	VarEnv      = "mcp_env"
	VarCwd      = "mcp_cwd"
	VarVia      = "mcp_via"
	VarPathFrom = "mcp_path_from"
	VarLaunch   = "mcp_launch"
	VarExpect   = "mcp_expect"
	VarSkip     = "mcp_skip"
)

// The variables of Ansible that are used.
const (
	VarHost       = "ansible_host"
	VarPort       = "ansible_port"
	VarUser       = "ansible_user"
	VarKey        = "ansible_ssh_private_key_file"
	VarConnection = "ansible_connection"

	commonArgs = "ansible_ssh_common_args"
	extraArgs  = "ansible_ssh_extra_args"
)

var ours = []string{VarCommand, VarServer, VarEnv, VarCwd, VarVia, VarPathFrom, VarLaunch, VarExpect, VarSkip}

// ansible has the variables of Ansible that are used, and earlier names of them.
var ansible = map[string]string{
	VarHost: VarHost, VarPort: VarPort, VarUser: VarUser, VarKey: VarKey, VarConnection: VarConnection, commonArgs: commonArgs, extraArgs: extraArgs,
	"ansible_ssh_host": VarHost, "ansible_ssh_port": VarPort, "ansible_ssh_user": VarUser, "ansible_private_key_file": VarKey,
}

func used(name string) bool { return strings.HasPrefix(name, "mcp_") || ansible[name] != "" }

// set adds a variable to vars. No error has its value, which may be a password.
func (r *Reader) set(vars map[string]Var, name string, v Var, shared bool) error {
	switch {
	case strings.HasPrefix(name, "mcp_"):
		if err := ourName(name); err != nil {
			return fmt.Errorf("%s: %w", v.At, err)
		}
		if shared && (name == VarCommand || name == VarVia) {
			return fmt.Errorf("%s: %s is refused, because others can write this file: remove their permission with chmod o-w", v.At, name)
		}
	case strings.HasPrefix(name, "ansible_") && strings.Contains(name, "pass"):
		return fmt.Errorf("%s: %s is refused: remove the password, and log in with a key or an agent", v.At, name)
	case strings.HasPrefix(name, "ansible_become"):
		if !r.become {
			r.become = true
			r.notes = append(r.notes, fmt.Sprintf("%s: %s and similar are ignored: use mcp_via='sudo -nu svc'", v.At, name))
		}
	case ansible[name] != "":
		name = ansible[name]
	}
	vars[name] = v
	return nil
}

func ourName(name string) error {
	for _, known := range ours {
		if name == known {
			return nil
		}
	}
	if near := wording.Nearest(name, ours); near != "" {
		return fmt.Errorf("unknown variable %s: did you mean %s?", name, near)
	}
	return fmt.Errorf("unknown variable %s: must be %s", name, wording.List(ours))
}

// Vars returns the variables of a host: those of all, of its groups from the outermost to
// the innermost, and its own. The values that mcpdbg uses are valid text.
func (inv *Inventory) Vars(h *Host) (map[string]Var, error) {
	merged := map[string]Var{}
	layers := h.groups()
	if g := inv.groups[all]; g != nil {
		layers = append([]*group{g}, layers...)
	}
	if g := inv.groups[ungrouped]; g != nil && len(h.in) == 0 {
		layers = append(layers, g)
	}
	for _, g := range layers {
		for name, v := range g.vars {
			v.At += " [" + g.name + "]"
			merged[name] = v
		}
	}
	for name, v := range h.own {
		merged[name] = v
	}
	for _, name := range sortedKeys(merged) {
		if used(name) {
			if err := merged[name].Check(name); err != nil {
				return nil, err
			}
		}
	}
	return merged, nil
}

// Check returns an error with the position if v is not plain text.
func (v Var) Check(name string) error {
	switch {
	case strings.Contains(v.Value, "{{"):
		return fmt.Errorf("%s: %s has a template, which is not expanded: write the value, or set %s with another variable", v.At, name, name)
	case strings.HasPrefix(v.Value, "!vault"):
		return fmt.Errorf("%s: %s is encrypted with Ansible's vault, which is not read", v.At, name)
	case (name == commonArgs || name == extraArgs) && v.Value != "":
		return fmt.Errorf("%s: %s is not supported: set ProxyJump and other options in ~/.ssh/config", v.At, name)
	case v.structured:
		return fmt.Errorf("%s: %s is a list or an object: must be text", v.At, name)
	}
	return nil
}

// Shown returns the variables that mcpdbg uses as lines for a person, sorted by name.
// Values that may be secret are masked.
func Shown(vars map[string]Var) []string {
	var lines []string
	for _, name := range sortedKeys(vars) {
		if used(name) {
			lines = append(lines, fmt.Sprintf("%s=%s  (%s)", name, masked(name, vars[name].Value), vars[name].At))
		}
	}
	return lines
}

// masked also hides the values of options whose names look secret.
func masked(name, value string) string {
	words, err := wording.SplitWords(value)
	if err != nil {
		return "***"
	}
	hide := false
	for i, word := range words {
		key, _, pair := strings.Cut(word, "=")
		switch {
		case hide && !strings.HasPrefix(word, "-"):
			words[i], hide = "***", false
		case pair && (name == VarEnv || secretName(key)):
			words[i], hide = key+"=***", false
		case name == VarEnv:
			words[i] = "***"
		default:
			hide = strings.HasPrefix(word, "-") && secretName(key)
		}
	}
	return strings.Join(words, " ")
}

func secretName(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"secret", "token", "passw", "credential", "auth", "apikey", "api-key", "api_key"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
