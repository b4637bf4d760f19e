package imports

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"mcpdbg/recordings"
)

// Options say what is imported, and to where.
type Options struct {
	// Format is the name of a format; "" means to find out.
	Format string
	// Only is the session or server to take from a source that has several; ""
	// means the first one.
	Only string
	// Argv is the command that started the server; it goes before what the source
	// says.
	Argv []string
	// File is the name of the source, for the header.
	File string
	// Modified stands for the start of a source that does not tell when it was;
	// zero means now.
	Modified time.Time
	// Tool is who imports, for the header.
	Tool string
	// Path and Dir are where the recording goes, as in recordings.Options.
	Path, Dir string
}

// A Report says what was read, and what became of it.
type Report struct {
	Recording string   `json:"recording"` // the path of what was written
	Format    string   `json:"format"`    // its name
	From      string   `json:"from"`      // what it is, as in the header
	Lines     int      `json:"lines"`     // read; values, if the source is one document
	Entries   uint64   `json:"entries"`   // written
	Sent      uint64   `json:"sent"`      // messages to the server
	Received  uint64   `json:"received"`
	Stray     uint64   `json:"stray"` // lines of stdout that are no message
	Stderr    uint64   `json:"stderr_lines"`
	Cut       int      `json:"cut,omitempty"`       // messages of which the source has only the beginning
	Moved     int      `json:"moved,omitempty"`     // entries whose time fell: they got that of the entry before
	LeftOut   int      `json:"left_out,omitempty"`  // lines of other sessions or servers
	Others    string   `json:"others,omitempty"`    // the names of some of them
	Unread    int      `json:"unread,omitempty"`    // lines that could not be read, each kept as a note
	Problems  []Bad    `json:"unread_at,omitempty"` // the first of them, at most 20
	Remarks   []string `json:"remarks,omitempty"`   // what the source did not keep, and what was guessed
}

// Bad is a line that could not be read.
type Bad struct {
	Line int    `json:"line"`
	Why  string `json:"why"`
}

// shownBad is how many of them a Report lists.
const shownBad = 20

// An EmptyError says that a source had nothing in it that could be read as its
// format.
type EmptyError struct {
	Format string
	Unread int    // lines
	First  string // what was wrong with the first one
}

func (e *EmptyError) Error() string {
	if e.Unread == 0 {
		return "there is no message in it"
	}
	return fmt.Sprintf("nothing in it could be read as %s (%s)", e.Format, e.First)
}

// Import reads a source to its end and writes a recording of it. The errors are
// an *UnknownError about its format, an *EmptyError, a *recordings.CreateError,
// and those of reading and writing; after an error there is no recording.
func Import(ctx context.Context, from io.Reader, o Options) (*Report, error) {
	in := bufio.NewReaderSize(&contextReader{ctx, from}, headSize)
	head, err := in.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return nil, err
	}
	f, err := choose(o.Format, head)
	if err != nil {
		return nil, err
	}
	report := &Report{Format: f.name, From: f.title}
	to := newRecorder(o, report)
	err = f.read(&source{in: in, head: head, only: o.Only, report: report}, to)
	if err == nil {
		err = to.finish()
	}
	if err != nil {
		return nil, errors.Join(err, to.discard())
	}
	return report, nil
}

// contextReader stops reading when its context ends.
type contextReader struct {
	ctx  context.Context
	from io.Reader
}

func (r *contextReader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.from.Read(p)
}

// recordingOptions are those of the recording to write.
func (o *Options) recordingOptions(server string) recordings.Options {
	return recordings.Options{Path: o.Path, Dir: o.Dir, Server: server, IndexMemory: indexMemory}
}

// indexMemory is how many bytes the index that counts the entries may take.
const indexMemory = 32 << 20
