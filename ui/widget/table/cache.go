package table

import "mcpdbg/ui/widget/paint"

// rowCache caches painted rows. Each position of the list has a fixed slot,
// which positions visible at the same time never share, so nothing is searched,
// evicted or allocated; the buffers are painted over.
type rowCache struct {
	rows    []cachedRow
	scratch paint.Line
}

type cachedRow struct {
	key  rowKey
	line paint.Line
}

// rowKey holds everything that the look of a row depends on, except the layout
// and the theme, which clear the cache when they change.
type rowKey struct {
	row     int
	version uint32
	look    look
	valid   bool
}

// resize makes room for three pages of rows and clears the cache.
func (c *rowCache) resize(screen int) {
	if n := 3 * screen; n != len(c.rows) {
		c.rows = make([]cachedRow, n)
	}
	c.clear()
}

// clear removes all rows and keeps the buffers.
func (c *rowCache) clear() {
	for i := range c.rows {
		c.rows[i].key = rowKey{}
	}
}

func (c *rowCache) at(position int) *cachedRow {
	return &c.rows[position%len(c.rows)]
}
