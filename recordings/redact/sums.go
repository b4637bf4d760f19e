package redact

import (
	"fmt"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"mcpdbg/session"
)

// A sum holds the checksums of one stream of one process, before and after.
type sum struct {
	was, is   xxhash.Digest
	had, has  uint64
	different bool
}

type sums map[session.Kind]*sum

// newSums returns the sums for a new process.
func newSums() sums {
	s := sums{}
	for _, kind := range []session.Kind{session.KindStdin, session.KindStdout, session.KindStderr} {
		s[kind] = &sum{was: *xxhash.New(), is: *xxhash.New()}
	}
	return s
}

// add adds an entry. While nothing has changed, only one hash is computed.
func (s *sum) add(payload []byte, eol string, edits []edit) (changed []byte) {
	if len(edits) > 0 && !s.different {
		s.is, s.different = s.was, true
	}
	s.had += uint64(len(payload) + len(eol))
	_, _ = s.was.Write(payload) // a hash never fails
	_, _ = s.was.WriteString(eol)
	if len(edits) > 0 {
		payload = apply(nil, payload, edits)
	}
	s.has += uint64(len(payload) + len(eol))
	if s.different {
		_, _ = s.is.Write(payload)
		_, _ = s.is.WriteString(eol)
	}
	return payload
}

// written matches the sums in a closed or failed entry.
var written = expression(`"(stdin|stdout|stderr)":\s*\{\s*"bytes":\s*(\d+),\s*"xxh64":\s*"([0-9a-f]*)"`)

// correct returns the edits that update the sums of an entry to the new streams. Wrong
// sums stay wrong, but reveal nothing about what was removed.
func (s sums) correct(line []byte) (edits []edit) {
	for _, m := range written().FindAllSubmatchIndex(line, -1) {
		sum := s[session.ParseKind(line[m[2]:m[3]])]
		if !sum.different {
			continue
		}
		bytes, _ := strconv.ParseUint(string(line[m[4]:m[5]]), 10, 64)
		hash := fmt.Sprintf("%016x", sum.is.Sum64())
		if bytes != sum.had || string(line[m[6]:m[7]]) != fmt.Sprintf("%016x", sum.was.Sum64()) {
			hash = "0000000000000000"
		}
		edits = append(edits,
			edit{from: m[4], to: m[5], text: strconv.FormatUint(bytes-sum.had+sum.has, 10)},
			edit{from: m[6], to: m[7], text: hash})
	}
	return edits
}
