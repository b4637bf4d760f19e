package formats

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"mcpdbg/framing"
	"mcpdbg/recordings"
	"mcpdbg/session"
)

// A run writes the entries of processes one after the other: it numbers their output and
// computes the sums of their streams.
type run struct {
	out   *recordings.Writer
	argv  []string // of the header
	count int      // so far
	open  bool     // a process runs
	seq   uint64
	t     int64

	renumbered int // entries without the number of their item
	sums       [session.KindEnd + 1]session.Checksum
}

func (r *run) add(t int64, i logItem) error {
	r.t = min(t, recordings.MaxTime)
	switch i.kind {
	case session.KindNote:
		return r.append(session.NewEntry(session.KindNote, 0, i.note))
	case session.KindStart:
		if err := r.end(); err != nil {
			return err
		}
		return r.start()
	}
	if err := r.start(); err != nil {
		return err
	}
	if i.kind == session.KindStdin {
		e := session.Entry{N: i.n, Kind: i.kind, Payload: bytes.TrimSuffix(i.payload, []byte("\n"))}
		if i.more {
			e.EOL = framing.NoEOL
		}
		return r.stream(e)
	}
	return r.lines(i)
}

// One item may have several lines.
func (r *run) lines(i logItem) error {
	rest := bytes.TrimSuffix(i.payload, []byte("\n"))
	for {
		line, next, several := bytes.Cut(rest, []byte("\n"))
		r.seq++
		e := session.Entry{N: i.n, Kind: i.kind, Seq: r.seq, Payload: line}
		switch text, cr := bytes.CutSuffix(line, []byte("\r")); {
		case i.more && !several:
			e.More, e.EOL = true, framing.NoEOL
		case cr:
			e.Payload, e.EOL = text, framing.CRLF
		}
		if err := r.stream(e); err != nil || !several {
			return err
		}
		rest = next
	}
}

func (r *run) stream(e session.Entry) error {
	if err := r.append(e); err != nil {
		return err
	}
	r.sums[e.Kind].AddLine(e.Payload, e.EOL)
	return nil
}

// start does nothing while a process runs.
func (r *run) start() error {
	if r.open {
		return nil
	}
	r.open, r.seq = true, 0
	for _, kind := range []session.Kind{session.KindStdin, session.KindStdout, session.KindStderr} {
		r.sums[kind] = session.NewChecksum()
	}
	r.count++
	return r.append(session.NewEntry(session.KindStart, 0, session.StartBody{Process: "mcp-stdio-" + itoa(r.count)}))
}

func (r *run) end() error {
	if !r.open {
		return nil
	}
	r.open = false
	r.seq++
	return r.append(session.NewEntry(session.KindClosed, r.seq, session.ClosedBody{
		Stdout: r.sums[session.KindStdout].Sums(), Stderr: r.sums[session.KindStderr].Sums(), Stdin: r.sums[session.KindStdin].Sums(),
	}))
}

func (r *run) append(e session.Entry) error {
	e.T = r.t
	want := e.N
	err := r.out.Append(&e)
	if want != 0 && e.N != want {
		r.renumbered++
	}
	return err
}

func itoa(n int) string { return strconv.Itoa(n) }

// A chooser selects one of several sessions in a source: the requested one, or the first.
type chooser struct {
	only   string
	report *ImportReport
	others []string
}

const shownOthers = 5

// The session of that name is imported.
func (c *chooser) chooses(name string) bool {
	if c.only == "" {
		c.only = name
	}
	if name == c.only {
		return true
	}
	c.report.Skipped++
	if len(c.others) < shownOthers && !slices.Contains(c.others, name) {
		c.others = append(c.others, clip(name, 80))
		c.report.Others = fmt.Sprintf("%q", c.others)
	}
	return false
}

func leftOutText(r *ImportReport) string {
	return fmt.Sprintf("skipped lines of other sessions: %d, of %s", r.Skipped, r.Others)
}
