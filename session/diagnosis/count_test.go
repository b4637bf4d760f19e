package diagnosis

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCountString(t *testing.T) {
	for _, tc := range []struct {
		count Count
		text  string
	}{
		{Count{}, "no problems"},
		{Count{Remarks: 1}, "no problems, 1 remark"},
		{Count{Errors: 1}, "1 problem (1 error)"},
		{Count{Warnings: 2, Remarks: 3}, "2 problems (2 warnings), 3 remarks"},
		{Count{Errors: 2, Warnings: 1}, "3 problems (2 errors, 1 warning)"},
	} {
		require.Equal(t, tc.text, tc.count.String())
	}
}

func TestNames(t *testing.T) {
	require.Equal(t, "info", Severity(0).String())
	require.Equal(t, "error", Error.String())
	require.Equal(t, "unknown", Severity(9).String())
	require.Equal(t, "E", Error.Letter())
	require.Equal(t, "?", Severity(9).Letter())
	require.Equal(t, "process", Process.String())
	require.Equal(t, "unknown", Side(9).String())
}
