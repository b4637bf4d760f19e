package link

import "sync"

// A crew is goroutines that somebody waits for.
type crew struct {
	mu   sync.Mutex
	wg   sync.WaitGroup
	over bool
}

// run starts f, unless nobody would wait for it any more.
func (c *crew) run(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return false
	}
	c.wg.Go(f)
	return true
}

// wait refuses what is new, and returns when all that runs has ended.
func (c *crew) wait() {
	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
	c.wg.Wait()
}
