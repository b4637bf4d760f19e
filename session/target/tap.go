package target

import (
	"slices"
	"strings"
)

// A Tap is mcpdbg between a client and its server: the entry of the file starts mcpdbg tap,
// which starts the server.
type Tap struct {
	Program string // mcpdbg, as the file has it
	Words   int    // how many words of the command line precede the server's program
}

// tapFlags are the flags of a tap that leave the server where it is and as it is. An entry
// with others, such as --ssh, is what it says: its server alone would be another one.
var tapFlags = []string{"name", "record", "no-record", "max-part", "live", "watch", "watch-run", "watch-poll", "during-build", "no-cache", "no-stderr-in-errors"}

// tapOf returns the tap that a command line starts, or nil.
func tapOf(words []*node) *Tap {
	if len(words) < 2 || !IsTap(words[0].text) || words[1].text != "tap" {
		return nil
	}
	for i, word := range words[2:] {
		switch flag, is := strings.CutPrefix(word.text, "--"); {
		case word.kind != text:
			return nil
		case word.text == "--":
			if first := i + 3; first < len(words) && words[first].kind == text && words[first].text != "" {
				return &Tap{words[0].text, first}
			}
			return nil
		case is:
			if name, _, _ := strings.Cut(flag, "="); !slices.Contains(tapFlags, name) {
				return nil
			}
		case strings.HasPrefix(word.text, "-"):
			return nil
		}
	}
	return nil
}

// IsTap reports whether a command can be that of a tap: mcpdbg, wherever it is.
func IsTap(command string) bool {
	base := command[strings.LastIndexAny(command, `/\`)+1:]
	return base == "mcpdbg" || strings.EqualFold(base, "mcpdbg.exe")
}
