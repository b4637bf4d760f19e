package table

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/widget/paint"
)

// spans returns all positions of a list as "first-last".
func spans(l List) []string {
	var all []string
	for p := range l.Len() {
		first, last := l.Span(p)
		text := fmt.Sprint(first)
		if last > first {
			text += fmt.Sprint("-", last)
		}
		all = append(all, text)
	}
	return all
}

// folded returns a list with rows 0, 1, ... of the kinds given as letters; "."
// is kind 0.
func folded(kinds string) *Folded {
	f := &Folded{}
	for i, c := range kinds {
		f.Append(uint32(i), kindOf(c))
	}
	return f
}

func kindOf(c rune) uint32 {
	if c == '.' {
		return 0
	}
	return uint32(c)
}

func TestFolds(t *testing.T) {
	for kinds, want := range map[string][]string{
		"":                    nil,
		"aaaaa":               {"0", "1", "2", "3", "4"},
		"aaaaaa":              {"0-5"},
		"......":              {"0", "1", "2", "3", "4", "5"},
		".aaaaaaaa.":          {"0", "1-8", "9"},
		"aaaaaabbbbbbb.ccccc": {"0-5", "6-12", "13", "14", "15", "16", "17", "18"},
	} {
		require.Equal(t, want, spans(folded(kinds)), kinds)
		back := &Folded{}
		for i := len(kinds) - 1; i >= 0; i-- {
			back.Prepend(uint32(i), kindOf(rune(kinds[i])))
		}
		require.Equal(t, want, spans(back), "%s from the end", kinds)
	}
}

func TestFoldsOpen(t *testing.T) {
	f := folded(".aaaaaa.bbbbbb.")
	require.Equal(t, []string{"0", "1-6", "7", "8-13", "14"}, spans(f))
	require.True(t, f.SetFold(3, false))
	require.False(t, f.SetFold(3, false))
	require.Equal(t, []string{"0", "1", "2", "3", "4", "5", "6", "7", "8-13", "14"}, spans(f))
	rows, isFolded := f.Fold(4)
	require.Equal(t, 6, rows)
	require.False(t, isFolded)
	rows, isFolded = f.Fold(8)
	require.Equal(t, 6, rows)
	require.True(t, isFolded)
	rows, _ = f.Fold(7)
	require.Zero(t, rows)
	require.False(t, f.SetFold(7, false))
	require.Equal(t, 8, f.Position(8))
	require.Equal(t, 8, f.Position(12), "where its fold is")
	require.Equal(t, 9, f.Position(14))
	require.Equal(t, 12, f.Before(12))
	require.True(t, f.SetFold(1, true))
	require.Equal(t, []string{"0", "1-6", "7", "8-13", "14"}, spans(f))

	f.SetAll(false)
	require.Equal(t, 15, f.Len())
	for row := range uint32(8) {
		f.Append(15+row, 'c')
	}
	require.Equal(t, 23, f.Len(), "new rows are unfolded too")
	f.SetAll(true)
	require.Equal(t, []string{"0", "1-6", "7", "8-13", "14", "15-22"}, spans(f))
}

// TestFoldKeep checks that a run which contains a row in use does not fold.
func TestFoldKeep(t *testing.T) {
	f := folded(".aaa")
	f.Keep(0)
	f.Keep(2)
	for row := range uint32(7) {
		f.Append(4+row, 'a')
	}
	require.Equal(t, []string{"0", "1", "2", "3", "4-10"}, spans(f))
	f.Keep(10)
	f.Append(11, 'a')
	require.Equal(t, []string{"0", "1", "2", "3", "4-11"}, spans(f), "an existing fold grows")
}

// TestFoldsUpToARow checks that UpTo returns the earlier list, and that changes
// to it do not affect the original, except for its rows.
func TestFoldsUpToARow(t *testing.T) {
	const kinds = ".aaaaaaaa.bbbbbbb.c.dddddddddddd"
	for k := range len(kinds) + 1 {
		f := folded(kinds)
		require.Equal(t, spans(folded(kinds[:k])), spans(f.UpTo(k)), kinds[:k])
		cut := f.UpTo(k)
		cut.Keep(k - 1)
		cut.SetAll(false)
		require.Equal(t, k, cut.Len())
		cut.Append(uint32(k), 0)
		require.Equal(t, spans(folded(kinds)), spans(f))
	}
	f := folded(kinds)
	f.SetFold(12, false)
	require.Equal(t, []string{"0", "1-8", "9", "10", "11", "12", "13", "14", "15"}, spans(f.UpTo(16)), "unfolded stays so")
	late := &Folded{}
	for row := range uint32(40) {
		late.Prepend(100-row, row/10%2+1)
	}
	require.Equal(t, []string{"61-70", "71-80", "81-86"}, spans(late.UpTo(87)), "for the runs found from the end")
	require.Equal(t, 26, late.UpTo(87).Before(87))
}

// TestFoldedProperty compares the list with one that is folded from scratch
// after each step.
func TestFoldedProperty(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 3))
		f := &Folded{}
		type row struct{ number, kind uint32 }
		var model []row
		low, high := 100_000, 100_000
		changed := seed%3 == 0 // also insert and remove rows
		for range 60 {
			kind := uint32(random.IntN(3))
			n := 1 + random.IntN(9)
			switch random.IntN(4) {
			case 0:
				for range n {
					high += 1 + random.IntN(3)
					f.Append(uint32(high), kind)
					model = append(model, row{uint32(high), kind})
				}
			case 1:
				for range n {
					low -= 1 + random.IntN(3)
					f.Prepend(uint32(low), kind)
					model = slices.Insert(model, 0, row{uint32(low), kind})
				}
			case 2:
				if len(model) == 0 || !changed {
					break
				}
				number := uint32(low + random.IntN(high-low+1))
				at, listed := slices.BinarySearchFunc(model, number, func(r row, n uint32) int { return int(r.number) - int(n) })
				if !listed {
					f.Insert(int(number))
					model = slices.Insert(model, at, row{number, 0})
				} else if model[at].kind == 0 {
					f.Remove(int(number))
					model = slices.Delete(model, at, at+1)
				}
			default:
				if len(model) > 0 {
					f.SetFold(int(model[random.IntN(len(model))].number), random.IntN(2) == 0)
				}
			}

			// All rows are listed in order, and each position is found from
			// each of its rows.
			at := 0
			for p := range f.Len() {
				first, last := f.Span(p)
				begin := at
				for at < len(model) && int(model[at].number) <= last {
					require.Equal(t, model[begin].kind, model[at].kind, "seed %d", seed)
					require.Equal(t, p, f.Position(int(model[at].number)), "seed %d", seed)
					require.Equal(t, at, f.Before(int(model[at].number)), "seed %d", seed)
					at++
				}
				require.Equal(t, first, int(model[begin].number), "seed %d", seed)
				require.Equal(t, last, int(model[at-1].number), "seed %d", seed)
				if n := at - begin; n > 1 {
					require.GreaterOrEqual(t, n, foldFrom)
					require.NotZero(t, model[begin].kind)
					rows, isFolded := f.Fold(first)
					require.Equal(t, n, rows)
					require.True(t, isFolded)
				}
			}
			require.Equal(t, len(model), at, "seed %d", seed)
			require.Len(t, f.All(), len(model))
			require.Equal(t, f.Len(), f.Position(high+1))
			if changed {
				continue // runs that were split stay split
			}
			for from := 0; from < len(model); {
				to := from + 1
				for to < len(model) && model[from].kind != 0 && model[to].kind == model[from].kind {
					to++
				}
				rows, _ := f.Fold(int(model[from].number))
				if to-from < foldFrom {
					require.Zero(t, rows)
				} else {
					require.Equal(t, to-from, rows, "seed %d", seed)
				}
				from = to
			}
		}
	}
}

// TestFoldInTable checks that the cursor keeps its row while folds appear and
// disappear.
func TestFoldInTable(t *testing.T) {
	tab, s := newTable(12, 4)
	f := folded("..aaaaaaaa..")
	tab.SetList(f)
	requireScreen(t, tab, "  row 1|  row 2|  row 10|> row 11", "following")
	tab.Move(-2)
	row, ok := tab.Cursor()
	require.True(t, ok)
	require.Equal(t, 2, row, "the first of the fold")
	tab.Select(5)
	f.SetFold(5, false)
	row, _ = tab.Cursor()
	require.Equal(t, 5, row)
	f.SetFold(5, true)
	row, _ = tab.Cursor()
	require.Equal(t, 2, row)
	f.SetFold(5, false)
	row, _ = tab.Cursor()
	require.Equal(t, 5, row, "and comes back")

	f.SetFold(5, true)
	tab.Home()
	for row := range uint32(8) {
		f.Append(12+row, 'b')
	}
	s.n = 20
	require.Equal(t, "8 new below", tab.Status(), "rows in a fold count")
	tab.Select(12)
	require.Empty(t, tab.Status(), "all of them count as seen")
	f.Append(20, 'b')
	s.n = 21
	tab.Scroll(-9)
	require.Empty(t, tab.Status())
}

// flagged is a source with flags, and with text that takes the rest of its row.
type flagged struct{ Source }

func (flagged) Len() int           { return 2 }
func (flagged) Version(int) uint32 { return 0 }
func (flagged) Paint(row int, c *Cells) {
	c.Mark(paint.Style{}, "x")
	c.Flag(paint.Style{}, "m")
	c.Text(0, paint.Style{}, fmt.Sprint(row))
	if row == 1 {
		c.Rest(1)
	}
	c.Text(1, paint.Style{}, "some longer text")
	c.Text(2, paint.Style{}, "end")
}

func TestFlagsAndRest(t *testing.T) {
	tab := New(Config{Source: flagged{}, Columns: []Column{{Min: 3, Must: true}, {Min: 6, Must: true, Scroll: true}, {Min: 4, Must: true}}, Theme: paint.NewTheme(paint.Options{})})
	tab.SetSize(20, 2)
	require.Equal(t, " x0   some l end|>x1   some longer te", screen(tab))
	tab.SetFlags(true)
	require.Equal(t, " xm0   some l end|>xm1   some longer t", screen(tab))
	tab.ScrollX(5)
	require.Equal(t, " xm0   longer end|>xm1   longer text", screen(tab))
	tab.SetFlags(false)
	tab.SetColumns([]Column{{Min: 1, Must: true}, {Min: 8, Must: true, Scroll: true}, {Min: 4, Must: true}})
	require.Equal(t, " x0 longer t end|>x1 longer text", screen(tab))
}

// BenchmarkFolded adds and finds rows in a list of five million rows, half of
// them in folds.
func BenchmarkFolded(b *testing.B) {
	const n = 5_000_000
	f := &Folded{}
	for i := range uint32(n) {
		f.Append(i, i/10%2)
	}
	b.Run("append", func(b *testing.B) {
		g := &Folded{}
		for i := 0; b.Loop(); i++ {
			g.Append(uint32(i), uint32(i)/10%2)
		}
	})
	b.Run("prepend", func(b *testing.B) {
		g := &Folded{}
		for i := 0; b.Loop(); i++ {
			g.Prepend(uint32(1<<31-i), uint32(i)/10%2)
		}
	})
	b.Run("span", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			f.Span(i * 7919 % f.Len())
		}
	})
	b.Run("position", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			f.Position(i * 7919 % n)
		}
	})
	b.Run("unfold", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			f.SetFold(i*7919%n/20*20+10, i%2 == 0)
		}
	})
}
