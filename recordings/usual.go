package recordings

import "mcpdbg/session"

// usual reads the head of an entry as this program writes nearly all of them: a
// message of a stream, with nothing but its number, its time and its sequence
// number before it. It is false for any other line, of which it has taken
// nothing: head reads that member by member, which takes four times as long.
func (d *decoder) usual(e *session.Entry) bool {
	u := usualHead{b: d.b, ok: true}
	u.word(`{"n":`)
	n := u.number()
	u.word(`,"t":`)
	t := u.number()
	kind, seq := session.KindStdin, uint64(0)
	if u.is(`,"k":"stdout","seq":`) {
		kind, seq = session.KindStdout, u.number()
	} else {
		u.word(`,"k":"stdin"`)
	}
	before := u.i
	u.word(`,"m":{`)
	if !u.ok || n == 0 {
		return false
	}
	e.N, e.T, e.Kind, e.Seq = n, int64(t), kind, seq
	d.rep, d.before, d.i = verbatim, before, u.i-1
	return true
}

// A usualHead reads what has to stand at i. Once that is not so, ok is false.
type usualHead struct {
	b  []byte
	i  int
	ok bool
}

// is skips the word if it stands there.
func (u *usualHead) is(word string) bool {
	end := u.i + len(word)
	if end > len(u.b) || string(u.b[u.i:end]) != word {
		return false
	}
	u.i = end
	return true
}

func (u *usualHead) word(word string) { u.ok = u.is(word) && u.ok }

// usualDigits is how many digits a number may have that certainly fits.
const usualDigits = 18

func (u *usualHead) number() (n uint64) {
	begin := u.i
	for u.i < len(u.b) && u.b[u.i]-'0' <= 9 {
		n = n*10 + uint64(u.b[u.i]-'0')
		u.i++
	}
	u.ok = u.ok && u.i > begin && u.i-begin <= usualDigits
	return n
}
