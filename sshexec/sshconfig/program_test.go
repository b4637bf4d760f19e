//go:build unix

package sshconfig

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// program writes an executable script that is used as ssh.
func program(t *testing.T, script string) string {
	path := writeFile(t, filepath.Join(t.TempDir(), "ssh"), "#!/bin/sh\n"+script)
	require.NoError(t, os.Chmod(path, 0o700)) //nolint:gosec // it is to be executed
	return path
}

func TestResolveArguments(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	binary := program(t, `printf '%s\n' "$*" >>`+log+`; printf 'hostname h\nuser u\nport 22\n'`)
	r := &Resolver{Binary: binary, Config: "/some/file"}
	_, err := r.Resolve(t.Context(), Destination{Host: "web", User: "ann", Port: 2222})
	require.NoError(t, err)
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	require.Contains(t, string(text), "-G -F /some/file -l ann -p 2222 -- web\n")
	require.Contains(t, string(text), "-G -F none -- localhost\n")

	// Text that could be an option never reaches the program.
	_, err = r.Resolve(t.Context(), Destination{Host: "-oProxyCommand=x"})
	require.ErrorContains(t, err, "begins with '-'")
	_, err = r.Resolve(t.Context(), Destination{Host: "web", User: "-x"})
	require.ErrorContains(t, err, "begins with '-'")
	again, err := os.ReadFile(log)
	require.NoError(t, err)
	require.Equal(t, text, again)
}

func TestResolveProgramFails(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"silent":      {"exit 3", "exit status 3"},
		"complains":   {"echo 'jumphost loop via x' >&2; exit 255", "jumphost loop via x"},
		"noise":       {"echo 'Welcome!'", "does not begin with a keyword"},
		"incomplete":  {"echo 'hostname x'", "has no user"},
		"escape":      {`printf 'hostname \033[31m\n'`, "not text"},
		"flood":       {"exec yes hostname x", "more than 1048576 bytes"},
		"bad port":    {`printf 'hostname h\nuser u\nport 0\n'`, "invalid port"},
		"bad number":  {`printf 'hostname h\nuser u\nport 22\nconnecttimeout -5\n'`, "ConnectTimeout: invalid number"},
		"option host": {`printf 'hostname -h\nuser u\nport 22\n'`, "HostName: invalid name"},
		"no ciphers":  {`printf 'hostname h\nuser u\nport 22\nciphers \n'`, "Ciphers: no algorithm is left"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Resolver{Binary: program(t, c.script), Config: "none"}
			_, err := r.Resolve(t.Context(), Destination{Host: "web"})
			require.ErrorContains(t, err, c.want)
		})
	}
}

// The output of older and newer versions is parsed too.
func TestResolveOtherVersions(t *testing.T) {
	t.Setenv("SSH_AUTH_SOCK", "/run/agent")
	r := &Resolver{Config: "none", Home: "/home/x", Binary: program(t, `
		case "$*" in *localhost) printf 'hostname h\nuser u\nport 22\nciphers b,a\n'; exit; esac
		printf '%s\n' 'hostname h' 'user u' 'Port 22' 'ciphers a,b' 'setenv A=1' 'setenv A=2' 'newkeyword x' \
			'pubkeyacceptedkeytypes ssh-rsa' 'challengeresponseauthentication no' 'identityagent %d/%r' \
			'userknownhostsfile ~/.ssh/a b ~/.ssh/c%q' 'rekeylimit default none' 'connecttimeout none'`)}
	h, err := r.Resolve(t.Context(), Destination{Host: "web"})
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, h.Ciphers)
	require.Equal(t, map[string]string{"A": "1"}, h.SetEnv)
	require.Equal(t, []string{"ssh-rsa"}, h.PubkeyAcceptedAlgorithms)
	require.False(t, h.KbdInteractive)
	require.True(t, h.Password)
	require.Equal(t, "/home/x/u", h.IdentityAgent)
	require.Equal(t, []string{"/home/x/.ssh/a b", "/home/x/.ssh/c%q"}, h.UserKnownHosts)
	require.Equal(t, "/home/x/.ssh/id_rsa", h.IdentityFiles[0])
	require.Zero(t, h.RekeyLimit)
	require.Zero(t, h.ConnectTimeout)
}

func TestResolveComplaintHasLine(t *testing.T) {
	r := &Resolver{
		Binary: program(t, `echo '/x/config line 7: Bad port '"'70000'"'.' >&2; echo '/x/config: terminating' >&2; exit 255`),
		Config: "none",
	}
	_, err := r.Resolve(t.Context(), Destination{Host: "web"})
	var at *ConfigError
	require.ErrorAs(t, err, &at)
	require.Equal(t, "/x/config", at.File)
	require.Equal(t, 7, at.Line)
	require.EqualError(t, err, "/x/config:7: Bad port '70000'.")
}

// Another program of that name, or one that is too old, is treated as missing.
func TestResolveNoG(t *testing.T) {
	for _, script := range []string{
		"echo 'ssh: illegal option -- G' >&2; echo 'usage: ssh [-1246]' >&2; exit 255",
		"echo 'WARNING: Ignoring unknown option -G' >&2; echo 'Usage: dbclient' >&2; exit 1",
	} {
		r := &Resolver{Binary: program(t, script), Config: "none"}
		h, err := r.Resolve(t.Context(), Destination{Host: "web", Port: 2222})
		require.NoError(t, err)
		require.Equal(t, 2222, h.Port)
		require.True(t, h.NoConfig)
	}
	r := &Resolver{Binary: "/no/such/ssh", Config: "none"}
	_, err := r.Resolve(t.Context(), Destination{Host: "web"})
	require.ErrorContains(t, err, "ssh program")
}

// waitLimit is how long a test waits for anything before it gives up, however busy
// the machine is.
const waitLimit = 5 * time.Minute

// A "Match exec" that hangs is killed with the call, with all its processes.
func TestResolveCancelled(t *testing.T) {
	dir := t.TempDir()
	pid := filepath.Join(dir, "pid")
	r := &Resolver{Binary: program(t, "sleep 100 & echo $! >"+pid+".new; mv "+pid+".new "+pid+"; wait"), Config: "none"}
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("changed my mind")
	done := make(chan error)
	go func() {
		_, err := r.Resolve(ctx, Destination{Host: "web"})
		done <- err
	}()
	child := awaitFile(t, pid)
	cancel(reason)
	require.ErrorIs(t, <-done, reason)
	require.Eventually(t, func() bool { return gone(child) }, waitLimit, time.Millisecond)
}

func awaitFile(t *testing.T, path string) string {
	var text []byte
	require.Eventually(t, func() bool {
		var err error
		text, err = os.ReadFile(path)
		return err == nil
	}, waitLimit, time.Millisecond)
	return strings.TrimSpace(string(text))
}

// gone reports whether a process has ended, including zombies.
func gone(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	return err != nil || strings.Contains(string(stat), ") Z ")
}

func TestResolveCache(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	binary := program(t, `printf '%s\n' "$*" >>`+log+`; printf 'hostname h\nuser u\nport 22\n'`)
	included := writeFile(t, filepath.Join(dir, "included"), "")
	file := writeFile(t, filepath.Join(dir, "config"), "Include "+dir+"/incl*\n")
	r := &Resolver{Binary: binary, Config: file}
	runs := func(d Destination) int {
		_, err := r.Resolve(t.Context(), d)
		require.NoError(t, err)
		text, err := os.ReadFile(log)
		require.NoError(t, err)
		return strings.Count(string(text), "-G ") - strings.Count(string(text), "-G -F none")
	}
	web := Destination{Host: "web"}
	require.Equal(t, 1, runs(web))
	require.Equal(t, 1, runs(web))
	require.Equal(t, 2, runs(Destination{Host: "web", Port: 23}))
	require.Equal(t, 3, runs(Destination{Host: "web", User: "ann"}))
	require.Equal(t, 3, runs(web))

	writeFile(t, included, "Port 3\n") // of an included file, which may have the same time
	require.Equal(t, 4, runs(web))
	writeFile(t, filepath.Join(dir, "include-more"), "")
	require.Equal(t, 5, runs(web))
	writeFile(t, included, "Match exec true\n")
	require.Equal(t, 6, runs(web))
	require.Equal(t, 7, runs(web), "a command runs each time")
}
