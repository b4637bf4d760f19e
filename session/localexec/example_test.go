//go:build unix

package localexec_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	"mcpdbg/session/executor"
	"mcpdbg/session/localexec"
)

func Example() {
	ctx := context.Background()
	e := localexec.New(localexec.Options{})
	defer e.Close()

	p, err := e.Start(ctx, executor.Command{Argv: []string{"sh", "-c", `read x; echo "got $x"; exit 7`}})
	if err != nil {
		fmt.Println(err)
		return
	}
	events, err := p.Subscribe(executor.SubscribeOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer events.Close()
	if _, err := p.Write(ctx, "", []byte("hello\n")); err != nil {
		fmt.Println(err)
		return
	}
	for {
		ev, err := events.Next(ctx)
		if errors.Is(err, io.EOF) {
			return
		}
		switch ev.Kind {
		case executor.Output:
			fmt.Printf("%d %s %q\n", ev.Seq, ev.Stream, ev.Data)
		case executor.Exited:
			fmt.Println(ev.Seq, "exited", ev.Exit.Code)
		case executor.Closed:
			fmt.Println(ev.Seq, "closed")
		}
	}
	// Output:
	// 1 stdout "got hello\n"
	// 2 exited 7
	// 3 closed
}
