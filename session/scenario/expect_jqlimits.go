package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"runtime"
	"sync"
	"time"
)

const (
	// maxGrowth is by how many bytes the program's memory may grow while a jq
	// program runs.
	maxGrowth = 1 << 30
	// growthEvery is how often that is looked at, which stops all goroutines for a
	// moment: most programs are done before.
	growthEvery = 20 * time.Millisecond
	// maxLevels is how deep a result may be nested: what a jq program nests without
	// end would take all of the stack to be written.
	maxLevels = 10_000
)

// errGrowth is why a jq program was ended.
var errGrowth = errors.New("it takes too much memory")

// bounded is a context that also ends when memory grows by more than limit;
// release must be called. One operation of jq is not interrupted.
func bounded(ctx context.Context, limit uint64) (_ context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(growthEvery)
		defer tick.Stop()
		for begin := uint64(0); ; {
			select {
			case <-tick.C:
				now := heap()
				if begin == 0 {
					begin = now
				}
				if now > begin+limit {
					cancel(errGrowth)
				}
			case <-ctx.Done():
				return
			}
		}
	})
	return ctx, func() {
		cancel(nil)
		watching.Wait()
	}
}

// heap is how many bytes objects take that are not yet collected.
func heap() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// fits tells whether a result can be written: in at most maxCaptured bytes, as
// far as that is known before, and maxLevels levels.
func fits(result any) bool { return room(result, maxCaptured, maxLevels) >= 0 }

// room is what is left of some bytes beside a value, below 0 if it is too large.
func room(value any, left, levels int) int {
	if left < 0 || levels == 0 {
		return -1
	}
	switch v := value.(type) {
	case string:
		left -= len(v)
	case json.Number:
		left -= len(v)
	case *big.Int:
		left -= v.BitLen() / 4
	case []any:
		for _, item := range v {
			if left = room(item, left-1, levels-1); left < 0 {
				break
			}
		}
	case map[string]any:
		for name, item := range v {
			if left = room(item, left-1-len(name), levels-1); left < 0 {
				break
			}
		}
	}
	return left - 1
}
