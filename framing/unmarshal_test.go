package framing_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
)

func TestErrorsSpeakOfJSON(t *testing.T) {
	type inner struct {
		Count uint8           `json:"count"`
		Raw   json.RawMessage `json:"raw"`
	}
	type outer struct {
		Name  string         `json:"name"`
		On    *bool          `json:"on"`
		Inner inner          `json:"inner"`
		List  []string       `json:"list"`
		Map   map[string]int `json:"map"`
		Ratio float64        `json:"ratio"`
	}
	for text, want := range map[string]string{
		`{"name":"x","on":true,"inner":{"count":1,"raw":[]},"list":["a"],"map":{"a":1},"ratio":1.5}`: "",
		`[]`:                       "the value is an array, not an object",
		`{"name":5}`:               "name is a number, not a string",
		`{"name":{}}`:              "name is an object, not a string",
		`{"on":"x"}`:               "on is a string, not true or false",
		`{"ratio":true}`:           "ratio is true or false, not a number",
		`{"inner":{"count":"x"}}`:  "inner.count is a string, not an integer of 8 bits",
		`{"inner":{"count":300}}`:  "inner.count is the number 300, not an integer of 8 bits",
		`{"inner":{"count":-1.5}}`: "inner.count is the number -1.5, not an integer of 8 bits",
		`{"list":{}}`:              "list is an object, not an array",
		`{"map":[]}`:               "map is an array, not an object",
		`{`:                        "unexpected end of JSON input",
	} {
		err := framing.Unmarshal([]byte(text), new(outer))
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, want, text)
	}
	d := json.NewDecoder(strings.NewReader(`{"other":1}`))
	d.DisallowUnknownFields()
	require.EqualError(t, framing.Explain(d.Decode(new(outer))), `unknown member "other"`)
	other := errors.New("other")
	require.Equal(t, other, framing.Explain(other))
	require.NoError(t, framing.Explain(nil))
}
