package framing

import (
	"encoding/json"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumbersKeepTheirValue(t *testing.T) {
	for _, n := range []string{"1", "-1", "0.1", "1.50", "100", "1e21", "1e22", "123456789012345678901234567890", "1e-5", "1e-7", "0.000001234", "-12.50e-3", "5e300"} {
		want, ok := new(big.Rat).SetString(n)
		require.True(t, ok)
		spelled := string(AppendNumber(nil, []byte(n)))
		got, ok := new(big.Rat).SetString(spelled)
		require.True(t, ok, spelled)
		require.Zero(t, want.Cmp(got), "%s became %s", n, spelled)
		require.True(t, json.Valid([]byte(spelled)), spelled)
	}
}
