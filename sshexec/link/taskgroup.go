package link

import "sync"

// A taskGroup is a group of goroutines to wait for.
type taskGroup struct {
	mu   sync.Mutex
	wg   sync.WaitGroup
	over bool
}

// run starts f, unless wait was called.
func (c *taskGroup) run(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return false
	}
	c.wg.Go(f)
	return true
}

// wait refuses new goroutines, and returns when all others have ended.
func (c *taskGroup) wait() {
	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
	c.wg.Wait()
}
