package summary

import (
	"strconv"

	"mcpdbg/session/mcp"
)

var results = map[string]summarizer{
	mcp.MethodInitialize:       server,
	mcp.MethodDiscover:         server,
	mcp.MethodToolsCall:        toolResult,
	"tasks/result":             toolResult,
	mcp.MethodPromptsGet:       promptResult,
	mcp.MethodReadResource:     contents,
	mcp.MethodToolsList:        items("tools", "tool", "name"),
	"resources/list":           items("resources", "resource", "name"),
	"resources/templates/list": items("resourceTemplates", "template", "name"),
	"prompts/list":             items("prompts", "prompt", "name"),
	"tasks/list":               items("tasks", "task", "taskId"),
	mcp.MethodRoots:            items("roots", "root", "uri"),
	"completion/complete":      values,
	mcp.MethodElicit:           answered,
	mcp.MethodSample:           sampled,
	"tasks/get":                taskResult,
	"tasks/cancel":             taskResult,
	"tasks/update":             taskResult,
}

func unknownResult(r *reader, l *line) { l.previewValue(r, "ok") }

func server(r *reader, l *line) {
	var revisions, offers line
	l.max, revisions.max, offers.max = maxText, nameText, argumentText
	for name := range r.members() {
		switch string(name) {
		case "serverInfo":
			l.program(r)
		case "protocolVersion":
			revisions.text(r.str(), nameText)
		case "supportedVersions":
			for range r.elements() {
				revisions.separate(", ")
				revisions.text(r.str(), nameText)
			}
		case "capabilities":
			for name := range r.members() {
				offers.separate(", ")
				offers.text(str{name, true}, nameText)
			}
		case "_meta":
			for name := range r.members() {
				if string(name) == mcp.MetaServerInfo {
					l.program(r)
				}
			}
		}
	}
	for _, part := range []*line{&revisions, &offers} {
		if len(part.b) > 0 {
			l.separate(" · ")
			l.add(part.String())
		}
	}
	if len(l.b) == 0 {
		l.rest(r)
	}
}

func toolResult(r *reader, l *line) {
	var s state
	var content blocks
	structured := line{max: maxText}
	failed, listed := false, false
	for name := range r.members() {
		switch string(name) {
		case "content":
			content, listed = readBlocks(r), true
		case "structuredContent":
			structured.preview(r, 0)
		case "isError":
			failed = r.kind() == 't'
		default:
			s.read(r, name)
		}
	}
	if s.pending(l) {
		return
	}
	if failed {
		l.add("failed")
	}
	switch {
	case content.n == 1 && content.first[0].isText(), failed && content.n > 0 && content.first[0].isText():
		l.separate(": ")
		l.text(content.first[0].text, mainText)
	case content.n > 0:
		l.separate(": ")
		content.write(l, r)
	case len(structured.b) > 0:
		l.separate(": ")
		l.add(structured.String())
	case r.end:
		l.rest(r)
	case listed && !failed:
		l.add("no content")
	case !failed:
		l.add("ok")
	}
}

func promptResult(r *reader, l *line) {
	var s state
	var all messages
	for name := range r.members() {
		if string(name) == "messages" {
			all = readMessages(r)
		} else {
			s.read(r, name)
		}
	}
	switch {
	case s.pending(l):
	case r.end && all.n == 0:
		l.add("messages")
		l.rest(r)
	default:
		l.counted(r, all.n, "message", "messages")
		if all.n > 0 {
			l.add(": ")
			all.first.write(l)
		}
	}
}

func contents(r *reader, l *line) {
	var s state
	var all blocks
	listed := false
	for name := range r.members() {
		if string(name) == "contents" {
			all, listed = readBlocks(r), true
		} else {
			s.read(r, name)
		}
	}
	if s.pending(l) {
		return
	}
	for i := range min(all.n, shownBlocks) {
		l.separate(" + ")
		all.first[i].resource(l)
	}
	switch {
	case all.n > shownBlocks && !r.end:
		l.add(" + ")
		l.count(all.n-shownBlocks, "more", "more")
	case r.end:
		l.rest(r)
	case listed && all.n == 0:
		l.add("no contents")
	case all.n == 0:
		l.add("ok")
	}
}

// listRoom is how many bytes the names in a list may take.
const listRoom = maxText - 40

// items returns a summarizer for a list, such as 13 tools: echo, add. A member of each
// item is its name.
func items(member, one, label string) summarizer {
	many := one + "s"
	return func(r *reader, l *line) {
		names, n, next := line{max: listRoom}, 0, false
		for name := range r.members() {
			switch string(name) {
			case member:
				for range r.elements() {
					n++
					names.item(r, label)
				}
			case "nextCursor":
				next = r.kind() == '"'
			}
		}
		if r.end && n == 0 {
			l.add(many)
			l.rest(r)
			return
		}
		l.counted(r, n, one, many)
		between := ": "
		if next {
			l.add(" · next page")
			between = " · "
		}
		if len(names.b) > 0 {
			l.add(between + names.String())
		}
		if r.end {
			l.add(", " + dots)
		}
	}
}

func (l *line) item(r *reader, label string) {
	if l.full {
		return
	}
	for name := range r.members() {
		if string(name) != label {
			continue
		}
		if s := r.str(); len(s.raw) > 0 {
			l.separate(", ")
			l.text(s, nameText)
		}
	}
}

// counted appends a plus if there may be more.
func (l *line) counted(r *reader, n int, one, many string) {
	if !r.end {
		l.count(n, one, many)
		return
	}
	l.add(strconv.Itoa(n) + "+ " + many)
}

func values(r *reader, l *line) {
	var total []byte
	n, more := 0, false
	texts := line{max: listRoom}
	for name := range r.members() {
		if string(name) != "completion" {
			continue
		}
		for name := range r.members() {
			switch string(name) {
			case "values":
				for range r.elements() {
					n++
					texts.separate(", ")
					texts.text(r.str(), nameText)
				}
			case "total":
				total = r.scalar()
			case "hasMore":
				more = r.kind() == 't'
			}
		}
	}
	if all, err := strconv.Atoi(string(total)); err == nil && all > n {
		l.add(strconv.Itoa(n) + " of " + strconv.Itoa(all) + " values")
	} else if more || r.end {
		l.add(strconv.Itoa(n) + "+ values")
	} else {
		l.count(n, "value", "values")
	}
	if len(texts.b) > 0 {
		l.add(": " + texts.String())
	}
}

func answered(r *reader, l *line) {
	content := line{max: maxText}
	for name := range r.members() {
		switch string(name) {
		case "action":
			l.text(r.atom(), nameText)
		case "content":
			if r.kind() == '{' {
				content.preview(r, 0)
			}
		}
	}
	if len(content.b) > 0 {
		l.separate(" ")
		l.add(content.String())
	}
}

func sampled(r *reader, l *line) {
	var content blocks
	var model str
	for name := range r.members() {
		switch string(name) {
		case "content":
			content = readBlocks(r)
		case "model":
			model = r.str()
		}
	}
	content.write(l, r)
	if len(model.raw) > 0 {
		l.separate(" ")
		l.add("by ")
		l.text(model, nameText)
	}
}

func taskResult(r *reader, l *line) {
	var s state
	result := line{max: maxText}
	for name := range r.members() {
		switch string(name) {
		case "result":
			toolResult(r, &result)
		case "error":
			failure(r, &result)
		default:
			s.read(r, name)
		}
	}
	s.write(l)
	switch {
	case len(result.b) > 0:
		l.separate(": ")
		l.add(result.String())
	case len(l.b) > 0:
	case r.end:
		l.rest(r)
	default:
		l.add("ok")
	}
}
