package secret

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

func TestDigests(t *testing.T) {
	key := testKey(t)
	d := NewDigests([]executor.EnvVar{
		{Name: "A", Value: "hunter2-a"}, {Name: "SHORT", Value: "7 bytes"}, {Name: "B", Value: "hunter2-longer"},
		{Name: "SAME", Value: "hunter2-a"}, {Name: "HUGE", Value: strings.Repeat("x", longestDigested+1)},
	}, key)
	data, err := json.Marshal(d)
	require.NoError(t, err)
	require.NotContains(t, string(data), "hunter2")
	var back *Digests
	require.NoError(t, json.Unmarshal(data, &back))
	require.Empty(t, back.Lengths(), "without the key")
	require.Equal(t, 2, back.Unknown())
	require.Empty(t, back.Find([]byte("hunter2-a")))
	require.Equal(t, 2, back.With(testKey(t)).Unknown(), "with another key")
	require.Empty(t, back.With(testKey(t)).Find([]byte("hunter2-a")))
	require.Equal(t, 2, back.With(nil).Unknown())
	back = back.With(key)
	require.Zero(t, back.Unknown())
	require.Equal(t, []int{9, 14}, back.Lengths())
	require.Equal(t, "A", back.Find([]byte("hunter2-a")))
	require.Equal(t, "B", back.Find([]byte("hunter2-longer")))
	require.Empty(t, back.Find([]byte("hunter2-b")))
	require.Empty(t, back.Find([]byte("7 bytes")))

	other := NewDigests([]executor.EnvVar{{Name: "A", Value: "hunter2-a"}}, key)
	require.NotEqual(t, d.Digests[0].HMAC, other.Digests[0].HMAC, "the salt is new each time")
	short := []executor.EnvVar{{Name: "SHORT", Value: "7 bytes"}}
	require.Nil(t, NewDigests(short, key))
	require.False(t, Digestible(short))
}

// The digests of a recording alone cannot be compared with a guess.
func TestDigestsNeedTheKey(t *testing.T) {
	d := NewDigests([]executor.EnvVar{{Name: "PIN", Value: "12345678"}}, testKey(t))
	guess := sha256.Sum256(append(slices.Clone(d.Salt), "12345678"...))
	data, err := json.Marshal(d)
	require.NoError(t, err)
	require.NotContains(t, string(data), base64.StdEncoding.EncodeToString(guess[:]))
	require.NotContains(t, string(data), "sha256")
	require.Contains(t, string(data), `"len":8`)
	require.Contains(t, string(data), `"key":"`+d.KeyID+`"`)
}

// Older files have salt and SHA-256.
func TestDigestsOfOlderFiles(t *testing.T) {
	salt := []byte("0123456789abcdef")
	sum := sha256.Sum256(append(slices.Clone(salt), "hunter2-a"...))
	data, err := json.Marshal(map[string]any{"salt": salt, "digests": []any{map[string]any{"name": "A", "len": 9, "sha256": sum[:]}}})
	require.NoError(t, err)
	var d *Digests
	require.NoError(t, json.Unmarshal(data, &d))
	for _, key := range []*Key{nil, testKey(t)} {
		require.Zero(t, d.With(key).Unknown())
		require.Equal(t, []int{9}, d.With(key).Lengths())
		require.Equal(t, "A", d.With(key).Find([]byte("hunter2-a")))
		require.Empty(t, d.With(key).Find([]byte("hunter2-b")))
	}
}

// TestDigestsOfAnyFile checks that the contents of a file are not
// trusted.
func TestDigestsOfAnyFile(t *testing.T) {
	var none *Digests
	require.Empty(t, none.Lengths())
	require.Empty(t, none.Find([]byte("anything")))
	odd := &Digests{Digests: []Digest{{Name: "a", Len: -1}, {Name: "b", Len: 1 << 40}, {Name: "c", Len: 8}, {Name: "d", Len: 8, SHA256: []byte("short")}}}
	require.Equal(t, []int{8}, odd.Lengths())
	require.Empty(t, odd.Find([]byte("anything")))
}
