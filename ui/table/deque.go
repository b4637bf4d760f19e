package table

// A deque is a list that grows at both ends. An item keeps its index when others
// are added, so the first one may have a negative index.
type deque[T any] struct {
	items []T // from head on
	head  int
	zero  int // where the item with index 0 stands, or would stand
}

func (d *deque[T]) len() int   { return len(d.items) - d.head }
func (d *deque[T]) first() int { return d.head - d.zero }
func (d *deque[T]) end() int   { return len(d.items) - d.zero }

// at returns the item with an index.
func (d *deque[T]) at(i int) *T { return &d.items[d.zero+i] }

// all are the items, in order.
func (d *deque[T]) all() []T { return d.items[d.head:] }

func (d *deque[T]) push(item T) { d.items = append(d.items, item) }

func (d *deque[T]) pushFront(item T) {
	if d.head == 0 {
		d.makeRoom()
	}
	d.head--
	d.items[d.head] = item
}

// makeRoom makes as much room in front as there are items.
func (d *deque[T]) makeRoom() {
	room := len(d.items) + 64
	items := make([]T, room+len(d.items))
	copy(items[room:], d.items)
	d.items, d.head, d.zero = items, room, d.zero+room
}

// insert puts an item before that with an index, which it takes.
func (d *deque[T]) insert(i int, item T) {
	d.items = append(d.items, item)
	at := d.zero + i
	copy(d.items[at+1:], d.items[at:])
	d.items[at] = item
}

// remove takes out n items from an index on.
func (d *deque[T]) remove(i, n int) {
	at := d.zero + i
	d.items = append(d.items[:at], d.items[at+n:]...)
}
