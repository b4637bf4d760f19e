package session

import (
	"iter"
	"slices"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/session/secret"
)

// A Source is a log that views read: of a live, recorded or replayed session.
// All methods may be called from any goroutine. Rows are numbered from 0 and
// are only ever added; of an older row only Related, State and FlagError change.
type Source interface {
	Header() Header
	// Len returns the number of rows that can be read.
	Len() int
	// Rows copies rows, from number from on, into dst and returns how many.
	Rows(from int, dst []Row) int
	// Entry decodes the entry of a row. If limit > 0 and the payload is longer,
	// only about limit bytes of it are read: then Cut is set and Msg holds only
	// Kind.
	Entry(row Row, limit int) (Entry, error)
	// ReadLine reads bytes of the entry's line from off on, like io.ReaderAt.
	ReadLine(row Row, p []byte, off int64) (int, error)
	// Method returns the name for Row.Method; "" for 0.
	Method(id uint16) string
	Stats() Stats
	// Changed returns a channel that is closed when something is added or
	// changed after the call: get the channel, read, then wait.
	Changed() <-chan struct{}
}

// An IntoReader is a Source that can decode an entry into memory of the caller,
// so that reading many entries does not allocate for each.
type IntoReader interface {
	// EntryInto is like Source.Entry with the bytes in buf, if they fit into
	// its capacity. The entry is valid until buf is reused.
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
	// InOrder returns a reader for one goroutine that reads entries in order:
	// adjacent entries are read at once.
	InOrder() IntoReader
}

// InOrder returns a reader for one goroutine that reads the entries of a source
// in order. It reads ahead if the source is an OrderReader.
func InOrder(s Source) IntoReader {
	switch r := s.(type) {
	case OrderReader:
		return r.InOrder()
	case IntoReader:
		return r
	}
	return allocReader{s}
}

// allocReader is a Source that reads each entry into newly allocated memory.
type allocReader struct{ Source }

func (s allocReader) EntryInto(row Row, limit int, _ []byte) (Entry, error) {
	return s.Entry(row, limit)
}

// RowsFrom iterates over the rows of a source from a number on, with their
// numbers, up to its current end: a live source may grow meanwhile.
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

// RowAt returns the row with a number. It is not ok if a source has none, or not yet.
func RowAt(s Source, number int) (row Row, ok bool) {
	var one [1]Row
	ok = number >= 0 && s.Rows(number, one[:]) == 1
	return one[0], ok
}

// PartnerOf returns the partner of a row. It is not ok if there is none, or not yet.
func PartnerOf(s Source, row Row) (partner Row, ok bool) {
	number, _ := row.Partner()
	return RowAt(s, number)
}

// LatestStart returns the row where the latest process of a source begins, 0
// without one.
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
	// Append assigns each entry its number and time, encodes it, and returns
	// when the batch with all of them is written: only then may they be shown
	// or forwarded. Entries of one call stay together. Bytes are not retained.
	// A log that can't store any more reports that in Stats().Recording and not
	// as an error: the session goes on.
	Append(entries []Entry) error
	// Now returns the log's clock: microseconds since its start.
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
	Placement string    `json:"placement"`      // local, ssh or exec-server
	Host      string    `json:"host,omitempty"` // with ssh: as the user named it
	// ExecServer is the exec server that starts processes, as the user named it; on Host if it is set.
	ExecServer string   `json:"exec_server,omitempty"`
	Via        []string `json:"via,omitempty"` // words before Argv that lead to another place, as docker exec; as in Argv
	Argv       []string `json:"argv"`          // with named environment values as ${NAME}
	Cwd        string   `json:"cwd,omitempty"`
	Era        string   `json:"era,omitempty"`
	// Mode is ModeTap if the program forwarded for a client, and Name then the name of
	// the tap. In a session of its own both are "".
	Mode string `json:"mode,omitempty"`
	Name string `json:"name,omitempty"`
	// Part is the number of a later part of a multi-part recording, from 2 on,
	// and First the number of its first entry. In the first file both are 0.
	Part  int    `json:"part,omitempty"`
	First uint64 `json:"first,omitempty"`
	// Redacted counts, by rule, the secrets that were removed from this copy.
	// It is nil in an original recording.
	Redacted map[string]uint64 `json:"redacted,omitempty"`
	// Secrets are digests of values that the recorder knew and that a shared
	// copy must not hold. A redacted copy has none.
	Secrets *secret.Digests `json:"secrets,omitempty"`
	// Imported is set if the recording was converted from another program's
	// file.
	Imported *Imported `json:"imported,omitempty"`
}

// Flags returns the flags of mcpdbg that lead to the place where the server ran. Values of
// variables are not in a log.
func (h *Header) Flags() []string {
	var words []string
	if h.Host != "" {
		words = append(words, "--ssh", h.Host)
	}
	if h.ExecServer != "" {
		words = append(words, "--exec-server", h.ExecServer)
	}
	if len(h.Via) > 0 {
		words = append(words, "--via", wording.CommandLine(h.Via))
	}
	if h.Cwd != "" {
		words = append(words, "-C", h.Cwd)
	}
	return words
}

// Recorded formats the start, and says if it is only the time of an imported file.
func (h *Header) Recorded() string {
	text := h.Start.UTC().Format("2006-01-02 15:04:05 UTC")
	if h.Imported != nil && h.Imported.Undated {
		text += " (time of the file)"
	}
	return text
}

// ModeTap is the mode of the recording of a tap: stdin is what a client sent.
const ModeTap = "tap"

// Imported is the source of an imported recording.
type Imported struct {
	From string `json:"from"`           // source format, such as "Claude Desktop log"
	File string `json:"file,omitempty"` // its name, without folders
	// Undated means that the source has no start time: the header has the file's.
	Undated bool `json:"undated,omitempty"`
}

// LacksResults reports whether the source has a placeholder for each result.
func (i *Imported) LacksResults() bool { return i != nil && i.From == "mcp-remote log" }

// Stats are counts over the whole log.
type Stats struct {
	Out, In        uint64 // messages: sent to the server, received from it
	BytesOut       uint64 // payload bytes of stdin
	BytesIn        uint64 // payload bytes of stdout
	BytesErr       uint64 // payload bytes of stderr
	PendingOut     int    // our requests without a response
	PendingIn      int    // the server's
	Errors         uint64 // received error responses, and results with isError
	Stray          uint64 // stdout lines that are not JSON-RPC messages
	StderrLines    uint64
	Unmatched      uint64 // unmatched and duplicate responses
	Lagged         uint64 // entries of KindLagged
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

// RecordingState is where the log's bytes go, or the state of a file opened for
// reading.
type RecordingState uint8

// The recording states.
const (
	RecordingOn         RecordingState = iota // to the recording
	RecordingNone                             // to an unlinked temporary file, as requested
	RecordingStopped                          // recording has stopped: see RecordingError
	RecordingDone                             // closed, or opened for reading
	RecordingTorn                             // opened for reading: the recorder did not finish
	RecordingReading                          // opened for reading, not read to the end yet
	RecordingShrunk                           // opened for reading: the file was truncated or replaced
	RecordingParted                           // opened for reading: it continues in a missing part
	RecordingIncomplete                       // to a file that was deleted or truncated meanwhile: see RecordingError
	RecordingCut                              // opened for reading: its recorder could not write the rest, see RecordingError
)

// Complete reports whether the log can no longer grow.
func (s RecordingState) Complete() bool {
	return s == RecordingDone || s == RecordingTorn || s == RecordingShrunk || s == RecordingParted || s == RecordingCut
}
