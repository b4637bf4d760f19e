package match

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Type is a kind of value that changes with each run of a server, so that only its
// type can be compared.
type Type uint8

// The zero value is TypeNone.
const (
	TypeNone     Type = iota
	TypeAny           // anything; used by rules only
	TypeTime          // RFC 3339 or similar, and HTTP dates
	TypeEpoch         // seconds, milliseconds, microseconds or nanoseconds since 1970, for the years 2015 to 2100
	TypeID            // UUID, ULID, 16 or more hexadecimal digits
	TypeDuration      // 1.5s, PT3S; numbers with such a name
	TypePID           // numbers with such a name
	TypePort          // numbers with such a name
	TypeTempPath      // a path in a temporary folder
	typeCount
)

var typeNames = [typeCount]string{"", "any", "time", "epoch", "id", "duration", "pid", "port", "temp-path"}

// String returns the type as rule files and reports spell it.
func (t Type) String() string { return typeNames[t] }

// IsGuess reports whether a value is of the type only because of its name or size, so that
// it may mean something else.
func (t Type) IsGuess() bool {
	return t == TypeEpoch || t == TypeDuration || t == TypePID || t == TypePort
}

func parseType(s string) (Type, bool) {
	for t := TypeAny; t < typeCount; t++ {
		if typeNames[t] == s {
			return t, true
		}
	}
	return TypeNone, false
}

// Fits reports whether a JSON value with the given name is of type t.
func (t Type) Fits(name string, value []byte) bool {
	return t == TypeAny || t != TypeNone && TypeOf(name, value) == t
}

var (
	timeText     = expression(`^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d([.,]\d+)?)?( ?([Zz]|UTC|[+-]\d\d:?\d\d))?$`)
	idText       = expression(`^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}|[0-7][0-9A-HJKMNP-TV-Z]{25}|[0-9a-f]{16,}|[0-9A-F]{16,})$`)
	durationText = expression(`^([0-9.]+ ?(ns|us|µs|ms|s|sec|secs|seconds?|m|min|minutes?|h|hours?) ?)+$|^PT([0-9.]+[HMS])+$`)
	tempText     = expression(`^(file://)?(/tmp/|/var/tmp/|/private/tmp/|(/private)?/var/folders/|[A-Za-z]:\\.*\\Temp\\).+`)
	durationName = expression(`(?i:duration|elapsed|latency|uptime|took|runtime)|(^|_)(ms|us|ns|millis|seconds)$|(Ms|Us|Ns|Millis|Seconds)$`)
	pidName      = expression(`^(pid|ppid|PID|PPID)$|_p?pid$|process_?id$|ProcessId$|[a-z]P?Pid$`)
	portName     = expression(`^(port|Port|PORT)$|_port$|[a-z]Port$`)
)

// Longer values are not checked for a type.
const maxTyped = 512

// TypeOf returns the type of a JSON value with the given name; TypeNone if it looks as
// if it should be the same in each run.
func TypeOf(name string, value []byte) Type {
	if len(value) == 0 || len(value) > maxTyped {
		return TypeNone
	}
	if value[0] != '"' {
		return numberType(name, value)
	}
	text := unquote(value)
	if text == "" {
		return TypeNone
	}
	if t := textType(text); t != TypeNone {
		return t
	}
	return numberType(name, []byte(text))
}

// textType tries the expressions whose first characters are those of the text, because most
// texts match none.
func textType(text string) Type {
	first := text[0]
	digit := first >= '0' && first <= '9'
	switch {
	case digit && timeText().MatchString(text), len(text) > 3 && text[3] == ',' && isDate(text):
		return TypeTime
	case isWord(text) && idText().MatchString(text) && strings.ContainsAny(text, "0123456789"):
		return TypeID
	case (digit || first == '.' || first == 'P') && durationText().MatchString(text):
		return TypeDuration
	case (first == '/' || first == 'f' || len(text) > 1 && text[1] == ':') && tempText().MatchString(text):
		return TypeTempPath
	}
	return TypeNone
}

func isDate(text string) bool {
	_, err := time.Parse(time.RFC1123, text)
	return err == nil
}

// isWord reports whether a text has the characters and the least length of an id.
func isWord(text string) bool {
	for i := range len(text) {
		if c := text[i]; c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return len(text) >= 16
}

func numberType(name string, number []byte) Type {
	if bytes.IndexByte([]byte("-0123456789"), number[0]) < 0 {
		return TypeNone
	}
	v, err := strconv.ParseFloat(string(number), 64)
	switch {
	case err != nil || v < 0:
		return TypeNone
	case pidName().MatchString(name):
		return TypePID
	case portName().MatchString(name) && v < 1<<16:
		return TypePort
	case durationName().MatchString(name):
		return TypeDuration
	}
	const from, to = 1_420_070_400, 4_102_444_800 // 2015, 2100
	for unit := 1.0; unit <= 1e9; unit *= 1000 {
		if v >= from*unit && v < to*unit {
			return TypeEpoch
		}
	}
	return TypeNone
}

// Compiling at package initialization would slow down every start of the program. Inlined, each
// call would add 400 bytes to it.
//
//go:noinline
func expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
