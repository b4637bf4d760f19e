package table

// A deque is a list that grows at both ends. An item keeps its index when
// others are added, so the first index may be negative.
type deque[T any] struct {
	items []T // from head on
	head  int
	zero  int // position of the item with index 0, even if there is none
}

func (d *deque[T]) len() int   { return len(d.items) - d.head }
func (d *deque[T]) first() int { return d.head - d.zero }
func (d *deque[T]) end() int   { return len(d.items) - d.zero }

// at returns the item at an index.
func (d *deque[T]) at(i int) *T { return &d.items[d.zero+i] }

// all returns the items in order.
func (d *deque[T]) all() []T { return d.items[d.head:] }

func (d *deque[T]) push(item T) { d.items = append(d.items, item) }

func (d *deque[T]) pushFront(item T) {
	if d.head == 0 {
		d.makeRoom()
	}
	d.head--
	d.items[d.head] = item
}

// makeRoom doubles the capacity by making room at the front.
func (d *deque[T]) makeRoom() {
	room := len(d.items) + 64
	items := make([]T, room+len(d.items))
	copy(items[room:], d.items)
	d.items, d.head, d.zero = items, room, d.zero+room
}

// insert inserts an item at an index, before the item that is there.
func (d *deque[T]) insert(i int, item T) {
	d.items = append(d.items, item)
	at := d.zero + i
	copy(d.items[at+1:], d.items[at:])
	d.items[at] = item
}

// remove removes n items from an index on.
func (d *deque[T]) remove(i, n int) {
	at := d.zero + i
	d.items = append(d.items[:at], d.items[at+n:]...)
}
