package session

import (
	"errors"
	"os"
	"slices"
	"strings"

	"mcpdbg/session/executor"
	"mcpdbg/session/secret"
)

const placementSSH = "ssh"

// PlacementExecServer is the placement of a process that an exec server started.
const PlacementExecServer = "exec-server"

// StartEntries returns the first entries of a process: its start, its environment, the
// connection to it, if any, and the notices of its start. argv is the command if it is
// not that of the log's header.
func StartEntries(info executor.Info, argv []string) []Entry {
	start := startBody(info)
	start.Argv = argv
	return append([]Entry{NewEntry(KindStart, 0, start), NewEntry(KindEnv, 0, envBody(info.Env))}, placeEntries(info)...)
}

// EventEntry returns the entry of an event of a process that is not output; ok is false
// for events that have none, or one that takes more than the event to write.
func EventEntry(ev executor.Event) (e Entry, ok bool) {
	switch ev.Kind {
	case executor.Exited:
		return NewEntry(KindExited, ev.Seq, exitedBody(ev.Exit)), true
	case executor.Survivors:
		return NewEntry(KindProc, 0, ProcBody{Survivors: true, Tree: procInfos(ev.Procs)}), true
	case executor.Link:
		return NewEntry(KindLink, 0, linkChange(*ev.Link)), true
	case executor.Noticed:
		return noticeEntry(*ev.Notice), true
	}
	return Entry{}, false
}

// EndEntry returns the last entry of a process: with failure, it was lost.
func EndEntry(seq uint64, failure error, stdin, stdout, stderr Sums) Entry {
	if failure == nil {
		return NewEntry(KindClosed, seq, ClosedBody{Stdout: stdout, Stderr: stderr, Stdin: stdin})
	}
	body := failedBody(failure)
	body.Stdout, body.Stderr, body.Stdin = stdout, stderr, stdin
	return NewEntry(KindFailed, 0, body)
}

// StartFailedEntry returns the entry of a start that failed.
func StartFailedEntry(err error) Entry {
	body := startFailed(err)
	body.State = string(Failed)
	return NewEntry(KindState, 0, body)
}

func startBody(info executor.Info) StartBody {
	b := StartBody{Process: info.ID, PID: info.PID, Placement: info.Placement, Via: info.Via}
	if info.Link != nil {
		b.Placement, b.Host = placementSSH, info.Placement
		if info.Link.Session != "" {
			b.Placement = PlacementExecServer
		}
	}
	return b
}

func envBody(env executor.EnvReport) EnvBody {
	return EnvBody{Policy: env.Policy.String(), Named: env.Named, Passed: env.Passed, Omitted: env.Omitted, Added: env.Added, Unknown: env.Unknown}
}

// placeEntries returns the entries for the connection to a process, if any, and the
// notices of its start.
func placeEntries(info executor.Info) []Entry {
	var entries []Entry
	if info.Link != nil {
		entries = append(entries, NewEntry(KindLink, 0, linkBody(*info.Link)))
	}
	for _, n := range info.Notices {
		entries = append(entries, noticeEntry(n))
	}
	return entries
}

func noticeEntry(n executor.Notice) Entry {
	return NewEntry(KindNote, 0, NoteBody{Text: n.Text, Hint: n.Hint, Code: n.Code, Said: n.Said, SaidBy: string(n.SaidBy)})
}

func linkBody(l executor.LinkInfo) LinkBody {
	b := linkChange(l)
	b.Hops, b.Transport, b.Server = l.Hops, l.Transport, l.Server
	b.Kex, b.HostKey, b.Cipher, b.MAC, b.Client = l.Kex, l.HostKey, l.Cipher, l.MAC, l.Client
	b.Session, b.Keep = l.Session, l.Keep.Microseconds()
	return b
}

// linkChange returns the part of the body that can change.
func linkChange(l executor.LinkInfo) LinkBody {
	b := LinkBody{State: string(l.State), RTT: l.RTT.Microseconds()}
	if l.Err != nil {
		b.Error = l.Err.Error()
	}
	if lost := lostOf(l.Err); lost != nil {
		b.Code = string(lost.Code)
	}
	return b
}

// failedBody returns the body without its sums.
func failedBody(failure error) FailedBody {
	b := FailedBody{Error: failure.Error()}
	if lost := lostOf(failure); lost != nil {
		b.Code, b.Hop, b.Hint = string(lost.Code), lost.Hop, LostHint(lost)
		b.Said, b.SaidBy = lost.Said, string(lost.SaidBy)
	}
	return b
}

func startFailed(err error) StateBody {
	b := StateBody{Detail: err.Error()}
	if start := startOf(err); start != nil {
		b.Code, b.Hint, b.Client = string(start.Code), start.Hint, start.Client
		b.Said, b.SaidBy = start.Said, string(start.SaidBy)
	}
	return b
}

func startOf(err error) *executor.StartError {
	var start *executor.StartError
	if !errors.As(err, &start) {
		return nil
	}
	return start
}

func lostOf(err error) *executor.LostError {
	var lost *executor.LostError
	if !errors.As(err, &lost) {
		return nil
	}
	return lost
}

// LostHint returns what happens to a server whose connection is lost, and what
// to do about it.
func LostHint(lost *executor.LostError) string {
	if lost.Hint != "" {
		return lost.Hint
	}
	return "the guard on the host ends the server there within its lease; restart to reconnect and start it again"
}

// ErrNoValue is the error for a variable whose value is unknown.
var ErrNoValue = errors.New("value unknown")

// EnvValue returns the value of one variable, to be shown on request: that of a
// named variable as it was set, or the shell's value of a variable that the
// server got (Info.Env.Passed) or did not get (LeftOut). It is never logged.
// The error is ErrNoValue for all other variables, such as those that a host
// adds.
func (s *Session) EnvValue(name string) (string, error) {
	s.mu.Lock()
	env := s.cfg.Command.Env
	s.mu.Unlock()
	for _, v := range slices.Backward(env) {
		if v.Name == name {
			return v.Value, nil
		}
	}
	info := s.Status().Process
	if info.Link == nil && (slices.Contains(info.Env.Passed, name) || slices.Contains(info.Env.Omitted, name)) {
		if value, ok := os.LookupEnv(name); ok {
			return value, nil
		}
	}
	return "", ErrNoValue
}

// A Change is a difference of the processes that a session starts from now on.
type Change struct {
	Variable executor.EnvVar // to be set, if it has a name; only that is logged
	// Command replaces the command, if it has words. Placeholders for secrets, as in the
	// log's header, become what these represent.
	Command []string
}

// Apply makes the change. It waits for a running start to end.
func (c Change) Apply(s *Session) {
	s.life.Lock()
	defer s.life.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	cmd := &s.cfg.Command
	if c.Variable.Name != "" {
		cmd.Env = append(slices.Clip(cmd.Env), c.Variable)
		s.redactor = secret.Replacer(slices.Concat(cmd.Env, s.cfg.Secrets))
	}
	if len(c.Command) > 0 {
		argv := slices.Clone(c.Command)
		var values []string
		for _, v := range slices.Backward(slices.Concat(s.cfg.Secrets, cmd.Env)) { // the last one of a name is in force
			values = append(values, "${"+v.Name+"}", v.Value)
		}
		for i, word := range argv {
			argv[i] = strings.NewReplacer(values...).Replace(word)
			if at := slices.Index(s.log.Header().Argv, word); at >= 0 && at < len(s.argv) {
				argv[i] = s.argv[at]
			}
		}
		cmd.Argv, s.edited = argv, c.Command
	}
}
