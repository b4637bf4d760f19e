package digest

// perMedian is how many calls a median is of, at least.
const perMedian = 8

// Medians returns the median times of equal parts of the calls in their order, of at most
// so many parts. It returns nil for a few calls.
func (l *Line) Medians(parts int) (all []int64) {
	parts = min(parts, len(l.took)/perMedian)
	for i := range parts {
		all = append(all, median(l.took[i*len(l.took)/parts:(i+1)*len(l.took)/parts]))
	}
	return all
}
