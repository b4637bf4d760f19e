package contents

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"mcpdbg/session/diagnosis/message"
)

// secretWords are words that only name secrets, secretPairs pairs of words that do
// ("key" alone may be the key of an issue), and secretAlone words that do if nothing
// else is in the name.
var (
	secretWords = []string{"password", "passwords", "passwd", "passphrase", "passcode", "apikey", "cvv", "cvc", "ssn"}
	secretPairs = map[string][]string{
		"key":    {"api", "access", "secret", "private", "ssh", "encryption", "signing", "auth", "authentication"},
		"token":  {"api", "access", "auth", "authentication", "authorization", "bearer", "refresh", "session", "bot", "oauth", "secret", "security"},
		"secret": {"client", "api", "app", "shared", "webhook", "auth"},
		"number": {"card", "security"},
		"card":   {"credit", "debit"},
		"code":   {"security", "otp"},
		"phrase": {"pass", "seed", "recovery"},
	}
	secretAlone = []string{"secret", "token", "pwd", "credentials"}
	// harmless are words that after a secret name something about it.
	harmless = []string{"hint", "policy", "length", "manager", "strength", "rules", "name", "id", "label", "count", "type", "limit", "expiry", "expiration"}
)

// secret checks whether a text field of a form asks for a secret.
func (s *messageChecker) secret(name string, p property) {
	if p.enum != nil || p.oneOf != nil {
		return // one of several values that the server knows
	}
	title, _ := textOf(p.title)
	for _, text := range []string{name, string(title)} {
		if word := secretIn(text); word != "" {
			s.found(srv04, "", fmt.Sprintf("%q asks for a secret (%s)", message.Excerpt(text), word))
			return
		}
	}
}

// maxLabel is the longest name or title whose words are checked, in bytes.
const maxLabel = 200

// secretIn returns the words of a name or a title that name a secret, or "".
func secretIn(text string) string {
	if len(text) > maxLabel {
		return ""
	}
	words := wordsOf(text)
	for i, word := range words {
		switch {
		case i+1 < len(words) && slices.Contains(harmless, words[i+1]):
		case slices.Contains(secretWords, word):
			return word
		case len(words) == 1 && slices.Contains(secretAlone, word):
			return word
		case i > 0 && slices.Contains(secretPairs[word], words[i-1]):
			return words[i-1] + " " + word
		}
	}
	return ""
}

func wordsOf(text string) []string {
	var words []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			words = append(words, strings.ToLower(word.String()))
			word.Reset()
		}
	}
	runes := []rune(text)
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			end()
			continue
		}
		if i > 0 && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			end()
		}
		word.WriteRune(r)
	}
	end()
	return words
}
