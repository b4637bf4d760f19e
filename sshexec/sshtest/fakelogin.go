//go:build unix

package sshtest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

// A Round is one round of keyboard-interactive questions; it may have none.
type Round struct {
	Name, Instruction string
	Questions         []Question
}

// A Question has one right Answer.
type Question struct {
	Text   string
	Echo   bool
	Answer string
}

var errWrong = errors.New("wrong")

func (f *fake) login(t testing.TB, keys []*Key) *ssh.ServerConfig {
	t.Helper()
	methods := f.Methods
	if methods == nil {
		methods = []string{"publickey"}
	}
	authorized := [][]byte{f.server.Key.PublicKey().Marshal()}
	for _, line := range f.AuthorizedKeys {
		key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(line))
		require.NoError(t, err)
		authorized = append(authorized, key.Marshal())
	}
	first := f.pass(t, methods, authorized)
	config := &ssh.ServerConfig{
		Config:                      f.Crypto,
		MaxAuthTries:                f.MaxAuthTries,
		PublicKeyCallback:           first.PublicKeyCallback,
		PasswordCallback:            first.PasswordCallback,
		KeyboardInteractiveCallback: first.KeyboardInteractiveCallback,
		AuthLogCallback: func(c ssh.ConnMetadata, method string, err error) {
			f.log.Printf("auth %s %s: %v", c.User(), method, err)
		},
	}
	config.PreAuthConnCallback = func(c ssh.ServerPreAuthConn) {
		for part := range slices.Chunk([]byte(f.Banner), 32<<10) { // a packet takes 256 KiB
			_ = c.SendAuthBanner(string(part)) // on an error the login fails next
		}
	}
	for _, key := range keys {
		config.AddHostKey(key)
	}
	return config
}

// pass requires all methods, in order.
func (f *fake) pass(t testing.TB, methods []string, authorized [][]byte) (c ssh.ServerAuthCallbacks) {
	t.Helper()
	var passed error
	if len(methods) > 1 {
		passed = &ssh.PartialSuccessError{Next: f.pass(t, methods[1:], authorized)}
	}
	check := func(c ssh.ConnMetadata, right bool) (*ssh.Permissions, error) {
		if !right || c.User() != f.server.User {
			return nil, errWrong
		}
		return nil, passed
	}
	switch methods[0] {
	case "publickey":
		c.PublicKeyCallback = func(c ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			right := false
			for _, known := range authorized {
				right = right || bytes.Equal(known, key.Marshal())
			}
			return check(c, right)
		}
	case "password":
		c.PasswordCallback = func(c ssh.ConnMetadata, password []byte) (*ssh.Permissions, error) {
			return check(c, string(password) == f.Password)
		}
	case "keyboard-interactive":
		c.KeyboardInteractiveCallback = func(c ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			right, err := askAll(f.Rounds, ask)
			if err != nil {
				return nil, err
			}
			return check(c, right)
		}
	default:
		require.Fail(t, fmt.Sprintf("no login by %q", methods[0]))
	}
	return c
}

// askAll stops at the first round with a wrong answer.
func askAll(rounds []Round, ask ssh.KeyboardInteractiveChallenge) (bool, error) {
	for _, round := range rounds {
		texts, echos := []string{}, []bool{}
		for _, q := range round.Questions {
			texts, echos = append(texts, q.Text), append(echos, q.Echo)
		}
		answers, err := ask(round.Name, round.Instruction, texts, echos)
		if err != nil {
			return false, err
		}
		for i, q := range round.Questions {
			if answers[i] != q.Answer {
				return false, nil
			}
		}
	}
	return true, nil
}
