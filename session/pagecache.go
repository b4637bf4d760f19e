package session

// cachedPages is how many pages that were read back an Index keeps: 1 MiB. Who
// looks at rows looks at their partners, too, which are on few other pages.
const cachedPages = 16

// A pageCache keeps the pages that were used last. The zero value is empty.
type pageCache struct {
	pages [cachedPages]*[pageRows]Row
	at    [cachedPages]int    // which page each is
	used  [cachedPages]uint64 // when
	clock uint64
}

// get returns page i, nil if it is not there.
func (c *pageCache) get(i int) *[pageRows]Row {
	for k, page := range c.pages {
		if page != nil && c.at[k] == i {
			c.clock++
			c.used[k] = c.clock
			return page
		}
	}
	return nil
}

// put keeps page i in the place of the one that was not used for the longest.
func (c *pageCache) put(i int, page *[pageRows]Row) {
	oldest := 0
	for k := range c.used {
		if c.used[k] < c.used[oldest] {
			oldest = k
		}
	}
	c.clock++
	c.pages[oldest], c.at[oldest], c.used[oldest] = page, i, c.clock
}
