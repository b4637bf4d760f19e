package cli

import (
	"os"

	"github.com/spf13/cobra"
)

// screenFlags are the flags of commands that show the interface.
type screenFlags struct {
	plain bool
	ascii bool
}

func (s *screenFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&s.plain, "plain", false, "no screen: lines of text, as without a terminal")
	cmd.Flags().BoolVar(&s.ascii, "ascii", false, "draw borders and marks with ASCII characters only")
}

// given is how many of them are set.
func (s *screenFlags) given() int {
	n := 0
	for _, set := range []bool{s.plain, s.ascii} {
		if set {
			n++
		}
	}
	return n
}

// hasScreen tells whether the interface can be shown on stdout: not on what is
// no terminal, nor on one that cannot move its cursor.
func hasScreen() bool { return isTerminal(os.Stdout) && os.Getenv("TERM") != "dumb" }

// screen takes the flags, and the settings before there is a screen that would
// hide what is wrong with them.
func (a *app) screen(s screenFlags) error {
	if s.plain {
		a.terminal = false
	}
	if !a.terminal {
		return nil
	}
	settings, err := readSettings()
	if err != nil {
		return err
	}
	a.settings = settings
	a.settings.ASCII = a.settings.ASCII || s.ascii
	return nil
}
