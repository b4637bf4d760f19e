package rec_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/recordings"
)

// siftWords are in the messages of a siftedRecording, in its methods and in filters.
var siftWords = []string{
	"needle", "NEEDLE", "NeeDle", "tools/call", "kelvin", "\u212aelvin", "lo\u017fs", "loss", "straße", "STRASSE", "日本", "a\\\"b", "c\\\\d",
	"ne\\u0065dle", "\\u006eeedle", "tab\\t", "exit", "raw", "stdout", "other", "x1", "42",
}

// A siftedRecording writes a recording with lines of all kinds, also damaged ones.
type siftedRecording struct {
	strings.Builder
	random    *rand.Rand
	n, t, seq int
	joined    bool // lines may continue in the next entry
}

func (r *siftedRecording) word() string { return siftWords[r.random.IntN(len(siftWords))] }

func (r *siftedRecording) method() string {
	if r.random.IntN(8) == 0 {
		return r.word()
	}
	return [...]string{"ping", "resources/read", "prompts/get"}[r.random.IntN(3)]
}

// message returns a JSON-RPC message.
func (r *siftedRecording) message() string {
	switch r.random.IntN(5) {
	case 0:
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s","params":{"text":"%s"}}`, r.random.IntN(6), r.method(), r.word())
	case 1:
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":"%s"}`, r.method())
	case 2:
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-1,"message":"%s"}}`, r.random.IntN(6), r.word())
	default:
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"%s":"%s"}}`, r.random.IntN(6), r.word(), strings.Repeat("padding ", r.random.IntN(4)))
	}
}

// head begins an entry.
func (r *siftedRecording) head(kind string) {
	r.n++
	r.t += r.random.IntN(1000)
	if r.random.IntN(50) == 0 {
		r.n, r.t = max(1, r.n-2), r.t/2 // out of order
	}
	fmt.Fprintf(r, `{"n":%d,"t":%d,"k":"%s"`, r.n, r.t, kind)
	if kind == "stdout" || kind == "stderr" {
		r.seq++
		fmt.Fprintf(r, `,"seq":%d`, r.seq)
	}
}

func (r *siftedRecording) direction() string { return [...]string{"stdin", "stdout"}[r.random.IntN(2)] }

func (r *siftedRecording) line() {
	switch k := r.random.IntN(40); {
	case k < 24:
		r.head(r.direction())
		fmt.Fprintf(r, `,"m":%s}`, r.message())
	case k < 27:
		r.head(r.direction())
		fmt.Fprintf(r, `,"m":[%s,%s]}`, r.message(), r.message()) // a batch is not verbatim
	case k < 29:
		r.head(r.direction())
		fmt.Fprintf(r, `,"raw":%q}`, "["+r.message()+","+r.message()+"]")
	case k < 31:
		r.head("stderr")
		fmt.Fprintf(r, `,"raw":"%s %s"}`, r.word(), r.word())
	case k < 32:
		r.head("stdout")
		fmt.Fprintf(r, `,"b64":"%s"}`, base64.StdEncoding.EncodeToString([]byte(r.word()+"\xff")))
	case k < 33:
		r.head("stdout")
		fmt.Fprintf(r, `,"raw":"%s"}`, r.word())
	case k < 34:
		r.head("note")
		fmt.Fprintf(r, `,"text":"%s"}`, r.word())
	case k < 35:
		r.head("exited")
		r.WriteString(`,"code":3}`)
	case k < 36:
		r.head("start")
		r.WriteString(`,"pid":1}`)
	case k < 37:
		r.head("stdout")
		fmt.Fprintf(r, `,"x1":"y","eol":"\r\n", "m" : %s } `, r.message())
	case k < 38 && r.joined:
		r.head("stdout")
		fmt.Fprintf(r, `,"more":true,"raw":%q}`, r.message()[:9])
	case k < 39 && r.joined:
		half := r.random.IntN(20)
		whole := r.message()
		r.head("stdin")
		fmt.Fprintf(r, `,"eol":"","raw":%q}`+"\n", whole[:half])
		r.head("stdin")
		fmt.Fprintf(r, `,"raw":%q}`, whole[half:])
	default:
		fmt.Fprintf(r, "damaged %s", r.word())
	}
	r.WriteByte('\n')
}

// write writes the recording, in one file or in two, and returns the path of the first.
func (r *siftedRecording) write(t *testing.T, lines int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.jsonl")
	const header = `{"mcpdbg":1,"id":"x","tool":"test","start":"2026-11-21T10:00:00Z","placement":"local","argv":["server"]`
	parts := 1 + r.random.IntN(2)
	for part := 1; part <= parts; part++ {
		r.Reset()
		r.WriteString(header)
		if part > 1 {
			fmt.Fprintf(r, `,"part":%d`, part)
		}
		r.WriteString("}\n")
		for range lines {
			r.line()
		}
		if part < parts {
			r.head("part")
			fmt.Fprintf(r, `,"file":"r.2.jsonl"}`+"\n")
		}
		text := r.String()
		if part == parts {
			text = text[:len(text)-r.random.IntN(60)] // torn
		}
		require.NoError(t, os.WriteFile(recordings.PartPath(path, part), []byte(text), 0o600))
	}
	return path
}

func (r *siftedRecording) filter() string {
	quoted := func() string { return fmt.Sprintf("%q", r.word()) }
	part := func() string {
		w := []rune(r.word())
		from := r.random.IntN(len(w))
		return strings.ReplaceAll(strings.ReplaceAll(string(w[from:]), `\`, `\\`), `"`, `\"`)
	}
	switch r.random.IntN(8) {
	case 0:
		return quoted() + " " + quoted()
	case 1:
		return quoted() + " or " + quoted()
	case 2:
		return quoted() + " !" + quoted()
	case 3:
		return `/(?i)ne+dle|x1/ or /padd?ing/`
	case 4:
		return [...]string{"dir:in ", "kind:request ", "!kind:response ", "kind:stderr ", "kind:batch ", "kind:note ", "seq:3-40 ", "run:2 ", "kind:stray "}[r.random.IntN(9)] + quoted()
	case 5:
		return `"` + part() + `"`
	}
	return quoted()
}

// TestRecCatSkipsLines: a search that decodes only lines with its texts prints the same
// as one that reads all entries, as it does with --to.
func TestRecCatSkipsLines(t *testing.T) {
	t.Parallel()
	for seed := range uint64(32) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := &siftedRecording{random: rand.New(rand.NewPCG(seed, 0)), joined: seed%4 == 0}
			lines, filters := 1+r.random.IntN(200), 8
			if seed == 1 {
				lines, filters = 20_000, 1 // several blocks
			}
			path := r.write(t, lines)
			for range filters {
				shown := r.filter()
				got := clitest.InProcess(t, "rec", "cat", "--json", path, "--filter", shown)
				want := clitest.InProcess(t, "rec", "cat", "--json", path, "--filter", shown, "--to", "100000h")
				for _, r := range []*clitest.Result{&got, &want} {
					r.Stderr, _, _ = strings.Cut(r.Stderr, "mcpdbg: no entry matches ")
				}
				require.Equal(t, want, got, "%s", shown)
			}
		})
	}
}
