//go:build unix

package sshauth_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshtest"
)

// passwordDoor admits logins with a password.
func passwordDoor(t *testing.T, right string) *door {
	return newDoor(t, &ssh.ServerConfig{
		PasswordCallback: func(_ ssh.ConnMetadata, p []byte) (*ssh.Permissions, error) {
			if string(p) == right {
				return nil, nil
			}
			return nil, errors.New("wrong password")
		},
	}, nil)
}

func TestPassword(t *testing.T) {
	d := passwordDoor(t, secret)
	p := says("wrong", secret)
	require.Nil(t, login(t, d.addr, newHost(), p))
	require.Equal(t, []executor.Prompt{
		{Kind: executor.PromptPassword, Hop: "ada@box:22", User: "ada", Text: "Password for ada@box:22"},
		{Kind: executor.PromptPassword, Hop: "ada@box:22", User: "ada", Text: "Password for ada@box:22 (not accepted; try 2 of 3)"},
	}, p.asked)

	p = says("wrong")
	f := login(t, d.addr, newHost(), p)
	require.Len(t, p.asked, 3)
	require.Equal(t, executor.AuthDenied, f.Code)
	require.Equal(t, []string{"password (3 times)"}, f.Tried)
	require.Equal(t, "login as ada denied; tried password (3 times); the server wants password", f.Error())
	require.Contains(t, f.Hint, "password")
}

func TestPasswordWithoutPrompter(t *testing.T) {
	d := passwordDoor(t, secret)
	f := login(t, d.addr, newHost(), nil)
	require.Equal(t, executor.AuthPrompt, f.Code)
	require.Empty(t, f.Tried)
	require.Equal(t, `login as ada needs an answer to "Password for ada@box:22": cannot prompt; the server wants password`, f.Error())
	require.Equal(t, []string{"none"}, d.methods(), "no empty password was sent")

	batch := &person{answer: func(executor.Prompt) ([]string, error) { return nil, executor.ErrNoPrompter }}
	require.Equal(t, executor.AuthPrompt, login(t, d.addr, newHost(), batch).Code)
	require.Len(t, batch.asked, 1)
}

func TestDeclinedPasswordIsNotAskedAgain(t *testing.T) {
	d := passwordDoor(t, secret)
	p := &person{answer: func(executor.Prompt) ([]string, error) { return nil, errors.New("dismissed") }}
	f := login(t, d.addr, newHost(), p)
	require.Equal(t, executor.AuthDenied, f.Code)
	require.Contains(t, f.Error(), "dismissed")
	require.Len(t, p.asked, 1)
}

func TestConfiguredMethods(t *testing.T) {
	key := sshtest.NewKey(t, "ed25519", filepath.Join(t.TempDir(), "id"))
	open := func() *door {
		return newDoor(t, &ssh.ServerConfig{
			MaxAuthTries:     20,
			PasswordCallback: func(ssh.ConnMetadata, []byte) (*ssh.Permissions, error) { return nil, errors.New("no") },
			KeyboardInteractiveCallback: func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
				_, err := ask("", "", []string{"?"}, []bool{true})
				return nil, errors.Join(err, errors.New("no"))
			},
		}, noKey)
	}
	tests := []struct {
		name      string
		preferred []string
		off       string
		want      string
	}{
		{"default", nil, "", "none publickey keyboard-interactive password"},
		{"preferred", []string{"password", "gssapi-with-mic", "publickey"}, "", "none password publickey"},
		{"no keys", nil, "publickey", "none keyboard-interactive password"},
		{"no challenge", nil, "keyboard-interactive", "none publickey password"},
		{"no password", nil, "password", "none publickey keyboard-interactive"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d, h := open(), newHost()
			h.IdentityFiles, h.PreferredAuthentications, h.NumberOfPasswordPrompts = []string{key.File}, test.preferred, 1
			h.Pubkey, h.KbdInteractive, h.Password = test.off != "publickey", test.off != "keyboard-interactive", test.off != "password"
			require.NotNil(t, login(t, d.addr, h, says("x")))
			require.Equal(t, test.want, strings.Join(d.methods(), " "))
		})
	}
}

// rounds is a server with three rounds, the second without a question, and with
// text that tries to control the terminal.
func rounds() *ssh.ServerConfig {
	return &ssh.ServerConfig{
		MaxAuthTries: 20,
		KeyboardInteractiveCallback: func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			first, err := ask("Name", "Say who\x1b]52;c;AAAA\x07 you are", []string{"Login:\x1b[2J", "PIN:"}, []bool{true, false})
			if err != nil {
				return nil, err
			}
			if _, err := ask("", "Touch\r\n", nil, nil); err != nil {
				return nil, err
			}
			third, err := ask("", "Last", []string{"Code:"}, []bool{true})
			if err != nil {
				return nil, err
			}
			if strings.Join(append(first, third...), ",") != "ada,1234,9" {
				return nil, errors.New("wrong")
			}
			return nil, nil
		},
	}
}

func TestKeyboardInteractiveRounds(t *testing.T) {
	d := newDoor(t, rounds(), nil)
	p := &person{answer: func(p executor.Prompt) ([]string, error) {
		if len(p.Questions) == 2 {
			return []string{"ada", "1234"}, nil
		}
		return []string{"9"}, nil
	}}
	require.Nil(t, login(t, d.addr, newHost(), p))
	require.Equal(t, []executor.Prompt{
		{
			Kind: executor.PromptChallenge, Hop: "ada@box:22", User: "ada",
			Text:      "Questions from the server ada@box:22",
			Remote:    "Name\nSay who\x1b]52;c;AAAA\x07 you are",
			Questions: []executor.Question{{Text: "Login:\x1b[2J", Echo: true}, {Text: "PIN:"}},
		},
		{
			Kind: executor.PromptChallenge, Hop: "ada@box:22", User: "ada",
			Text:      "Questions from the server ada@box:22",
			Remote:    "Touch\nLast",
			Questions: []executor.Question{{Text: "Code:", Echo: true}},
		},
	}, p.asked)
}

func TestChallengeWithoutPrompter(t *testing.T) {
	d := newDoor(t, rounds(), nil)
	f := login(t, d.addr, newHost(), nil)
	require.Equal(t, executor.AuthPrompt, f.Code)
	require.Contains(t, f.Error(), "Login:")
	require.NotContains(t, f.Error(), "\x1b")
	require.Contains(t, f.Said, "Say who")
	require.Equal(t, []string{"keyboard-interactive"}, f.Tried)
}

func TestWrongAnswers(t *testing.T) {
	d := newDoor(t, rounds(), nil)
	p := &person{answer: func(p executor.Prompt) ([]string, error) { return make([]string, len(p.Questions)), nil }}
	f := login(t, d.addr, newHost(), p)
	require.Equal(t, executor.AuthDenied, f.Code)
	require.Len(t, p.asked, 6, "three attempts of two rounds with questions")
	require.Contains(t, p.asked[5].Text, "try 3 of 3")

	p = says("one answer to two questions")
	f = login(t, d.addr, newHost(), p)
	require.Equal(t, executor.AuthDenied, f.Code)
}

// A server whose second factor needs no prompt here, such as a push message,
// works without a prompter.
func TestRoundsWithoutQuestionsNeedNoPrompter(t *testing.T) {
	d := newDoor(t, &ssh.ServerConfig{
		KeyboardInteractiveCallback: func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			_, err := ask("", "Look at your telephone", nil, nil)
			return nil, err
		},
	}, nil)
	require.Nil(t, login(t, d.addr, newHost(), nil))
}

func TestEndlessRounds(t *testing.T) {
	d := newDoor(t, &ssh.ServerConfig{
		KeyboardInteractiveCallback: func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			for {
				if _, err := ask("", strings.Repeat("x", 3000), nil, nil); err != nil {
					return nil, err
				}
			}
		},
	}, nil)
	f := login(t, d.addr, newHost(), nil)
	require.Equal(t, executor.AuthDenied, f.Code)
	require.Contains(t, f.Remarks[0], "more than 64 rounds")
	require.LessOrEqual(t, len(f.Said), 4<<10)
}

func TestTooManyQuestions(t *testing.T) {
	d := newDoor(t, &ssh.ServerConfig{
		KeyboardInteractiveCallback: func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			_, err := ask("", "", make([]string, 1000), make([]bool, 1000))
			return nil, err
		},
	}, nil)
	p := says("x")
	f := login(t, d.addr, newHost(), p)
	require.Contains(t, f.Remarks[0], "more than 16 questions")
	require.Empty(t, p.asked)
}

func TestLongQuestionsAreCut(t *testing.T) {
	d := newDoor(t, &ssh.ServerConfig{
		KeyboardInteractiveCallback: func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			long := strings.Repeat("ö", 5000)
			_, err := ask(long, long, []string{long}, []bool{true})
			return nil, err
		},
	}, nil)
	p := says("x")
	require.Nil(t, login(t, d.addr, newHost(), p))
	require.LessOrEqual(t, len(p.asked[0].Remote), 4<<10)
	require.Equal(t, strings.Repeat("ö", 512), p.asked[0].Questions[0].Text)
}

// twoFactors requires a key, then a challenge.
func twoFactors(t *testing.T, key ssh.PublicKey) *door {
	return newDoor(t, &ssh.ServerConfig{}, func(k ssh.PublicKey) (*ssh.Permissions, error) {
		if _, err := only(key)(k); err != nil {
			return nil, err
		}
		return nil, &ssh.PartialSuccessError{Next: ssh.ServerAuthCallbacks{
			KeyboardInteractiveCallback: func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
				answers, err := ask("", "", []string{"Code:"}, []bool{false})
				if err != nil || answers[0] != "42" {
					return nil, errors.New("wrong")
				}
				return nil, nil
			},
		}}
	})
}

func TestTwoFactors(t *testing.T) {
	key := sshtest.NewKey(t, "ed25519", filepath.Join(t.TempDir(), "id"))
	d := twoFactors(t, key.PublicKey())
	h := newHost()
	h.IdentityFiles = []string{key.File}
	require.Nil(t, login(t, d.addr, h, says("41", "42")))

	f := login(t, d.addr, h, nil)
	require.Equal(t, executor.AuthPrompt, f.Code)
	require.Equal(t, []string{"publickey"}, f.Accepted)
	require.Contains(t, f.Error(), `answer to "Code:"`)
	require.Contains(t, f.Error(), "accepted so far: publickey; tried publickey (1 key: file "+key.File+")")
}

func TestTwoKeys(t *testing.T) {
	dir := t.TempDir()
	one := sshtest.NewKey(t, "ed25519", filepath.Join(dir, "one"))
	two := sshtest.NewKey(t, "ecdsa", filepath.Join(dir, "two"))
	server := sshtest.OpenSSH(t, sshtest.Options{
		Sshd:           []string{"AuthenticationMethods publickey,publickey"},
		AuthorizedKeys: []string{one.AuthorizedKey(), two.AuthorizedKey()},
	})
	h := newHost()
	h.User, h.IdentityFiles = server.User, []string{one.File, two.File}
	require.Nil(t, login(t, server.Addr, h, nil))
}

// Attempts used up in one step are available again in the next.
func TestTwoChallenges(t *testing.T) {
	challenge := func(question, answer string, then error) func(ssh.ConnMetadata, ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
		return func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			answers, err := ask("", "", []string{question}, []bool{true})
			if err != nil || answers[0] != answer {
				return nil, errors.New("wrong")
			}
			return nil, then
		}
	}
	second := ssh.ServerAuthCallbacks{KeyboardInteractiveCallback: challenge("two", "2", nil)}
	d := newDoor(t, &ssh.ServerConfig{
		KeyboardInteractiveCallback: challenge("one", "1", &ssh.PartialSuccessError{Next: second}),
	}, nil)
	h := newHost()
	h.NumberOfPasswordPrompts = 1
	require.Nil(t, login(t, d.addr, h, says("1", "2")))
}

// A server that refuses without a question is not tried again.
func TestChallengeWithoutRounds(t *testing.T) {
	d := newDoor(t, &ssh.ServerConfig{
		KeyboardInteractiveCallback: func(ssh.ConnMetadata, ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			return nil, errors.New("no")
		},
	}, nil)
	f := login(t, d.addr, newHost(), says("x"))
	require.Equal(t, executor.AuthDenied, f.Code)
	require.Equal(t, []string{"none", "keyboard-interactive"}, d.methods())
}
