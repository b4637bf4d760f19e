//go:build unix

package execserver

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	own "mcpdbg/internal/cli/execserver"

	"mcpdbg/internal/cli/console"
	"mcpdbg/session/execserver/dial"
	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
	"mcpdbg/session/localexec"
)

// Arguments that make the test binary a process that can be killed.
const (
	clientRole = "client-of-execserver"
	linkRole   = "link-of-execserver"
)

// roles runs the test binary as the program, as its watchdog, or as a client that is killed.
func roles() (ran bool) {
	if len(os.Args) < 2 {
		return false
	}
	switch os.Args[1] {
	case console.WatchdogCommand:
		syscall.Exit(localexec.Watchdog(os.Stdin)) // os.Exit takes a second under the race detector
	case clientRole:
		exit(client(os.Args[2], os.Args[3:]))
	case linkRole:
		exit(link(os.Args[2], os.Args[3], os.Args[4]))
	case "exec-server":
		env := &console.Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Self: console.Self()}
		cmd := own.Command(env)
		cmd.SetArgs(os.Args[2:])
		exit(cmd.ExecuteContext(context.Background()))
	}
	return false
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		syscall.Exit(1)
	}
	syscall.Exit(0)
}

// link forwards connections of an address that it prints to another one, until it is killed.
func link(network, to, path string) error {
	own := path
	to = strings.TrimPrefix(strings.TrimPrefix(to, "ws://"), "unix:")
	if network == "tcp" {
		own = "127.0.0.1:0"
	}
	l, err := net.Listen(network, own)
	if err != nil {
		return err
	}
	if network == "unix" {
		fmt.Println("unix:" + path)
	} else {
		fmt.Println("ws://" + l.Addr().String())
	}
	for {
		near, err := l.Accept()
		if err != nil {
			return err
		}
		far, err := net.Dial(network, to)
		if err != nil {
			_ = near.Close()
			continue
		}
		for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
			go func() {
				_, _ = io.Copy(way[0], way[1])
				_ = way[0].Close()
			}()
		}
	}
}

// client starts a process through an exec server, and prints what it says until it ends.
func client(target string, argv []string) error {
	parsed, err := dial.Parse(target)
	if err != nil {
		return err
	}
	run := localexec.New(localexec.Options{Watchdog: append(console.Self(), console.WatchdogCommand)})
	defer run.Close()
	o := Options{Dial: dial.Dialer{Target: parsed, Run: run}.Dial, Resumable: parsed.Resumable(), Placement: target}
	if !parsed.Own && parsed.Kind != dial.Unix {
		o.Concurrency = wire.CodexConcurrency
	}
	e, err := Open(context.Background(), o)
	if err != nil {
		return err
	}
	defer e.Close()
	p, err := e.Start(context.Background(), executor.Command{Argv: argv})
	if err != nil {
		return err
	}
	sub, err := p.Subscribe(executor.SubscribeOptions{Pin: true})
	if err != nil {
		return err
	}
	for {
		ev, err := sub.Next(context.Background())
		if err != nil {
			return err
		}
		fmt.Printf("%v %s %v %v\n", ev.Kind, ev.Data, ev.Exit, ev.Err)
		if ev.Kind == executor.Closed || ev.Kind == executor.Failed {
			return ev.Err
		}
	}
}
