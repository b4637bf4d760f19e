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

// Check returns an error if words are not the beginning of a command, or if they would
// start a server that cannot be used: on a terminal, or without input.
func Check(words []string) error {
	switch {
	case len(words) == 0 || words[0] == "":
		return errors.New("empty: must be the beginning of a command, such as docker exec -i NAME")
	case strings.HasPrefix(words[0], "-"):
		return fmt.Errorf("begins with the option %s: must begin with a program", words[0])
	}
	if p, ok := Parse(words); ok {
		return p.check(len(words))
	}
	return nil
}

// check returns an error if the client of an engine would not connect a server that
// follows these words. It ignores unknown options: the client will report them.
func (p *Prefix) check(words int) error {
	name := p.Engine + " " + p.Verb
	switch launches := p.options() != nil; {
	case p.Unknown != "" && !p.TTY:
		return nil
	case p.TTY:
		return fmt.Errorf("%s has -t: a terminal would change the bytes of the protocol, remove it", name)
	case p.Detach:
		return fmt.Errorf("%s has -d: the server would run without a client, remove it", name)
	case launches && !p.Interactive:
		return fmt.Errorf("%s has no -i: the server would get no input, add it", name)
	case p.Engine == kubectl && launches && !p.Dashes && p.Rest == words:
		return fmt.Errorf("%s needs -- before the server's command, add it at the end", name)
	}
	return nil
}
