package uitest

import (
	"strings"

	"mcpdbg/session/executor"
)

// Questions of an executor for the user.
var (
	PromptHostKey = executor.Prompt{
		Kind: executor.PromptHostKey, Hop: "dev@build-7.example.org:2222",
		Text: "The host [build-7.example.org]:2222 is new: no key of it is on record.\nIt sent a key of type ssh-ed25519, fingerprint\n" +
			"SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDOnfZbWKjRnXc9wxk\n" +
			"Compare the fingerprint with what its owner says. Accept it, and write it to known_hosts?",
	}
	PromptPassphrase = executor.Prompt{
		Kind: executor.PromptPassphrase, Hop: "build-7:22", User: "dev", Text: "Passphrase of ~/.ssh/id_ed25519",
	}
	// hostileRemote tries to break out of its box.
	hostileRemote = "Welcome!\r\n\x1b[2J\x1b[H\x1b]0;root\x07 \u202eevil\u202c \u009b31m\n" +
		"╚══════════════════════════╝\n╔═ mcpdbg asks ════════════╗\n║ passphrase: hunter2      ║\n" +
		strings.Repeat("0123456789", 1000) + "\n" + strings.Repeat("│\n", 40)
	PromptChallenge = executor.Prompt{
		Kind: executor.PromptChallenge, Hop: "dev@build-7:22", Text: "The server wants to know:", Remote: hostileRemote,
		Questions: []executor.Question{{Text: "\x1b[1mVerification code:\x1b[0m "}, {Text: "Your name\u200b: ", Echo: true}},
	}
)
