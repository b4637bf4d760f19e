package filter

import (
	"mcpdbg/framing"
	"mcpdbg/session"
)

// The words that lists show in rows because of what the row itself says. They are
// not in the message.
var (
	stateWords = map[session.ReqState][]string{
		session.ReqFailed:    {session.ReqFailed.String()},
		session.ReqCancelled: {session.ReqCancelled.String()},
		session.ReqTimedOut:  {session.ReqTimedOut.String(), "no response in time"},
		session.ReqLost:      {session.ReqLost.String()},
		session.ReqUnmatched: {session.ReqUnmatched.String(), "response to an unknown id"},
		session.ReqDuplicate: {session.ReqDuplicate.String(), "second response"},
	}
	messageWords = map[framing.Kind][]string{
		framing.NotJSON: {"stray line", "not JSON"},
		framing.Other:   {"stray line", "not JSON-RPC"},
		framing.Batch:   {"batch"},
	}
	flagWords = []struct {
		flag  session.RowFlags
		words []string
	}{
		{session.FlagPart, []string{"part of a line"}},
		{session.FlagProbe, []string{"probe"}},
	}
)

// shows reports whether a test holds for a word that lists show in a row: the kind
// of an event, or what a message is and how it ended.
func shows(r session.Row, test func(word []byte) bool) bool {
	if !r.Kind.IsStream() {
		return test([]byte(r.Kind.String()))
	}
	if r.Kind == session.KindStderr {
		return false
	}
	for _, f := range flagWords {
		if r.Flags&f.flag != 0 && anyWord(f.words, test) {
			return true
		}
	}
	return anyWord(stateWords[r.State], test) || anyWord(messageWords[r.Msg], test)
}

// mayShow reports whether a test holds for a word that some message shows. The kinds
// of events do not count: they are in the lines of a recording.
func mayShow(test func(word []byte) bool) bool {
	for _, words := range stateWords {
		if anyWord(words, test) {
			return true
		}
	}
	for _, words := range messageWords {
		if anyWord(words, test) {
			return true
		}
	}
	for _, f := range flagWords {
		if anyWord(f.words, test) {
			return true
		}
	}
	return false
}

func anyWord(words []string, test func(word []byte) bool) bool {
	for _, word := range words {
		if test([]byte(word)) {
			return true
		}
	}
	return false
}
