package verify

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mcpdbg/framing"
)

// FailOn is what fails a run.
type FailOn struct {
	Error, Warning, NotChecked bool     // problems and steps
	NoHost, NoServer           bool     // failures of this side do not count
	Flaky, New                 bool     // flaky targets count; known failures do not
	Notices                    []string // codes that count
}

// The words of FailOn.
const (
	failError      = "error"
	failWarning    = "warning"
	failNotChecked = "not-checked"
	failNever      = "never"
	failFlaky      = "flaky"
	failNew        = "new"
	failNotice     = "notice:"
)

// FailOnWords returns the words that ParseFailOn knows.
func FailOnWords() []string {
	return []string{failError, failWarning, failNotChecked, failNever, string(SideHost), string(SideServer), failFlaky, failNew, failNotice}
}

var errFailOn = errors.New("must be a list of error, warning, not-checked or never, host, server, flaky, new and notice:CODE")

// ParseFailOn reads a list of words, such as "error,not-checked". Warnings include
// errors. A word of one kind leaves the default of the others: errors, of both sides.
func ParseFailOn(text string) (FailOn, error) {
	var on FailOn
	var severities, sides []string
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		switch word {
		case failError, failWarning, failNotChecked, failNever:
			severities = append(severities, word)
		case string(SideHost), string(SideServer):
			sides = append(sides, word)
		case failFlaky:
			on.Flaky = true
		case failNew:
			on.New = true
		default:
			code, ok := strings.CutPrefix(word, failNotice)
			if !ok || code == "" {
				return on, errFailOn
			}
			on.Notices = append(on.Notices, code)
		}
	}
	if len(severities) > 1 && slices.Contains(severities, failNever) {
		return on, fmt.Errorf("never cannot be combined with error, warning and not-checked")
	}
	on.Warning = slices.Contains(severities, failWarning)
	on.NotChecked = slices.Contains(severities, failNotChecked)
	on.Error = on.Warning || len(severities) == 0 || slices.Contains(severities, failError)
	on.NoHost = len(sides) > 0 && !slices.Contains(sides, string(SideHost))
	on.NoServer = len(sides) > 0 && !slices.Contains(sides, string(SideServer))
	return on, nil
}

func (f FailOn) words() (words []string) {
	switch {
	case f.Warning:
		words = append(words, failWarning)
	case f.Error:
		words = append(words, failError)
	}
	if f.NotChecked {
		words = append(words, failNotChecked)
	}
	if len(words) == 0 {
		words = append(words, failNever)
	}
	if !f.NoHost {
		words = append(words, string(SideHost))
	}
	if !f.NoServer {
		words = append(words, string(SideServer))
	}
	if f.Flaky {
		words = append(words, failFlaky)
	}
	if f.New {
		words = append(words, failNew)
	}
	for _, code := range f.Notices {
		words = append(words, failNotice+code)
	}
	return words
}

// String returns the words, without the default of both sides.
func (f FailOn) String() string {
	words := f.words()
	if !f.NoHost && !f.NoServer {
		words = slices.DeleteFunc(words, func(word string) bool { return word == string(SideHost) || word == string(SideServer) })
	}
	return strings.Join(words, ",")
}

// MarshalJSON returns the list of words.
func (f FailOn) MarshalJSON() ([]byte, error) { return json.Marshal(f.words()) }

// UnmarshalJSON reads the list of words.
func (f *FailOn) UnmarshalJSON(data []byte) error {
	var words []string
	err := framing.Unmarshal(data, &words)
	if err == nil {
		*f, err = ParseFailOn(strings.Join(words, ","))
	}
	return err
}

// Counts reports whether problems and failed steps of a severity fail the run.
func (f FailOn) Counts(severity string) bool {
	return f.Error && severity == failError || f.Warning && severity == failWarning
}

// CountsTarget reports whether a target, of which the outcome is known, fails the run.
func (f FailOn) CountsTarget(r *Result) bool {
	switch r.Outcome {
	case OutcomeFailed:
		ignored := f.NoHost && r.Side == SideHost || f.NoServer && r.Side == SideServer || f.New && r.Runs > 1
		return !ignored
	case OutcomePassed, OutcomeFlaky:
		return f.Flaky && r.Outcome == OutcomeFlaky ||
			slices.ContainsFunc(r.Notices, func(n Notice) bool { return slices.Contains(f.Notices, n.Code) })
	}
	return false
}
