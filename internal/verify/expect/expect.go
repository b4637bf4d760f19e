// Package expect checks what a person expects of a run, such as
// "handshake p95 < 2s" or "host <= 5%": see docs/ci.md.
package expect

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcpdbg/internal/verify/history"
	"mcpdbg/internal/wording"
)

// An Expect is METRIC [STAT] OP VALUE.
type Expect struct {
	text   string
	metric string
	name   string // of a tool, for a method
	stat   string // "" for every value
	op     string
	kind   kind
	value  float64 // milliseconds, a number, a share of 1, or the factor of a history
	glob   string  // of a word
	past   bool    // value is a factor of the history
	whole  bool    // a share in percent, not in targets
}

// String returns the text.
func (e *Expect) String() string { return e.text }

type kind int

const (
	ofTime   kind = iota // phases, total and methods
	ofCount              // items of a list
	ofShare              // targets
	ofWord               // version, server and the like
	unlisted             // not a metric
)

var (
	counts = []string{"tools", "resources", "templates", "prompts"}
	shares = []string{"failed", "host", "flaky"}
	words  = []string{"version", "server", "protocol", "era"}
	stats  = map[string]int{"p50": 50, "p90": 90, "p95": 95, "p99": 99, "max": 100, "avg": 0}
	ops    = []string{"<=", ">=", "!=", "<", ">", "="}
)

func kindOf(metric string) kind {
	switch {
	case slices.Contains(history.Phases, metric) || strings.Contains(metric, "/"):
		return ofTime
	case slices.Contains(counts, metric):
		return ofCount
	case slices.Contains(shares, metric):
		return ofShare
	case slices.Contains(words, metric):
		return ofWord
	}
	return unlisted
}

// maxText limits an expectation in bytes.
const maxText = 500

// Parse reads expectations with a semicolon between them.
func Parse(text string) ([]*Expect, error) {
	var all []*Expect
	for part := range strings.SplitSeq(text, ";") {
		if strings.TrimSpace(part) == "" && text != part {
			continue
		}
		e, err := parse(part)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

func parse(text string) (*Expect, error) {
	e := &Expect{text: strings.Join(strings.Fields(text), " ")}
	if len(text) > maxText {
		return nil, fmt.Errorf("longer than %d bytes", maxText)
	}
	left, op, value := cut(e.text)
	fields := strings.Fields(left)
	if op == "" || len(fields) == 0 || value == "" {
		return nil, fmt.Errorf("%q: must be METRIC [STAT] OP VALUE, such as handshake p95 < 2s", e.text)
	}
	e.op, e.metric, fields = op, fields[0], fields[1:]
	if e.kind = kindOf(e.metric); e.kind == unlisted {
		known := slices.Concat(history.Phases, counts, shares, words)
		if near := wording.Nearest(e.metric, known); near != "" {
			return nil, fmt.Errorf("%q: unknown metric %s; did you mean %s?", e.text, e.metric, near)
		}
		return nil, fmt.Errorf("%q: unknown metric %s (known: %s)", e.text, e.metric, strings.Join(known, ", "))
	}
	if n := len(fields); n > 0 {
		if _, ok := stats[fields[n-1]]; ok {
			e.stat, fields = fields[n-1], fields[:n-1]
		}
	}
	if len(fields) > 0 && strings.Contains(e.metric, "/") {
		e.name, fields = fields[0], fields[1:]
	}
	switch {
	case len(fields) > 0:
		return nil, fmt.Errorf("%q: unknown statistic %s (known: p50, p90, p95, p99, max, avg)", e.text, fields[0])
	case e.stat != "" && (e.kind == ofShare || e.kind == ofWord):
		return nil, fmt.Errorf("%q: %s has no %s", e.text, e.metric, e.stat)
	}
	return e, e.parseValue(value)
}

// cut splits at the first operator.
func cut(text string) (left, op, value string) {
	at := strings.IndexAny(text, "<>=!")
	if at < 0 {
		return text, "", ""
	}
	for _, op := range ops {
		if rest, ok := strings.CutPrefix(text[at:], op); ok {
			return text[:at], op, strings.TrimSpace(rest)
		}
	}
	return text, "", ""
}

func (e *Expect) parseValue(value string) error {
	invalid := func(want string) error { return fmt.Errorf("%q: %q: must be %s", e.text, value, want) }
	if factor, ok := strings.CutSuffix(value, "x history"); ok {
		f, err := strconv.ParseFloat(factor, 64)
		switch {
		case e.kind == ofCount || e.kind == ofWord || strings.Contains(e.metric, "/"):
			return fmt.Errorf("%q: the history has no %s: it has times of phases, total, and shares", e.text, e.metric)
		case err != nil || !(f > 0 && f <= 1000):
			return invalid("a factor such as 1.5x history")
		}
		e.value, e.past = f, true
		return nil
	}
	switch e.kind {
	case ofTime:
		d, err := time.ParseDuration(value)
		if err != nil || d < 0 {
			return invalid("a duration such as 500ms or 2s, or 1.5x history")
		}
		e.value = wording.Milliseconds(d)
	case ofWord:
		if _, err := path.Match(value, ""); err != nil || e.op != "=" && e.op != "!=" {
			return invalid("= or != and a pattern such as 1.4.*")
		}
		e.glob = value
	default:
		number, percent := strings.CutSuffix(value, "%")
		n, err := strconv.ParseFloat(number, 64)
		if err != nil || !(n >= 0 && n < 1e9) || percent && e.kind != ofShare {
			return invalid("a number" + map[bool]string{true: " of targets, a percentage such as 5%, or 1.5x history"}[e.kind == ofShare])
		}
		if e.value, e.whole = n, percent; percent {
			e.value /= 100
		}
	}
	return nil
}

// Share reports whether the expectation is about a whole run only.
func (e *Expect) Share() bool { return e.kind == ofShare }
