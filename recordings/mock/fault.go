package mock

import (
	"fmt"
	"strconv"
	"strings"

	"mcpdbg/session"
)

// A Fault is put over what is served. ParseFault makes one.
type Fault struct {
	kind   string
	method string
	n      uint64
	code   int
}

// FaultWords describe what ParseFault reads.
const FaultWords = "drop:METHOD, cut:N, garbage:N or exit:N:CODE"

// ParseFault reads a fault. Answers are counted from 1:
//
//	drop:METHOD   requests of the method are not answered
//	cut:N         answer N ends in its middle, with a newline
//	garbage:N     a line that is no JSON stands before answer N
//	exit:N:CODE   the server exits in the place of answer N
func ParseFault(text string) (Fault, error) {
	kind, rest, _ := strings.Cut(text, ":")
	f := Fault{kind: kind}
	var err error
	switch kind {
	case "drop":
		if f.method = rest; rest == "" {
			return f, fmt.Errorf("fault %q: which method?", text)
		}
		return f, nil
	case "exit":
		n, code, _ := strings.Cut(rest, ":")
		if f.code, err = strconv.Atoi(code); err != nil || f.code < 0 || f.code > 255 {
			return f, fmt.Errorf("fault %q: the exit code is a number from 0 to 255", text)
		}
		rest = n
	case "cut", "garbage":
	default:
		return f, fmt.Errorf("fault %q: must be %s", text, FaultWords)
	}
	if f.n, err = strconv.ParseUint(rest, 10, 64); err != nil || f.n == 0 {
		return f, fmt.Errorf("fault %q: %q is not the number of an answer", text, rest)
	}
	return f, nil
}

// faults are those of a Server.
type faults struct {
	all     []Fault
	answers uint64 // so far
}

func newFaults(all []Fault) faults { return faults{all: all} }

// drops tells whether requests of a method are not answered.
func (f *faults) drops(method string) bool {
	for i := range f.all {
		if f.all[i].kind == "drop" && f.all[i].method == method {
			return true
		}
	}
	return false
}

// answer spoils an answer that is about to be written; true if the server ends
// in its place.
func (f *faults) answer(s *Server, e *session.Entry) (ends bool) {
	f.answers++
	for i := range f.all {
		fault := &f.all[i]
		if fault.n != f.answers {
			continue
		}
		switch fault.kind {
		case "garbage":
			s.out.raw([]byte("garbage: this line is no JSON {\n"))
		case "cut":
			e.Payload = e.Payload[:len(e.Payload)/2]
		case "exit":
			s.end(Ending{Code: fault.code})
			return true
		}
	}
	return false
}
