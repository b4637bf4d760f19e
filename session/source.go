package session

import (
	"iter"
	"slices"
	"time"
)

// A Source is what every view reads: a live session, a recorded one, a
// replayed one. All methods may be called from any goroutine. Rows are
// numbered from 0 and are only ever added; of an older row nothing changes but
// Pair, State and FlagError.
type Source interface {
	Header() Header
	// Len is the number of rows that can be read.
	Len() int
	// Rows copies rows from number from on into dst and returns how many.
	Rows(from int, dst []Row) int
	// Entry decodes the entry of a row. With limit > 0 at most about limit
	// bytes of its payload are read: then Cut is set, and Msg holds only Kind.
	Entry(row Row, limit int) (Entry, error)
	// ReadLine reads bytes of the entry's line, from off on, as io.ReaderAt.
	ReadLine(row Row, p []byte, off int64) (int, error)
	// Method is the name behind Row.Method; "" for 0.
	Method(id uint16) string
	Stats() Stats
	// Changed is closed when something was added or changed after the call:
	// take it, look, then wait for it.
	Changed() <-chan struct{}
}

// An IntoReader is a Source that can decode an entry into memory of the caller,
// so that who looks at many entries allocates nothing for each.
type IntoReader interface {
	// EntryInto is Source.Entry with the bytes in buf, if they fit into its
	// capacity. The entry is good until buf is used again.
	EntryInto(row Row, limit int, buf []byte) (Entry, error)
}

// EntryInto reads an entry of a source, into buf if the source is an
// IntoReader.
func EntryInto(s Source, row Row, limit int, buf []byte) (Entry, error) {
	if r, ok := s.(IntoReader); ok {
		return r.EntryInto(row, limit, buf)
	}
	return s.Entry(row, limit)
}

// An OrderReader is a Source that can read ahead.
type OrderReader interface {
	// InOrder returns a reader for one goroutine that looks at entries in their
	// order: what stands close together is read at once.
	InOrder() IntoReader
}

// InOrder returns a reader of the entries of a source for one goroutine that
// looks at them in their order. It reads ahead if the source is an OrderReader.
func InOrder(s Source) IntoReader {
	switch r := s.(type) {
	case OrderReader:
		return r.InOrder()
	case IntoReader:
		return r
	}
	return eachAlone{s}
}

// eachAlone is a Source that reads each entry into memory of its own.
type eachAlone struct{ Source }

func (s eachAlone) EntryInto(row Row, limit int, _ []byte) (Entry, error) {
	return s.Entry(row, limit)
}

// RowsFrom are the rows of a source from a number on, with their numbers, up to
// where it ends when that is reached: a live one may go on.
func RowsFrom(s Source, from int) iter.Seq2[int, Row] {
	return func(yield func(int, Row) bool) {
		rows := make([]Row, 256)
		for number := from; ; {
			n := s.Rows(number, rows)
			if n == 0 {
				return
			}
			for _, row := range rows[:n] {
				if !yield(number, row) {
					return
				}
				number++
			}
		}
	}
}

// LatestStart is the row where the latest process of a source begins, 0 without
// one.
func LatestStart(s Source) int {
	rows := make([]Row, 256)
	for end := s.Len(); end > 0; {
		from := max(end-len(rows), 0)
		n := s.Rows(from, rows[:end-from])
		for i, row := range slices.Backward(rows[:n]) {
			if row.Kind == KindStart {
				return from + i
			}
		}
		end = from
	}
	return 0
}

// A Log is a Source that can be written.
type Log interface {
	Source
	// Append gives each entry its number and time, encodes it, and returns when
	// all are written with the batch they fell into: only then may they be shown
	// or forwarded. Entries of one call stay together. Bytes are not kept.
	// A log that can't store any more says so in Stats().Recording and returns
	// no error for it: the session goes on.
	Append(entries []Entry) error
	// Now is the log's clock: microseconds since its start.
	Now() int64
	// Close writes the end entry and closes the log; rows can still be read.
	Close() error
}

// Header is the first line of a recording.
type Header struct {
	Version   int       `json:"mcpdbg"` // major version of the format: 1
	ID        string    `json:"id"`
	Tool      string    `json:"tool"`
	Start     time.Time `json:"start"`
	Placement string    `json:"placement"`      // local or ssh
	Host      string    `json:"host,omitempty"` // with ssh: as it was named
	Argv      []string  `json:"argv"`           // named environment values stand as ${NAME}
	Cwd       string    `json:"cwd,omitempty"`
	Era       string    `json:"era,omitempty"`
	// Part is the number of a later part of a recording in parts, from 2 on, and
	// First the number of its first entry. In the first file both are 0.
	Part  int    `json:"part,omitempty"`
	First uint64 `json:"first,omitempty"`
	// Redacted says that this is a copy from which secrets were removed, and how
	// many by which rule. Of what was recorded it is nil.
	Redacted map[string]uint64 `json:"redacted,omitempty"`
	// Secrets are digests of values that the recorder was given and that a shared
	// copy must not hold. A redacted copy has none.
	Secrets *SecretDigests `json:"secrets,omitempty"`
	// Imported says that the recording was made from what another program wrote.
	Imported *Imported `json:"imported,omitempty"`
}

// Imported is where an imported recording comes from.
type Imported struct {
	From string `json:"from"`           // what was read, such as "mcp-cassette v2"
	File string `json:"file,omitempty"` // its name, without folders
}

// Stats are counts over the whole log.
type Stats struct {
	Out, In        uint64 // messages: sent to the server, received from it
	BytesOut       uint64 // payload bytes of stdin
	BytesIn        uint64 // payload bytes of stdout
	BytesErr       uint64 // payload bytes of stderr
	PendingOut     int    // our requests without an answer
	PendingIn      int    // the server's
	Errors         uint64 // error responses and results with isError
	Stray          uint64 // stdout lines that are no JSON-RPC message
	StderrLines    uint64
	Orphans        uint64 // orphan and duplicate answers
	Lagged         uint64 // entries of the kind
	Held           uint64
	Gaps           uint64
	LostBytes      uint64 // in gaps
	Untracked      uint64 // requests that were not paired: too many pending
	Size           int64  // of the file
	Recording      RecordingState
	RecordingError string
	RecordingMoved string // where the open file was moved to, such as "moved to /a/b"
	Runs           int    // processes started
}

// RecordingState says where the log's bytes go.
type RecordingState uint8

// The recording states.
const (
	RecordingOn         RecordingState = iota // to the recording
	RecordingNone                             // to an unlinked temporary file, as asked
	RecordingStopped                          // nowhere any more: see RecordingError
	RecordingDone                             // closed, or opened for reading
	RecordingTorn                             // opened for reading: the recorder did not finish
	RecordingReading                          // opened for reading, which is not at the end yet
	RecordingShrunk                           // opened for reading: the file got shorter, or another one
	RecordingParted                           // opened for reading: it goes on in a part that is not there
	RecordingIncomplete                       // to a file that was deleted or cut meanwhile: see RecordingError
	RecordingCut                              // opened for reading: its recorder could not write the rest, see RecordingError
)

// Complete tells whether nothing can be added to the log any more.
func (s RecordingState) Complete() bool {
	return s == RecordingDone || s == RecordingTorn || s == RecordingShrunk || s == RecordingParted || s == RecordingCut
}
