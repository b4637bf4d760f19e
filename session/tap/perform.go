package tap

import (
	"bytes"
	"context"
	"strings"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// perform does what the relay decided.
func (l *live) perform(acts []act) {
	for i := range acts {
		a := &acts[i]
		l.record(a)
		switch a.to {
		case serverSide:
			l.write(a.out)
		case clientSide:
			l.out.write(a.out)
		}
		if a.note != "" {
			l.note(session.NoteBody{Code: NoteLive, Text: a.note})
		}
		if a.red {
			l.answer("not started: " + strings.TrimPrefix(a.note, "the server did not start: "))
		}
		switch a.do {
		case startServer:
			l.start(context.Background())
		case stopServer:
			if l.proc != nil {
				l.stop(l.proc, executor.EndedByShutdown)
			}
		case closeServer:
			l.closeInput()
		}
		if a.done != nil {
			l.restarted(a.done)
		}
	}
}

// record logs an act: the server's side as stdin and stdout, and what the client sent or
// got differently, or not at all.
func (l *live) record(a *act) {
	if a.to == noSide && a.out != nil { // it came earlier
		kind := session.KindFromClient
		if a.from == serverSide {
			kind = session.KindToClient
		}
		l.rec.line(session.ClientEntry(kind, a.why, 0, 0, a.out))
	}
	if a.from == serverSide && a.got != nil {
		l.rec.line(streamEntry(session.KindStdout, l.now, a.got, a.part))
		if a.to == noSide && a.why != "" {
			l.rec.line(session.ClientEntry(session.KindToClient, a.why, 0, 0, a.got))
		}
	}
	if a.from == clientSide && a.got != nil && a.why != "" {
		l.rec.line(session.ClientEntry(session.KindFromClient, a.why, l.now.last, l.now.first, a.got))
	}
	switch {
	case a.to == serverSide && a.why == "" && a.got != nil:
		l.rec.line(streamEntry(session.KindStdin, l.now, a.out, a.part))
	case a.to == serverSide:
		l.rec.line(streamEntry(session.KindStdin, numbers{}, a.out, a.part))
	case a.to == clientSide && a.why != "":
		l.rec.line(session.ClientEntry(session.KindToClient, a.why, 0, 0, a.out))
	}
}

// streamEntry returns the entry of a line with its end, or of a piece of one.
func streamEntry(kind session.Kind, n numbers, line []byte, part bool) session.Entry {
	e := session.Entry{Kind: kind, Seq: n.last, Payload: line, EOL: framing.NoEOL}
	if n.first != n.last {
		e.First, e.Cuts, e.CutsDropped = n.first, n.cuts, n.dropped
	}
	if data, ok := bytes.CutSuffix(line, []byte("\n")); ok {
		e.Payload, e.EOL = data, framing.LF
		if data, ok := bytes.CutSuffix(data, []byte("\r")); ok {
			e.Payload, e.EOL = data, framing.CRLF
		}
	} else {
		e.More = part
	}
	return e
}

func phaseEntry(step executor.Step, by executor.EndedBy, begin time.Time, err error) session.Entry {
	body := session.PhaseBody{Phase: step.String(), Took: time.Since(begin).Microseconds()}
	if by == executor.EndedByClient {
		body.Detail = "by the client"
	}
	if err != nil {
		body.Error = strings.TrimSpace(err.Error())
	}
	return session.NewEntry(session.KindPhase, 0, body)
}
