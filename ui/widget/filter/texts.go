package filter

// Texts returns ASCII texts in lower case of which one is in every message that
// passes, in any case, unless its method matches (see MatchesMethod). It returns nil
// if there are no such texts, or if other rows decide about a row, such as the request
// for a latency.
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
				lower, _ := t.(literal).literal()
				if len(lower) == 0 {
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
