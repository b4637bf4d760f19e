package formats

import (
	"bytes"
	"encoding/base64"
	"slices"
	"sort"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// JSONL of messages with a direction, as written by many small tools and by
// mcpdbg rec export --format jsonl. Comparison of names and words ignores case, - _
// and spaces.

// Names of members with the direction, the message and the time, the likeliest
// first.
var (
	directionNames = []string{"dir", "direction", "from", "source", "origin", "sender", "side", "stream", "channel", "type", "kind", "event", "op", "to"}
	messageNames   = []string{"message", "msg", "frame", "m", "data", "payload", "raw", "json", "rpc", "jsonrpcmessage", "body", "content", "line", "text", "base64", "b64"}
	timeNames      = []string{"t", "ts", "time", "timestamp", "at", "date", "datetime", "when", "@timestamp", "elapsed", "offset"}
)

// timeUnits are in microseconds, by suffix of the name.
var timeUnits = []struct {
	end  string
	unit float64
}{{"us", 1}, {"micros", 1}, {"ms", 1e3}, {"millis", 1e3}, {"ns", 1e-3}, {"nanos", 1e-3}, {"sec", 1e6}, {"seconds", 1e6}}

// A side is the meaning of a direction.
type side uint8

const (
	noSide    side = iota
	sideOut        // to the server, as its client sees it
	sideIn         // from the server, as its client sees it
	sideErr        // what the server wrote to stderr
	sideToSrv      // to the server, from any point of view
	sideToCli      // from the server, from any point of view
)

var sides = map[string]side{
	"out": sideOut, "outgoing": sideOut, "outbound": sideOut, "send": sideOut, "sent": sideOut, "tx": sideOut, "write": sideOut, "egress": sideOut,
	">": sideOut, ">>": sideOut, ">>>": sideOut, "→": sideOut,
	"in": sideIn, "incoming": sideIn, "inbound": sideIn, "recv": sideIn, "receive": sideIn, "received": sideIn, "rx": sideIn, "read": sideIn, "ingress": sideIn,
	"<": sideIn, "<<": sideIn, "<<<": sideIn, "←": sideIn,
	"client": sideToSrv, "c2s": sideToSrv, "clienttoserver": sideToSrv, "client>server": sideToSrv, "client→server": sideToSrv, "toserver": sideToSrv, "stdin": sideToSrv, "host": sideToSrv,
	"server": sideToCli, "s2c": sideToCli, "servertoclient": sideToCli, "server>client": sideToCli, "server→client": sideToCli, "fromserver": sideToCli, "toclient": sideToCli, "stdout": sideToCli,
	"err": sideErr, "stderr": sideErr,
}

func plainWord(word string) string {
	if len(word) > 40 {
		return ""
	}
	return unspelled.Replace(strings.ToLower(word))
}

var unspelled = strings.NewReplacer("_", "", "-", "", " ", "")

type plainLine struct {
	side    side
	payload []byte
	more    bool
	time    []byte  // raw
	unit    float64 // from the name of the time, in microseconds; 0 if unknown
	own     bool    // the message is the line itself, except for direction and time
}

// parsePlain finds direction, message and time in a JSON object.
func parsePlain(line []byte) (l plainLine, ok bool) {
	var direction, at framing.Span // with the comma before them
	bestDirection, bestMessage, bestTime := len(directionNames), len(messageNames), len(timeNames)
	end := uint32(1) // of the member before
	for name, span := range framing.Members(line) {
		here := framing.Span{Start: end, End: span.End}
		end = span.End
		value, word := span.Of(line), plainWord(text(name.Of(line)))
		switch word {
		case "jsonrpc":
			l.own = true
		case "more":
			l.more = string(value) == "true"
		}
		if n := slices.Index(directionNames, word); n >= 0 && n < bestDirection {
			if s := sideOf(word, value); s != noSide {
				l.side, direction, bestDirection = s, here, n
			}
		}
		if n := slices.Index(messageNames, word); n >= 0 && n < bestMessage {
			if payload, ok := plainMessage(word, value); ok {
				l.payload, bestMessage = payload, n
			}
		}
		if n, unit := timeName(word); n >= 0 && n < bestTime {
			l.time, l.unit, at, bestTime = value, unit, here, n
		}
	}
	if l.own && l.side != noSide {
		l.payload = without(line, direction, at)
	}
	return l, l.side != noSide && l.payload != nil
}

func without(object []byte, taken ...framing.Span) []byte {
	sort.Slice(taken, func(i, j int) bool { return taken[i].End < taken[j].End })
	rest := []byte{}
	at := uint32(1)
	for _, member := range taken {
		if member != (framing.Span{}) {
			rest = append(rest, object[at:member.Start]...)
			at = member.End
		}
	}
	rest = append(rest, object[at:]...)
	if behind, ok := bytes.CutPrefix(bytes.TrimLeft(rest, " \t"), []byte(",")); ok {
		rest = bytes.TrimLeft(behind, " \t")
	}
	return append([]byte("{"), rest...)
}

func sideOf(name string, value []byte) side {
	if !isText(value) {
		return noSide
	}
	word := strings.Trim(plainWord(text(value)), ".:")
	s := sides[word]
	if name == "to" {
		switch s {
		case sideToSrv:
			return sideToCli
		case sideToCli:
			return sideToSrv
		}
		return noSide
	}
	return s
}

// plainMessage returns the message in a member, if it is one.
func plainMessage(name string, value []byte) ([]byte, bool) {
	payload, ok := message(value)
	if !ok || name != "base64" && name != "b64" {
		return payload, ok
	}
	data, err := base64.StdEncoding.DecodeString(string(payload))
	return data, err == nil && isText(value)
}

// timeName returns the rank of a name of a time, or -1, and its unit if known.
func timeName(word string) (rank int, unit float64) {
	if n := slices.Index(timeNames, word); n >= 0 {
		return n, 0
	}
	for _, u := range timeUnits {
		if begin, ok := strings.CutSuffix(word, u.end); ok {
			if n := slices.Index(timeNames, begin); n >= 0 {
				return n, u.unit
			}
		}
	}
	return -1, 0
}

// sampled is how many lines are read to analyze a source.
const sampled = 50

// A sample describes a source, from its first lines.
type sample struct {
	good, bad int
	mcpdbg    bool    // it is an export of mcpdbg
	swapped   bool    // in and out are relative to the server
	wall      bool    // times are dates, or relative to 1970
	unit      float64 // of times that are numbers, in microseconds
	guessed   bool    // unit was guessed
	timed     bool
	own       bool
}

func sampleOf(head []byte) sample {
	s := sample{mcpdbg: true}
	asked := false
	for line := range bytes.Lines(head) {
		whole := bytes.HasSuffix(line, []byte("\n")) || len(head) < headSize
		if line = bytes.TrimSpace(line); len(line) == 0 || !whole {
			continue
		}
		if s.good+s.bad == sampled {
			break
		}
		if !isObject(line) {
			s.bad++
			continue
		}
		l, ok := parsePlain(line)
		if !ok {
			s.bad++
			continue
		}
		s.good++
		s.own = s.own || l.own
		s.mcpdbg = s.mcpdbg && bytes.HasPrefix(line, []byte(`{"t":`)) && bytes.Contains(line[:min(len(line), 60)], []byte(`,"dir":"`))
		s.clock(l)
		if m := framing.Scan(l.payload); !asked && m.Kind == framing.Request && (l.side == sideIn || l.side == sideOut) {
			if clientMethod(string(m.Method.Of(l.payload))) {
				asked, s.swapped = true, l.side == sideIn
			}
		}
	}
	s.mcpdbg = s.mcpdbg && s.good > 0
	if s.mcpdbg {
		s.wall, s.unit, s.guessed = false, 1, false
	}
	return s
}

// clientMethod reports whether only clients send requests of the method.
func clientMethod(method string) bool {
	switch method {
	case "initialize", "server/discover", "tools/list", "tools/call", "resources/list", "resources/read", "prompts/list", "prompts/get":
		return true
	}
	return false
}

// clock analyzes the first time.
func (s *sample) clock(l plainLine) {
	if s.timed || len(l.time) == 0 {
		return
	}
	if wallTime(l.time) != unknown {
		s.timed, s.wall = true, true
		return
	}
	n, ok := number(l.time)
	if !ok {
		return
	}
	s.timed = true
	switch epoch := epochUnit(n); {
	case l.unit != 0:
		s.unit, s.wall = l.unit, n*l.unit >= epochS*1e6
	case epoch != 0:
		s.unit, s.wall = epoch, true
	case bytes.IndexByte(l.time, '.') >= 0:
		s.unit, s.guessed = 1e6, true
	default:
		s.unit, s.guessed = 1e3, true
	}
}

func looksPlain(head []byte) bool {
	s := sampleOf(head)
	return s.good > 0 && s.good >= 4*s.bad
}

func readPlain(s *logSource, to *recorder) error {
	about := sampleOf(bytes.TrimPrefix(s.head, byteOrderMark))
	to.wall = about.wall
	if about.mcpdbg {
		s.report.From = "mcpdbg export jsonl"
		to.remark("line endings, and entries other than messages and lines, are missing")
	} else {
		s.report.From = "JSONL"
		to.remark("it is unknown what the tool that wrote the file omitted; messages have the bytes of the file")
	}
	for _, remark := range []struct {
		so   bool
		text string
	}{
		{!about.timed, "it has no timestamps"},
		{about.guessed && about.unit == 1e6, "times are assumed to be seconds"},
		{about.guessed && about.unit == 1e3, "times are assumed to be milliseconds"},
		{about.swapped, "in and out are relative to the server, because a request that only clients send came in"},
		{about.own, "direction and time were members of the messages and have been removed"},
	} {
		if remark.so {
			to.remark(remark.text)
		}
	}
	return s.objects(to, func(line []byte) error {
		l, ok := parsePlain(line)
		if !ok {
			return unreadable("no known direction, or no message")
		}
		return to.add(about.item(l))
	})
}

func (s *sample) item(l plainLine) logItem {
	if s.swapped {
		switch l.side {
		case sideIn:
			l.side = sideOut
		case sideOut:
			l.side = sideIn
		}
	}
	i := logItem{at: s.time(l), payload: l.payload, more: l.more}
	switch l.side {
	case sideOut, sideToSrv:
		i.kind = session.KindStdin
	case sideErr:
		i.kind = session.KindStderr
	default:
		i.kind = session.KindStdout
	}
	return i
}

// time returns the time of a line, in microseconds since 1970 or since the start,
// depending on the first time.
func (s *sample) time(l plainLine) int64 {
	if at := wallTime(l.time); at != unknown || len(l.time) == 0 {
		return s.of(at, true)
	}
	n, ok := number(l.time)
	if !ok {
		return unknown
	}
	unit := l.unit
	switch {
	case unit == 0 && s.wall:
		unit = epochUnit(n)
	case unit == 0:
		unit = s.unit
	}
	return s.of(micros(n, unit), n*unit >= epochS*1e6)
}

// of returns a time if it is of the same kind as the first one, otherwise unknown.
func (s *sample) of(at int64, wall bool) int64 {
	if s.wall != wall {
		return unknown
	}
	return at
}
