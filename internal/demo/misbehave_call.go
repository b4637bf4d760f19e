package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// callKinds shake hands and go wrong in tools/call, whatever the tool.
func callKinds() []misbehaviour {
	return []misbehaviour{
		{Kind{Name: "huge-answer", Lint: "FRM09", Param: "BYTES=104857600",
			Description: "answers a tool call with so much text, on one line"}, hugeAnswer},
		{Kind{Name: "crash-mid-call", Lint: "PRC03", Param: "segv|abort|kill|panic=segv",
			Description: "dies during a tool call, by a signal or a panic"}, crashMidCall},
		{Kind{Name: "closes-stdout", Lint: "PRC06", Now: true,
			Description: "closes stdout in a tool call, and lives on to the end of stdin"}, closesStdout},
		{Kind{Name: "deep", Lint: "FRM15", Param: "LEVELS=300",
			Description: "answers a tool call with JSON nested so deep"}, deep},
		{Kind{Name: "ids", Lint: "FRM14",
			Description: "pings the client during a tool call, with the ids 0 and 9007199254740993"}, bigIDs},
		{Kind{Name: "progress-after-result", Lint: "PRG03",
			Description: "goes on telling the progress of a tool call after its result"}, progressAfterResult},
		{Kind{Name: "asks-undeclared", Lint: "CAP07",
			Description: "asks the client for sampling in a tool call, whether it was declared or not"}, asksUndeclared},
	}
}

// onCall hands every tools/call to f.
func onCall(f func(ctx context.Context, s *server, r *request)) faults {
	return faults{request: func(ctx context.Context, s *server, r *request) bool {
		if r.method != "tools/call" {
			return false
		}
		f(ctx, s, r)
		return true
	}}
}

func hugeAnswer(ctx context.Context, c *culprit) (int, error) {
	size, err := c.number(100 << 20)
	if err != nil {
		return 0, err
	}
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

// deep nests objects in the structured content. The bytes are put together by
// hand, since encoding/json refuses to look more than 10,000 levels deep.
func deep(ctx context.Context, c *culprit) (int, error) {
	levels, err := c.number(300)
	if err != nil {
		return 0, err
	}
	const around = 2 // the message and its result
	if levels <= around {
		return 0, fmt.Errorf("an answer is at least %d levels deep", around+1)
	}
	return c.serve(ctx, onCall(func(_ context.Context, s *server, r *request) {
		const mark = `"@"`
		line := encode(s.response(r, object{"content": []object{}, "structuredContent": "@"}, nil))
		nested := strings.Repeat(`{"a":`, levels-around-1) + "{}" + strings.Repeat("}", levels-around-1)
		_, _ = s.out.Write(bytes.Replace(line, []byte(mark), []byte(nested), 1))
	}))
}

// bigIDs answers a call with the ids of the ping answers, as they came.
func bigIDs(ctx context.Context, c *culprit) (int, error) {
	ids := []string{"0", "9007199254740993"} // 2^53 + 1 is no double
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
