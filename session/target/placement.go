package target

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcpdbg/internal/wording"
)

const (
	keySSH = "ssh"
	keyVia = "via"
)

// keyEnvironment names an environment to run in, if it is a text, and the variables of
// the server, if it is an object.
const keyEnvironment = "environment"

var placementKeys = []string{"environment_id", "experimental_environment", keyEnvironment}

// localEnvironment is the id of Codex's environment on this machine.
const localEnvironment = "local"

// placement reads the host on which the server runs. An entry with an invalid
// host or environment is refused: it must not run locally.
func (e *entryReader) placement(n *node) {
	if ssh := n.get(keySSH); ssh != nil {
		if ssh.kind != text || strings.TrimSpace(ssh.text) == "" {
			e.refuse(ssh.at, keySSH+" is not a host", `write "ssh": "HOST", or remove it`)
			return
		}
		e.SSH = ssh.text
	}
	e.inEnvironment(n)
}

// via reads the words before the command that lead to another place on the host, such as
// docker exec. Tokens are expanded after the split, so that a value is never two words.
// Invalid words refuse the entry: it must not run without them.
func (e *entryReader) via(n *node) {
	via := n.get(keyVia)
	if via == nil {
		return
	}
	words, err := prefixOf(via)
	if err == nil && (len(words) == 0 || words[0] == "") {
		err = errors.New("empty")
	}
	if err != nil {
		e.refuse(via.at, keyVia+": "+err.Error(), `write "via": "docker exec -i NAME", or remove it`)
		return
	}
	for _, word := range words {
		e.Via = append(e.Via, e.expand(word, via.at, ""))
	}
}

func prefixOf(via *node) (words []string, err error) {
	switch via.kind {
	case text:
		return wording.SplitWords(via.text)
	case list:
		for _, item := range via.items {
			if item.kind != text {
				return nil, errors.New("an item is not a string")
			}
			words = append(words, item.text)
		}
		return words, nil
	}
	return nil, errors.New("neither a string nor a list")
}

// inEnvironment finds the host or the exec server of the environment that the entry names, by whichever of
// the keys, also if a key occurs twice.
func (e *entryReader) inEnvironment(n *node) {
	var named *member
	for i := range n.members {
		m := &n.members[i]
		switch {
		case !slices.Contains(placementKeys, m.name), m.name == keyEnvironment && m.value.kind == object:
		case m.value.kind != text:
			e.refuse(m.value.at, m.name+" is not a string", fmt.Sprintf("write the name of an environment as a string, or %q as it", localEnvironment))
			return
		case named != nil && named.value.text != m.value.text:
			e.refuse(m.at, fmt.Sprintf("%s %q and %s %q differ", named.name, named.value.text, m.name, m.value.text), "remove one of them")
			return
		default:
			named = m
		}
	}
	if named != nil && named.value.text != localEnvironment {
		id := named.value.text
		host, known := e.r.opts.Environments[id]
		if !known && e.SSH == "" {
			server, found, err := e.r.execServer(id)
			switch {
			case err != nil:
				e.refuse(named.value.at, fmt.Sprintf("the environment %q cannot be used: %v", id, err), e.environmentHint(id))
				return
			case found:
				e.ExecServer = server
				return
			}
		}
		switch {
		case e.SSH != "":
			e.refuse(named.value.at, keySSH+" and "+named.name+" cannot be combined", "remove one of them")
		case !known || strings.TrimSpace(host) == "":
			e.refuse(named.value.at, fmt.Sprintf("unknown environment %q", id), e.environmentHint(id))
		default:
			e.SSH = host
		}
	}
}

func (e *entryReader) environmentHint(id string) string {
	where := e.r.opts.SettingsFile
	if where == "" {
		where = "the settings"
	}
	hint := fmt.Sprintf("name its host in %s: under [environments], %q = \"HOST\"", where, id)
	if known := slices.Sorted(maps.Keys(e.r.opts.Environments)); len(known) > 0 {
		hint += "; known environments: " + strings.Join(known, ", ")
	}
	return hint
}
