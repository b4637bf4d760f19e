package filter

// Texts returns ASCII texts in lower case of which one is in every message that
// passes, in any case, unless its method matches (see MatchesMethod). It returns nil
// if there are no such texts, or if something else decides about a row, such as the
// request for a latency, or the words that its row shows.
func (f *Filter) Texts() [][]byte {
	if f == nil {
		return nil
	}
	var texts [][]byte
	for _, words := range f.alternatives {
		positive := false
		for _, w := range words {
			switch t := w.test.(type) {
			case textTest, regexpTest:
				searched := t.(searched)
				lower, _ := searched.literal()
				if len(lower) == 0 || mayShow(searched.in) {
					return nil
				}
				texts = append(texts, lower)
				positive = positive || !w.not
			case dirTest, kindTest, entryTest, strayTest, seqTest, runTest:
			default:
				return nil
			}
		}
		if !positive {
			return nil
		}
	}
	return texts
}

// MatchesMethod reports whether a text of the filter is in the name of a method. It
// then decides about all messages with that method, and about the responses to them.
func (f *Filter) MatchesMethod(name string) bool {
	for _, words := range f.alternatives {
		for _, w := range words {
			switch t := w.test.(type) {
			case textTest:
				if t.in([]byte(name)) {
					return true
				}
			case regexpTest:
				if t.MatchString(name) {
					return true
				}
			}
		}
	}
	return false
}
