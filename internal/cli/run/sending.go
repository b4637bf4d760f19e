package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/live"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/spool"
	"mcpdbg/ui/widget/termsafe"
)

// A sending is one call with all its requests: rounds of input, and retries after a visit
// to a URL.
type sending struct {
	env     *console.Env
	l       *live.Session
	r       callRequest
	entries []uint64 // of the requests
	polls   []uint64 // entries of the requests about the task
	hint    string   // what to try if URLs were not visited
	task    taskReport
	copied  copied
}

func (s *sending) send(ctx context.Context) (session.Response, error) {
	resp, err := s.once(ctx, 0)
	for range maxVisits {
		pages := requiredPages(resp.Error)
		if err != nil || len(pages) == 0 {
			break
		}
		retry, err := s.visit(ctx, pages)
		if err != nil {
			return resp, err
		}
		if !retry {
			break
		}
		resp, err = s.once(ctx, s.entries[0])
		if err != nil {
			return resp, err
		}
	}
	return resp, err
}

// again is the entry of the repeated request.
func (s *sending) once(ctx context.Context, again uint64) (session.Response, error) {
	update, end := showProgress(s.env, s.r.quiet)
	defer end()
	opts := session.CallOptions{
		Progress: update, OnSent: func(n uint64) { s.entries = append(s.entries, n) }, OnTask: s.task.changed, Again: again,
		OnPoll: func(n uint64) { s.polls = append(s.polls, n) },
	}
	if !s.r.asJSON && !s.env.Terminal { // the result is printed as it is
		opts.Long = s.copied.copy
	}
	resp, err := s.l.Request(ctx, s.r.method, s.r.params, opts)
	return resp, s.copied.check(resp, err)
}

// Nil for one request.
func (s *sending) rounds() []uint64 {
	if len(s.entries) < 2 {
		return nil
	}
	return s.entries
}

// person returns how long the server waited for responses and input, in microseconds.
func (s *sending) person() int64 {
	entries := slices.Sorted(slices.Values(slices.Concat(s.entries, s.polls)))
	rows := make([]int, 0, len(entries))
	for _, n := range entries {
		rows = append(rows, int(n)-1) // the log is whole
	}
	return exchange.NewTable(s.l.Log).TimesOfRounds(rows).Person
}

func (s *sending) note() {
	if s.r.quiet {
		return
	}
	if rounds := s.rounds(); rounds != nil {
		texts := make([]string, len(rounds))
		for i, n := range rounds {
			texts[i] = fmt.Sprint(n)
		}
		s.say(fmt.Sprintf("note: the call took %d rounds: the requests of entries %s", len(rounds), strings.Join(texts, ", ")))
	}
}

// gaveUp returns an error if the result still asks for input: the call was not re-sent.
func (s *sending) gaveUp(result json.RawMessage) error {
	asked := stillAsked(result)
	if asked == "" {
		return nil
	}
	err := fmt.Errorf("%s: gave up after %s: the server still asks for %s", s.r.method, wording.Plural(len(s.entries), "round"), asked)
	hint := ""
	if asked != onlyState {
		hint = "--answers FILE with answers to server requests"
	}
	return console.WithHint(&console.ResponseError{Err: err}, hint)
}

func (s *sending) say(text string) {
	lead := "mcpdbg: "
	if strings.HasPrefix(text, " ") {
		lead = ""
	}
	fmt.Fprintln(s.env.Stderr, termsafe.String(lead+text))
}

const maxAsked = 5

// A result without input requests.
const onlyState = "the same request with its requestState"

// "" if a result asks for nothing.
func stillAsked(result json.RawMessage) string {
	var ask struct {
		Type     string `json:"resultType"`
		Requests map[string]struct {
			Method string `json:"method"`
		} `json:"inputRequests"`
	}
	if json.Unmarshal(result, &ask) != nil || ask.Type != "input_required" {
		return ""
	}
	if len(ask.Requests) == 0 {
		return onlyState
	}
	var names []string
	for _, key := range slices.Sorted(maps.Keys(ask.Requests)) {
		if len(names) == maxAsked {
			names = append(names, "...")
			break
		}
		names = append(names, fmt.Sprintf("%s (key %q)", cmp.Or(ask.Requests[key].Method, "?"), key))
	}
	return strings.Join(names, ", ")
}

// copied prints a long result while it arrives.
type copied struct {
	out   io.Writer
	line  *spool.Line // whose result it is
	bytes int64       // of the result that are on out
	err   error       // of writing to it
}

func (c *copied) copy(line *spool.Line) {
	if c.bytes > 0 {
		return // a part of another line is printed: see check
	}
	c.line = line
	c.bytes, c.err = line.CopyResult(c.out)
	if errors.Is(c.err, spool.ErrCut) {
		c.err = nil // the request fails
	}
}

// check returns the error of a request, noting if a part of another result was printed.
func (c *copied) check(resp session.Response, err error) error {
	if c.bytes == 0 || err == nil && resp.Long == c.line {
		return err
	}
	return &console.CutError{Bytes: c.bytes, Err: err}
}

func (c *copied) end() error {
	if c.err != nil {
		return c.err
	}
	_, err := c.out.Write([]byte{'\n'})
	return err
}
