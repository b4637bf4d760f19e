package index

import "mcpdbg/session"

// cachedPages is how many pages that were read back an Index keeps: 1 MiB.
// Readers of rows also read their partners, which are on few other pages.
const cachedPages = 16

// A pageCache holds the most recently used pages. The zero value is empty.
type pageCache struct {
	pages [cachedPages]*[pageRows]session.Row
	at    [cachedPages]int    // index of each page
	used  [cachedPages]uint64 // clock of the last use
	clock uint64
}

// get returns page i, or nil if it is not cached.
func (c *pageCache) get(i int) *[pageRows]session.Row {
	for k, page := range c.pages {
		if page != nil && c.at[k] == i {
			c.clock++
			c.used[k] = c.clock
			return page
		}
	}
	return nil
}

// put adds page i in place of the least recently used one.
func (c *pageCache) put(i int, page *[pageRows]session.Row) {
	oldest := 0
	for k := range c.used {
		if c.used[k] < c.used[oldest] {
			oldest = k
		}
	}
	c.clock++
	c.pages[oldest], c.at[oldest], c.used[oldest] = page, i, c.clock
}
