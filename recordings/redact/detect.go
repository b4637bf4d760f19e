package redact

// A Detector looks for what has the shape of a token in bytes that come in
// pieces, for those who want to warn of it. It belongs to one goroutine.
type Detector struct {
	rules *compiled
	tail  []byte // of what came
	found string
}

// longestToken is how much of the end of a piece is looked at again with the
// next one.
const longestToken = 1 << 10

// NewDetector returns a detector of the shapes that Patterns names.
func NewDetector() *Detector {
	rules, err := compile(Rules{Patterns: Patterns()})
	if err != nil {
		panic("redact: " + err.Error()) // the patterns are ours
	}
	return &Detector{rules: rules}
}

// Found is the name of the first pattern that was found, "" for none.
func (d *Detector) Found() string { return d.found }

// Write implements io.Writer. It never fails, and does nothing more once
// something was found.
func (d *Detector) Write(p []byte) (int, error) {
	if d.found != "" {
		return len(p), nil
	}
	begin := append(d.tail, p[:min(len(p), longestToken)]...)
	d.look(begin)
	d.look(p)
	if len(p) >= longestToken {
		begin = p
	}
	d.tail = append([]byte(nil), begin[max(0, len(begin)-longestToken):]...)
	return len(p), nil
}

func (d *Detector) look(text []byte) {
	hit := d.rules.scanner.scan(text)
	for i, re := range d.rules.patterns {
		if d.found == "" && hit&(rulePatterns<<i) != 0 && re.Match(text) {
			d.found = d.rules.names[i]
		}
	}
}
