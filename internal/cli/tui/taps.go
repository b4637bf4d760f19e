package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/tap"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings/store"
	"mcpdbg/session/target"
	"mcpdbg/ui/host"
)

// liveItems returns an item for each live tap.
func liveItems(live []flags.LiveTap) (items []host.Item) {
	for i := range live {
		t := &live[i]
		r := store.Recording{Path: t.Recording, When: t.Since}
		var item host.Item
		if t.Recording != "" {
			_ = r.Look() // what cannot be read stays empty
			item = recordingItem(&r)
		} else {
			item = host.Item{Kind: host.RecordingItem, Key: t.Name + fmt.Sprint(t.PID), Blocked: "not recorded"}
		}
		item.Tap, item.Live, item.When = true, true, t.Since
		item.Name, item.Client, item.State = t.Name+wording.IfAny(" under ", t.Client), t.Client, t.State
		items = append(items, item)
	}
	return items
}

// grouped returns the items of recordings without those of live taps. Those of a tap with
// nothing beyond the handshake are in a group, from two on.
func grouped(all []store.Recording, live []flags.LiveTap, taps []store.Recording) (items []host.Item) {
	counts := map[string]int{}
	known := map[string]*store.Recording{}
	for i := range taps {
		t := &taps[i]
		known[t.Path] = t
		if t.Short() {
			counts[t.Header.Name]++
		}
	}
	short := map[string][]host.Item{}
	for i := range all {
		r := &all[i]
		if slices.ContainsFunc(live, func(t flags.LiveTap) bool { return t.Recording == r.Path }) {
			continue
		}
		t := known[r.Path]
		if t == nil || !t.Short() || counts[t.Header.Name] < 2 {
			if t != nil {
				r = t
			}
			items = append(items, recordingItem(r))
			continue
		}
		name := t.Header.Name
		if short[name] == nil {
			items = append(items, host.Item{Kind: host.GroupItem, Key: "group" + keySep + name, Group: name, Name: fmt.Sprintf("%d short ones of %s", counts[name], name), From: "sessions with nothing beyond the handshake"})
		}
		item := recordingItem(t)
		item.Group = name
		short[name] = append(short[name], item)
	}
	for i := len(items) - 1; i >= 0; i-- {
		if g := &items[i]; g.Kind == host.GroupItem {
			items = slices.Insert(items, i+1, short[g.Group]...)
		}
	}
	return items
}

// Wrap implements host.Wrapper.
func (l *Launcher) Wrap(ctx context.Context, item host.Item, write bool) (string, error) {
	key := strings.Split(item.Key, keySep)
	if len(key) != 4 || key[0] != serverKey {
		return "", fmt.Errorf("%s is not in a config file", item.Name)
	}
	opts, err := flags.TargetOptions()
	if err != nil {
		return "", err
	}
	file, err := target.Read(key[1], opts)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(file.Entries, func(e target.Entry) bool { return e.Name == key[3] && e.Project == key[2] })
	if i < 0 || (file.Entries[i].Tap != nil) != item.Wrapped {
		return "", fmt.Errorf("%s has changed: reload the list", key[1])
	}
	return tap.EditEntry(ctx, l.Env, &file.Entries[i], write)
}
