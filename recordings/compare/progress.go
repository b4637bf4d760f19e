package compare

import "strconv"

// tell records a progress notification before the response.
func (r *record) tell(value []byte) {
	v, err := strconv.ParseFloat(string(value), 64)
	if err != nil || r.flags&progressed != 0 && v < r.last {
		r.flags |= falls
	}
	r.last = v
	r.flags |= progressed
}

// progress compares the progress notifications: whether there were any, whether the
// progress ever decreased, and its last value. Their number does not matter.
func (c *comparer) progress(a, b *record) {
	says := func(r *record) string {
		switch {
		case r.flags&progressed == 0:
			return "none"
		case r.flags&falls != 0:
			return "not rising"
		}
		return "up to " + strconv.FormatFloat(r.last, 'g', -1, 64)
	}
	if (a.flags|b.flags)&progressed == 0 {
		return
	}
	if x, y := says(a), says(b); x != y {
		c.report(Difference{Class: ClassProgress, Change: changeChanged, Pointer: "/progress"}, []byte(x), []byte(y))
	}
}
