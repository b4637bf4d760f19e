package sshexec_test

import (
	"context"
	"fmt"
	"log"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec"
	"mcpdbg/sshexec/sshconfig"
)

// A process on another machine is used like a local one: only New differs.
func ExampleNew() {
	dest, err := sshconfig.ParseDestination("ada@build-7")
	if err != nil {
		log.Fatal(err)
	}
	e, err := sshexec.New(sshexec.Options{Destination: dest, PathFrom: sshexec.PathLogin})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close() // ends the processes there

	p, err := e.Start(context.Background(), executor.Command{
		Argv:    []string{"my-server", "--verbose"},
		OnPhase: func(ph executor.Phase) { fmt.Println(ph.Name, ph.End.Sub(ph.Begin), ph.Err) },
	})
	if err != nil {
		log.Fatal(err) // an *executor.StartError: what failed, where, and a hint
	}
	_, err = p.Subscribe(executor.SubscribeOptions{Handler: func(ev executor.Event) {
		switch ev.Kind {
		case executor.Output:
			fmt.Printf("%d %s %q\n", ev.Seq, ev.Stream, ev.Data)
		case executor.Failed:
			fmt.Println(ev.Err) // an *executor.LostError
		}
	}})
	if err != nil {
		log.Fatal(err)
	}
	<-context.Background().Done()
}
