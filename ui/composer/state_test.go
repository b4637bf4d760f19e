package composer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/widget/form"
)

// TestFormState checks that an empty required field is not called wrong.
func TestFormState(t *testing.T) {
	empty, wrong := form.Problem{Path: "/a", Text: "is required", Missing: true}, form.Problem{Path: "/b", Text: "is a string, not a number"}
	for _, tc := range []struct {
		problems   []form.Problem
		wide, tiny string
	}{
		{nil, "valid", "valid"},
		{[]form.Problem{empty}, "1 required field is empty", "1 required"},
		{[]form.Problem{empty, empty}, "2 required fields are empty", "2 required"},
		{[]form.Problem{wrong}, "1 field needs fixing", "1 to fix"},
		{[]form.Problem{wrong, wrong, empty}, "2 fields need fixing, 1 required field is empty", "2 to fix, 1 required"},
	} {
		require.Equal(t, tc.wide, formState(tc.problems, 120))
		require.Equal(t, tc.tiny, formState(tc.problems, 60))
	}
}
