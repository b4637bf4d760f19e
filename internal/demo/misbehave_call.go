package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

func callKinds() []misbehaviour {
	return []misbehaviour{
		{Kind{Name: "splits-batches",
			Description: "responds to a batch (revision 2025-03-26) in parts and in another order, which is allowed"}, splitsBatches},
		{Kind{Name: "huge-answer", Lint: "FRM09", Param: "BYTES=104857600",
			Description: "responds to a tool call with that much text, on one line"}, withNumber(hugeAnswer)},
		{Kind{Name: "crash-mid-call", Lint: "PRC03", Param: "segv|abort|kill|panic=segv",
			Description: "dies during a tool call, by a signal or a panic"}, crashMidCall},
		{Kind{Name: "closes-stdout", Lint: "PRC06", HasNowForm: true,
			Description: "closes stdout during a tool call, and runs until the end of stdin"}, closesStdout},
		{Kind{Name: "deep", Lint: "FRM15", Param: "LEVELS=300",
			Description: "responds to a tool call with deeply nested JSON"}, withNumber(deep)},
		{Kind{Name: "ids", Lint: "FRM14",
			Description: "pings the client during a tool call, with the ids 0 and 9007199254740993"}, bigIDs},
		{Kind{Name: "progress-after-result", Lint: "PRG03",
			Description: "sends progress of a tool call after its result"}, progressAfterResult},
		{Kind{Name: "asks-undeclared", Lint: "CAP07",
			Description: "requests sampling during a tool call, even if the client did not declare it"}, asksUndeclared},
	}
}

func splitsBatches(ctx context.Context, c *culprit) (int, error) {
	return c.serve(ctx, faults{splitsBatches: true})
}

func onCall(f func(ctx context.Context, s *server, r *request)) faults {
	return faults{request: func(ctx context.Context, s *server, r *request) bool {
		if r.method != "tools/call" {
			return false
		}
		f(ctx, s, r)
		return true
	}}
}

func hugeAnswer(ctx context.Context, c *culprit, size int) (int, error) {
	return c.serve(ctx, onCall(func(_ context.Context, s *server, r *request) {
		s.calls.Go(func() { s.reply(r, bigText(size), nil) })
	}))
}

func crashMidCall(ctx context.Context, c *culprit) (int, error) {
	die, err := deathBy(c.param)
	if err != nil {
		return 0, err
	}
	return c.serve(ctx, onCall(func(context.Context, *server, *request) { die() }))
}

func closesStdout(ctx context.Context, c *culprit) (int, error) {
	if c.now {
		_ = c.out.Close()
		return neverAnswers(ctx, c)
	}
	return c.serve(ctx, onCall(func(_ context.Context, s *server, _ *request) {
		s.logf("closing stdout")
		_ = c.out.Close()
	}))
}

// deep builds the bytes by hand, because encoding/json limits the depth to 10,000.
func deep(ctx context.Context, c *culprit, levels int) (int, error) {
	const around = 2 // the message and its result
	if levels <= around {
		return 0, fmt.Errorf("a response has at least %d levels", around+1)
	}
	return c.serve(ctx, onCall(func(_ context.Context, s *server, r *request) {
		const mark = `"@"`
		line := encode(s.response(r, object{"content": []object{}, "structuredContent": "@"}, nil))
		nested := strings.Repeat(`{"a":`, levels-around-1) + "{}" + strings.Repeat("}", levels-around-1)
		_, _ = s.out.Write(bytes.Replace(line, []byte(mark), []byte(nested), 1))
	}))
}

// bigIDs responds to a call with the ids of the ping responses.
func bigIDs(ctx context.Context, c *culprit) (int, error) {
	ids := []string{"0", "9007199254740993"} // 2^53 + 1 is not exact as a double
	return c.serve(ctx, onCall(func(ctx context.Context, s *server, r *request) {
		s.calls.Go(func() {
			var came []string
			for _, id := range ids {
				m, err := s.askAs(ctx, id, "ping", object{})
				if err != nil {
					return
				}
				came = append(came, string(m.ID))
			}
			s.reply(r, textResult("answered ids: "+strings.Join(came, " ")), nil)
		})
	}))
}

func progressAfterResult(ctx context.Context, c *culprit) (int, error) {
	return c.serve(ctx, onCall(func(_ context.Context, s *server, r *request) {
		if r.meta.ProgressToken == nil {
			r.meta.ProgressToken = json.RawMessage(`"unasked"`)
		}
		r.progress(1, 3, "before the result")
		s.reply(r, textResult("done"), nil)
		r.progress(2, 3, "after the result")
		r.progress(3, 3, "still going")
	}))
}

func asksUndeclared(ctx context.Context, c *culprit) (int, error) {
	return c.serve(ctx, onCall(func(ctx context.Context, s *server, r *request) {
		s.calls.Go(func() {
			m, err := s.ask(ctx, "sampling/createMessage", sampling("Say yes.", 10))
			if err != nil {
				return
			}
			text := fmt.Sprintf("the client answered: %s", m.Result)
			if m.Error != nil {
				text = fmt.Sprintf("the client refused: %v", m.Error)
			}
			s.reply(r, textResult(text), nil)
		})
	}))
}
