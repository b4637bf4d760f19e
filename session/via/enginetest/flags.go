//go:build linux

package enginetest

import (
	"slices"
	"strings"
)

// flags are the options of a command, as pflag parses them: names with a value, and names
// without one. Only the long names appear as keys of the result.
type flags struct {
	valued  []string          // long names
	boolean []string          // long names
	short   map[string]string // of long names
	mixed   bool              // options may follow arguments
}

// A parsed command line.
type parsed struct {
	values map[string][]string
	set    map[string]bool
	args   []string
	dashed int // where in args the arguments after -- begin, or -1
}

func (p *parsed) last(name string) string {
	if all := p.values[name]; len(all) > 0 {
		return all[len(all)-1]
	}
	return ""
}

// A flagError is the text of pflag.
type flagError string

func (e flagError) Error() string { return string(e) }

func (f flags) parse(args []string) (*parsed, error) {
	p := &parsed{values: map[string][]string{}, set: map[string]bool{}, dashed: -1}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			p.dashed = len(p.args)
			p.args = append(p.args, args...)
			return p, nil
		case len(arg) < 2 || arg[0] != '-':
			p.args = append(p.args, arg)
			if !f.mixed {
				p.args = append(p.args, args...)
				return p, nil
			}
		default:
			var err error
			if args, err = f.option(p, arg, args); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// option parses one word of options, and returns the rest of the words.
func (f flags) option(p *parsed, arg string, rest []string) ([]string, error) {
	if name, ok := strings.CutPrefix(arg, "--"); ok {
		name, value, has := strings.Cut(name, "=")
		switch {
		case slices.Contains(f.boolean, name):
			p.set[name] = !has || value == "true" || value == "1"
		case !slices.Contains(f.valued, name):
			return nil, flagError("unknown flag: --" + name)
		case has:
			p.values[name] = append(p.values[name], value)
		case len(rest) == 0:
			return nil, flagError("flag needs an argument: --" + name)
		default:
			p.values[name] = append(p.values[name], rest[0])
			rest = rest[1:]
		}
		return rest, nil
	}
	for letters := arg[1:]; letters != ""; {
		letter, after := letters[:1], letters[1:]
		name := f.short[letter]
		switch {
		case slices.Contains(f.boolean, name):
			value, has := strings.CutPrefix(after, "=")
			p.set[name] = !has || value == "true" || value == "1"
			if has {
				after = ""
			}
		case !slices.Contains(f.valued, name):
			return nil, flagError("unknown shorthand flag: '" + letter + "' in " + arg)
		case after != "":
			p.values[name] = append(p.values[name], strings.TrimPrefix(after, "="))
			after = ""
		case len(rest) == 0:
			return nil, flagError("flag needs an argument: '" + letter + "' in " + arg)
		default:
			p.values[name] = append(p.values[name], rest[0])
			rest = rest[1:]
		}
		letters = after
	}
	return rest, nil
}
