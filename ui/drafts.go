package ui

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
)

// The names of drafts that are of no form.
const (
	draftMessage = "message"
	draftRaw     = "raw"
)

const (
	// draftsAfter is how long after a key what is written is saved.
	draftsAfter = 2 * time.Second
	// maxDraftsFile is how long the file of one server may be; what was not used
	// for the longest time is left out.
	maxDraftsFile = 512 << 10
	// maxDraftsFiles is how many servers have one.
	maxDraftsFiles = 200
	// maxSent is how much is remembered of what was sent from one draft, and
	// maxSentText how long each may be.
	maxSent     = 20
	maxSentText = 16 << 10
)

// A draft is what a person has begun to write, and what they sent from there.
type draft struct {
	Text string   `json:"text,omitempty"`
	Sent []string `json:"sent,omitempty"` // the newest first
	Used int64    `json:"used"`           // Unix time, in milliseconds
}

// drafts are those for one server. They are in a file that only the person can
// read; what is in it is only what they typed. The zero value keeps them in
// memory. Its methods belong to one goroutine, but for write.
type drafts struct {
	file  string // "" for none
	all   map[string]*draft
	dirty bool

	writing sync.Mutex
}

// openDrafts reads the drafts for a server from a folder.
func openDrafts(folder, title string, h session.Header) *drafts {
	d := &drafts{all: map[string]*draft{}}
	if folder == "" {
		return d
	}
	who, _ := json.Marshal([]any{title, h.Host, h.Argv}) // strings always encode
	sum := sha256.Sum256(who)
	d.file = filepath.Join(folder, hex.EncodeToString(sum[:16])+".json")
	if all, err := readDrafts(d.file); err == nil {
		d.all = all
	}
	return d
}

func readDrafts(file string) (map[string]*draft, error) {
	data, err := readBounded(file, 2*maxDraftsFile)
	if err != nil {
		return nil, err
	}
	var all map[string]*draft
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	maps.DeleteFunc(all, func(_ string, d *draft) bool { return d == nil })
	return all, nil
}

// text is the draft with a name.
func (d *drafts) text(name string) string {
	if one := d.all[name]; one != nil {
		return one.Text
	}
	return ""
}

// history is what was sent from a draft, the newest first.
func (d *drafts) history(name string) []string {
	if one := d.all[name]; one != nil {
		return one.Sent
	}
	return nil
}

func (d *drafts) use(name string) *draft {
	if d.all == nil {
		d.all = map[string]*draft{}
	}
	one := d.all[name]
	if one == nil {
		one = &draft{}
		d.all[name] = one
	}
	one.Used, d.dirty = time.Now().UnixMilli(), true
	return one
}

// set keeps a text. One that is too long to be typed is not kept.
func (d *drafts) set(name, text string) {
	if len(text) > maxDraft || d.text(name) == text {
		return
	}
	d.use(name).Text = text
}

// sent remembers what was sent from a draft.
func (d *drafts) sent(name, text string) {
	if text == "" || len(text) > maxSentText {
		return
	}
	one := d.use(name)
	sent := slices.DeleteFunc(slices.Clone(one.Sent), func(s string) bool { return s == text })
	sent = slices.Insert(sent, 0, text)
	one.Sent = sent[:min(len(sent), maxSent)]
}

// snapshot is a copy of the drafts to be written, nil if nothing has changed.
func (d *drafts) snapshot() map[string]draft {
	if d.file == "" || !d.dirty {
		return nil
	}
	d.dirty = false
	all := make(map[string]draft, len(d.all))
	for name, one := range d.all {
		all[name] = *one
	}
	return all
}

// write writes a snapshot, with what others have written to the file and is
// newer. It may be called from any goroutine.
func (d *drafts) write(all map[string]draft) error {
	if all == nil {
		return nil
	}
	d.writing.Lock()
	defer d.writing.Unlock()
	if others, err := readDrafts(d.file); err == nil {
		for name, other := range others {
			if mine, ok := all[name]; !ok || mine.Used < other.Used {
				all[name] = *other
			}
		}
	}
	data, err := encodeDrafts(all)
	if err != nil {
		return err
	}
	folder := filepath.Dir(d.file)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	if err := writeAtomic(d.file, data); err != nil {
		return err
	}
	return pruneDrafts(folder)
}

// encodeDrafts leaves out what was not used for the longest time, until the rest
// is short enough.
func encodeDrafts(all map[string]draft) ([]byte, error) {
	maps.DeleteFunc(all, func(_ string, d draft) bool { return d.Text == "" && len(d.Sent) == 0 })
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int { return cmp.Compare(all[a].Used, all[b].Used) })
	for {
		data, err := json.Marshal(all)
		if err != nil || len(data) <= maxDraftsFile || len(names) == 0 {
			return data, err
		}
		drop := len(names)/2 + 1
		for _, name := range names[:drop] {
			delete(all, name)
		}
		names = names[drop:]
	}
}

// writeAtomic replaces a file, so that there is the old one or the new one.
func writeAtomic(file string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(file), ".draft-*") // 0600
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	err = errors.Join(err, temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), file)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}
	return err
}

// pruneDrafts removes the oldest files when there are too many.
func pruneDrafts(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) <= maxDraftsFiles {
		return err
	}
	var files []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, f := range files[:max(len(files)-maxDraftsFiles, 0)] {
		if err := os.Remove(filepath.Join(folder, f.Name())); err != nil {
			return err
		}
	}
	return nil
}

// keepDraft takes what is in the composer into its drafts.
func (a *App) keepDraft() {
	c := a.composer
	c.drafts.set(draftMessage, c.area.Value())
	c.drafts.set(draftRaw, c.raw.Value())
	switch {
	case c.view == composeJSON:
		c.drafts.set(c.target.draft(), c.json.Value())
	case c.form != nil && c.form.Revision() != c.fresh:
		arguments, _ := c.form.JSON()
		c.drafts.set(c.target.draft(), string(arguments))
	}
}

// keepLater saves what is written, a while after the last key.
func (a *App) keepLater() tea.Cmd {
	c := a.composer
	if c.drafts.file == "" || c.saving {
		return nil
	}
	c.saving = true
	return a.later(draftsAfter, result{then: func(a *App) tea.Cmd {
		c.saving = false
		a.keepDraft()
		return a.saveDrafts()
	}})
}

// saveDrafts writes what has changed.
func (a *App) saveDrafts() tea.Cmd {
	d := a.composer.drafts
	all := d.snapshot()
	if all == nil {
		return nil
	}
	return func() tea.Msg {
		if err := d.write(all); err != nil {
			return result{what: "draft", err: fmt.Errorf("not saved: %w", err)}
		}
		return nil
	}
}

// endDrafts writes the drafts of all sessions, when the program is over.
func (a *App) endDrafts() error {
	var errs []error
	for _, s := range a.subjects {
		a.subject = s
		a.keepDraft()
		errs = append(errs, s.composer.drafts.write(s.composer.drafts.snapshot()))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("drafts are not saved: %w", err)
	}
	return nil
}
