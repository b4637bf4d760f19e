// Package via starts processes through the command of another program, such as docker
// exec or sudo: the prefix of --via.
//
// A prefix is a list of words, made by Split, and no shell ever runs it. Parse knows the
// clients of container engines, Wrapper knows programs that become or start their
// arguments on the same machine, and Cause knows what all of them print if they fail.
// What Parse and Wrapper do not know they call unknown: they never guess where an option
// ends.
package via

import (
	"errors"
	"fmt"
	"strings"

	"mcpdbg/internal/wording"
)

// Split splits the text of --via into words; see wording.SplitWords.
func Split(text string) ([]string, error) {
	words, err := wording.SplitWords(text)
	if err != nil {
		return nil, err
	}
	return words, Check(words)
}

// Check returns an error if words are not the beginning of a command.
func Check(words []string) error {
	switch {
	case len(words) == 0 || words[0] == "":
		return errors.New("empty: must be the beginning of a command, such as docker exec -i NAME")
	case strings.HasPrefix(words[0], "-"):
		return fmt.Errorf("begins with the option %s: must begin with a program", words[0])
	}
	return nil
}
