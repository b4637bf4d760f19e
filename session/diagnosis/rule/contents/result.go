package contents

import (
	"fmt"
	"strings"

	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
)

// A result has the members of a result that the rules are about, nil for those that
// it does not have.
type result struct {
	meta, content, structured, isError, resultType, task []byte
	items, nextCursor                                    []byte // of a list
	contents, messages, completion, roots                []byte
	serverInfo, capabilities                             []byte
	inputRequests, requestState                          []byte
}

func readResult(raw []byte) (r result) {
	for name, value := range message.Members(raw) {
		switch string(name) {
		case "_meta":
			r.meta = value
		case "content":
			r.content = value
		case "structuredContent":
			r.structured = value
		case "isError":
			r.isError = value
		case "resultType":
			r.resultType = value
		case "task":
			r.task = value
		case "tools", "prompts", "resources", "resourceTemplates":
			r.items = value
		case "nextCursor":
			r.nextCursor = value
		case "contents":
			r.contents = value
		case "messages":
			r.messages = value
		case "completion":
			r.completion = value
		case "roots":
			r.roots = value
		case "serverInfo":
			r.serverInfo = value
		case "capabilities":
			r.capabilities = value
		case "inputRequests":
			r.inputRequests = value
		case "requestState":
			r.requestState = value
		}
	}
	return r
}

const maxValues = 100

func (s *messageChecker) completion(raw []byte) {
	if !isObject(raw) {
		return
	}
	values := message.Member(raw, "values")
	if !isArray(values) {
		return
	}
	count := 0
	for range message.Elements(values) {
		count++
	}
	if count > maxValues {
		s.found(sch09, "/completion/values", fmt.Sprintf("%d values; the limit is %d", count, maxValues))
	}
}

func (s *messageChecker) rootsResult(roots []byte) {
	s.each("/roots", roots, func(root []byte) {
		s.metaOf(root)
		raw := message.Member(root, "uri")
		uri, ok := textOf(raw)
		if !ok {
			return
		}
		if !strings.HasPrefix(string(uri), "file://") {
			s.foundAs(sch05, diagnosis.Error, "/uri", "the uri of a root must begin with file://: "+message.Excerpt(uri))
			return
		}
		s.uri("/uri", raw)
	})
}
