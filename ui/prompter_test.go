package ui

import (
	"context"
	"mcpdbg/session/executor"
	"mcpdbg/ui/prompter"
	"sync"
)

// asking asks a question in a goroutine; the returned function waits for the
// result.
func asking(ctx context.Context, p *prompter.Prompter, prompt executor.Prompt) (wait func() (executor.Answer, error)) {
	var r prompter.Reply
	var wg sync.WaitGroup
	wg.Go(func() { r.Answer, r.Err = p.Ask(ctx, prompt) })
	return func() (executor.Answer, error) {
		wg.Wait()
		return r.Answer, r.Err
	}
}
