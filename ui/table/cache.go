package table

import "mcpdbg/ui/paint"

// rowCache keeps painted rows. A position of the list has one fixed place in
// it, which neighbours on the screen never share, so nothing is searched,
// evicted or allocated; the buffers are painted over.
type rowCache struct {
	rows    []cachedRow
	scratch paint.Line
}

type cachedRow struct {
	key  rowKey
	line paint.Line
}

// rowKey is everything that the look of a row depends on beside the layout
// and the theme, which clear the cache when they change.
type rowKey struct {
	row     int
	version uint32
	look    look
	valid   bool
}

// resize makes room for three screens of rows and forgets all of them.
func (c *rowCache) resize(screen int) {
	if n := 3 * screen; n != len(c.rows) {
		c.rows = make([]cachedRow, n)
	}
	c.clear()
}

// clear forgets all rows and keeps the buffers.
func (c *rowCache) clear() {
	for i := range c.rows {
		c.rows[i].key = rowKey{}
	}
}

func (c *rowCache) at(position int) *cachedRow {
	return &c.rows[position%len(c.rows)]
}
