//go:build long && linux

package formats

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/recordings/rectest"
)

// pageCalls is how many calls the session of the page in the browser has.
const pageCalls = 4400

// lookedUp returns a session of calls: every hundredth fails, two have no response, each
// fifth is one of report, and one line is not a message. The request
// of call k is in entry 2k+2, and its response in the next one.
func lookedUp(t *testing.T) Selection {
	lines := []string{rectest.Started}
	for k := range pageCalls {
		tool := "search"
		if k%5 == 0 {
			tool = "report"
		}
		lines = append(lines, fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":{"k":%d}}}`, k, tool, k))
		switch {
		case k == 777:
			lines = append(lines, `"k":"note","text":"no response"`)
		case k == 888:
			lines = append(lines, `"k":"stdout","seq":888,"raw":"DEBUG </script><script>alert(1)</script>"`)
		case k%100 == 50:
			lines = append(lines, fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"error":{"code":-32000,"message":"backend gone"}}`, k))
		default:
			lines = append(lines, fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}]}}`, k, strings.Repeat("text ", 100)))
		}
	}
	return Selection{Source: rectest.Session(t, lines...)}
}

func pageOf(t *testing.T, s Selection, most int) (path string) {
	path = filepath.Join(t.TempDir(), "page.html")
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, s.page(t.Context(), f, most))
	require.NoError(t, f.Close())
	return path
}

// TestLongPageInBrowser checks in a browser what a person does with a page.
func TestLongPageInBrowser(t *testing.T) {
	b := newBrowser(t)
	path := pageOf(t, lookedUp(t), maxPage)
	t.Logf("first frame after %.0f ms", b.open(path, ""))
	require.Equal(t, "8,801 entries", b.text(`$('count').textContent`))
	require.Less(t, b.text(`document.querySelectorAll('.row').length`), "99", "only visible rows have elements")
	require.Equal(t, "2", b.text(`document.scripts.length`), "no text of the server is a script")

	t.Run("permalinks", b.permalinks)
	t.Run("failures", b.failures)
	t.Run("strip", b.strip)
	t.Run("tools", b.tools)
	t.Run("search", b.search)
	t.Run("waterfall", b.waterfall)
	t.Run("theme", b.theme)
	t.Run("hostile", func(t *testing.T) {
		b.open(pageOf(t, hostileCalls(t), maxPage), "filter=is:failed&hide=stderr")
		require.Equal(t, "150", b.text(`shown.length`))
		require.Equal(t, "10", b.text(`document.querySelectorAll('#tools tbody tr').length`))
		require.Equal(t, "true", b.text(`$('failures').scrollHeight < $('panel').clientHeight`), "long texts")
		require.Equal(t, "0", b.text(`document.querySelectorAll('img').length`))
		require.Equal(t, "2", b.text(`document.scripts.length`))
	})
	t.Run("narrow", b.narrow)
	t.Run("slower", b.slower)
	t.Run("batch", func(t *testing.T) {
		s := Selection{Source: rectest.Session(t, rectest.Started, `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`,
			`"k":"stdin","why":"batch","raw":"[{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"b\"}}, {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"c\"}}]"`,
			`"k":"stdout","seq":9,"why":"batch","raw":"[{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32000,\"message\":\"backend gone\"}}, {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"full\"}]}}]"`)}
		b.open(pageOf(t, s, maxPage), "")
		require.Equal(t, "2 failed", b.text(`$('totals').children[1].textContent`))
		require.Equal(t, "Failures, the most frequent first\n1×\n-32000: backend gone first failure\nlist\n#n4 batch: error 1, response 2\n1×\nfull\nlist\n#n4 batch: error 1, response 2\n1×\nno response\nlist\n#n3 batch: b, c", b.text(`$('failures').innerText`))
		b.eval(`[...document.querySelectorAll('#failures .link')].at(-2).click()`, nil)
		require.Equal(t, []int{4}, b.shown())
	})
	t.Run("idle", func(t *testing.T) {
		b.open(pageOf(t, idle(t), maxPage), "waterfall")
		require.Equal(t, "0,500000,1000000,1500000,2000000", b.text(`calls.map(c => c.a - first)`), "each pause is half a second")
		require.Equal(t, "5", b.text(`document.querySelectorAll('#barrows .bar').length`))
	})
	t.Run("link", func(t *testing.T) {
		b.open(path, "n4514")
		require.Equal(t, "4514", b.selected())
		require.Equal(t, "true", b.text(`document.querySelector('.row.sel').getBoundingClientRect().bottom <= $('list').getBoundingClientRect().bottom`))
		require.Contains(t, b.text(`$('detail').textContent`), "search k=2256")
		require.Contains(t, b.text(`$('detail').textContent`), "Response #n4515")
		b.open(path, "n4515")
		require.Regexp(t, `^#n4514 → #n4515 (?s).*Request #n4514.*Response #n4515`, b.text(`$('detail').textContent`), "the exchange")
		b.open(path, "n99999")
		require.Contains(t, b.text(`$('detail').textContent`), "Entry 99999 is not on this page.")
	})
	t.Run("large", func(t *testing.T) {
		b.open(pageOf(t, lookedUp(t), 1<<20), fmt.Sprintf("n%d", 2*4350+3))
		require.Equal(t, "8703", b.selected(), "the last failure")
		require.Contains(t, b.text(`$('left').textContent`), "--filter")
	})
	require.Empty(t, b.problems)
}

func (b *browser) selected() string {
	return b.text(`document.querySelector('.row.sel > span').textContent`)
}

// shown returns the numbers of the entries in the list.
func (b *browser) shown() (entries []int) {
	b.eval(`shown.map(i => rows[i].n)`, &entries)
	return entries
}

func (b *browser) key(key string) {
	down := map[string]any{"type": "keyDown", "key": key}
	if len(key) == 1 {
		down["text"] = key
	}
	b.call("Input.dispatchKeyEvent", down, nil)
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key}, nil)
}

func (b *browser) permalinks(t *testing.T) {
	require.Equal(t, "#n103", b.text("location.hash"), "the first failure is selected")
	require.Contains(t, b.text(`$('detail').textContent`), "error  report k=50")
	b.key("Home")
	require.Equal(t, "1", b.selected())
	b.eval(`document.querySelectorAll('.row')[3].click()`, nil)
	require.Equal(t, "4", b.selected())
	require.Equal(t, "#n4", b.text("location.hash"))
	b.key("p")
	require.Equal(t, "#n5", b.text("location.hash"))
	b.key("j")
	require.Equal(t, "#n6", b.text("location.hash"))
	b.eval(`location.hash = '#n4515'`, nil)
	b.eval(`new Promise(done => { const look = () => rows[current].n === 4515 ? done() : setTimeout(look, 5); look(); })`, nil)
	require.Equal(t, "4515", b.selected())
	b.eval(`document.querySelector('[aria-controls=waterfall]').click()`, nil)
	b.eval(`$('search').value = 'k=22 >1us'; $('method').value = 'tsearch'; filter()`, nil)
	var copied string
	b.eval(`(async () => { const copied = new Promise(done => document.addEventListener('copy', () => done(getSelection().toString()), {once: true})); navigator.clipboard.writeText = () => Promise.reject(); $('link').click(); return await copied; })()`, &copied)
	require.Regexp(t, `^file:///.*/page.html#n4515&waterfall&filter=k%3D22\+%3E1us&tool=search$`, copied)

	b.eval(`(async () => { history.replaceState = () => {}; $('search').value = 'k=9'; filter(); return await new Promise(done => { navigator.clipboard.writeText = async s => done(s); $('link').click(); }); })()`, &copied)
	require.Regexp(t, `/page.html#waterfall&filter=k%3D9&tool=search$`, copied, "a browser ignores too many changes of the address")
	b.eval(`delete history.replaceState`, nil)

	follow := func(to string) {
		b.eval(`new Promise(done => { addEventListener('hashchange', () => done(), {once: true}); location.hash = '`+to+`'; })`, nil)
	}
	follow("#overview&errors&hide=out,event")
	require.Equal(t, "overview", b.text(`open`))
	require.Len(t, b.shown(), 44+1)
	require.Equal(t, "#errors&hide=out,event", b.text(`location.hash`))
	follow("#n1903")
	require.Len(t, b.shown(), 44+1, "a link to an entry keeps the filters")
	follow("#group=1")
	require.Len(t, b.shown(), 44)
	follow("#filter=")
	require.Len(t, b.shown(), 2*pageCalls+1)
}

func (b *browser) failures(t *testing.T) {
	require.Equal(t, "44 failed", b.text(`$('totals').children[1].textContent`))
	require.Equal(t, "2 unanswered", b.text(`$('totals').children[2].textContent`))
	groups := b.text(`$('failures').innerText`)
	require.Regexp(t, `(?s)44×\s+-32000: backend gone report 44\s+first failure\s.*no moment, limit of a number or short text.*#n102 report k=50.*2×\s+no response search 2\s.*#n1556 search k=777.*1×\s+line on stdout.*#n1779 DEBUG`, groups)
	require.Equal(t, "true", b.text(`$('failures').scrollHeight < $('panel').clientHeight`), "no part is hidden")
	b.eval(`document.querySelector('#failures li:nth-child(2) a').click()`, nil)
	b.eval(`new Promise(done => { const look = () => current >= 0 && rows[current].n === 1556 ? done() : setTimeout(look, 5); look(); })`, nil)
	b.key("e")
	require.Equal(t, "1703", b.selected())
	b.key("e")
	require.Equal(t, "1778", b.selected(), "no response")
	b.key("e")
	require.Equal(t, "1779", b.selected(), "the stray line")
	b.key("e")
	require.Equal(t, "1903", b.selected())
	b.key("E")
	require.Equal(t, "1779", b.selected())
	b.eval(`$('errors').click()`, nil)
	entries := b.shown()
	require.Contains(t, entries, 1779)
	require.Contains(t, entries, 1556)
	require.Len(t, entries, 2*44+2+1)
	b.eval(`reset()`, nil)
	b.eval(`[...document.querySelectorAll('#failures .link')].find(l => l.textContent === 'list all 44').click()`, nil)
	require.Len(t, b.shown(), 44)
	require.Equal(t, "103", b.selected())
	b.key("c")
	require.Len(t, b.shown(), 2*pageCalls+1)
	require.Equal(t, "103", b.selected(), "all entries around it")
	require.Equal(t, "true", b.text(`$('clear').hidden`))
	b.eval(`new Promise(done => { addEventListener('hashchange', () => done(), {once: true}); document.querySelector('#totals a').click(); })`, nil)
	require.Len(t, b.shown(), 44, "those that the total counts")
	b.eval(`reset()`, nil)
}

// narrow checks on a small page that the overview shows the group of the selected entry, and
// rows the error.
func (b *browser) narrow(t *testing.T) {
	b.size(900, 700, "light")
	lines := []string{rectest.Started}
	for k := range 60 {
		lines = append(lines, fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"sum","arguments":{"k":%d}}}`, k, k))
		switch {
		case k == 3:
			lines = append(lines, `< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"q must not be empty"}}`)
		case k > 10 && k != 50:
			lines = append(lines, fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"error":{"code":-32000,"message":"backend %c is gone"}}`, k, 'a'+k%4))
		case k == 5:
			lines = append(lines, `< {"jsonrpc":"2.0","id":5,"result":{"isError":true,"content":[{"type":"text","text":"full"}]}}`)
		case k != 50:
			lines = append(lines, fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, k))
		}
	}
	b.open(pageOf(t, Selection{Source: rectest.Session(t, lines...)}, maxPage), "")
	const inside = `(({top, bottom}, p) => top >= p.top && bottom <= p.bottom)(document.querySelector('#failures li.sel').getBoundingClientRect(), $('panel').getBoundingClientRect())`
	require.Equal(t, "true", b.text(inside))
	require.Regexp(t, `first failure`, b.text(`document.querySelector('#failures li.sel').innerText`))
	require.Equal(t, "true", b.text(`(e => e.scrollWidth <= e.clientWidth || e.querySelector('b').getBoundingClientRect().right <= e.getBoundingClientRect().right)(document.querySelector('.row.sel > span:nth-child(4)'))`), "the error is not cut")
	b.eval(`choose(at.get(rows[current].p - 1))`, nil)
	require.Regexp(t, `The first failure: -32602: invalid params: q must not be empty(?s).*state failed`, b.text(`$('detail').innerText`), "of the request, too")
	b.eval(`choose(rows.findIndex(r => r.id === '5'))`, nil)
	require.Regexp(t, `full(?s).*state answered with an error`, b.text(`$('detail').innerText`))
	b.eval(`choose(rows.findIndex(isUnanswered))`, nil)
	require.Equal(t, "true", b.text(inside))
	require.Contains(t, b.text(`$('detail').innerText`), "next request of the client after 1.00 ms")
	b.size(1400, 1000, "light")
}

// strip checks that each failure is on the axis, and reached with the keyboard.
func (b *browser) strip(t *testing.T) {
	require.Equal(t, "44,2", b.text(`[...'failed lost'.split(' ').map(c => $('marks').querySelectorAll('.' + c).length)]`))
	require.Equal(t, "#n102 at 0.101 s: report k=50  -32000: backend gone", b.text(`$('marks').querySelector('a').title`))
	require.Equal(t, "1", b.text(`$('marks').querySelectorAll('[tabindex="0"]').length`), "one stop of tab")
	b.eval(`$('marks').querySelector('[tabindex="0"]').focus()`, nil)
	b.key("ArrowRight")
	require.Equal(t, "302", b.selected())
	b.key("ArrowRight")
	b.key("ArrowLeft")
	require.Equal(t, "302", b.selected())
	require.Equal(t, "true", b.text(`document.activeElement.hash === '#n302' && document.activeElement.tabIndex === 0`))
	require.Equal(t, b.text(`document.activeElement.style.left`), b.text(`share(rows[current].t)`))
	b.eval(`new Promise(done => { addEventListener('hashchange', () => done(), {once: true}); $('marks').querySelector('.lost').click(); })`, nil)
	require.Equal(t, "1556", b.selected())
	b.eval(`reset()`, nil)
}

func (b *browser) tools(t *testing.T) {
	names := func() string {
		return b.text(`[...document.querySelectorAll('#tools tbody tr')].map(r => r.cells[0].textContent + ' ' + r.cells[1].textContent)`)
	}
	column := func(name string) {
		b.eval(`[...document.querySelectorAll('#tools th button')].find(b => b.textContent.startsWith('`+name+`')).click()`, nil)
	}
	require.Equal(t, "search 3,520,report 880", names())
	column("calls")
	require.Equal(t, "report 880,search 3,520", names())
	column("unanswered")
	require.Equal(t, "search 3,520,report 880", names())
	column("failed")
	require.Equal(t, "report 880,search 3,520", names())
	b.eval(`document.querySelector('#tools td button').click()`, nil)
	require.Len(t, b.shown(), 2*880)
	b.eval(`document.querySelector('#tools td button').click()`, nil)
	require.Len(t, b.shown(), 2*pageCalls+1)
}

func (b *browser) search(t *testing.T) {
	look := func(text string) []int {
		b.eval(`$('search').value = '`+text+`'; filter()`, nil)
		return b.shown()
	}
	require.Equal(t, []int{6668, 6669}, look("k=3333"))
	require.Equal(t, []int{6668, 6669}, look("id:3333"))
	require.Equal(t, []int{6668}, look("#6668"))
	require.Len(t, look("backend GONE"), 44)
	require.Equal(t, []int{1556, 1778}, look("is:unanswered"))
	require.Equal(t, []int{1779}, look("is:noise"))
	require.Len(t, look("tool:report"), 2*880)
	require.Empty(t, look(">1ms"))
	require.Len(t, look(">999us tool:report is:failed"), 44)
	enter := func() {
		b.eval(`$('search').dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))`, nil)
	}
	enter()
	require.Equal(t, "103", b.selected(), "the first match")
	look("1556")
	enter()
	require.Equal(t, "1556", b.selected())
	require.Empty(t, look("nowhere"))
	require.Contains(t, b.text(`$('none').innerText`), `No entry has "nowhere"`)
	b.eval(`document.querySelector('#none button').click()`, nil)
	require.Len(t, b.shown(), 2*pageCalls+1)
}

func (b *browser) waterfall(t *testing.T) {
	b.eval(`document.querySelector('[aria-controls=waterfall]').click()`, nil)
	all := b.text(`$('window').textContent`)
	require.Contains(t, all, "4,400 of 4,400 calls")
	require.Less(t, b.text(`document.querySelectorAll('#barrows .bar').length`), "99")
	require.Less(t, b.text(`$('bars').clientHeight`), "500")
	require.Equal(t, "true,true", b.text(`(({data}) => { const some = test => data.some((v, i) => i % 4 === 0 && test(v, data[i + 2])); return [some((r, b) => b > r + 50), some((r, b) => r > b + 50)]; })($('chart').getContext('2d').getImageData(0, 44, 900, 1))`), "calls, and failed ones")
	var box struct{ X, Y, Width, Height float64 }
	b.eval(`$('chart').getBoundingClientRect().toJSON()`, &box)
	at := func(share float64) float64 { return box.X + share*box.Width }
	left := map[string]any{"button": "left", "buttons": 1, "clickCount": 1}
	b.mouse("mousePressed", at(0.5), box.Y+20, left)
	b.mouse("mouseMoved", at(0.55), box.Y+20, left)
	b.mouse("mouseMoved", at(0.6), box.Y+20, left)
	b.mouse("mouseReleased", at(0.6), box.Y+20, left)
	require.Regexp(t, `^44\d of 4,400 calls`, b.text(`$('window').textContent`))
	b.mouse("mouseWheel", at(0.55), box.Y+20, map[string]any{"deltaX": 0, "deltaY": -100})
	b.eval(`new Promise(done => { const look = () => drawn.length < 320 ? done() : setTimeout(look, 5); look(); })`, nil)
	b.eval(`document.querySelector('#barrows .bar').getBoundingClientRect().toJSON()`, &box)
	b.mouse("mousePressed", box.X+5, box.Y+5, left)
	b.mouse("mouseReleased", box.X+5, box.Y+5, left)
	require.Equal(t, "true", b.text(`drawn.some(isCurrent)`))
	b.eval(`$('bars').focus()`, nil)
	b.key("0")
	require.Equal(t, all, b.text(`$('window').textContent`))
	b.eval(`document.querySelector('[aria-controls=overview]').click()`, nil)
}

func (b *browser) theme(t *testing.T) {
	back := func() string { return b.text(`getComputedStyle(document.body).backgroundColor`) }
	choose := func(name string) {
		b.eval(`$('theme').value = '`+name+`'; $('theme').dispatchEvent(new Event('change'))`, nil)
	}
	const light, dark = "rgb(255, 255, 255)", "rgb(21, 24, 28)"
	require.Equal(t, light, back())
	choose("dark")
	require.Equal(t, dark, back())
	require.Equal(t, "dark", b.text(`localStorage.getItem('mcpdbg-theme')`))
	choose("")
	require.Equal(t, light, back())
	b.size(1400, 1000, "dark")
	require.Equal(t, dark, back())
	choose("light")
	require.Equal(t, light, back())
	choose("")
	b.size(1400, 1000, "light")
}

func (b *browser) slower(t *testing.T) {
	b.open(pageOf(t, slowed(t), maxPage), "")
	require.Contains(t, b.text(`$('wrong').innerText`), "report became slower at 121 ms: p50 1 ms → 28 ms")
	require.Equal(t, "1", b.selected(), "no call failed")
	require.Contains(t, b.text(`$('detail').textContent`), "#n1 ")
	require.Equal(t, "report slower", b.text(`$('marks').textContent`))
	require.Contains(t, b.text(`$('tools').innerText`), "slow from #n122 at 0.121 s: p50 1.00 ms → 28.0 ms in 40 calls")
	var bars [2]int // of 12 parts of 8 calls, fast and slow ones
	b.eval(`[...document.querySelectorAll('.spark path')].map(p => p.getAttribute('d').split('M').length - 1)`, &bars)
	require.Equal(t, [2]int{7, 5}, bars)
	b.eval(`new Promise(done => { addEventListener('hashchange', () => done(), {once: true}); document.querySelector('#tools td a').click(); })`, nil)
	require.Contains(t, b.text(`$('detail').textContent`), "report k=99", "the slowest")
	b.eval(`new Promise(done => { addEventListener('hashchange', () => done(), {once: true}); document.querySelector('td[colspan] a').click(); })`, nil)
	require.Equal(t, "122", b.selected())
	require.Contains(t, b.text(`$('detail').innerText`), "report became slower from here on: p50 1.00 ms → 28.0 ms; 60 calls before it, 40 from it on")
}

// idle returns a session of calls 10 s apart, of which only the last one has a response.
func idle(t *testing.T) Selection {
	lines := []string{rectest.Started}
	for k := range 5 {
		lines = append(lines, fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a"}}`, k))
	}
	path := rectest.File(t, append(lines, `< {"jsonrpc":"2.0","id":4,"result":{}}`)...)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(text), `000,"k"`, `0000000,"k"`)), 0o600))
	r, err := recordings.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return Selection{Source: r}
}

// hostileCalls returns a session of ten tools with 30 calls each, of which every other fails,
// each with another message, and whose texts are markup, long, and change the direction.
func hostileCalls(t *testing.T) Selection {
	lines := []string{rectest.Started}
	names := []string{"</script><img src=x onerror=alert(1)>", "\u202etool", strings.Repeat("a", 3000), "a tool & b", "__proto__", "constructor", "שלום", "\x00", "\x1b[31mred", "ツール"}
	for k := range 300 {
		request, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": fmt.Sprint("<i>", k), "method": "tools/call", "params": map[string]any{"name": names[k%10], "arguments": map[string]any{"<u>": strings.Repeat("z", k)}}})
		require.NoError(t, err)
		lines = append(lines, "> "+string(request))
		if k%2 == 0 {
			response, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": fmt.Sprint("<i>", k), "error": map[string]any{"code": k, "message": strings.Repeat("<img src=x onerror=alert(2)>\u202e\x1b", 50)}})
			require.NoError(t, err)
			lines = append(lines, "< "+string(response))
		}
	}
	return Selection{Source: rectest.Session(t, lines...)}
}
