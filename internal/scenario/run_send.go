package scenario

import (
	"context"
	"fmt"

	"mcpdbg/framing"
	"mcpdbg/session"
)

func (r *runner) notify(ctx context.Context, step *Step) outcome {
	body, err := r.vars.json(step.Params)
	if err != nil {
		return outcome{err: err}
	}
	from := r.log.Len()
	if err := r.sess.Notify(ctx, step.Method, body); err != nil {
		return outcome{err: err}
	}
	return outcome{n: r.sentSince(from, step.Method)}
}

// send waits, if the step needs a response, for the one to the request in the bytes or,
// if they are not a request, for the first that matches no request, such as a parse
// error.
func (r *runner) send(ctx context.Context, step *Step) outcome {
	data := step.Data
	if step.Text {
		text, err := r.vars.text(string(data))
		if err != nil {
			return outcome{err: err}
		}
		data = []byte(text)
	}
	n, err := r.sess.SendBytes(ctx, data)
	if err != nil || !step.wantsAnswer() {
		return outcome{n: n, err: err}
	}
	sent, _ := session.RowAt(r.log, int(n)-1)
	number, err := r.until(ctx, int(n), func(_ int, row session.Row) bool {
		if row.Kind != session.KindStdout || row.Msg != framing.Response && row.Msg != framing.ErrorResponse {
			return false
		}
		if sent.Msg == framing.Request {
			request, _ := row.Partner()
			return request == int(n)-1
		}
		return row.State == session.ReqUnmatched
	})
	if err != nil {
		return outcome{n: n, err: err}
	}
	return r.answerAt(n, number)
}

func (r *runner) answerAt(n uint64, number int) outcome {
	e, err := r.entry(number)
	if err != nil {
		return outcome{n: n, err: err}
	}
	if e.Cut {
		text := fmt.Sprintf("result: the response is larger than %d MiB", maxValue>>20)
		return outcome{n: n, problem: &Problem{Check: "result", Text: text}}
	}
	out := outcome{n: n, kind: anAnswer, took: r.time(e.N) - r.time(n)}
	if e.Msg.Kind == framing.ErrorResponse {
		out.rpc = rpcError(e.Msg.Error.Of(e.Payload))
	} else {
		out.value = e.Msg.Result.Of(e.Payload)
	}
	return out
}

func (r *runner) closeStdin(ctx context.Context, step *Step) outcome {
	begin := r.now()
	r.sess.Act("close-stdin", "", 0)
	if err := r.sess.CloseStdin(); err != nil {
		return outcome{err: err}
	}
	if step.Expect.Exit == nil {
		return outcome{}
	}
	select {
	case <-r.sess.ExitedChan():
	case <-ctx.Done():
		return outcome{err: context.Cause(ctx)}
	}
	info := r.sess.Status().Process
	if info.Exit == nil {
		return outcome{err: endOf(info)}
	}
	out := outcome{exit: info.Exit, took: r.now() - begin}
	if number, ok := r.find(session.LatestStart(r.log), func(_ int, row session.Row) bool { return row.Kind == session.KindExited }); ok {
		out.n = uint64(number) + 1
		out.took = max(r.time(out.n)-begin, 0)
	}
	return out
}

func (r *runner) restart(ctx context.Context) outcome {
	begin := r.now()
	r.sess.Act("restart", "", 0)
	r.starts++
	err := r.sess.Restart(ctx)
	r.since = session.LatestStart(r.log)
	out := outcome{n: uint64(r.since) + 1, took: r.now() - begin}
	if err != nil {
		out.err = &restartError{err}
		return out
	}
	r.gone, r.over = false, nil
	return out
}

type restartError struct{ error }

func (e *restartError) Unwrap() error { return e.error }
