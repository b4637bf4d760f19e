package hosts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"mcpdbg/framing"
)

// list reads the JSON of ansible-inventory --list. Names in it are neither ranges nor
// patterns.
func (r *Reader) list(file, text string, shared bool) error {
	l := lister{Reader: r, file: file, shared: shared, text: text, dec: json.NewDecoder(strings.NewReader(text)), line: 1, vars: map[string]map[string]Var{}}
	l.dec.UseNumber()
	first := len(r.named)
	err := l.members(l.member)
	if err == nil {
		if _, err = l.dec.Token(); errors.Is(err, io.EOF) {
			err = nil
		} else if err == nil {
			err = errors.New("text after the end of the object")
		}
	}
	if err != nil {
		if strings.HasPrefix(err.Error(), file+":") {
			return err
		}
		return fmt.Errorf("%s: invalid JSON of ansible-inventory --list: %w", l.at(), err)
	}
	for i := first; i < len(r.named); i++ {
		r.named[i].vars = l.vars[r.named[i].text]
	}
	return nil
}

type lister struct {
	*Reader
	file   string
	shared bool
	text   string
	dec    *json.Decoder
	read   int // offset up to which lines were counted
	line   int
	vars   map[string]map[string]Var // by host
}

// at returns the position of the last token.
func (l *lister) at() string {
	to := min(int(l.dec.InputOffset()), len(l.text))
	if to > l.read {
		l.line += strings.Count(l.text[l.read:to], "\n")
		l.read = to
	}
	return fmt.Sprintf("%s:%d", l.file, l.line)
}

// members calls do for each member of an object, to read its value.
func (l *lister) members(do func(key string) error) error {
	if err := l.open('{'); err != nil {
		return err
	}
	for l.dec.More() {
		key, err := l.dec.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string) // the decoder accepts no other
		if err := checkLine(name); err != nil {
			return fmt.Errorf("%s: %w", l.at(), err)
		}
		if err := do(name); err != nil {
			return err
		}
	}
	_, err := l.dec.Token()
	return err
}

func (l *lister) open(delim json.Delim) error {
	got, err := l.dec.Token()
	if err == nil && got != delim {
		err = fmt.Errorf("%s: invalid JSON of ansible-inventory --list: expected %s", l.at(), delim)
	}
	return err
}

func (l *lister) skip() error {
	var value json.RawMessage
	return l.dec.Decode(&value)
}

func (l *lister) member(key string) error {
	if key != "_meta" {
		return l.groupMember(key)
	}
	return l.members(func(key string) error {
		if key != "hostvars" {
			return l.skip()
		}
		return l.members(func(host string) error {
			if len(l.vars) > maxNamed {
				return tooManyNamed(l.at())
			}
			vars := map[string]Var{}
			l.vars[host] = vars
			return l.variables(vars)
		})
	})
}

func (l *lister) groupMember(name string) error {
	g, err := l.group(name, l.at())
	if err != nil {
		return err
	}
	g.defined = true
	return l.members(func(key string) error {
		switch key {
		case "hosts":
			return l.names(func(host, at string) error {
				return l.name(naming{text: host, file: l.file, at: at, literal: true, group: g})
			})
		case "children":
			return l.names(func(child, at string) error {
				return l.child(g, child, at)
			})
		case "vars":
			return l.variables(g.vars)
		}
		return l.skip()
	})
}

func (l *lister) names(do func(name, at string) error) error {
	if err := l.open('['); err != nil {
		return err
	}
	for l.dec.More() {
		token, err := l.dec.Token()
		if err != nil {
			return err
		}
		name, ok := token.(string)
		if at := l.at(); !ok || len(name) > maxName || checkLine(name) != nil || strings.ContainsAny(name, " \t") {
			return fmt.Errorf("%s: invalid name", at)
		} else if err := do(name, at); err != nil {
			return err
		}
	}
	_, err := l.dec.Token()
	return err
}

func (l *lister) variables(vars map[string]Var) error {
	return l.members(func(name string) error {
		at := l.at()
		var raw json.RawMessage
		if err := l.dec.Decode(&raw); err != nil {
			return err
		}
		v := Var{Value: string(raw), At: at}
		switch raw[0] {
		case '"':
			if err := framing.Unmarshal(raw, &v.Value); err != nil {
				return err
			}
		case 'n': // null
			return nil
		case '{', '[':
			v.Value, v.structured = "", true
			if bytes.Contains(raw, []byte(`"__ansible_vault"`)) {
				v.Value = "!vault"
			}
		}
		if used(name) && checkLine(v.Value) != nil {
			return fmt.Errorf("%s: %s is not printable text", at, name)
		}
		return l.set(vars, name, v, l.shared)
	})
}
