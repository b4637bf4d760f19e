package grid

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"
)

// A Sort is an order of targets.
type Sort uint8

// The sort orders.
const (
	AsGiven     Sort = iota
	FailedFirst      // by cause; then running, cancelled, waiting, unsure and passed targets
	Slowest          // the slowest first
	ByHost           // h2 before h10
	sortCount
)

// String returns the name of the order.
func (s Sort) String() string {
	switch s {
	case FailedFirst:
		return "failures first"
	case Slowest:
		return "slowest first"
	case ByHost:
		return "by host"
	}
	return "as given"
}

// Sort returns the order of the list.
func (g *Grid) Sort() Sort { return g.sort }

// NextSort switches to the next order.
func (g *Grid) NextSort() {
	g.sort = (g.sort + 1) % sortCount
	g.arrange()
	if g.follow {
		g.followNewest()
	}
}

// FailedOnly reports whether only failed targets are listed.
func (g *Grid) FailedOnly() bool { return g.only }

// SetFailedOnly lists only failed targets, or all.
func (g *Grid) SetFailedOnly(on bool) {
	g.only = on
	g.arrange()
}

// Filter returns the text of the filter.
func (g *Grid) Filter() string { return g.filter }

// SetFilter lists only targets whose line contains all words of a text, ignoring case.
func (g *Grid) SetFilter(text string) {
	g.filter = strings.TrimSpace(text)
	g.words = strings.Fields(strings.ToLower(text))
	g.arrange()
}

func (g *Grid) needsArranging() bool { return g.sort != AsGiven || g.only || len(g.words) > 0 }

// arrange sorts and filters the targets. The cursor stays on its target, or on its line
// if that is no longer listed.
func (g *Grid) arrange() {
	before, all := g.order, g.source.Len()
	g.arranged, g.order = time.Now(), nil
	if g.needsArranging() {
		g.order = g.sorted()
		g.places = slices.Grow(g.places[:0], all)[:all]
		for i := range g.places {
			g.places[i] = -1
		}
		for at, target := range g.order {
			g.places[target] = int32(at)
		}
	}
	g.table.Renumbered(func(at int) int {
		target := at
		if before != nil && at < len(before) {
			target = int(before[at])
		}
		if g.order == nil {
			return target
		}
		if target < all && g.places[target] >= 0 {
			return int(g.places[target])
		}
		return at
	})
}

type key struct {
	target int32
	rank   int32
	took   time.Duration
	text   string
}

func (g *Grid) sorted() []int32 {
	var keys []key
	for i := range g.source.Len() {
		row := g.source.Row(i)
		if g.only && row.State != Failed || !g.matchesFilter(&row) {
			continue
		}
		keys = append(keys, g.keyOf(int32(i), &row))
	}
	if g.sort != AsGiven {
		sort.SliceStable(keys, func(i, j int) bool {
			a, b := &keys[i], &keys[j]
			return cmp.Or(cmp.Compare(a.rank, b.rank), -cmp.Compare(a.took, b.took), compareNames(a.text, b.text)) < 0
		})
	}
	order := make([]int32, len(keys))
	for i := range keys {
		order[i] = keys[i].target
	}
	return order
}

func (g *Grid) keyOf(target int32, row *Row) key {
	k := key{target: target}
	switch g.sort {
	case FailedFirst:
		k.rank = [...]int32{Failed: 0, Running: 1, Cancelled: 2, Waiting: 3, Tolerated: 4, Unsure: 5, Passed: 6, Skipped: 7}[row.State]
		k.text = row.Cause
	case Slowest:
		k.took = row.Took
	case ByHost:
		k.text = row.Host
	}
	return k
}

func (g *Grid) matchesFilter(row *Row) bool {
	if len(g.words) == 0 {
		return true
	}
	line := strings.ToLower(strings.Join([]string{row.Host, row.Server, row.State.String(), row.Phase, row.Cause, row.Message}, "\n"))
	for _, word := range g.words {
		if !strings.Contains(line, word) {
			return false
		}
	}
	return true
}

// compareNames compares the numbers in names as numbers.
func compareNames(a, b string) int {
	for a != "" && b != "" {
		digitsA, digitsB := leadingDigits(a), leadingDigits(b)
		if digitsA > 0 && digitsB > 0 {
			numberA, numberB := strings.TrimLeft(a[:digitsA], "0"), strings.TrimLeft(b[:digitsB], "0")
			if c := cmp.Or(cmp.Compare(len(numberA), len(numberB)), cmp.Compare(numberA, numberB)); c != 0 {
				return c
			}
			a, b = a[digitsA:], b[digitsB:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

func leadingDigits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
