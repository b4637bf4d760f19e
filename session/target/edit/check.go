package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"mcpdbg/internal/wording"
	"mcpdbg/session/target"
)

// A RefusedError is the reason why an edit was not made.
type RefusedError struct {
	Place string // the file, and the server if it is about one
	Why   string
	Hint  string // what to try; may be empty
}

// Error returns place and reason, without the hint.
func (e *RefusedError) Error() string { return e.Place + ": " + e.Why }

// Refusal returns why an entry cannot be wrapped, or nil. force allows what works only in
// part.
func Refusal(e *target.Entry, force bool) *RefusedError {
	_, known := e.Client.Facts()
	why, hint := e.Why()
	switch {
	case !known:
		why, hint = "files of "+string(e.Client)+" are only read", "put the tap into the file by hand: command mcpdbg, arguments tap -- COMMAND"
	case e.Unsupported != "":
		why, hint = "HTTP servers cannot be wrapped: a tap speaks stdio", ""
	case e.Refused != nil:
	case e.Source.Command.Value == target.Span{}:
		why, hint = "its keys are not unique, or its command is not a string", "correct the entry"
	case e.SSH != "":
		why, hint = "it runs on "+e.SSH+", and the path of mcpdbg is one of this machine", ""
	case e.ExecServer != "":
		why, hint = "an exec server starts it, and the path of mcpdbg is one of this machine", ""
	case len(e.Via) > 0:
		why = "it starts through " + wording.CommandLine(e.Prefix()) + ` ("via"), which neither the client nor a tap under it reads`
		hint = "put these words in front of its command, and remove via: the tap recognizes them there"
	case e.Source.Watched && !force:
		why, hint = "dev.debug demands a command of its own, and dev.watch restarts the tap", "remove dev from the entry, or use --force"
	default:
		return nil
	}
	return &RefusedError{Place: place(e), Why: why, Hint: hint}
}

func place(e *target.Entry) string { return fmt.Sprintf("%s:%d: server %q", e.File, e.Line, e.Name) }

// checkSyntax refuses a file that its client cannot read.
func checkSyntax(path string, data []byte, client target.Client) error {
	if facts, _ := client.Facts(); facts.Strict && !json.Valid(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))) {
		return &RefusedError{path, "it has comments or trailing commas, which " + string(client) + " rejects", "remove them: the client cannot read the file"}
	}
	return nil
}

// verify returns an error unless an edited text has the same servers.
func verify(before, after target.File) error {
	if len(before.Entries) != len(after.Entries) {
		return fmt.Errorf("%d entries became %d", len(before.Entries), len(after.Entries))
	}
	for i := range before.Entries {
		if a, b := &before.Entries[i], &after.Entries[i]; !same(a, b) {
			return fmt.Errorf("the entry %q would change", a.Name)
		}
	}
	return nil
}

// same reports whether two entries start the same server.
func same(a, b *target.Entry) bool {
	return a.Name == b.Name && a.Project == b.Project && a.Client == b.Client && a.SSH == b.SSH && a.ExecServer == b.ExecServer && a.Disabled == b.Disabled &&
		a.Unsupported == b.Unsupported && (a.Refused == nil) == (b.Refused == nil) &&
		a.StartupTimeout == b.StartupTimeout && a.Timeout == b.Timeout &&
		a.Cwd.Reveal() == b.Cwd.Reveal() && a.EnvFile.Reveal() == b.EnvFile.Reveal() &&
		slices.Equal(server(a), server(b)) && slices.Equal(a.Prefix(), b.Prefix()) &&
		slices.EqualFunc(a.Env, b.Env, func(x, y target.Var) bool { return x.Name == y.Name && x.Value.Reveal() == y.Value.Reveal() })
}

// server returns the words of a server's command as the file has them.
func server(e *target.Entry) []string {
	if e.Tap != nil && len(e.Source.Words) > 0 {
		return e.Source.Words[e.Tap.Words:]
	}
	return e.Source.Words
}
