package mock

import (
	"fmt"
	"strconv"
	"strings"

	"mcpdbg/session"
)

// A Fault is an error injected into the served session. ParseFault creates one.
type Fault struct {
	kind   string
	method string
	n      uint64
	code   int
}

// FaultWords describes the syntax that ParseFault accepts.
const FaultWords = "drop:METHOD, cut:N, garbage:N or exit:N:CODE"

// ParseFault parses a fault. Responses are counted from 1:
//
//	drop:METHOD   requests of the method are not answered
//	cut:N         response N is cut in half, followed by a newline
//	garbage:N     a line that is not JSON precedes response N
//	exit:N:CODE   the server exits instead of sending response N
func ParseFault(text string) (Fault, error) {
	kind, rest, _ := strings.Cut(text, ":")
	f := Fault{kind: kind}
	var err error
	switch kind {
	case "drop":
		if f.method = rest; rest == "" {
			return f, fmt.Errorf("fault %q: missing method", text)
		}
		return f, nil
	case "exit":
		n, code, _ := strings.Cut(rest, ":")
		if f.code, err = strconv.Atoi(code); err != nil || f.code < 0 || f.code > 255 {
			return f, fmt.Errorf("fault %q: exit code must be a number from 0 to 255", text)
		}
		rest = n
	case "cut", "garbage":
	default:
		return f, fmt.Errorf("fault %q: must be %s", text, FaultWords)
	}
	if f.n, err = strconv.ParseUint(rest, 10, 64); err != nil || f.n == 0 {
		return f, fmt.Errorf("fault %q: invalid response number %q", text, rest)
	}
	return f, nil
}

type faults struct {
	all       []Fault
	responses uint64 // so far
}

func (f *faults) drops(method string) bool {
	for i := range f.all {
		if f.all[i].kind == "drop" && f.all[i].method == method {
			return true
		}
	}
	return false
}

// apply applies faults to a response that is about to be written; ends is true if the
// server ends instead.
func (f *faults) apply(s *Server, e *session.Entry) (ends bool) {
	f.responses++
	for i := range f.all {
		fault := &f.all[i]
		if fault.n != f.responses {
			continue
		}
		switch fault.kind {
		case "garbage":
			s.out.raw([]byte("garbage: this line is not JSON {\n"))
		case "cut":
			e.Payload = e.Payload[:len(e.Payload)/2]
		case "exit":
			s.end(Ending{Code: fault.code})
			return true
		}
	}
	return false
}
