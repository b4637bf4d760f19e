package target

import "bytes"

// A Span is a part of a file: offsets in bytes. The zero Span means that there is nothing.
type Span struct{ From, To int }

// A Member is a key with its value.
type Member struct {
	Key   int // where the key begins, with the names before it of a dotted one
	Name  int // where its last name begins
	Value Span
}

// A Source is where the command of an entry is in its file, for programs that edit it.
// Offsets count from the beginning of the file, with its byte order mark. The zero Source
// is that of an entry without a command, or with duplicate keys.
type Source struct {
	TOML bool
	// Commas reports whether commas separate the members of the entry, not lines.
	Commas        bool
	Command, Args Member
	// Items are the elements of Args. Null reports whether Args is null.
	Items []Span
	Null  bool
	// Words are the command and the arguments as the file has them, with those of a tap.
	Words []string
	// Watched reports whether VS Code itself debugs the server or watches its files, and
	// Sandboxed whether it starts it in its sandbox.
	Watched, Sandboxed bool
}

// source returns the place of a command and its arguments, which may be nil.
func (e *entryReader) source(n, command, args *node) Source {
	if _, twice := n.twice(); twice || n.get("command") != command {
		return Source{}
	}
	at := func(v *node) Member {
		return Member{Key: v.key + e.r.bom, Name: n.nameOf(v) + e.r.bom, Value: v.span.plus(e.r.bom)}
	}
	dev := n.object("dev")
	s := Source{TOML: e.r.toml, Commas: !e.r.toml || n.span != Span{}, Command: at(command), Words: []string{command.text},
		Watched: dev.get("debug") != nil || dev.get("watch") != nil}
	s.Sandboxed, _ = n.flag("sandboxEnabled")
	if args == nil {
		return s
	}
	s.Args, s.Null = at(args), args.kind == null
	for _, item := range args.items {
		s.Items = append(s.Items, item.span.plus(e.r.bom))
		s.Words = append(s.Words, item.text)
	}
	return s
}

// nameOf returns where the last name of a member's key begins.
func (n *node) nameOf(value *node) int {
	for _, m := range n.members {
		if m.value == value {
			return m.at
		}
	}
	return 0
}

func (s Span) plus(n int) Span { return Span{s.From + n, s.To + n} }

// SkipSpace returns the offset of the next byte of a config file, from at on, that is
// neither white space nor in a comment.
func (s *Source) SkipSpace(data []byte, at int) int {
	for at < len(data) {
		switch {
		case bytes.IndexByte([]byte(" \t\r\n"), data[at]) >= 0:
			at++
		case s.TOML && data[at] == '#':
			for at < len(data) && data[at] != '\n' {
				at++
			}
		case !s.TOML && data[at] == '/':
			at = commentEnd(data, at)
		default:
			return at
		}
	}
	return at
}
