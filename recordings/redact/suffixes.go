package redact

import (
	"bytes"
	"slices"
	"strings"
)

// openNames have the suffix of a secret, but are something else.
var openNames = strings.Fields(`access_sig
	accelerator_key alias_key api_public_key arrow_key bucket_key cache_key candidate_key column_key composite_key config_key context_key
	dedup_key dict_key dictionary_key down_key enter_key entity_key escape_key event_key feature_key field_key file_key foreign_key
	group_key hash_key header_key host_key hot_key i18n_key idempotency_key index_key issue_key item_key job_key json_key label_key
	language_key left_key locale_key lock_key log_key lookup_key map_key menu_key message_key metadata_key metric_key natural_key
	object_key option_key order_key parent_key partition_key primary_key project_key property_key public_key query_key queue_key
	range_key record_key redis_key registry_key related_key right_key routing_key row_key s3_key search_key setting_key shard_key
	shortcut_key sort_key space_key state_key storage_key string_key surrogate_key tab_key table_key tag_key task_key template_key
	time_key translation_key type_key unique_key up_key value_key`)

// Suffixes that are keys of the user anyway are left to the globs.
func (k *keySet) addSuffixes(suffixes, keys []string) {
	k.weak = map[string]bool{}
	for _, suffix := range suffixes {
		if key := "*_" + suffix; !slices.Contains(keys, key) {
			k.weak[key] = true
			for _, end := range []string{`"`, `'`, `=`, `:`, ` `, `\`} {
				k.anchors = append(k.anchors, "_"+suffix+end, "-"+suffix+end)
			}
		}
	}
}

// suffix returns the key *_SUFFIX that a name ends with, in lower case and with _ for -,
// or "".
func (k *keySet) suffix(name string) string {
	i := strings.LastIndexByte(name, '_')
	if i <= 0 || !k.weak["*"+name[i:]] {
		return ""
	}
	for _, open := range openNames {
		if before, ok := strings.CutSuffix(name, open); ok && (before == "" || strings.HasSuffix(before, "_")) {
			return ""
		}
	}
	return "*" + name[i:]
}

func isConstant(name []byte) bool {
	return len(bytes.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")) == 0
}

// isSetting reports whether the value of a variable in capitals is a choice, a path, or
// the number of something, and not a secret.
func isSetting(key string, value []byte) bool {
	if isDirectory(value) || isScheme(value) || slices.Contains(statusWords, lower(string(value))) {
		return true
	}
	return key != "*_pwd" && key != "*_passwd" && isCount(value)
}

// statusWords may stand in the place of a secret.
var statusWords = strings.Fields(`accepted changed denied disabled empty enabled expired failed false found hidden invalid missing no none null off ok on
	redacted rejected required rotated set true undefined unknown unset updated valid yes`)

// isSentence reports whether a word after "name: " begins a sentence about the name, or
// is all of it.
func isSentence(word []byte, more bool) bool {
	if len(bytes.Trim(word, "*.<>")) == 0 {
		return true
	}
	rest := bytes.TrimLeft(word[1:], "abcdefghijklmnopqrstuvwxyz'")
	letters := len(rest) == 0 && (word[0]|0x20 >= 'a' && word[0]|0x20 <= 'z')
	return letters && (more || slices.Contains(statusWords, lower(string(word))))
}

const (
	shortestRandom = 16
	// leastChanges is how often the kind of character changes in random text of that
	// length, and in longer ones accordingly.
	leastChanges = 4
)

// looksRandom reports whether a value looks like a generated secret: at least 16
// characters without spaces, of which a part has letters and digits that alternate.
// Words, dates and UUIDs do not.
func looksRandom(value []byte) bool {
	if len(value) < shortestRandom || len(bytes.Trim(value, randomCharacters)) > 0 || isUUID(value) {
		return false
	}
	for part := range bytes.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune("-_./:+=~%", r) }) {
		if len(part) >= shortestRandom/2 && alternates(part) {
			return true
		}
	}
	return false
}

const randomCharacters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_+/=.~%-:"

// alternates reports whether a text has letters and digits, and often changes between
// digits, small letters and capitals.
func alternates(text []byte) bool {
	kind := func(c byte) int {
		switch {
		case '0' <= c && c <= '9':
			return 0
		case 'a' <= c:
			return 1
		}
		return 2
	}
	changes, seen := 0, [3]bool{}
	for i, c := range text {
		seen[kind(c)] = true
		if i > 0 && kind(c) != kind(text[i-1]) {
			changes++
		}
	}
	return seen[0] && (seen[1] || seen[2]) && changes >= max(leastChanges, len(text)/6)
}

// A UUID names more often than it protects.
func isUUID(value []byte) bool {
	const form = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	if len(value) != len(form) {
		return false
	}
	for i, c := range value {
		if digit := strings.IndexByte("0123456789abcdefABCDEF", c) >= 0; digit != (form[i] == 'x') || !digit && c != '-' {
			return false
		}
	}
	return true
}

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
