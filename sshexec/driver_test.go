//go:build unix

package sshexec

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshconfig"
)

// bound limits every wait.
const bound = 5 * time.Minute

// driverArg as first argument makes the test binary a client in its own
// process, which can be killed.
const driverArg = "sshexec-driver"

// driverLease is the variable of the driver's environment that holds its lease.
const driverLease = "SSHEXEC_DRIVER_LEASE"

// driverArgs make the test binary start argv on a server, with one variable,
// and copy its output to standard output, until standard input ends.
func driverArgs(config, alias string, v executor.EnvVar, argv ...string) []string {
	return append([]string{driverArg, config, alias, v.Name, v.Value}, argv...)
}

// driverMain runs the driver and reports true if this process was started as
// one; TestMain then returns.
func driverMain() (ran bool) {
	if len(os.Args) < 7 || os.Args[1] != driverArg {
		return false
	}
	if err := drive(os.Args[2], os.Args[3], executor.EnvVar{Name: os.Args[4], Value: os.Args[5]}, os.Args[6:]); err != nil {
		fmt.Fprintln(os.Stderr, "driver:", err)
		os.Exit(1)
	}
	return true
}

func drive(config, alias string, v executor.EnvVar, argv []string) error {
	ctx, cancel := context.WithCancel(context.Background())
	go func() { // the parent has ended
		defer cancel()
		_, _ = io.Copy(io.Discard, os.Stdin)
	}()
	lease, _ := time.ParseDuration(os.Getenv(driverLease)) // unset: the default
	e, err := New(Options{Destination: sshconfig.Destination{Host: alias}, Config: config, Lease: lease})
	if err != nil {
		return err
	}
	defer e.Close()
	p, err := e.Start(ctx, executor.Command{Argv: argv, Env: []executor.EnvVar{v}})
	if err != nil {
		return err
	}
	for after := uint64(0); ; {
		r, err := p.Read(ctx, after, 0, bound)
		if err != nil {
			return err
		}
		for _, c := range r.Chunks { // the last ones come with the end
			if _, err := os.Stdout.Write(c.Data); err != nil {
				return err
			}
		}
		if r.Closed {
			if exit := p.Info().Exit; exit != nil {
				fmt.Printf("\nended by %s: %s\n", exit.By, exit.Why)
			}
			<-ctx.Done() // still a client that can be killed
			return nil
		}
		if r.Failure != nil {
			return r.Failure
		}
		after = r.NextSeq - 1
	}
}
