package recordings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

// verifyLineByLine verifies a recording on one goroutine, without blocks and without
// the shortcut for plain lines.
func verifyLineByLine(t testing.TB, content []byte) *Report {
	t.Helper()
	f := inMemory(content)
	header, begin, err := readHeader("fuzz", f)
	require.NoError(t, err)
	v := verifier{report: &Report{Header: header}, midway: header.Part > 0, f: f}
	v.headerLine, err = headerLine(f, begin)
	require.NoError(t, err)
	sum := session.NewChecksum()
	v.header(header)
	d := decoder{}
	for lines := linesFrom(f, begin); ; {
		l, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if !l.whole {
			v.report.Finished, v.report.Whole, v.report.Stopped = false, false, ""
			continue
		}
		v.block = &lineBlock{off: l.off, before: sum}
		sum.Add(l.data)
		c := lineCheck{data: l.data, off: l.off, size: l.size}
		c.shape.look(l.data)
		c.bad = d.into(&c.entry, l.data) != nil
		c.rep = d.rep
		v.line(&c)
	}
	v.endProcess(false)
	v.report.Warnings.UnknownKeys = d.unknown
	return v.report
}

// requireSameReport requires that verify agrees with verifyLineByLine.
func requireSameReport(t testing.TB, content []byte) *Report {
	t.Helper()
	report, err := verify(t.Context(), "fuzz", inMemory(content), nil)
	require.NoError(t, err)
	require.Equal(t, verifyLineByLine(t, content), report)
	return report
}

// spliced are bytes that damage a line in many ways.
const spliced = `"\{}[]:,0-19.eE+ ud` + "\n\r\t\x00\x1f\x7f\x80\xc3\xff"

// TestVerifyAgreesOnNearlyPlainLines inserts and replaces every byte of plain lines.
func TestVerifyAgreesOnNearlyPlainLines(t *testing.T) {
	for _, line := range []string{
		`{"n":2,"t":3,"k":"stdout","seq":1,"m":{"id":1,"result":{"x":"é"}}}` + "\n",
		`{"n":2,"t":3,"k":"stdin","m":{"method":"a"}}` + "\n",
		`{"n":2,"t":3,"k":"end","entries":2}` + "\n",
	} {
		before, after := header+`{"n":1,"t":0,"k":"start","process":"p"}`+"\n", `{"n":30,"t":30,"k":"stdout","seq":2,"m":{"id":1}}`+"\n"
		part := `{"n":1,"t":0,"k":"stdout","seq":1,"more":true,"eol":"","raw":"x"}` + "\n"
		requireSameReport(t, []byte(header+part+line+strings.ReplaceAll(part, "stdout", "stdin")+line))
		for at := range len(line) + 1 {
			for _, b := range []byte(spliced) {
				inserted := line[:at] + string([]byte{b}) + line[at:]
				requireSameReport(t, []byte(before+inserted))
				if at < len(line) {
					requireSameReport(t, []byte(before+line[:at]+string([]byte{b})+line[at+1:]+after))
				}
			}
		}
	}
}

// damaged changes a few bytes of a recording, behind its header, and may cut it.
func damaged(random *rand.Rand, content []byte) []byte {
	content = bytes.Clone(content)
	first := bytes.IndexByte(content, '\n') + 1
	for range random.IntN(4) {
		at := first + random.IntN(len(content)-first)
		switch random.IntN(4) {
		case 0:
			content[at] = spliced[random.IntN(len(spliced))]
		case 1:
			content = append(content[:at:at], content[min(len(content), at+1+random.IntN(40)):]...)
		case 2:
			content = bytes.Join([][]byte{content[:at], {spliced[random.IntN(len(spliced))]}, content[at:]}, nil)
		case 3:
			line := content[bytes.LastIndexByte(content[:at], '\n')+1:]
			content = append(content[:at:at], line...) // a line inside another one
		}
		if len(content) == first {
			return content
		}
	}
	if random.IntN(4) == 0 {
		content = content[:first+random.IntN(len(content)-first)]
	}
	return content
}

func TestVerifyAgreesOnDamage(t *testing.T) {
	var contents [][]byte
	for _, path := range []string{golden, goldenSSH, goldenEnd, goldenSums, goldenCopy, goldenFrom, goldenSet, twoRuns(t)} {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		require.True(t, requireSameReport(t, content).OK() || path == goldenSet, "%s alone lacks its parts", path)
		contents = append(contents, content)
	}
	random := rand.New(rand.NewPCG(1, 2))
	bad := 0
	for range 1000 {
		if report := requireSameReport(t, damaged(random, contents[random.IntN(len(contents))])); !report.OK() {
			bad++
		}
	}
	require.Greater(t, bad, 300)
}

// TestVerifyAgreesOnManyBlocks verifies recordings of several blocks, some of which
// have a line that is longer than a block.
func TestVerifyAgreesOnManyBlocks(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var b bytes.Buffer
	b.WriteString(header + `{"n":1,"t":0,"k":"start","process":"p"}` + "\n")
	n, seq := 1, 0
	for b.Len() < 2*minPipelined {
		n++
		switch text := strings.Repeat("x", random.IntN(2000)); random.IntN(9) {
		case 0:
			fmt.Fprintf(&b, `{"n":%d,"t":%d,"k":"note","text":"%s","more":1}`+"\n", n, n, text)
		case 1:
			seq++
			fmt.Fprintf(&b, `{"n":%d,"t":%d,"k":"stderr","seq":%d,"raw":"\u0041%s"}`+"\n", n, n, seq, text)
		case 2:
			fmt.Fprintf(&b, `{"n":%d,"t":%d,"k":"stdin","m":{"jsonrpc":"2.0","id":%d,"method":"%s"}}`+"\n", n, n, n, text)
		default:
			seq++
			fmt.Fprintf(&b, `{"n":%d,"t":%d,"k":"stdout","seq":%d,"m":{"jsonrpc":"2.0","id":%d,"result":{"isError":true,"x":"%s"}}}`+"\n", n, n, seq, n-random.IntN(3), text)
		}
	}
	fmt.Fprintf(&b, `{"n":%d,"t":%d,"k":"stdout","seq":%d,"raw":"%s"}`+"\n", n+1, n, seq+1, strings.Repeat("long ", blockSize/4))
	fmt.Fprintf(&b, `{"n":%d,"t":%d,"k":"end","entries":%d,"counts":{"out":1}}`+"\n", n+2, n, n+2)
	for range 20 {
		requireSameReport(t, damaged(random, b.Bytes()))
	}
}
