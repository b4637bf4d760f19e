package summary

import "bytes"

const shownBlocks = 3

type block struct {
	kind, text, mime, uri, name, data str
}

// read reads the members of an embedded resource as those of the block.
func (b *block) read(r *reader) {
	for name := range r.members() {
		switch string(name) {
		case "type":
			b.kind = r.str()
		case "text":
			b.text = r.str()
		case "mimeType":
			b.mime = r.str()
		case "uri":
			b.uri = r.str()
		case "name":
			b.name = r.str()
		case "data", "blob":
			b.data = r.str()
		case "resource":
			b.read(r)
		}
	}
}

// isText reports whether a block is a text, which may go on.
func (b *block) isText() bool { return string(b.kind.raw) == "text" && len(b.text.raw) > 0 }

// write appends a block, with at most most bytes of a text.
func (b *block) write(l *line, most int) {
	switch kind := string(b.kind.raw); kind {
	case "text":
		if b.text.raw == nil {
			l.add("text")
			return
		}
		l.quote(b.text, most)
	case "image", "audio":
		l.media(b.mime, kind)
		l.dataSize(b.data)
	case "resource_link":
		l.add("link ")
		l.text(first(b.uri, b.name), argumentText)
	case "resource":
		l.add("resource ")
		l.text(b.uri, argumentText)
		l.add(" ")
		b.resource(l)
	default:
		l.text(b.kind, nameText)
		l.separate(" ")
		l.text(b.name, nameText)
	}
}

func (b *block) resource(l *line) {
	if b.data.raw != nil {
		l.add("blob")
		if len(b.mime.raw) > 0 {
			l.add(" ")
			l.text(b.mime, nameText)
		}
		l.dataSize(b.data)
		return
	}
	l.media(b.mime, "text")
	if b.text.whole {
		l.add(" ")
		l.size(textSize(b.text))
	}
}

func (l *line) media(mime str, otherwise string) {
	if len(mime.raw) == 0 {
		mime = str{[]byte(otherwise), true}
	}
	l.text(mime, nameText)
}

// dataSize appends the size of base64 data, if it was read to its end.
func (l *line) dataSize(data str) {
	if data.whole {
		l.add(" ")
		l.size(int64(len(bytes.TrimRight(data.raw, "="))) * 3 / 4)
	}
}

func first(a, b str) str {
	if len(a.raw) > 0 {
		return a
	}
	return b
}

type blocks struct {
	first [shownBlocks]block
	n     int // of all that were read
}

func readBlocks(r *reader) blocks {
	var all blocks
	if r.kind() == '{' {
		all.first[0].read(r)
		all.n = 1
		return all
	}
	for i := range r.elements() {
		all.n++
		if i < shownBlocks {
			all.first[i].read(r)
		}
	}
	return all
}

func (all *blocks) write(l *line, r *reader) {
	most := mainText
	if all.n > 1 {
		most = argumentText
	}
	for i := range min(all.n, shownBlocks) {
		if i > 0 {
			l.add(" + ")
		}
		all.first[i].write(l, most)
	}
	all.more(l, r)
}

// more appends how many blocks are not shown, or the size of the message if the last one
// was cut.
func (all *blocks) more(l *line, r *reader) {
	switch {
	case all.n > shownBlocks && r.end:
		l.add(" + " + dots)
	case all.n > shownBlocks:
		l.add(" + ")
		l.count(all.n-shownBlocks, "more", "more")
	case all.n == 0 || len(all.first[all.n-1].text.raw) == 0:
		l.rest(r)
	}
}

type message struct {
	role    str
	content blocks
}

func (m *message) read(r *reader) {
	for name := range r.members() {
		switch string(name) {
		case "role":
			m.role = r.str()
		case "content":
			m.content = readBlocks(r)
		}
	}
}

func (m *message) write(l *line) {
	l.text(m.role, nameText)
	if m.content.n == 0 {
		return
	}
	if len(m.role.raw) > 0 {
		l.add(" ")
	}
	m.content.first[0].write(l, argumentText)
	if m.content.n > 1 {
		l.add(" + ")
		l.count(m.content.n-1, "more", "more")
	}
}

type messages struct {
	first, last message
	n           int
}

func readMessages(r *reader) messages {
	var all messages
	for i := range r.elements() {
		all.last = message{}
		all.last.read(r)
		if i == 0 {
			all.first = all.last
		}
		all.n++
	}
	return all
}
