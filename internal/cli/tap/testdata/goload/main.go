// Goload is load.mjs with a client of the go-sdk: goload CLIENT TOOL ROUNDS MCPDBG TAP --
// COMMAND... CLIENT is go, or go-legacy for the initialize handshake. The output is one line
// of JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type load struct {
	mu       sync.Mutex
	OK       int            `json:"ok"`
	Errors   map[string]int `json:"errors"`
	Wrong    [][]string     `json:"wrong"`
	Sent     []string       `json:"sent"`
	Restarts []string       `json:"restarts"`
	Problems []string       `json:"problems"`
	Closed   bool           `json:"closed"`
	Tools    [2]int         `json:"tools"`

	session *mcp.ClientSession
	tool    string
	n       int
	stop    bool
}

func main() {
	kind, tool, mcpdbg, tap := os.Args[1], os.Args[2], os.Args[4], os.Args[5]
	rounds, err := strconv.Atoi(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	options := &mcp.ClientSessionOptions{}
	if kind == "go-legacy" {
		options.ProtocolVersion = "2025-11-25"
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "load", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {},
	})
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: exec.Command(os.Args[7], os.Args[8:]...)}, options)
	if err != nil {
		log.Fatal(err)
	}
	l := &load{session: session, tool: tool, Errors: map[string]int{}}
	l.Tools[0] = l.tools(ctx)
	var workers sync.WaitGroup
	for range 3 {
		workers.Go(func() { l.work(ctx) })
	}
	for range rounds {
		time.Sleep(rand.N(200 * time.Millisecond)) // a random moment
		out, _ := exec.Command(mcpdbg, "tap", "restart", tap).CombinedOutput()
		l.Restarts = append(l.Restarts, string(out))
	}
	for before := l.answered(); l.answered() < before+20 && !l.Closed; {
		time.Sleep(5 * time.Millisecond)
	}
	l.mu.Lock()
	l.stop = true
	l.mu.Unlock()
	workers.Wait()
	l.Tools[1] = l.tools(ctx)
	_ = session.Close() // the status of the server
	if err := json.NewEncoder(os.Stdout).Encode(l); err != nil {
		log.Fatal(err)
	}
}

func (l *load) tools(ctx context.Context) int {
	res, err := l.session.ListTools(ctx, nil)
	if err != nil {
		l.Problems = append(l.Problems, err.Error())
		l.Closed = true
		return 0
	}
	return len(res.Tools)
}

func (l *load) answered() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.OK + len(l.Wrong)
}

// next returns the arguments of the next call, and the end of its answer.
func (l *load) next() (arguments map[string]any, want string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tool == "add" {
		arguments, want = map[string]any{"a": l.n, "b": 1}, fmt.Sprintf(`{"sum":%d}`, l.n+1)
	} else {
		want = fmt.Sprintf("call %d", l.n)
		arguments = map[string]any{"message": want}
	}
	l.n++
	l.Sent = append(l.Sent, want)
	return arguments, want, !l.stop && !l.Closed
}

func (l *load) work(ctx context.Context) {
	for {
		arguments, want, ok := l.next()
		if !ok {
			return
		}
		res, err := l.session.CallTool(ctx, &mcp.CallToolParams{Name: l.tool, Arguments: arguments})
		l.mu.Lock()
		switch {
		case err != nil:
			l.Errors[err.Error()]++
			l.Closed = l.Closed || strings.Contains(err.Error(), "closed")
		case len(res.Content) == 0:
			l.Wrong = append(l.Wrong, []string{want, ""})
		default:
			text := ""
			if c, ok := res.Content[0].(*mcp.TextContent); ok {
				text = c.Text
			}
			if strings.HasSuffix(text, want) {
				l.OK++
			} else {
				l.Wrong = append(l.Wrong, []string{want, text})
			}
		}
		l.mu.Unlock()
		time.Sleep(rand.N(5 * time.Millisecond))
	}
}
