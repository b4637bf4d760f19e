package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/tty"
	"mcpdbg/ui/widget/termsafe"
)

const (
	// retries of a call because it requires URLs
	maxVisits = 8
	// URLs of one error
	maxPages = 20
	// completeTime is how long a call waits for notifications/elicitation/complete
	// without a question: many servers never send it.
	completeTime = 10 * time.Second
)

// A page is a URL to visit before the server answers a request: an elicitation of mode
// url in the data of the error -32042.
type page struct {
	params json.RawMessage
	ID     string `json:"elicitationId"`
	URL    string `json:"url"`
	Text   string `json:"message"`
}

func requiredPages(e *session.RPCError) []page {
	if e == nil || e.Code != mcp.CodeURLElicitation {
		return nil
	}
	var pages []page
	list := framing.Member(e.Data, "elicitations").Of(e.Data)
	for at := range framing.Elements(list) {
		p := page{params: at.Of(list)}
		if json.Unmarshal(p.params, &p) == nil && p.URL != "" && len(pages) < maxPages {
			pages = append(pages, p)
		}
	}
	return pages
}

// visit waits until the pages have been visited, and reports whether to send the request
// again.
func (s *sending) visit(ctx context.Context, pages []page) (retry bool, err error) {
	s.list(pages)
	answered, accepted := s.accepts(pages)
	switch {
	case answered && !accepted:
		s.hint = "the answer of --answers to elicitation/create of mode url does not accept"
		return false, nil
	case answered:
		return true, s.awaitPages(ctx, pages)
	}
	retry, err = s.ask(ctx, pages)
	if errors.Is(err, executor.ErrNoPrompter) {
		s.hint = `run it in a terminal, or accept with --answers FILE: {"elicitation/create": [{"mode": "url", "result": {"action": "accept"}}]}`
		return false, nil
	}
	return retry, err
}

// list prints the pages. mcpdbg never opens one.
func (s *sending) list(pages []page) {
	s.say(fmt.Sprintf("%s requires a visit to %s (error %d):", s.r.method, wording.Plural(len(pages), "URL"), mcp.CodeURLElicitation))
	for _, p := range pages {
		s.say("  " + p.URL)
		for line := range strings.Lines(p.Text) {
			s.say("    the server says: " + strings.TrimRight(line, "\r\n"))
		}
		for _, warning := range termsafe.URLWarnings(p.URL) {
			s.say("    " + warning)
		}
	}
}

// accepts reports whether canned answers accept all pages.
func (s *sending) accepts(pages []page) (answered, accepted bool) {
	accepted = true
	for _, p := range pages {
		answer, ok := s.l.CannedAnswer(mcp.MethodElicit, p.params)
		var result struct {
			Action string          `json:"action"`
			Error  json.RawMessage `json:"error"`
		}
		if !ok || json.Unmarshal(answer, &result) != nil || result.Error != nil {
			return false, false
		}
		accepted = accepted && result.Action == "accept"
	}
	return true, accepted
}

// The server reported all pages as visited.
var errCompleted = errors.New("the server reports completion")

// ask returns when the user presses a key or the server reports that all pages were
// visited.
func (s *sending) ask(ctx context.Context, pages []page) (retry bool, err error) {
	asking, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		err := s.completed(asking, pages)
		if err == nil {
			err = errCompleted
		}
		cancel(err)
	}()
	text, err := s.env.AskLine(asking, "mcpdbg: visit it, then press Enter to retry, or q Enter to give up: ")
	switch {
	case errors.Is(err, errCompleted):
		s.say("retrying: " + errCompleted.Error())
		return true, nil
	case errors.Is(err, tty.ErrDeclined):
		return false, nil
	case err != nil:
		return false, err
	}
	return strings.TrimSpace(text) == "", nil
}

func (s *sending) awaitPages(ctx context.Context, pages []page) error {
	limit := min(completeTime, s.r.timeout)
	waiting, cancel := context.WithTimeoutCause(ctx, limit, errUnreported)
	defer cancel()
	err := s.completed(waiting, pages)
	switch {
	case errors.Is(err, errUnreported):
		s.say(fmt.Sprintf("retrying: accepted by --answers; no %s after %v", mcp.MethodElicited, limit))
		return nil
	case err == nil:
		s.say("retrying: accepted by --answers; " + errCompleted.Error())
	}
	return err
}

var errUnreported = errors.New("completion not reported")

// completed waits for notifications/elicitation/complete for all pages. The error is the
// cause of ctx, or that the server has ended.
func (s *sending) completed(ctx context.Context, pages []page) error {
	open := map[string]bool{}
	for _, p := range pages {
		open[p.ID] = true
	}
	log, next, done := s.l.Log, int(s.entries[len(s.entries)-1]), s.l.Done()
	for {
		changed := log.Changed()
		for number, row := range session.RowsFrom(log, next) {
			next = number + 1
			if row.Kind == session.KindStdout && row.Msg == framing.Notification && log.Method(row.Method) == mcp.MethodElicited {
				if id := s.completedID(row); id != "" {
					delete(open, id)
				}
			}
		}
		if len(open) == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-done:
			return session.ErrEnded
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

const maxCompleted = 64 << 10

func (s *sending) completedID(row session.Row) string {
	e, err := s.l.Log.Entry(row, maxCompleted)
	if err != nil {
		return ""
	}
	var params struct {
		ID string `json:"elicitationId"`
	}
	_ = json.Unmarshal(e.Msg.Params.Of(e.Payload), &params) // "" names no page
	return params.ID
}
