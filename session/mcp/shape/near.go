package shape

// minTypo is the shortest member whose name with one wrong letter is a misspelling.
const minTypo = 6

// A nearName is an unknown member that is spelled almost like a known one.
type nearName struct {
	name   []byte
	at     int // its value
	member int
}

// nearNames are the first of them in an object.
type nearNames struct {
	all [4]nearName
	n   int
}

func (x *nearNames) note(s *Shape, revision uint8, name []byte, at int) {
	if x.n == len(x.all) || len(name) == 0 || len(name) > maxName {
		return
	}
	for j := range s.members {
		if m := &s.members[j]; m.have(revision) && isNear(name, m.name) {
			x.all[x.n] = nearName{name, at, j}
			x.n++
			return
		}
	}
}

func (w *Walker) misspelled(s *Shape, seen uint64, near *nearNames) {
	for _, x := range near.all[:near.n] {
		if m := &s.members[x.member]; seen&(1<<x.member) == 0 {
			w.reportMember(Problem{Kind: Misspelled, Got: string(x.name), Want: m.name}, m.name, x.at)
		}
	}
}

// isNear reports whether name is known with other capitals, with underscores or
// hyphens, or with one wrong, missing, additional or swapped letter.
func isNear(name []byte, known string) bool {
	if known[0] == '_' {
		return false
	}
	return sameWords(name, known) || len(known) >= minTypo && oneEdit(name, known)
}

// sameWords compares letters and digits only, regardless of case.
func sameWords(a []byte, b string) bool {
	j := 0
	for _, c := range a {
		if c == '_' || c == '-' {
			continue
		}
		for j < len(b) && (b[j] == '_' || b[j] == '-') {
			j++
		}
		if j == len(b) || lower(c) != lower(b[j]) {
			return false
		}
		j++
	}
	return j == len(b)
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// oneEdit reports whether one edit turns a into b.
func oneEdit(a []byte, b string) bool {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	restA, restB := string(a[i:]), b[i:]
	switch len(a) - len(b) {
	case 0:
		swapped := len(restA) >= 2 && restA[0] == restB[1] && restA[1] == restB[0] && restA[2:] == restB[2:]
		return swapped || len(restA) >= 1 && restA[1:] == restB[1:]
	case 1:
		return restA[1:] == restB
	case -1:
		return restA == restB[1:]
	}
	return false
}
