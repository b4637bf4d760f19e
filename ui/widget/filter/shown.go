package filter

import (
	"mcpdbg/framing"
	"mcpdbg/session"
)

// Words that lists show for the row itself. They are not in the message.
const (
	ShownNoise      = "noise on stdout"
	ShownNotMessage = "not a message"
	ShownBatch      = "batch"
	ShownPart       = "part of a line"
	ShownFailed     = "failed"
	ShownCancelled  = "cancelled"
	ShownRunning    = "running"
	ShownNoAnswer   = "no answer"
	ShownUnknownID  = "answer to unknown id"
	ShownNoID       = "answer without id"
	ShownParseError = "parse error"
	ShownSecond     = "second answer"
	ShownTooLong    = "answer longer than --line-limit"
	ShownTooDeep    = "answer nested too deep"
	ShownExit       = "exited"
	ShownRestart    = "restarted"
	ShownMine       = "sent by the tap"
	ShownAgain      = "sent again by the tap"
)

var (
	stateWords = map[session.ReqState][]string{
		session.ReqFailed:    {ShownFailed},
		session.ReqPending:   {ShownRunning},
		session.ReqCancelled: {ShownCancelled + " by you", ShownCancelled + " by the client", ShownCancelled + " by the server"},
		session.ReqTimedOut:  {ShownNoAnswer, session.ReqTimedOut.String()},
		session.ReqLost:      {ShownNoAnswer, session.ReqLost.String()},
		session.ReqUnmatched: {session.ReqUnmatched.String(), ShownUnknownID, ShownNoID, ShownParseError},
		session.ReqDuplicate: {session.ReqDuplicate.String(), ShownSecond},
		session.ReqUnread:    {ShownTooLong, ShownTooDeep},
	}
	// Of a request of the server.
	waitWords = []string{"waits for you", "waits for the client"}
	// Older words for noise are still found.
	messageWords = map[framing.Kind][]string{
		framing.NotJSON: {ShownNoise, ShownNotMessage, "stray line", "not JSON"},
		framing.Other:   {ShownNoise, ShownNotMessage, "stray line", "not JSON-RPC"},
		framing.Batch:   {ShownBatch},
	}
	flagWords = []struct {
		flag  session.RowFlags
		words []string
	}{
		{session.FlagPart, []string{ShownPart}},
		{session.FlagProbe, []string{"probe"}},
	}
	// In addition to their source and the older names of the kinds.
	eventWords = map[session.Kind][]string{
		session.KindStart:  {ShownRestart},
		session.KindFailed: {"connection lost"},
	}
)

// shows reports whether a test holds for a word that lists show in a row: the kind of an
// event, or the kind and the end of a message.
func shows(r session.Row, test func(word []byte) bool) bool {
	if !r.Kind.IsStream() {
		return test([]byte(r.Kind.String())) || test([]byte(EventSource(r.Kind))) || anyWord(eventWords[r.Kind], test)
	}
	if r.Kind == session.KindStderr {
		return false
	}
	for _, f := range flagWords {
		if r.Flags&f.flag != 0 && anyWord(f.words, test) {
			return true
		}
	}
	if r.State == session.ReqPending && r.Msg == framing.Request && r.Kind == session.KindStdout && anyWord(waitWords, test) {
		return true
	}
	if r.Flags&session.FlagError != 0 && r.Flags&session.FlagProbe == 0 && test([]byte(ShownFailed)) {
		return true
	}
	return anyWord(wordsOfState(r), test) || anyWord(messageWords[r.Msg], test)
}

// wordsOfState returns the words for the state of a row. For an error with an unknown id,
// the message decides which is shown.
func wordsOfState(r session.Row) []string {
	words := stateWords[r.State]
	switch {
	case r.State == session.ReqUnmatched && r.Msg != framing.ErrorResponse:
		return words[:2]
	case r.State == session.ReqCancelled && r.Kind == session.KindStdin:
		return words[:2]
	case r.State == session.ReqCancelled:
		return words[2:]
	case r.State == session.ReqUnread && r.Flags&session.FlagPart != 0:
		return words[:1]
	case r.State == session.ReqUnread:
		return words[1:]
	}
	return words
}

// mayShow reports whether a test holds for a word that some message shows. The kinds of
// events do not count: they are in the lines of a recording.
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
	return anyWord(waitWords, test) || test([]byte(ShownFailed))
}

func anyWord(words []string, test func(word []byte) bool) bool {
	for _, word := range words {
		if test([]byte(word)) {
			return true
		}
	}
	return false
}
