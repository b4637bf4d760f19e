package session

import (
	"slices"

	"mcpdbg/session/executor"
)

const (
	// NoteCannotTell is the code of notes about processes that may have leaked
	// without a trace.
	NoteCannotTell = "end.cannot-tell"
	// NoteUnset is the code of the note about a token in a config file that the
	// server got in place of the value of a variable.
	NoteUnset = "config.unset"
	// maxSpared is the maximum number of spared processes that are remembered.
	maxSpared = 100
)

// recordRemains logs and remembers what a shutdown spared and what it cannot tell.
func (s *Session) recordRemains(rep executor.StopReport) {
	if len(rep.Spared) > 0 {
		spared := s.concealNames(rep.Spared)
		s.mu.Lock()
		var added []executor.Descendant
		for _, d := range spared {
			if !holds(s.spared, d) && len(s.spared) < maxSpared {
				s.spared, added = append(s.spared, d), append(added, d)
			}
		}
		s.mu.Unlock()
		if len(added) > 0 {
			s.append(NewEntry(KindProc, 0, ProcBody{Spared: true, Tree: procInfos(added)}))
		}
	}
	for _, reason := range rep.CannotTell {
		s.addCannotTell("leaked processes: cannot tell (" + reason + ")")
	}
}

// addCannotTell logs and remembers something that a shutdown cannot tell, once.
func (s *Session) addCannotTell(text string) {
	s.mu.Lock()
	known := slices.Contains(s.cannotTell, text)
	if !known {
		s.cannotTell = append(s.cannotTell, text)
	}
	s.mu.Unlock()
	if !known {
		s.append(NewEntry(KindNote, 0, NoteBody{Text: text, Code: NoteCannotTell}))
	}
}
