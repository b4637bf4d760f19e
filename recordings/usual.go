package recordings

import "mcpdbg/session"

// usual reads the head of an entry in the form in which this program writes nearly
// all of them: a stream message with only its number, time and sequence number
// before it. For any other line it consumes nothing and returns false; head then
// reads it member by member, which takes four times as long.
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
	if !u.ok || n == 0 || t > uint64(MaxTime) {
		return false
	}
	e.N, e.T, e.Kind, e.Seq = n, int64(t), kind, seq
	d.rep, d.before, d.i, d.plain = verbatim, before, u.i-1, !u.padded
	return true
}

// A usualHead reads expected text from position i on; ok is false after a mismatch.
type usualHead struct {
	b      []byte
	i      int
	ok     bool
	padded bool // a number begins with a 0, which JSON does not allow
}

// is skips the word if it is next, and reports whether it was.
func (u *usualHead) is(word string) bool {
	end := u.i + len(word)
	if end > len(u.b) || string(u.b[u.i:end]) != word {
		return false
	}
	u.i = end
	return true
}

func (u *usualHead) word(word string) { u.ok = u.is(word) && u.ok }

// usualDigits is the most digits of a number that certainly fits.
const usualDigits = 18

func (u *usualHead) number() (n uint64) {
	begin := u.i
	for u.i < len(u.b) && u.b[u.i]-'0' <= 9 {
		n = n*10 + uint64(u.b[u.i]-'0')
		u.i++
	}
	u.ok = u.ok && u.i > begin && u.i-begin <= usualDigits
	u.padded = u.padded || u.i-begin > 1 && u.b[begin] == '0'
	return n
}
