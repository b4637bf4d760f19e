package send

import (
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
	"sort"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
)

// The names of drafts that belong to no form.
const (
	draftMessage = "message"
	draftRaw     = "raw"
)

const (
	// draftsAfter is how long after the last key drafts are saved.
	draftsAfter = 2 * time.Second
	// maxDraftsFile is the maximum size of the file of one server in bytes; the
	// least recently used drafts are omitted.
	maxDraftsFile = 512 << 10
	// maxDraftsFiles is the maximum number of such files.
	maxDraftsFiles = 200
	// maxSent is how many sent texts are remembered for one draft, and
	// maxSentText the maximum size of each in bytes.
	maxSent     = 20
	maxSentText = 16 << 10
)

type draft struct {
	Text string   `json:"text,omitempty"`
	Sent []string `json:"sent,omitempty"` // newest first
	Used int64    `json:"used"`           // Unix time, in milliseconds
}

// drafts are the drafts for one server, in a file that only the user can read; they hold
// only text that the user typed. The zero value keeps them in memory. All methods but
// write belong to one goroutine.
type drafts struct {
	file  string // "" for none
	all   map[string]*draft
	dirty bool

	writing sync.Mutex
}

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
	data, err := host.ReadBounded(file, 2*maxDraftsFile)
	if err != nil {
		return nil, err
	}
	var all map[string]*draft
	if err := framing.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	maps.DeleteFunc(all, func(_ string, d *draft) bool { return d == nil })
	return all, nil
}

// of returns a draft, empty if there is none.
func (d *drafts) of(name string) draft {
	if one := d.all[name]; one != nil {
		return *one
	}
	return draft{}
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

// set keeps a text, unless it is too long to be typed.
func (d *drafts) set(name, text string) {
	if len(text) > kit.MaxDraft || d.of(name).Text == text {
		return
	}
	d.use(name).Text = text
}

func (d *drafts) sent(name, text string) {
	if text == "" || len(text) > maxSentText {
		return
	}
	one := d.use(name)
	sent := slices.DeleteFunc(slices.Clone(one.Sent), func(s string) bool { return s == text })
	sent = slices.Insert(sent, 0, text)
	one.Sent = sent[:min(len(sent), maxSent)]
}

// snapshot returns a copy of the drafts for writing, nil if nothing has
// changed.
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

// write merges a snapshot with newer drafts that other processes have written to the
// file. It may be called from any goroutine.
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

// encodeDrafts omits the least recently used drafts until the rest fits.
func encodeDrafts(all map[string]draft) ([]byte, error) {
	maps.DeleteFunc(all, func(_ string, d draft) bool { return d.Text == "" && len(d.Sent) == 0 })
	names := slices.Collect(maps.Keys(all))
	sort.Slice(names, func(i, j int) bool { return all[names[i]].Used < all[names[j]].Used })
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
	sort.Slice(files, func(i, j int) bool { return files[i].ModTime().Before(files[j].ModTime()) })
	for _, f := range files[:max(len(files)-maxDraftsFiles, 0)] {
		if err := os.Remove(filepath.Join(folder, f.Name())); err != nil {
			return err
		}
	}
	return nil
}

// remember keeps a text that was sent, or is replaced, so that it can be recalled.
func (p *Composer) remember(name, text string) {
	p.drafts.sent(name, text)
	delete(p.kept, name)
}

func (p *Composer) keepDraft() {
	if p.instead != nil {
		return
	}
	p.drafts.set(draftMessage, p.area.Value())
	p.drafts.set(draftRaw, p.raw.Value())
	switch {
	case p.view == jsonView:
		p.drafts.set(p.target.draft(), p.json.Value())
	case p.form != nil && p.form.Revision() != p.fresh:
		arguments, _ := p.form.JSON()
		p.drafts.set(p.target.draft(), string(arguments))
	}
}

// keepLater saves the content of the composer, a while after the last key.
func (p *Composer) keepLater(c host.Context) tea.Cmd {
	if p.drafts.file == "" || p.saving {
		return nil
	}
	p.saving = true
	return c.Host.After(draftsAfter, host.Result{Then: func(c host.Context) tea.Cmd {
		p.saving = false
		return p.Save()
	}})
}

// Save writes the changed drafts.
func (p *Composer) Save() tea.Cmd {
	p.keepDraft()
	d := p.drafts
	all := d.snapshot()
	if all == nil {
		return nil
	}
	return func() tea.Msg {
		if err := d.write(all); err != nil {
			return host.Result{What: "draft", Err: fmt.Errorf("not saved: %w", err)}
		}
		return nil
	}
}

// End writes the changed drafts at once, when the program ends.
func (p *Composer) End() error {
	p.keepDraft()
	return p.drafts.write(p.drafts.snapshot())
}
