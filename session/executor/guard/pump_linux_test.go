package guard

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

// TestPumpIsEnded runs a command behind a pump, and ends the pump as a guard does.
func TestPumpIsEnded(t *testing.T) {
	t.Parallel()
	// zsh reads nothing behind the pump. It is /bin/sh only on a Mac whose owner has chosen it, and
	// there no count of bytes is known.
	shells := slices.DeleteFunc(slices.Clone(posixShells), func(shell []string) bool { return shell[0] == "zsh" })
	underShells(t, shells, func(t *testing.T, shell []string) {
		mark := executor.NewMark()
		run := runLineLocally(t, shell, ReadLine)
		first, rest := Pumped(mark, RunScript(mark, Command{Argv: []string{"/bin/sh", "-c", "cat; exit 7"}}))
		run.send(string(first) + string(rest))
		reading := Reading{Noise: []byte(run.line() + "\n")}
		p, ok := FindPump(mark, &reading)
		require.True(t, ok)
		require.Empty(t, reading.Noise)
		require.Contains(t, run.line(), RunMarker(mark))
		text := strings.Repeat("0123456789abcdef", 1<<16) + "tail\n"
		reads := make(chan string)
		go func() {
			var all strings.Builder
			for all.Len() < len(text) {
				line, err := run.lines.ReadString('\n')
				all.WriteString(line)
				if err != nil {
					break
				}
			}
			reads <- all.String()
		}()
		run.send(Go(mark) + text)

		guard := runLocally(t, shell, Script(mark, Orders{}))
		require.Contains(t, guard.line(), ArmedMarker(mark))
		all := p.head + uint64(len(rest)+len(Go(mark))+len(text))
		for n, done := 1, false; !done; n++ {
			guard.send(fmt.Sprintf("I %d %d %d\n", n, p.PID, all))
			line := guard.line()
			require.Contains(t, line, fmt.Sprintf("M %d 0 0 ", p.PID))
			done = strings.HasSuffix(line, fmt.Sprint(" ", all))
			require.Equal(t, fmt.Sprintf("E %d", n), guard.line())
		}
		require.Equal(t, text, <-reads)
		run.deserted()
		<-run.ended
		require.Equal(t, 7, run.cmd.ProcessState.ExitCode())
	})
}
