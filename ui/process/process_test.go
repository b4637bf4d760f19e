package process

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
	"mcpdbg/session/executor"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// family returns a process tree with a child that has a hostile name.
func family(*uitest.Process) []executor.Descendant {
	return []executor.Descendant{
		{PID: 4121, PPID: 1, Command: "npm exec server", RSS: 90 << 20, Started: time.Now().Add(-time.Minute), CPU: 1500 * time.Millisecond},
		{PID: 4122, PPID: 4121, Command: "node \x1b[2Jserver.js", RSS: 60 << 20},
		{PID: 4123, PPID: 4122, Command: "sleep 100"},
	}
}

// watched opens the process pane over the tree of family.
func watched(r *uitest.Room, x *uitest.Server) {
	x.Latest().Children = family
	r.Do("info")
}

// An actionTest carries out the action whose id it is listed under, and checks the
// effect.
type actionTest func(t *testing.T, r *uitest.Room, x *uitest.Server)

func TestActions(t *testing.T) {
	tests := map[string]actionTest{}
	maps.Copy(tests, processTests)
	maps.Copy(tests, stopTests)
	uitest.TestActions(t, Actions(), tests, func(t *testing.T, test actionTest) {
		inRoom(t, 160, 36, test)
	})
}

// The pane names the place, the limits of its view, and a remedy.
func TestPlace(t *testing.T) {
	x := &uitest.Server{Serve: uitest.Echo, Info: executor.Info{Via: "docker bare", Notices: []executor.Notice{
		{Code: executor.NoticeUnseen, Text: "docker bare: processes inside, and how the server ends: cannot tell", Hint: "docker top bare shows them"},
	}}}
	uitest.Live(t, x, 120, 36, func(t *testing.T, f *uitest.Host) {
		r := uitest.NewRoom(f, Actions())
		r.Do("info")
		require.Regexp(t, `state +ready, up 0 s · docker bare · `, r.Text())
		require.Regexp(t, `inside +docker bare: processes inside, and how the server ends: cannot tell `, r.Text())
		require.Contains(t, r.Text(), "docker top bare shows them")
		require.NotContains(t, r.Text(), executor.NoticeUnseen)
		x.Latest().Exit(executor.Exit{Why: "docker ended with 0; how the server ended: cannot tell"})
		r.Pull()
		require.Regexp(t, `state +.*, docker ended with 0; how the server ended:\s+cannot tell`, r.Text())
		require.Regexp(t, `left +not known: processes inside cannot be seen`, r.Text())
	})
}

// inRoom runs a test with a running server.
func inRoom(t *testing.T, w, h int, test actionTest) {
	t.Helper()
	x := &uitest.Server{Serve: uitest.Echo}
	uitest.Live(t, x, w, h, func(t *testing.T, host *uitest.Host) { test(t, uitest.NewRoom(host, Actions()), x) })
}

var processTests = map[string]actionTest{
	"info": func(t *testing.T, r *uitest.Room, x *uitest.Server) {
		x.Latest().Err("up")
		r.Pull()
		watched(r, x)
		require.Contains(t, r.Text(), "─ Process 4121 ─")
		require.Regexp(t, `state +ready, up 0 s · local · .*command fake-server`, r.Text())
		require.Regexp(t, `processes +4121 npm exec server +90\.0M  cpu 1\.5 s`, r.Text())
		require.Regexp(t, `  └── 4123 sleep 100 +x kills one`, r.Text())
		require.Regexp(t, `start +.*initialize 0 ms · first stderr \d.* · first answer \d.* · ready \d`, r.Text())
		require.Contains(t, r.Text(), "K: close stdin → 2 s → TERM → 2 s → KILL     K again: next step now")
		require.NotContains(t, r.Frame(), "\x1b[2J")
		r.Press(tea.KeyPressMsg{Code: 'I', Text: "I"})
		require.NotContains(t, r.Text(), "variables")
	},
	"process-stop": func(t *testing.T, r *uitest.Room, _ *uitest.Server) {
		r.Do("info", "process-stop")
		require.Contains(t, r.Text(), "Shutdown sequence")
		r.Do("stop-this")
		r.Pull()
		require.Regexp(t, `state +.*, exit code 0`, r.Text())
	},
	"kill-one": func(t *testing.T, r *uitest.Room, x *uitest.Server) {
		r.Do("info", "kill-one")
		require.Contains(t, r.Said(), "no server process is running")
		r.Do("close-process")
		time.Sleep(SampleEvery)
		watched(r, x)
		r.Do("kill-one")
		require.Contains(t, r.Text(), "Kill one process")
		require.NotContains(t, r.Frame(), "\x1b[2J")
	},
	"kill-this": func(t *testing.T, r *uitest.Room, x *uitest.Server) {
		watched(r, x)
		r.Do("kill-one")
		r.Write("sleep")
		r.Do("kill-this")
		require.Contains(t, r.Asked(), "Kill process 4123?")
		r.Do("yes")
		require.Equal(t, []int{4123}, x.Latest().Killed)
		require.Contains(t, r.Said(), "SIGKILL sent to 4123")
	},
	"close-tree": func(t *testing.T, r *uitest.Room, x *uitest.Server) {
		watched(r, x)
		r.Do("kill-one", "close-tree")
		require.NotContains(t, r.Text(), "Kill one process")
		require.Contains(t, r.Text(), "variables", "the pane below is still open")
		require.Empty(t, x.Latest().Killed)
	},
	"environment-values": func(t *testing.T, r *uitest.Room, _ *uitest.Server) {
		r.Do("info")
		require.Contains(t, r.Text(), "TOKEN         set by you      ••••••")
		require.NotContains(t, r.Text(), "sesame")
		r.Do("environment-values")
		require.Contains(t, r.Text(), "TOKEN         set by you      sesame")
		r.Do("environment-values")
		require.NotContains(t, r.Text(), "sesame")
	},
	"close-process": func(t *testing.T, r *uitest.Room, _ *uitest.Server) {
		r.Do("info", "close-process")
		require.Empty(t, r.Opened)
	},
	"process-down":      scrollsProcess(1, "process-down"),
	"process-up":        scrollsProcess(1, "process-down", "process-down", "process-up"),
	"process-page-down": scrollsProcess(2, "process-page-down"),
	"process-page-up":   scrollsProcess(0, "process-page-down", "process-page-up"),

	ScopeTree + "-" + kit.Down:     treeMoves(kit.Down, 0, 1),
	ScopeTree + "-" + kit.Up:       treeMoves(kit.Up, 2, 1),
	ScopeTree + "-" + kit.PageDown: treeMoves(kit.PageDown, 0, -1),
	ScopeTree + "-" + kit.PageUp:   treeMoves(kit.PageUp, -1, 0),
	ScopeTree + "-" + kit.Top:      treeMoves(kit.Top, 2, 0),
	ScopeTree + "-" + kit.Bottom:   treeMoves(kit.Bottom, 0, -1),
}

func treeMoves(move string, from, to int) actionTest {
	return func(t *testing.T, r *uitest.Room, x *uitest.Server) {
		watched(r, x)
		r.Do("kill-one")
		r.PickerMoves(move, from, to)
	}
}

// scrollsProcess returns a test that actions lead to a line of the process pane,
// on a screen that is two lines too short for it.
func scrollsProcess(line int, actions ...string) actionTest {
	return func(t *testing.T, r *uitest.Room, _ *uitest.Server) {
		r.Do("info")
		r.Frame()
		s := r.Opened[0].(*processPane).Text()
		r.Resize(120, s.TotalLineCount()+2)
		r.Frame()
		require.Equal(t, s.TotalLineCount()-2, s.Height())
		r.Do(actions...)
		require.Equal(t, line, s.YOffset())
	}
}

// TestLeftBehind checks that descendants of an exited leader are listed.
func TestLeftBehind(t *testing.T) {
	inRoom(t, 120, 36, func(t *testing.T, r *uitest.Room, x *uitest.Server) {
		p := x.Latest()
		p.Holds = true
		p.Children = func(*uitest.Process) []executor.Descendant { return family(p)[2:] }
		p.Exit(executor.Exit{Kind: executor.ExitCode})
		r.Pull()
		r.Do("info")
		require.Contains(t, r.Text(), "the leader has exited, these still run")
		require.Regexp(t, `4123 +sleep 100`, r.Text())
	})
}

// TestNoProcessIsLeft checks that the pane shows whether processes are left after the
// end, and how that is known.
func TestNoProcessIsLeft(t *testing.T) {
	const left = "left +no process"
	end := func(r *uitest.Room, p *uitest.Process) {
		r.Do("info")
		require.NotContains(t, r.Text(), " left ")
		p.Exit(executor.Exit{Kind: executor.ExitCode})
		r.Pull()
		time.Sleep(SampleEvery)
		r.Run(TakeSample(r.Context()))
	}
	inRoom(t, 120, 36, func(t *testing.T, r *uitest.Room, x *uitest.Server) {
		end(r, x.Latest())
		require.Regexp(t, left+`: looked after the end and found none`, r.Text())
	})
	inRoom(t, 120, 36, func(t *testing.T, r *uitest.Room, x *uitest.Server) {
		p := x.Latest()
		p.CannotTell = []string{"plain launch"}
		end(r, p)
		_, err := r.Context().Workspace.Session.Shutdown(t.Context())
		require.NoError(t, err)
		r.Pull()
		require.Regexp(t, `left +not known: leaked processes: cannot tell \(plain launch\)`, r.Text())
		require.NotRegexp(t, left, r.Text())
	})
}

// TestProcessIsWatched checks that the tree is sampled each second while the pane
// is open, but not while a sample is being taken or after the pane is closed.
func TestProcessIsWatched(t *testing.T) {
	inRoom(t, 120, 36, func(t *testing.T, r *uitest.Room, x *uitest.Server) {
		looks := 0
		x.Latest().Children = func(p *uitest.Process) []executor.Descendant {
			looks++
			return family(p)
		}
		r.Run(TakeSample(r.Context()))
		require.False(t, Watches(r.Context()))
		r.Do("info")
		require.Equal(t, 1, looks)
		require.True(t, Watches(r.Context()))
		r.Run(TakeSample(r.Context()))
		require.Equal(t, 1, looks, "the last sample is recent")
		time.Sleep(SampleEvery)
		r.Run(TakeSample(r.Context()))
		require.Equal(t, 2, looks)
		r.Do("close-process")
		time.Sleep(SampleEvery)
		r.Run(TakeSample(r.Context()))
		require.Equal(t, 2, looks)
	})
}

// TestTreeOfAnything checks that processes of a recording that are each other's parents, or
// have one number, are each listed once, and that deep trees end.
func TestTreeOfAnything(t *testing.T) {
	listed := func(all ...executor.Descendant) (pids []string) {
		i := &info{th: &paint.Theme{}, width: 80, look: termsafe.Options{Ellipsis: termsafe.Ellipsis}}
		i.addTree("", all)
		for _, row := range i.rows {
			pids = append(pids, strings.TrimSuffix(strings.TrimSpace(row.Text), " x"))
		}
		return pids
	}
	at := func(pid, parent int) executor.Descendant {
		return executor.Descendant{PID: pid, PPID: parent, Command: "x"}
	}
	require.Equal(t, []string{"1", "├── 2", "└── 3"}, listed(at(1, 99), at(2, 1), at(3, 1)))
	require.Equal(t, []string{"1", "2"}, listed(at(1, 2), at(2, 1), at(1, 99)))
	require.Equal(t, []string{"7"}, listed(at(7, 7)))
	var deep []executor.Descendant
	for pid := range 1000 {
		deep = append(deep, at(pid+1, pid))
	}
	require.Len(t, listed(deep...), 1000)
}

// TestBefore checks that the pane shows how the process before a restart ended, and that
// none of it is left only if that was checked.
func TestBefore(t *testing.T) {
	const starting, closed = `"k":"state","state":"starting"`, `"k":"closed","stdout":{},"stderr":{},"stdin":{}`
	for want, lines := range map[string][]string{
		`before +5305 exit code 1 +│`: nil,
		`before +5305 exit code 1; no process of it is left \(looked at the end, 3 ms\)`: {`"k":"state","state":"stopping"`, `"k":"phase","phase":"close-stdin","took_us":3000`},
	} {
		log := rectest.Session(t, slices.Concat([]string{starting, `"k":"start","process":"a","pid":5305`, `"k":"state","state":"ready"`}, lines,
			[]string{`"k":"exited","code":1`, closed, starting, `"k":"start","process":"b","pid":5462`})...)
		r := uitest.NewRoom(uitest.NewHost(t, uitest.NewWorkspace(t, log), 120, 36), Actions())
		r.Do("info")
		require.Contains(t, r.Text(), " Process 5462 ")
		require.Regexp(t, want, r.Text())
	}
}
