package flags

import (
	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
)

// Screen are the flags of commands that show the interface.
type Screen struct {
	Plain bool
	ascii bool
}

// Register adds the flags.
func (s *Screen) Register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&s.Plain, "plain", false, "print lines of text, as without a terminal")
	cmd.Flags().BoolVar(&s.ascii, "ascii", false, "draw borders and marks in ASCII only")
}

// Given returns how many of the flags are set.
func (s *Screen) Given() int {
	n := 0
	for _, set := range []bool{s.Plain, s.ascii} {
		if set {
			n++
		}
	}
	return n
}

// ApplyScreen applies the flags and reads the settings, whose errors the interface
// would hide.
func ApplyScreen(env *console.Env, s Screen) error {
	if s.Plain {
		env.Terminal = false
	}
	if !env.Terminal {
		return nil
	}
	settings, err := ReadSettings()
	if err != nil {
		return err
	}
	env.Settings = settings
	env.Settings.ASCII = env.Settings.ASCII || s.ascii
	return nil
}
