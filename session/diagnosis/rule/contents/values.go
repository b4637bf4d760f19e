package contents

import (
	"fmt"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis"
)

// maxValues is how many values a completion may have.
const maxValues = 100

// completion checks the result of completion/complete.
func (s *spot) completion(raw []byte) {
	if !isObject(raw) {
		return
	}
	values := framing.Member(raw, "values").Of(raw)
	if !isArray(values) {
		return
	}
	count := 0
	for range framing.Elements(values) {
		count++
	}
	if count > maxValues {
		s.found(sch09, "/completion/values", fmt.Sprintf("%d values; the limit is %d", count, maxValues))
	}
}

// rootsResult checks the roots that a client lists.
func (s *spot) rootsResult(roots []byte) {
	s.each("/roots", roots, func(root []byte) {
		s.metaOf(root)
		raw := framing.Member(root, "uri").Of(root)
		uri, ok := textOf(raw)
		if !ok {
			return
		}
		if !strings.HasPrefix(string(uri), "file://") {
			s.foundAs(sch05, diagnosis.Error, "/uri", "the uri of a root must begin with file://: "+excerpt(string(uri)))
			return
		}
		s.uri("/uri", raw)
	})
}
