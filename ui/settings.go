package ui

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"mcpdbg/ui/host"
	"mcpdbg/ui/settings"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/wire"
)

// Settings are the user's settings.
type Settings = settings.Settings

// ParseSettings parses the settings in data. Its errors are *settings.Error with
// the name of the file: invalid TOML, unknown settings, invalid values, and keys
// bound to two actions.
func ParseSettings(file string, data []byte) (Settings, error) {
	return settings.Parse(file, data, checkScreen)
}

// checkScreen validates the view and the keys.
func checkScreen(s *Settings) *settings.Error {
	if _, err := wire.ParseView(s.View); err != nil {
		return &settings.Error{Key: "view", Err: err}
	}
	return checkKeys(s.Keys)
}

// checkKeys validates the keys of each action, and then all of them together.
func checkKeys(keys map[string][]string) *settings.Error {
	defaults := Actions()
	for _, id := range slices.Sorted(maps.Keys(keys)) {
		name := "keys." + id
		if _, ok := defaults.ByID(id); !ok {
			return &settings.Error{Key: name, Err: errors.New("unknown action; mcpdbg keys lists them")}
		}
		for _, key := range keys[id] {
			if err := keymap.CheckKey(key); err != nil {
				return &settings.Error{Key: name, Err: err}
			}
		}
	}
	_, _, err := bind(nil, keys)
	var conflict *keymap.ConflictError
	if !errors.As(err, &conflict) {
		return nil
	}
	mine, other := conflict.Second, conflict.First
	if _, ok := keys[mine]; !ok {
		mine, other = other, mine
	}
	return &settings.Error{Key: "keys." + mine, Err: fmt.Errorf("key %q is already bound to %s; rebind that action, too", conflict.Key, other)}
}

// ActionsOf returns the table of all actions with the keys from settings.
func ActionsOf(s Settings) (*keymap.Table[host.Context], error) {
	table, _, err := bind(nil, s.Keys)
	return table, err
}
