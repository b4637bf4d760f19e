package tty

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

// asking asks a question in a goroutine; the returned function waits for the
// result.
func asking(ctx context.Context, p *Prompter, prompt executor.Prompt) (wait func() (executor.Answer, error)) {
	var r Reply
	var wg sync.WaitGroup
	wg.Go(func() { r.Answer, r.Err = p.Ask(ctx, prompt) })
	return func() (executor.Answer, error) {
		wg.Wait()
		return r.Answer, r.Err
	}
}

func TestPrompterQueues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPrompter()
		var waits []func() (executor.Answer, error)
		for i := range 3 {
			waits = append(waits, asking(t.Context(), p, executor.Prompt{Text: fmt.Sprint(i)}))
			synctest.Wait()
		}
		for i := range 3 {
			q, behind := p.First()
			require.Equal(t, fmt.Sprint(i), q.Prompt.Text)
			require.Equal(t, 2-i, behind)
			p.Answer(q, Reply{Answer: executor.Answer{Values: []string{q.Prompt.Text}}})
			answer, err := waits[i]()
			require.NoError(t, err)
			require.Equal(t, []string{fmt.Sprint(i)}, answer.Values)
		}
		q, _ := p.First()
		require.Nil(t, q)
	})
}

// TestPrompterIsTakenBack checks that the end of a context removes its question,
// even if it is not the first.
func TestPrompterIsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPrompter()
		first := asking(t.Context(), p, executor.Prompt{Text: "first"})
		synctest.Wait()
		tooSlow := errors.New("too slow")
		ctx, cancel := context.WithCancelCause(t.Context())
		second := asking(ctx, p, executor.Prompt{Text: "second"})
		synctest.Wait()
		_, behind := p.First()
		require.Equal(t, 1, behind)
		cancel(tooSlow)
		_, err := second()
		require.ErrorIs(t, err, tooSlow)
		q, behind := p.First()
		require.Equal(t, "first", q.Prompt.Text)
		require.Zero(t, behind)
		p.Answer(q, Reply{Err: ErrDeclined})
		_, err = first()
		require.ErrorIs(t, err, ErrDeclined)
		p.Answer(q, Reply{}) // too late: the question has ended
	})
}

// TestPrompterEnds checks that questions fail once the interface has ended, with
// an error that names the question.
func TestPrompterEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPrompter()
		prompt := executor.Prompt{Hop: "build-7:22", User: "dev", Text: "Passphrase of id_ed25519\nand more"}
		early := asking(t.Context(), p, prompt)
		synctest.Wait()
		p.End()
		late := asking(t.Context(), p, prompt)
		for _, wait := range []func() (executor.Answer, error){early, late} {
			_, err := wait()
			require.ErrorIs(t, err, executor.ErrNoPrompter)
			require.ErrorContains(t, err, "dev@build-7:22: Passphrase of id_ed25519")
			require.NotContains(t, err.Error(), "and more")
		}
	})
}

// TestPrompterRings checks that the bell rings for each change of the first
// question, and that ringing never blocks.
func TestPrompterRings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPrompter()
		ctx, cancel := context.WithCancel(t.Context())
		var rings int
		var mu sync.Mutex
		var wg sync.WaitGroup
		wg.Go(func() {
			p.Listen(ctx, func() {
				mu.Lock()
				defer mu.Unlock()
				rings++
			})
		})
		count := func() int {
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return rings
		}
		require.Zero(t, count())
		asking, ask := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { _, _ = p.Ask(asking, executor.Prompt{}) })
		}
		came := count()
		require.Positive(t, came)
		ask()
		all.Wait()
		require.Greater(t, count(), came)
		cancel()
		wg.Wait()
	})
}
