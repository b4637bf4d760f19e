package uitest

import (
	"context"
	"errors"
	"time"

	"mcpdbg/session/executor"
)

// LinkInfo returns a connection as an executor reports it.
func LinkInfo() executor.Info {
	return executor.Info{
		Placement: "build-7",
		Link: &executor.LinkInfo{
			State: executor.LinkUp, Hops: []string{"dev@bastion.example.org:22", "dev@10.0.0.7:2222"}, Transport: "native",
			RTT: 21300 * time.Microsecond, Server: "SSH-2.0-OpenSSH_9.2p1 \x1b[31mDebian\u202e", Kex: "curve25519-sha256",
			HostKey: "ssh-ed25519", Cipher: "aes128-gcm@openssh.com", MAC: "none (AEAD)",
		},
		Notices: []executor.Notice{{
			Code: "run.noise", Text: "startup files of the login shell print 23 bytes to stdout",
			Said: "Welcome \x1b]0;x\x07to build-7!\n", Hint: "print only in interactive shells",
		}},
	}
}

// RemoteWay performs a start over two hops, in which each step takes some time;
// the last step ends only if it receives its result on last.
func RemoteWay(ctx context.Context, cmd executor.Command, last <-chan error) error {
	for _, p := range []executor.Phase{
		{Name: "resolve", Detail: "build-7 is dev@10.0.0.7:2222 through dev@bastion.example.org:22"},
		{Name: "connect", Detail: "dev@bastion.example.org:22"},
		{Name: "host key", Detail: "dev@bastion.example.org:22 ssh-ed25519, on record"},
		{Name: "login", Detail: "dev@bastion.example.org:22 publickey \x1b[31m\u202e"},
	} {
		p.Begin = time.Now()
		cmd.OnBegin(p)
		time.Sleep(37 * time.Millisecond)
		p.End = time.Now()
		cmd.OnPhase(p)
	}
	p := executor.Phase{Name: "connect", Detail: "dev@10.0.0.7:2222", Begin: time.Now()}
	cmd.OnBegin(p)
	select {
	case p.Err = <-last:
	case <-ctx.Done():
		p.Err = ctx.Err()
	}
	p.End = time.Now()
	cmd.OnPhase(p)
	return p.Err
}

// Lost is how an executor reports a lost connection.
var Lost = &executor.LostError{
	Code: executor.LostKeepalive, Hop: "dev@10.0.0.7:2222", After: 12*time.Minute + 3*time.Second,
	Hint: "the server there ends by itself within 30 s", Err: errors.New("no answer for 13 s"),
}

// Lose drops the connection.
func (p *Process) Lose() {
	p.About.Link.State, p.About.Link.Err = executor.LinkLost, Lost
	p.Journal.Emit(executor.Event{Kind: executor.Link, Link: p.About.Link})
	p.Journal.Fail(Lost)
	_ = p.In.Close()
}
