package redact

// A Detector searches a stream of bytes for tokens, so that callers can warn about
// them. It belongs to one goroutine.
type Detector struct {
	rules *compiled
	tail  []byte // end of the stream so far
	found string
}

// longestToken is how many bytes at the end of a piece are searched again with the
// next one.
const longestToken = 1 << 10

// NewDetector returns a detector for the default Patterns.
func NewDetector() *Detector {
	rules, err := compile(Rules{Patterns: defaultPatterns()})
	if err != nil {
		panic("redact: " + err.Error()) // the patterns are constant
	}
	return &Detector{rules: rules}
}

// Found returns the name of the first pattern that was found, or "".
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
		if d.found == "" && hit&patternBit(i) != 0 && re.Match(text) {
			d.found = d.rules.names[i]
		}
	}
}
