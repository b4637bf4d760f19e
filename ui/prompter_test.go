package ui

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

// asking asks in a goroutine of its own; the function it returns waits for what
// came of it.
func asking(ctx context.Context, p *Prompter, prompt executor.Prompt) (wait func() (executor.Answer, error)) {
	var r reply
	var wg sync.WaitGroup
	wg.Go(func() { r.answer, r.err = p.Ask(ctx, prompt) })
	return func() (executor.Answer, error) {
		wg.Wait()
		return r.answer, r.err
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
			q, behind := p.first()
			require.Equal(t, fmt.Sprint(i), q.prompt.Text)
			require.Equal(t, 2-i, behind)
			p.answer(q, reply{answer: executor.Answer{Values: []string{q.prompt.Text}}})
			answer, err := waits[i]()
			require.NoError(t, err)
			require.Equal(t, []string{fmt.Sprint(i)}, answer.Values)
		}
		q, _ := p.first()
		require.Nil(t, q)
	})
}

// TestPrompterIsTakenBack: who does not want to know any more takes the
// question with them, also one that is not the first.
func TestPrompterIsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPrompter()
		first := asking(t.Context(), p, executor.Prompt{Text: "first"})
		synctest.Wait()
		tooSlow := errors.New("too slow")
		ctx, cancel := context.WithCancelCause(t.Context())
		second := asking(ctx, p, executor.Prompt{Text: "second"})
		synctest.Wait()
		_, behind := p.first()
		require.Equal(t, 1, behind)
		cancel(tooSlow)
		_, err := second()
		require.ErrorIs(t, err, tooSlow)
		q, behind := p.first()
		require.Equal(t, "first", q.prompt.Text)
		require.Zero(t, behind)
		p.answer(q, reply{err: ErrDeclined})
		_, err = first()
		require.ErrorIs(t, err, ErrDeclined)
		p.answer(q, reply{}) // too late: it has ended
	})
}

// TestPrompterEnds: when the interface has ended nobody is there any more, and
// the error says what was asked.
func TestPrompterEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPrompter()
		prompt := executor.Prompt{Hop: "build-7:22", User: "dev", Text: "Passphrase of id_ed25519\nand more"}
		early := asking(t.Context(), p, prompt)
		synctest.Wait()
		p.end()
		late := asking(t.Context(), p, prompt)
		for _, wait := range []func() (executor.Answer, error){early, late} {
			_, err := wait()
			require.ErrorIs(t, err, executor.ErrNoPrompter)
			require.ErrorContains(t, err, "dev@build-7:22: Passphrase of id_ed25519")
			require.NotContains(t, err.Error(), "and more")
		}
	})
}

// TestPrompterRings: the bell tells of each change of the first question, and
// never keeps anybody waiting.
func TestPrompterRings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPrompter()
		ctx, cancel := context.WithCancel(t.Context())
		var rings int
		var mu sync.Mutex
		var wg sync.WaitGroup
		wg.Go(func() {
			p.listen(ctx, func() {
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
