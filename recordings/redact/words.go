package redact

import (
	"bytes"
	"slices"
	"strings"
)

// otherMeaning reports for a word of Rules.Words whether a value clearly has the other
// meaning of the word.
var otherMeaning = map[string]func(value []byte) bool{
	"pass": isCount,
	"pwd":  isDirectory,
	"auth": isScheme,
}

// spares reports whether a value stays, because its key is a word and the value clearly
// has the other meaning, or because the name only ends like that of a secret and the
// value does not look random.
func (f *finder) spares(key string, value []byte) bool {
	if f.keys.weak[key] {
		return !looksRandom(value)
	}
	other := otherMeaning[key]
	return other != nil && f.keys.words[key] && other(value)
}

func (f *finder) sparedBy(rule string, value []byte) bool {
	key, ok := strings.CutPrefix(rule, "key ")
	return ok && f.spares(key, value)
}

func isCount(value []byte) bool {
	return len(value) <= 5 && len(bytes.Trim(value, "0123456789")) == 0
}

func isDirectory(value []byte) bool {
	drive := len(value) > 2 && value[1] == ':' && (value[2] == '\\' || value[2] == '/')
	return drive || len(value) > 0 && (value[0] == '/' || value[0] == '~')
}

var schemes = []string{"none", "basic", "digest", "bearer", "oauth", "oauth2", "jwt", "mtls", "api_key", "apikey", "required", "optional", "yes", "no", "ok", "failed"}

func isScheme(value []byte) bool { return slices.Contains(schemes, lower(string(value))) }

// proseWords may follow the name of an option in a sentence.
var proseWords = strings.Fields("a an and are as at be by can flag for from given has if in instead is it missing must needs not of on option or parameter please requires set should takes that the to value was when which will with")

// isPlaceholder reports whether the bare word after an option is part of a sentence, or a
// placeholder for a value, as in --token TOKEN.
func isPlaceholder(name, value []byte) bool {
	word := strings.TrimRight(string(value), ".,:;!?)")
	if slices.Contains(proseWords, word) {
		return true
	}
	upper := word == strings.ToUpper(word) && strings.Trim(word, "0123456789") != ""
	return upper && (strings.HasSuffix(squeeze(string(name)), squeeze(word)) || slices.Contains([]string{"VALUE", "STRING", "TEXT", "FILE", "KEY", "SECRET"}, word))
}
