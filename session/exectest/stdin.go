package exectest

import (
	"bytes"
	"strings"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

var stdinTests = []test{
	{"item23_no_stdin", noStdin},
	{"item24_accepted_is_not_delivered", acceptedIsNotDelivered},
	{"item25_unread_stdin_blocks_nothing", unreadStdin},
	{"item26_repeated_write_id", repeatedWriteID},
	{"large_write_arrives_whole", largeWrite},
	{"close_stdin_after_the_queue_is_written", closeStdin},
	{"write_after_the_reader_has_gone", brokenStdin},
}

func noStdin(s *suite) {
	cmd := s.command("echo", "out", "saw the end")
	cmd.NoStdin = true
	p := s.startCommand(cmd)
	r, err := p.Write(s.ctx, "", []byte("x"))
	require.NoError(s, err)
	require.Equal(s, executor.StdinClosed, r.Status)
	require.Equal(s, executor.StdinClosed, p.CloseStdin())
	require.False(s, p.Info().StdinOpen)
	p.rest()
	require.Equal(s, "saw the end", p.text[executor.Stdout].String())
}

func acceptedIsNotDelivered(s *suite) {
	p := s.start("out", "deaf", "hang")
	p.says("deaf")
	data := make([]byte, 4<<20)
	r, err := p.Write(s.ctx, "", data)
	require.NoError(s, err)
	require.Equal(s, executor.Accepted, r.Status)
	require.Less(s, r.Bytes, len(data))
	info := p.Info()
	require.True(s, info.StdinOpen)
	require.Positive(s, info.Unwritten)
	require.LessOrEqual(s, info.Unwritten, len(data)-r.Bytes)
}

func unreadStdin(s *suite) {
	p := s.start("out", "deaf", "flood", "1000", "100", "err", "done", "hang")
	data := make([]byte, 4<<20) // more than a pipe or the window of an SSH channel holds
	for _, id := range []string{"first", "second"} {
		r, err := p.Write(s.ctx, id, data)
		require.NoError(s, err)
		require.Equal(s, executor.Accepted, r.Status)
	}
	for p.text[executor.Stderr].String() != "done" {
		p.next()
	}
	require.NotEmpty(s, p.read(0, 0, 0).Chunks)
	require.True(s, p.terminate().Running)
	var failed []string
	for _, e := range p.rest() {
		if e.Kind == executor.WriteFailed {
			failed = append(failed, e.WriteID)
			require.Less(s, e.N, uint64(len(data)))
			require.Error(s, e.Err)
		}
	}
	require.Equal(s, []string{"first", "second"}, failed, "incomplete writes are reported")
	require.Equal(s, executor.Closed, p.seen[len(p.seen)-1].Kind)
}

func repeatedWriteID(s *suite) {
	p := s.start("echo")
	for _, id := range []string{"1", "1", "2", "1", ""} {
		r, err := p.Write(s.ctx, id, []byte("<"+id+">"))
		require.NoError(s, err)
		require.Equal(s, executor.Accepted, r.Status)
	}
	p.CloseStdin()
	p.rest()
	require.Equal(s, "<1><2><>", p.text[executor.Stdout].String())
}

func largeWrite(s *suite) {
	p := s.start("echo")
	data := bytes.Repeat([]byte("0123456789abcde\n"), 1<<17)
	sent := bytes.Clone(data)
	r, err := p.Write(s.ctx, "", sent)
	require.NoError(s, err)
	require.Equal(s, executor.Accepted, r.Status)
	clear(sent) // the caller may reuse it
	p.CloseStdin()
	p.rest()
	require.Equal(s, len(data), p.text[executor.Stdout].Len())
	require.True(s, bytes.Equal(data, p.text[executor.Stdout].Bytes()))
}

func closeStdin(s *suite) {
	p := s.start("line", "echo", "out", "end", "exit", "4")
	text := strings.Repeat("x", 300<<10)
	p.write("\n")
	p.write(text)
	require.Equal(s, executor.Accepted, p.CloseStdin())
	require.Equal(s, executor.StdinClosed, p.CloseStdin())
	r, err := p.Write(s.ctx, "", []byte("late"))
	require.NoError(s, err)
	require.Equal(s, executor.StdinClosed, r.Status)
	require.Equal(s, code(4), p.until(executor.Exited).Exit)
	p.rest()
	require.Equal(s, text+"end", p.text[executor.Stdout].String())
}

func brokenStdin(s *suite) {
	p := s.start("exit", "0")
	p.rest()
	r, err := p.Write(s.ctx, "w", []byte("x"))
	require.NoError(s, err)
	require.Equal(s, executor.StdinClosed, r.Status)
	require.Zero(s, r.Bytes)
	require.False(s, p.Info().StdinOpen)
}
