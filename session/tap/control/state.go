package control

import (
	"errors"
	"fmt"

	"mcpdbg/session/tap"
)

// A State is all that a tap tells its viewers, whole each time.
type State struct {
	Server   string // "running", "restarting", "not running" or "starting", and ", building" behind it
	PID      int    // of the server, 0 without one
	Restarts int
	LostPID  int    // the process whose memory, files and logins are lost; 0 before the first restart
	Client   string // "claude-code 2.1"; "" before the handshake
	Viewers  int    // watching now, this one included
	Steerer  int    // pid of the viewer that steers, 0 for none
	Holding  string // the filter, "" holds nothing
	Held     []Held
}

// A Held message waits for a person. If Cut is set, Line has its first 256 KiB, and
// Viewer.Line all of it.
type Held = tap.Held

// Errors of orders.
var (
	ErrVersion     = errors.New("this tap is of an older mcpdbg: it can be listed, restarted and stopped only")
	ErrNotSteering = errors.New("another viewer steers this tap, or none")
	ErrEnded       = errors.New("the tap has ended, or the connection to it is lost")
	ErrCutsPair    = tap.ErrCutsPair  // LetGo needs force
	ErrOvertakes   = tap.ErrOvertakes // LetGo needs force
	ErrNotHeld     = tap.ErrNotHeld
)

// kinds are the names of errors on the wire.
var kinds = map[string]error{
	"not-steering": ErrNotSteering, "ended": ErrEnded, "cuts-pair": ErrCutsPair, "overtakes": ErrOvertakes, "not-held": ErrNotHeld,
}

const kindSteered = "steered"

// A SteeredError reports that another viewer steers.
type SteeredError struct {
	PID int // of its process
}

func (e *SteeredError) Error() string {
	return fmt.Sprintf("mcpdbg with pid %d steers this tap", e.PID)
}

// failed returns the reply that reports an error.
func failed(err error) reply {
	r := reply{Error: err.Error()}
	if steered, ok := errors.AsType[*SteeredError](err); ok {
		r.Kind, r.PID = kindSteered, steered.PID
	}
	for kind, known := range kinds {
		if errors.Is(err, known) {
			r.Kind = kind
		}
	}
	return r
}

// err returns the error that a reply reports.
func (r *reply) err() error {
	switch {
	case r.Error == "":
		return nil
	case r.Kind == kindSteered:
		return &SteeredError{PID: r.PID}
	case kinds[r.Kind] != nil:
		return kinds[r.Kind]
	}
	return errors.New(r.Error)
}
