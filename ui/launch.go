package ui

import (
	"context"
	"time"

	"mcpdbg/recordings/notes"
	"mcpdbg/session"
)

// A Launcher knows what can be debugged, and makes sessions of it. Its methods
// are called from goroutines of the interface, several at a time.
type Launcher interface {
	// Home lists what there is, as it is now.
	Home(ctx context.Context) (Home, error)
	// Open makes a session, or opens a recording. The server is not started:
	// Opened.Start does that. inputs has a value for each Input of the item.
	Open(ctx context.Context, item Item, inputs map[string]string) (Opened, error)
	// Again makes a session of a command that a recording tells of. The server is
	// not started: Opened.Start does that.
	Again(ctx context.Context, again Again) (Opened, error)
}

// Home is what can be opened.
type Home struct {
	Items []Item
	Notes []string // such as files that could not be read, and why
}

// An ItemKind tells what an Item is.
type ItemKind uint8

// The kinds of item, in the order in which they are listed.
const (
	ServerItem    ItemKind = iota + 1 // of a configuration file
	RecordingItem                     // recent ones, the newest first
	DemoItem
)

// An Item is one thing that can be opened. All of its texts may be untrusted.
type Item struct {
	Kind    ItemKind
	Key     string // what Open knows it by
	Name    string
	From    string // the client and the file that it is listed in
	Where   string // this machine, or the host
	Command string // with secrets masked
	Blocked string // why it can't be run; empty if it can
	Notes   []string
	Inputs  []Input // to be asked for before it is opened

	// Of a recording.
	When time.Time
	Size int64
	Live bool // it is being written, or was not finished
}

// An Input is a value that a configuration file leaves to the person.
type Input struct {
	ID          string
	Description string
	Default     string
	Options     []string // if it is one of these
	Secret      bool
}

// Opened is a session or a recording that is to be shown.
type Opened struct {
	// Session is what is debugged; nil for a recording, to which nothing can be
	// sent.
	Session *session.Session
	// Source is what is shown; nil means the session's log.
	Source session.Source
	// Title says in the header what is looked at, such as "everything (local)".
	Title string
	// File is the path of a recording, for what is done with the file itself;
	// "" for a session.
	File string
	// Notes are the marks and notes of the person on the recording; nil keeps
	// them as long as the program runs.
	Notes *notes.Notes
	// Warning, if set, is shown when it is opened.
	Warning string
	// Start, if set, is called in the background once the screen is there, as a
	// rule Session.Open. Its error is shown. Its context ends when the person
	// gives up or Run returns.
	Start func(context.Context) error
	// Watch, if set, has the server started again when files change.
	Watch *Watch
	// Close, if set, ends the session and frees what belongs to it. It is called
	// once, when the person removes it from the screen; what is still there when
	// Run returns is the Launcher's to close.
	Close func(context.Context) error
}
