package formats

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"mcpdbg/recordings"
)

// ImportOptions configures an import.
type ImportOptions struct {
	// Format is the name of a format; "" means to detect it.
	Format string
	// Only is the session or server to import from a source that has several; ""
	// means the first.
	Only string
	// Argv is the command that started the server; it overrides that of the source.
	Argv []string
	// File is the name of the source, for the header.
	File string
	// Modified is the start time if the source has none; zero means now.
	Modified time.Time
	// Tool is the name of the importing program, for the header.
	Tool string
	// Path and Dir are the destination, as in recordings.Options.
	Path, Dir string
}

// An ImportReport describes an import.
type ImportReport struct {
	Recording  string       `json:"recording"` // path of the recording
	Format     string       `json:"format"`    // name of the format
	From       string       `json:"from"`      // description of the source, as in the header
	Lines      int          `json:"lines"`     // lines read; values if the source is one document
	Entries    uint64       `json:"entries"`   // written
	Sent       uint64       `json:"sent"`      // messages to the server
	Received   uint64       `json:"received"`
	Stray      uint64       `json:"stray"` // stdout lines that are not messages
	Stderr     uint64       `json:"stderr_lines"`
	Notes      int          `json:"notes,omitempty"`      // lines of the program that wrote the source: they are notes
	Cut        int          `json:"cut,omitempty"`        // messages truncated by the source
	Moved      int          `json:"moved,omitempty"`      // entries whose time went backwards: they have that of the previous entry
	Renumbered int          `json:"renumbered,omitempty"` // entries without the number that the source gives
	Skipped    int          `json:"left_out,omitempty"`   // lines of other sessions or servers
	Others     string       `json:"others,omitempty"`     // the names of some of them
	Unread     int          `json:"unread,omitempty"`     // lines that could not be read; each became a note
	Problems   []UnreadLine `json:"unread_at,omitempty"`  // the first of them, at most 20
	Remarks    []string     `json:"remarks,omitempty"`    // what the source lacks, and what was guessed
}

// UnreadLine is a line that could not be read.
type UnreadLine struct {
	Line int    `json:"line"`
	Why  string `json:"why"`
}

const shownBad = 20

// An EmptyLogError reports a source without messages in its format.
type EmptyLogError struct {
	Format string
	Unread int    // lines
	First  string // why the first one could not be read
}

func (e *EmptyLogError) Error() string {
	if e.Unread == 0 {
		return "no messages found"
	}
	return fmt.Sprintf("nothing could be read as %s (%s)", e.Format, e.First)
}

// Import reads a source to its end and writes a recording of it. The error is an
// *UnknownError, an *EmptyError, a *recordings.CreateError, or one of reading or
// writing. After an error there is no recording.
func Import(ctx context.Context, from io.Reader, o ImportOptions) (*ImportReport, error) {
	in := bufio.NewReaderSize(&contextReader{ctx, from}, headSize)
	head, err := in.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return nil, err
	}
	f, err := choose(o.Format, head)
	if err != nil {
		return nil, err
	}
	report := &ImportReport{Format: f.name, From: f.title}
	to := &recorder{opts: o, report: report, last: unknown}
	err = f.read(&logSource{in: in, head: head, only: o.Only, report: report}, to)
	if err == nil {
		err = to.finish()
	}
	if err != nil {
		return nil, errors.Join(err, to.discard())
	}
	return report, nil
}

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

func (o *ImportOptions) recordingOptions(server string) recordings.Options {
	return recordings.Options{Path: o.Path, Dir: o.Dir, Server: server, IndexMemory: indexMemory}
}

const indexMemory = 32 << 20
