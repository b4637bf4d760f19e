package summary

import (
	"bytes"

	"mcpdbg/session/mcp"
)

const (
	argumentText = 100 // bytes of an argument
	nameText     = 60  // bytes of a name in a list
	mainText     = 240 // bytes of a text that is all of a summary
	longestID    = 12  // bytes of an id of a task that is shown whole
	shortID      = 8   // bytes that are shown of a longer one
)

type summarizer func(r *reader, l *line)

// callees read what a request or notification names from its params.
var callees = map[string]summarizer{
	mcp.MethodToolsCall:                  namedBy("name"),
	mcp.MethodPromptsGet:                 namedBy("name"),
	mcp.MethodReadResource:               namedBy("uri"),
	"resources/subscribe":                namedBy("uri"),
	"resources/unsubscribe":              namedBy("uri"),
	"notifications/resources/updated":    namedBy("uri"),
	"completion/complete":                completed,
	"tasks/get":                          namedBy("taskId"),
	"tasks/result":                       namedBy("taskId"),
	"tasks/cancel":                       namedBy("taskId"),
	"tasks/update":                       namedBy("taskId"),
	"notifications/tasks":                namedBy("taskId"),
	"notifications/tasks/status":         namedBy("taskId"),
	"notifications/elicitation/complete": namedBy("elicitationId"),
}

var requests = map[string]summarizer{
	mcp.MethodInitialize:                       opening,
	mcp.MethodDiscover:                         opening,
	mcp.MethodToolsCall:                        arguments,
	mcp.MethodPromptsGet:                       arguments,
	mcp.MethodReadResource:                     arguments,
	"tasks/update":                             arguments,
	"tasks/get":                                nothing,
	"tasks/result":                             nothing,
	"tasks/cancel":                             nothing,
	"resources/subscribe":                      nothing,
	"resources/unsubscribe":                    nothing,
	"notifications/resources/updated":          nothing,
	"notifications/elicitation/complete":       nothing,
	mcp.MethodToolsList:                        cursor,
	"resources/list":                           cursor,
	"resources/templates/list":                 cursor,
	"prompts/list":                             cursor,
	"tasks/list":                               cursor,
	"completion/complete":                      completion,
	"logging/setLevel":                         level,
	"subscriptions/listen":                     subscriptions,
	"notifications/subscriptions/acknowledged": subscriptions,
	mcp.MethodElicit:                           question,
	mcp.MethodSample:                           sampling,
	mcp.MethodCancelled:                        cancelled,
	mcp.MethodProgress:                         progress,
	"notifications/message":                    logMessage,
	"notifications/tasks":                      taskStatus,
	"notifications/tasks/status":               taskStatus,
}

func nothing(*reader, *line) {}

func unknownParams(r *reader, l *line) { l.previewValue(r, "") }

func namedBy(member string) summarizer {
	return func(r *reader, l *line) {
		for name := range r.members() {
			if string(name) == member {
				l.text(r.atom(), mainText)
			}
		}
	}
}

// completed appends the prompt or the URI template of ref.
func completed(r *reader, l *line) {
	for name := range r.members() {
		if string(name) != "ref" {
			continue
		}
		for name := range r.members() {
			if n := string(name); n == "name" || n == "uri" {
				l.text(r.str(), mainText)
			}
		}
	}
}

func opening(r *reader, l *line) {
	var version, client line
	version.max, client.max = nameText, 2*nameText
	read := func(name []byte) {
		switch string(name) {
		case "protocolVersion", mcp.MetaProtocolVersion:
			version.text(r.str(), nameText)
		case "clientInfo", mcp.MetaClientInfo:
			client.program(r)
		}
	}
	for name := range r.members() {
		if string(name) != "_meta" {
			read(name)
			continue
		}
		for name := range r.members() {
			read(name)
		}
	}
	l.add(version.String())
	if len(client.b) > 0 {
		l.separate(" ")
		l.add("client " + client.String())
	}
}

func (l *line) program(r *reader) {
	var program, version str
	for name := range r.members() {
		switch string(name) {
		case "name":
			program = r.str()
		case "version":
			version = r.str()
		}
	}
	l.text(program, nameText)
	if len(version.raw) > 0 {
		l.separate(" ")
		l.text(version, nameText)
	}
}

// arguments appends the arguments of a call, or only what the server has asked for if it
// has.
func arguments(r *reader, l *line) {
	answers, task := line{max: maxText}, false
	for name := range r.members() {
		switch string(name) {
		case "arguments":
			l.pairs(r)
		case "inputResponses":
			answers.answers(r)
		case "task":
			task = true
		}
	}
	if len(answers.b) > 0 {
		*l = answers
	}
	if task {
		l.separate(" ")
		l.add("as task")
	}
}

// answers appends the responses to what a server has asked for in a result.
func (l *line) answers(r *reader) {
	for key := range r.members() {
		l.separate(" ")
		l.answer(r, str{key, true})
	}
}

func (l *line) answer(r *reader, key str) {
	var action str
	content := line{max: maxText}
	other := false
	for name := range r.members() {
		switch string(name) {
		case "action":
			action = r.str()
		case "content":
			content.pairs(r)
		case "_meta":
		default:
			other = true
		}
	}
	if len(content.b) > 0 && !other {
		l.add(content.String())
		return
	}
	l.text(key, nameText)
	if action.raw != nil {
		l.add("=")
		l.text(action, nameText)
	}
}

func cursor(r *reader, l *line) {
	for name := range r.members() {
		if string(name) == "cursor" {
			l.add("cursor ")
			l.preview(r, 1)
		}
	}
}

func completion(r *reader, l *line) {
	for name := range r.members() {
		if string(name) != "argument" {
			continue
		}
		var argument, value str
		for name := range r.members() {
			switch string(name) {
			case "name":
				argument = r.str()
			case "value":
				value = r.str()
			}
		}
		l.add("argument ")
		l.text(argument, nameText)
		l.add("=")
		l.quote(value, argumentText)
	}
}

func level(r *reader, l *line) {
	for name := range r.members() {
		if string(name) == "level" {
			l.text(r.atom(), nameText)
		}
	}
}

func subscriptions(r *reader, l *line) {
	for name := range r.members() {
		if string(name) == "notifications" {
			for name := range r.members() {
				if kind, ok := bytes.CutSuffix(name, []byte("ListChanged")); ok && r.kind() == 't' {
					l.separate(", ")
					l.text(str{kind, true}, nameText)
				} else if string(name) == "resourceSubscriptions" {
					for range r.elements() {
						l.separate(", ")
						l.text(r.str(), argumentText)
					}
				}
			}
		}
	}
}

// question appends the question, and the fields of its form with a star after those that
// are required, or the URL.
func question(r *reader, l *line) {
	var text, url str
	var form fields
	for name := range r.members() {
		switch string(name) {
		case "message":
			text = r.str()
		case "url":
			url = r.str()
		case "requestedSchema":
			form = readFields(r)
		}
	}
	if text.raw != nil {
		l.quote(text, argumentText)
	}
	if url.raw != nil {
		l.separate(" ")
		l.text(url, argumentText)
	}
	if len(form.names) > 0 {
		l.separate(" ")
		for i, name := range form.names {
			if i > 0 {
				l.add(", ")
			}
			l.text(str{name, true}, nameText)
			for _, required := range form.required {
				if bytes.Equal(name, required) {
					l.add("*")
					break
				}
			}
		}
	}
}

const maxFields = 20

// fields are the fields of a form, and which of them are required.
type fields struct{ names, required [][]byte }

func readFields(r *reader) fields {
	var form fields
	for name := range r.members() {
		switch string(name) {
		case "properties":
			for field := range r.members() {
				if len(form.names) < maxFields {
					form.names = append(form.names, field)
				}
			}
		case "required":
			for range r.elements() {
				if field := r.str(); len(form.required) < maxFields && field.whole {
					form.required = append(form.required, field.raw)
				}
			}
		}
	}
	return form
}

func sampling(r *reader, l *line) {
	var all messages
	var most []byte
	for name := range r.members() {
		switch string(name) {
		case "messages":
			all = readMessages(r)
		case "maxTokens":
			most = r.scalar()
		}
	}
	if all.n > 1 {
		l.count(all.n, "message", "messages")
		l.add(": ")
	}
	if all.n > 0 {
		all.last.write(l)
	}
	if most != nil {
		l.separate(" ")
		l.add("max ")
		l.text(str{most, true}, nameText)
		l.add(" tokens")
	}
}

// cancelled appends the id of the request, and why.
func cancelled(r *reader, l *line) {
	var reason str
	for name := range r.members() {
		switch string(name) {
		case "requestId":
			l.requestID(r)
		case "reason":
			reason = r.str()
		}
	}
	if len(reason.raw) > 0 {
		l.separate(": ")
		l.text(reason, mainText)
	}
}

func (l *line) requestID(r *reader) {
	if r.kind() != '"' {
		l.preview(r, 1)
		return
	}
	id := r.str()
	if short := ID(`"` + string(id.raw) + `"`); short[0] != '"' {
		l.add(short)
	} else {
		l.quote(id, previewText)
	}
}

func progress(r *reader, l *line) {
	var done, total []byte
	var text str
	for name := range r.members() {
		switch string(name) {
		case "progress":
			done = r.scalar()
		case "total":
			total = r.scalar()
		case "message":
			text = r.str()
		}
	}
	l.text(str{done, true}, nameText)
	if len(total) > 0 && string(total) != "null" {
		l.add("/")
		l.text(str{total, true}, nameText)
	}
	if len(text.raw) > 0 {
		l.separate(" ")
		l.text(text, mainText)
	}
}

func logMessage(r *reader, l *line) {
	var level, logger str
	data := line{max: maxText}
	for name := range r.members() {
		switch string(name) {
		case "level":
			level = r.str()
		case "logger":
			logger = r.str()
		case "data":
			if r.kind() == '"' {
				data.text(r.str(), mainText)
			} else {
				data.preview(r, 0)
			}
		}
	}
	l.text(level, nameText)
	if len(logger.raw) > 0 {
		l.separate(" ")
		l.text(logger, nameText)
	}
	if len(data.b) > 0 {
		l.separate(": ")
		l.add(data.String())
	}
}

func taskStatus(r *reader, l *line) {
	var s state
	for name := range r.members() {
		s.read(r, name)
	}
	s.write(l)
}
