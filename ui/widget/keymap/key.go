package keymap

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// named returns the names of the keys that are not characters, except f1 to f63.
func named() []string {
	return []string{
		"enter", "tab", "backspace", "esc", "space", "up", "down", "left", "right",
		"insert", "delete", "pgup", "pgdown", "home", "end",
	}
}

// CheckKey returns an error unless a key is written as in Bubble Tea and every terminal
// can send it. Any other spelling would never match.
func CheckKey(key string) error {
	switch key {
	case "":
		return fmt.Errorf("empty key")
	case " ":
		return fmt.Errorf(`write "space" for the space bar`)
	case "ctrl+i", "ctrl+m", "ctrl+[":
		return fmt.Errorf("terminals send %q as tab, enter or esc", key)
	}
	if utf8.RuneCountInString(key) == 1 {
		return checkChar(key)
	}

	rest, next := key, 0
	mods := []string{"ctrl", "alt", "shift", "meta", "hyper", "super"} // in the order of Bubble Tea
	for {
		mod, after, found := strings.Cut(rest, "+")
		i := slices.Index(mods, mod)
		if !found || i < 0 || after == "" {
			break
		}
		if i < next {
			return fmt.Errorf("wrong order of modifiers in %q: use %s", key, strings.Join(mods, "+"))
		}
		next, rest = i+1, after
	}
	if slices.Contains(named(), rest) || isFunctionKey(rest) {
		return nil
	}
	if rest == key || utf8.RuneCountInString(rest) != 1 {
		return fmt.Errorf("unknown key %q", key)
	}
	if unicode.IsUpper([]rune(rest)[0]) || strings.HasPrefix(key, "shift+") {
		return fmt.Errorf("%q never matches: write an upper-case letter alone, or a lower-case letter with ctrl or alt", key)
	}
	return checkChar(rest)
}

func checkChar(key string) error {
	if r, _ := utf8.DecodeRuneInString(key); !unicode.IsGraphic(r) || unicode.IsSpace(r) {
		return fmt.Errorf("%q is not a visible character", key)
	}
	return nil
}

func isFunctionKey(name string) bool {
	digits, found := strings.CutPrefix(name, "f")
	n, err := strconv.Atoi(digits)
	return found && err == nil && n >= 1 && n <= 63 && strconv.Itoa(n) == digits
}
