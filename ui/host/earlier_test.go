package host_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
	"mcpdbg/ui/host"
	"mcpdbg/ui/uitest"
)

// TestReportEarlier checks the notice about the same call before, after an answer.
func TestReportEarlier(t *testing.T) {
	call := func(id int, text string) (request, answer string) {
		return fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"say"}}`, id),
			fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}]}}`, id, text)
	}
	lines := []string{rectest.Started}
	add := func(id int, text string) (answer uint64) {
		request, response := call(id, text)
		lines = append(lines, request, response)
		return uint64(len(lines))
	}
	first, same, other := add(1, "one"), add(2, "one"), add(3, "two")
	lines = append(lines, `"k":"exited","code":1`, `"k":"closed","stdout":{},"stderr":{},"stdin":{}`, rectest.Started)
	restarted, differs := add(1, "two"), add(2, "three")
	h := uitest.NewHost(t, uitest.NewWorkspace(t, rectest.Session(t, lines...)), 80, 24)
	for _, c := range []struct {
		n      uint64
		always bool
		want   string
	}{
		{first, true, ""},
		{same, true, "same answer as before"},
		{same, false, ""},
		{other, true, "differs: [compare-calls] compares"},
		{restarted, true, "same answer as before the restart"},
		{restarted, false, "same answer as before the restart"},
		{differs, false, ""},
		{differs, true, "differs: [compare-calls] compares"},
		{1, true, ""},
		{1000, true, ""},
	} {
		h.Notices = nil
		h.Run(host.ReportEarlier(h.Context(), c.n, "answered; ", c.always))
		if c.want == "" {
			require.Empty(t, h.Notices, "entry %d", c.n)
			continue
		}
		require.Equal(t, []string{"answered; " + c.want}, h.Notices, "entry %d", c.n)
	}
}
