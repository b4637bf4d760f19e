package redact

// A pair is an object that names a value in another member, as in
// {"name":"password","value":"x"}.
type pair struct {
	key      string // that the name matches
	from, to int    // the value, if it came before the name
}

// paired walks through a member that may be half of a pair.
func (w *walker) paired(p *pair, name []byte, f treatment) {
	from := w.At
	switch string(name) {
	case "name", "key":
		w.value(f)
		if p.key = w.nameIn(w.Data[from:w.At]); p.key != "" && p.to > 0 {
			at, last := w.At, len(w.path)-1
			name := w.path[last]
			w.At, w.path[last] = p.from, []byte("value")
			w.value(treatment{rule: "key " + p.key})
			w.At, w.path[last] = at, name
		}
	case "value":
		scalar := w.isScalar()
		if scalar && p.key != "" {
			f.rule = "key " + p.key
		}
		w.value(f)
		if scalar {
			p.from, p.to = from, w.At
		}
	default:
		w.value(f)
	}
}

func (w *walker) isScalar() bool {
	first := w.Peek()
	return first == '"' || first == '-' || '0' <= first && first <= '9'
}

// nameIn returns the key that a string matches, ignoring the dashes of an option.
func (w *walker) nameIn(raw []byte) string {
	if len(raw) < 3 || len(raw) > longestName || raw[0] != '"' {
		return ""
	}
	text := w.decoded(raw[1 : len(raw)-1])
	for len(text) > 0 && text[0] == '-' {
		text = text[1:]
	}
	return w.key(text)
}

// awsSecret is too general by itself.
var awsSecret = expression(`^[0-9A-Za-z/+]{40}$`)

var awsID = expression(`^(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}$`)

// afterID reports whether text is an AWS secret key whose id is the string before it.
func (w *walker) afterID(text []byte) bool {
	after := w.awsID && len(text) == 40 && awsSecret().Match(text)
	w.awsID = w.aws && len(text) == 20 && awsID().Match(text)
	return after
}

// awsPattern is the pattern of afterID.
const awsPattern = "aws-secret"
