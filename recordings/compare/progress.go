package compare

import "strconv"

// tell takes what was told of progress before the answer.
func (r *record) tell(value []byte) {
	v, err := strconv.ParseFloat(string(value), 64)
	if err != nil || r.flags&progressed != 0 && v < r.last {
		r.flags |= falls
	}
	r.last = v
	r.flags |= progressed
}

// progress compares what was told of progress: whether there was any, whether
// it ever fell, and where it ended. How often it was told does not matter.
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
		c.report(Difference{Class: ClassProgress, Change: Changed, Pointer: "/progress"}, []byte(x), []byte(y))
	}
}
