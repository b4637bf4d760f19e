package table

import (
	"math"
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

const second = 1_000_000

func paintedBar(width int, draw func(*paint.Line)) string {
	var l paint.Line
	l.Reset(width, termsafe.Options{})
	draw(&l)
	return l.String()
}

func TestBars(t *testing.T) {
	look := BarLook{Theme: paint.NewTheme(paint.Options{})}
	look.Theme.You, look.Theme.Accent = paint.Style{}, paint.Style{}
	var a Axis
	a.Fit([]Span{{0, 10 * second}, {5 * second, 20 * second}}, 20)
	bar := func(from, to float64) Bar { return Bar{Span: Span{int64(from * second), int64(to * second)}} }
	waits := bar(0, 10)
	waits.Add(Waiting, Span{2 * second, 6 * second})
	waits.Add(Lagging, Span{5 * second, 6 * second})
	open := bar(15, 20)
	open.Open = true
	for name, c := range map[string]struct {
		bar         Bar
		want, ascii string
	}{
		"long":     {bar(0, 10), "██████████          ", "==========          "},
		"parts":    {waits, "██▒▒▒░████          ", "==:::.====          "},
		"open":     {open, "               ████▶", "               ====>"},
		"short":    {bar(3, 3.01), "   ▏                ", "   |                "},
		"half":     {bar(3, 3.5), "   ▌                ", "   |                "},
		"at end":   {bar(20, 20), "                   ▏", "                   |"},
		"outside":  {bar(30, 40), "                    ", "                    "},
		"open end": {func() Bar { b := bar(20, 20); b.Open = true; return b }(), "                   ▶", "                   >"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, paintedBar(20, func(l *paint.Line) { a.Paint(l, &c.bar, look) }))
			ascii := look
			ascii.ASCII = true
			require.Equal(t, c.ascii, paintedBar(20, func(l *paint.Line) { a.Paint(l, &c.bar, ascii) }))
		})
	}
}

// TestPauses checks that pauses without bars are shortened, and marked.
func TestPauses(t *testing.T) {
	look := BarLook{Theme: &paint.Theme{}}
	var a Axis
	a.Fit([]Span{{0, second}, {2 * second, 4 * second}, {3600 * second, 3604 * second}}, 34)
	require.Equal(t, "0:00 ───────────//──────── 1:00:04", paintedBar(34, func(l *paint.Line) { a.PaintHead(l, look) }))
	require.Equal(t, 16.0, a.CellOf(4*second))
	require.Equal(t, 18.0, a.CellOf(3600*second))
	require.Equal(t, 34.0, a.CellOf(3604*second))
	require.True(t, a.Shortened(16))
	require.True(t, a.Shortened(17))
	require.False(t, a.Shortened(18))
	require.Equal(t, "0:00    0:02    //1:00:00 1:00:02 ", paintedBar(36, func(l *paint.Line) { a.PaintTicks(l, look) }))
	for i := range 34 {
		require.InDelta(t, float64(i), a.CellOf(a.TimeAt(float64(i))), 0.001)
	}
}

// TestManyPauses checks that shortened pauses leave most of the axis to the bars.
func TestManyPauses(t *testing.T) {
	var spans []Span
	for i := range int64(100) {
		spans = append(spans, Span{i * 100 * second, i*100*second + second})
	}
	var a Axis
	a.Fit(spans, 40)
	shortened := 0
	for i := range 40 {
		if a.Shortened(i) {
			shortened++
		}
	}
	require.LessOrEqual(t, shortened, 40/cellsPerGap*gapCells)
}

// TestAnyTimes checks that an axis takes any times, and that a bar always fills
// its cells exactly.
func TestAnyTimes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	times := []int64{0, 1, 5 * second, math.MaxInt64, math.MinInt64, -1, maxTime, maxTime + 1}
	at := func() int64 {
		if n := random.IntN(2 * len(times)); n < len(times) {
			return times[n]
		}
		return random.Int64N(1000 * second)
	}
	look := BarLook{Theme: &paint.Theme{}}
	for range 5000 {
		var a Axis
		spans := make([]Span, random.IntN(5))
		for i := range spans {
			spans[i] = Span{at(), at()}
		}
		cells := random.IntN(50)
		if a.Fit(spans, cells); random.IntN(2) == 0 {
			a.Window(at(), at(), cells)
		}
		b := Bar{Span: Span{at(), at()}, Open: random.IntN(2) == 0}
		b.Add(Waiting, Span{at(), at()})
		for _, draw := range []func(*paint.Line){
			func(l *paint.Line) { a.Paint(l, &b, look) }, func(l *paint.Line) { a.PaintHead(l, look) }, func(l *paint.Line) { a.PaintTicks(l, look) },
		} {
			require.Equal(t, a.Cells, utf8.RuneCountInString(paintedBar(a.Cells, draw)))
		}
	}
}

func TestBarsDoNotAllocate(t *testing.T) {
	var a Axis
	spans := []Span{{0, second}, {100 * second, 200 * second}}
	b := Bar{Span: spans[1]}
	b.Add(Waiting, spans[1])
	var l paint.Line
	look := BarLook{Theme: &paint.Theme{}}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		l.Reset(40, termsafe.Options{})
		a.Fit(spans, 40)
		a.Paint(&l, &b, look)
	}))
}

func TestScale(t *testing.T) {
	for longest, want := range map[int64]string{
		0: "100 ms", 100_000: "100 ms", 100_001: "1 s", second: "1 s", 8 * second: "10 s",
		60 * second: "1 min", 61 * second: "10 min", 600 * second: "10 min", 3600 * second: "10 min",
	} {
		scale, label := Scale(longest)
		require.Equal(t, want, label, "%d", longest)
		if longest <= 600*second {
			require.LessOrEqual(t, longest, scale)
		}
	}
}

func TestScaledBars(t *testing.T) {
	look := BarLook{Theme: &paint.Theme{}}
	ascii := BarLook{Theme: &paint.Theme{}, ASCII: true}
	bar := func(length float64, parts ...Span) *Bar {
		b := &Bar{Span: Span{5 * second, 5*second + int64(length*second)}}
		for i, s := range parts {
			b.Add(Waiting+BarKind(i), Span{5*second + s.From, 5*second + s.To})
		}
		return b
	}
	for name, tc := range map[string]struct {
		bar         *Bar
		want, ascii string
	}{
		"no time at all":               {bar(0), "▏", "|"},
		"a sliver":                     {bar(0.001), "▏", "|"},
		"an eighth":                    {bar(0.13), "▏", "|"},
		"half a cell":                  {bar(0.5), "▌", "="},
		"full cells":                   {bar(4), "████", "===="},
		"partial":                      {bar(2.25), "██▎", "==|"},
		"the whole scale":              {bar(10), "██████████", "=========="},
		"too long":                     {bar(11), "█████████›", "=========>"},
		"you, after a moment":          {bar(3.03, Span{30_000, 3_030_000}), "▏▒▒", "|::"},
		"you, in the middle":           {bar(6, Span{2 * second, 5 * second}), "██▒▒▒█", "==:::="},
		"you, too long":                {bar(16.2, Span{20_000, 16_200_000}), "▏▒▒▒▒▒▒▒▒›", "|::::::::>"},
		"late":                         {bar(4, Span{}, Span{2 * second, 4 * second}), "██░░", "==.."},
		"you from the first moment on": {bar(2, Span{0, 2 * second}), "▒▒", "::"},
	} {
		require.Equal(t, tc.want, paintedBar(20, func(l *paint.Line) { PaintScaled(l, tc.bar, 10*second, 10, look) }), name)
		require.Equal(t, tc.ascii, paintedBar(20, func(l *paint.Line) { PaintScaled(l, tc.bar, 10*second, 10, ascii) }), name)
	}
}

// TestScaledBarsFit checks that any bar takes at least one cell and at most those of the
// scale.
func TestScaledBarsFit(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	look := BarLook{Theme: &paint.Theme{}}
	for range 5000 {
		from := random.Int64N(100 * second)
		b := Bar{Span: Span{from, from + random.Int64N(1<<uint(random.IntN(40)))}}
		b.Add(Waiting, Span{from + random.Int64N(second), from + random.Int64N(20*second)})
		scale, _ := Scale(random.Int64N(700 * second))
		cells := utf8.RuneCountInString(paintedBar(40, func(l *paint.Line) { PaintScaled(l, &b, scale, 10, look) }))
		require.GreaterOrEqual(t, cells, 1)
		require.LessOrEqual(t, cells, 10, "%+v on %d", b.Span, scale)
	}
}

func TestServerTimeOfABar(t *testing.T) {
	b := Bar{Span: Span{0, 10 * second}}
	require.EqualValues(t, 10*second, b.Server())
	b.Add(Waiting, Span{2 * second, 6 * second})
	b.Add(Lagging, Span{5 * second, 7 * second})
	require.EqualValues(t, 5*second, b.Server(), "parts that overlap count once")
}
