package host

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/ui/widget/grid"
	"mcpdbg/ui/workspace"
)

// A Launcher lists and opens sessions and recordings. Its methods are called
// concurrently, from goroutines of the interface.
type Launcher interface {
	// Home returns what can be opened now.
	Home(ctx context.Context) (Home, error)
	// Look adds what the first and the last line of a recording hold; whole reads the
	// rest too, up to a size, for the likeliest cause.
	Look(ctx context.Context, item Item, whole bool) Item
	// Open creates a session or opens a recording, without starting the server:
	// Opened.Start does. inputs has a value for each Input of the item.
	Open(ctx context.Context, item Item, inputs map[string]string) (workspace.Opened, error)
	// Again creates a session that runs the command of a recording, started by
	// Opened.Start.
	Again(ctx context.Context, again Rerun) (workspace.Opened, error)
}

// A Wrapper is a Launcher that edits config files of clients.
type Wrapper interface {
	// Wrap puts mcpdbg tap before the server of an item in its config file, or takes it
	// away. Without write it only returns the change, with secrets masked; otherwise it
	// returns what was done.
	Wrap(ctx context.Context, item Item, write bool) (text string, err error)
}

// Home is what can be opened.
type Home struct {
	Items []Item
	Notes []string // such as why files could not be read
}

// An ItemKind is the kind of an Item.
type ItemKind uint8

// The kinds of item, in the order in which they are listed.
const (
	ServerItem    ItemKind = iota + 1 // of a configuration file
	RecordingItem                     // the newest first
	DemoItem
	CommandItem // typed; not listed by Home
	GroupItem   // shows or hides the recordings of its Group, which follow it
)

// An Item can be opened. All of its texts may be untrusted.
type Item struct {
	Kind    ItemKind
	Key     string // identifies the item to Open
	Name    string
	From    string   // the client and the file that lists it
	Where   string   // this machine or the host
	Command string   // with secrets masked
	Words   []string // of a command or a recording: flags and the command, as after the program's name
	Blocked string   // why it cannot be run, if so
	Notes   []string
	Inputs  []Input // prompted for before it is opened

	// Of a server of a configuration file.
	Wrapped   bool   // its client starts it by mcpdbg tap
	Unwrapped string // why it cannot be wrapped; "" if it can

	// Of a recording. Home sets only When and Short.
	When                   time.Time
	Short                  string // its name for commands; "" if it has none
	Size                   int64
	Long                   time.Duration // 0 if unknown
	Live                   bool          // being recorded
	Tap                    bool          // of a tap
	Client                 string        // of a live tap
	State                  string        // of a live tap that can be restarted
	Group                  string        // hidden until the group with this name is opened; "" for none
	Counted                bool          // the numbers of messages are known
	Sent, Received, Errors uint64
	Verdict                string // the likeliest cause, why the file is incomplete, or VerdictOK; "" if not known yet
}

// VerdictOK is the verdict on a recording without errors and causes.
const VerdictOK = "ok"

// An Input is a value that a configuration file leaves to the user.
type Input struct {
	ID          string
	Description string
	Default     string
	Options     []string // the allowed values; empty allows any
	Secret      bool
}

// Rerun is the command of a recording, to be started again.
type Rerun struct {
	// Header is the recording's header: where the command ran.
	Header session.Header
	// File is the path of the recording, as in Opened.File; "" for a session.
	File string
	// EnvPolicy is the recorded policy for variables not set by name; "" without one.
	EnvPolicy string
	// Argv is the command; values kept out of recordings are replaced by ${NAME}.
	Argv []string
	// Values are the entered values by name. Names in Named without a value are taken
	// from this environment.
	Values map[string]string
	// Named are the variables that are set by name.
	Named []string
	// Configure is applied to the session's configuration last. It is required.
	Configure func(*session.Config)
}

// A GridRun is a smoke run over many targets, the first screen of the interface. Source
// is required; the functions are called from goroutines of the interface.
type GridRun struct {
	Source grid.Source
	// Title names the targets, such as "server-everything, weather".
	Title string
	// Open opens the recording of a target, even while it is written.
	Open func(ctx context.Context, target int) (workspace.Opened, error)
	// StartNew makes a new session of a target's server on its host, with the flags of
	// the run and its own recording. Opened.Start starts the server. If Fresh is nil,
	// targets cannot be started.
	StartNew func(ctx context.Context, target int) (workspace.Opened, error)
	// Stop stops the run: no further target is started, and running ones end cleanly. It
	// returns at once; Totals.Over reports the end. It is called at most once.
	Stop func()
}

// String returns the name of the kind in one word.
func (k ItemKind) String() string {
	switch k {
	case ServerItem:
		return "server"
	case RecordingItem:
		return "recording"
	case CommandItem:
		return "command"
	case GroupItem:
		return "taps"
	}
	return "demo"
}

// End ends an opened session that is not or no longer shown. The title is for its
// message.
func End(c Context, title string, o workspace.Opened) tea.Cmd {
	release := o.Close
	if release == nil && o.Session != nil { // the caller closes the session, but its server ends now
		release = func(ctx context.Context) error {
			_, err := o.Session.Shutdown(ctx)
			return err
		}
	}
	if release == nil {
		return nil
	}
	ctx := c.Host.Lifetime()
	return func() tea.Msg {
		err := release(ctx)
		return Result{What: "end " + title, Err: err, Text: title + " removed"}
	}
}
