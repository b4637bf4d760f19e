package server

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/uitest"
)

func inLogLevelRoom(t *testing.T, test func(*testing.T, *uitest.Room)) {
	t.Helper()
	uitest.Live(t, &uitest.Server{Serve: uitest.Echo}, 120, 36, func(t *testing.T, h *uitest.Host) { test(t, uitest.NewRoom(h, LogLevelActions())) })
}

// declareLogs declares that the server sends log messages.
func declareLogs(r *uitest.Room) {
	r.Context().Workspace.Status.Server.Capabilities = []byte(`{"logging":{}}`)
}

func TestLogLevelActions(t *testing.T) {
	tests := map[string]func(*testing.T, *uitest.Room){
		"set-log-level": func(t *testing.T, r *uitest.Room) {
			r.Do("set-log-level")
			require.Contains(t, r.Said(), "x log level: the server does not declare logging")
			declareLogs(r)
			c := r.Context()
			c.Word = "debug"
			r.Run(openLevels(c))
			r.Pull()
			r.Row(`"method":"logging/setLevel","params":{"level":"debug"}`)
			require.Equal(t, "debug", r.Context().Workspace.Status.LogLevel)
		},
		"log-level-set": func(t *testing.T, r *uitest.Room) {
			declareLogs(r)
			r.Do("set-log-level", "log-level-down", "log-level-set")
			r.Pull()
			r.Row(`"params":{"level":"info"}`)
			declareLogs(r)
			r.Do("set-log-level")
			require.Regexp(t, `> info +current`, r.Text())
		},
		"log-level-close": func(t *testing.T, r *uitest.Room) {
			declareLogs(r)
			r.Do("set-log-level", "log-level-close")
			require.Empty(t, r.Opened)
		},
	}
	for id, test := range uitest.PickerTests(ScopeLogLevel) {
		tests[id] = func(t *testing.T, r *uitest.Room) {
			declareLogs(r)
			r.Do("set-log-level")
			test(t, r)
		}
	}
	uitest.TestActions(t, LogLevelActions(), tests, inLogLevelRoom)
}
