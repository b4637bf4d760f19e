package recordings

import (
	"context"
	"errors"
	"fmt"
	"io"

	"mcpdbg/session"
	"mcpdbg/session/index"
)

var (
	xxh64Digits = pattern(`^[0-9a-f]{16}$`)
	crc32Digits = pattern(`^[0-9a-f]{8}$`)
)

const maxProblems = 100

// A Report is the result of Verify.
type Report struct {
	Header   session.Header
	Entries  int
	Finished bool // has an end entry and no torn last line
	// Whole means that the end entry has sums of the header and all entries, and they
	// agree. Without them, as in older or unfinished recordings, times, exit codes and the
	// header are not covered.
	Whole    bool
	Stopped  string // why its recorder could not write the rest, according to the last entry
	Warnings Warnings
	Streams  []Stream
	// Problems are contradictions in the recording, at most 100; More counts the
	// rest. An unfinished recording and warnings are not problems, but missing
	// parts are if there are later ones.
	Problems []Problem
	More     int
}

// OK reports whether there are no problems.
func (r *Report) OK() bool { return len(r.Problems) == 0 }

// A Stream is one reassembled stream of one process.
type Stream struct {
	Process string `json:"process"`
	Name    string `json:"stream"` // stdin, stdout or stderr
	Bytes   uint64 `json:"bytes"`
	XXH64   string `json:"xxh64"`
	// Checked means that the stream matches the count and hash which the
	// recorder wrote in a closed or failed entry. Without such an entry, or
	// after a gap, it can't be checked.
	Checked bool `json:"checked"`
	Wrong   bool `json:"wrong,omitempty"` // it does not match them
}

// A Problem is a contradiction or a format violation at entry N; 0 means before the
// first entry.
type Problem struct {
	N    uint64 `json:"n,omitempty"`
	Text string `json:"text"`
}

func (p Problem) String() string {
	if p.N == 0 {
		return p.Text
	}
	return fmt.Sprintf("entry %d: %s", p.N, p.Text)
}

// Verify reads the recording at path from end to end, reassembles every stream of
// every process, and compares their lengths and hashes with those that the recorder
// wrote when the process ended; it checks that numbers and times do not fall, that
// the sequence of each process has no gap, and that every line conforms to
// docs/reference/recording-format.md. It decodes lines on several goroutines, and
// holds a few blocks of lines, one long line and an index of at most 128 MiB. A
// recording in parts is checked as a whole; a later part alone can't be compared with
// what came before it. The error is about the file, as that of Open; problems of the
// recording itself are in the report.
func Verify(path string) (*Report, error) {
	return VerifyContext(context.Background(), path, nil)
}

// VerifyContext is like Verify, but stops when ctx ends, with the cause as the
// error, and calls progress, if it is not nil, with how many bytes of how many were
// read.
func VerifyContext(ctx context.Context, path string, progress func(read, size int64)) (*Report, error) {
	f, err := openFile(path)
	if _, ok := errors.AsType[*FormatError](err); ok {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("verify recording: %w", err)
	}
	defer f.Close()
	return verify(ctx, path, f, progress)
}

func verify(ctx context.Context, path string, f file, progress func(read, size int64)) (*Report, error) {
	header, begin, err := readHeader(path, f)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("verify recording: %w", err)
	}
	v := verifier{report: &Report{Header: header}, midway: header.Part > 0, f: f, firsts: map[int64]uint64{}}
	if v.headerLine, err = headerLine(f, begin); err != nil {
		return nil, err
	}
	v.index.Spill = v.spill.create
	defer v.spill.close() //nolint:errcheck // a temporary file
	v.header(header)
	if err := v.partHeaders(f); err != nil {
		return nil, err
	}
	between, next := f.missing()
	if between > 0 {
		v.problem(0, "%d parts are missing", between)
	}
	sum := session.NewChecksum()
	lines := &blockReader{f: f, longest: longestLine, off: begin, sum: &sum}
	p := pass{lines: lines, decode: (*lineBlock).check, add: func(b *lineBlock) error {
		v.block = b
		for i := range b.checks {
			v.line(&b.checks[i])
		}
		v.report.Warnings.UnknownKeys += b.warnings.UnknownKeys
		if progress != nil {
			progress(b.off+b.size, info.Size())
		}
		return ctx.Err()
	}}
	switch err := p.run(info.Size() - begin); {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("verify recording %s: byte %d: %w", path, lines.off, err)
	case lines.end > lines.off: // a torn line
		v.report.Finished, v.report.Whole, v.report.Stopped = false, false, ""
	}
	v.endProcess(false)
	if v.report.Warnings.MissingParts = between; next {
		v.report.Warnings.MissingParts++
	}
	return v.report, nil
}

type verifier struct {
	f          file
	headerLine []byte
	firsts     map[int64]uint64 // by the offset of a later part: the number of its first entry
	block      *lineBlock
	current    *lineCheck
	report     *Report
	last       session.Entry // without its bytes
	index      index.Index   // for the counts of the last one
	spill      temp
	ended      bool
	sealed     bool // there was an end entry
	answers    bool // the last entry is an act whose stdin entry must follow

	midway  bool // the state from earlier parts is unknown, until a process starts
	process string
	streams [session.KindCount]*streamSum
	flows   [session.KindEnd + 1]flow
	closed  bool // its last event was seen
	numbers numbers
}

type streamSum struct {
	session.Checksum
	checked bool
	wrong   bool
}

func (v *verifier) problem(n uint64, format string, args ...any) {
	if len(v.report.Problems) == maxProblems {
		v.report.More++
		return
	}
	v.report.Problems = append(v.report.Problems, Problem{n, fmt.Sprintf(format, args...)})
}

func (v *verifier) line(c *lineCheck) {
	v.current = c
	if c.size > int64(len(c.data)) {
		v.report.Warnings.LongLines++
		v.problem(v.last.N, "the next line is too long to check: %d bytes", c.size)
		return
	}
	e := &c.entry
	if c.bad {
		v.report.Warnings.BadLines++
		v.problem(v.last.N, "the next line, at byte %d, is not an entry", c.off)
		return
	}
	for _, rule := range c.shape.rules {
		v.problem(e.N, "%s", rule)
	}
	if first, ok := v.firsts[c.off]; ok && first != e.N {
		v.problem(e.N, "is the first entry of its part, whose header says %d", first)
	}
	v.report.Entries++
	v.report.Finished = e.Kind == session.KindEnd
	v.report.Stopped, _ = stoppedReason(e)
	if v.report.Entries > 1 && (e.N <= v.last.N || e.T < v.last.T) {
		v.report.Warnings.OutOfOrder++
		v.problem(e.N, "comes after entry %d, and its time %d after %d", v.last.N, e.T, v.last.T)
	}
	if e.T < 0 {
		v.problem(e.N, "has the time %d", e.T)
	}
	v.last = session.Entry{N: e.N, T: e.T}
	v.entry(e)
	_ = v.index.Add(e, c.off, int(c.size)) // an error loses the row but not the counts
}

func (v *verifier) entry(e *session.Entry) {
	switch b := v.event(e).(type) {
	case session.StartBody:
		v.endProcess(v.report.Header.Mode == session.ModeTap)
		v.midway, v.process = false, b.Process
	case session.ClosedBody:
		v.numbers.add(e.Seq, e.Seq)
		v.closed = true
		v.sums(e, b.Stdin, b.Stdout, b.Stderr)
	case session.FailedBody:
		v.closed = true
		v.sums(e, b.Stdin, b.Stdout, b.Stderr)
	case session.ExitedBody:
		v.numbers.add(e.Seq, e.Seq)
	case session.GapBody:
		v.numbers.add(b.From, b.To)
		clear(v.flows[:]) // open lines may have ended in the gap
	case session.EndBody:
		v.end(e, b)
	}
	switch {
	case e.Kind == session.KindUnknown:
		v.report.Warnings.UnknownKinds++
	case e.Kind.IsStream():
		v.stream(e)
		sum := v.sumOf(e.Kind)
		sum.AddLine(e.Payload, e.EOL)
		v.chunks(e)
	}
}

func (v *verifier) end(e *session.Entry, b session.EndBody) {
	again := v.sealed
	v.ended, v.sealed = true, true
	if again || v.report.Header.Part > 0 {
		return // a second one is a problem already; that of a part also counts the others
	}
	if b.Entries != uint64(v.report.Entries) {
		v.problem(e.N, "counts %d entries, but there are %d", b.Entries, v.report.Entries)
	}
	v.whole(e)
	stats := v.index.Stats()
	if have := stats.EndCounts(); b.Counts != nil && *b.Counts != have && *b.Counts != v.index.FormerCounts() {
		v.problem(e.N, "has the counts %+v, but they are %+v", *b.Counts, have)
	}
}

func (v *verifier) sumOf(kind session.Kind) *streamSum {
	sum := v.streams[kind]
	if sum == nil {
		sum = &streamSum{Checksum: session.NewChecksum()}
		v.streams[kind] = sum
	}
	return sum
}

func (v *verifier) chunks(e *session.Entry) {
	v.numbers.add(e.Seq, e.Seq) // 0: stdin without a tap
	if e.First != 0 {
		v.numbers.add(e.First, e.First)
	}
	size := uint64(len(e.Payload) + len(e.EOL.String()))
	for _, c := range e.Cuts {
		v.numbers.add(c.Seq, c.Seq)
		if c.Off > size {
			v.problem(e.N, "has a cut at byte %d of %d", c.Off, size)
		}
	}
	if e.CutsDropped > 0 && len(e.Cuts) > 0 {
		// Which of these belong to the line is unknown, but none is missing.
		v.numbers.add(e.Cuts[len(e.Cuts)-1].Seq+1, e.Seq)
	}
}

// sums compares the recorder's counts and hashes with those of the recording.
func (v *verifier) sums(e *session.Entry, stdin, stdout, stderr session.Sums) {
	if v.midway {
		return
	}
	for _, c := range []struct {
		kind session.Kind
		want session.Sums
	}{{session.KindStdin, stdin}, {session.KindStdout, stdout}, {session.KindStderr, stderr}} {
		sum := v.sumOf(c.kind)
		have := sum.Sums()
		sum.wrong = true
		incomplete := c.want.Complete != nil && !*c.want.Complete
		switch {
		case incomplete:
			sum.wrong = false
		case !xxh64Digits().MatchString(c.want.XXH64):
			v.problem(e.N, "has no hash of %s with 16 hexadecimal digits", c.kind)
		case c.want.CRC32 != "" && !crc32Digits().MatchString(c.want.CRC32):
			v.problem(e.N, "has a CRC-32 of %s without 8 hexadecimal digits", c.kind)
		case c.want.Bytes != have.Bytes:
			v.problem(e.N, "%s of %s had %d bytes, but %d are recorded", c.kind, v.process, c.want.Bytes, have.Bytes)
		case c.want.XXH64 != have.XXH64:
			v.problem(e.N, "%s of %s had the hash %s, but the recorded bytes have %s", c.kind, v.process, c.want.XXH64, have.XXH64)
		case c.want.CRC32 != "" && c.want.CRC32 != have.CRC32:
			v.problem(e.N, "%s of %s had the CRC-32 %s, but the recorded bytes have %s", c.kind, v.process, c.want.CRC32, have.CRC32)
		default:
			sum.checked, sum.wrong = true, false
		}
	}
}

// endProcess reports on the current process when another one starts or the file ends.
// With numbered, the next one continues its sequence.
func (v *verifier) endProcess(numbered bool) {
	for _, kind := range []session.Kind{session.KindStdin, session.KindStdout, session.KindStderr} {
		if sum := v.streams[kind]; sum != nil {
			have := sum.Sums()
			v.report.Streams = append(v.report.Streams,
				Stream{Process: v.process, Name: kind.String(), Bytes: have.Bytes, XXH64: have.XXH64, Checked: sum.checked, Wrong: sum.wrong})
		}
	}
	clear(v.flows[:])
	clear(v.streams[:])
	if closed := v.closed; numbered {
		v.closed = false
		return
	} else if v.midway || v.report.Stopped != "" && !closed { // lines that began early may be missing
		v.numbers = numbers{}
	}
	for _, hole := range v.numbers.holes() {
		v.problem(v.last.N, "sequence numbers %[2]d to %[3]d of %[1]s are missing", v.process, hole.from, hole.to)
	}
	if v.numbers.scattered {
		v.problem(v.last.N, "the sequence numbers of %s are too scattered to check", v.process)
	}
	v.numbers, v.closed = numbers{}, false
}
