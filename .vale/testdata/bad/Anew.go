// Package bad has text of each kind that is checked. BAD: anew
package bad

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"
)

/*
A block comment. BAD: Paint it anew.
*/
type rule struct{ Help, Title, Text, Hint string } // BAD: anew

var errFirst = errors.New("BAD: anew")

var rules = []rule{
	{Help: "BAD: paint it anew", Title: "BAD: anew"},
	{
		Text: "BAD: anew",
		Hint: fmt.Sprintf("BAD: %s anew", "x"),
	},
	{"BAD: anew", "", "", ""},
}

// Names and literals of one word are not checked.
func anew(flags *pflag.FlagSet) error {
	flags.Bool("anew", false, "BAD: paint anew")
	say("BAD: painted anew")
	const long = `
  # comment
  BAD: a raw string, anew
`
	return fmt.Errorf("BAD: anew: %w", errFirst)
}

func say(string) {}
