package contents

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAddedMember checks that a text with all of an object and one member more is found, and
// no other text.
func TestAddedMember(t *testing.T) {
	for text, want := range map[string]string{
		`{\"v\":4.0,\"extra\":1}`: "extra", `{\"v\":4}`: "", `{\"v\":5,\"extra\":1}`: "", `{\"a\":1,\"b\":2,\"v\":4}`: "", `4`: "", `no`: "",
	} {
		require.Equal(t, want, addedMember([]byte(`[7,{"type":"image"},{"type":"text","text":"`+text+`"}]`), []byte(`{"v": 4}`)), text)
	}
}
