package framing

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzPick compares decoding the picked members with decoding the whole object.
func FuzzPick(f *testing.F) {
	for _, text := range []string{
		`{}`, `null`, `[{"isError":true}]`, `"isError"`, `{"isError":true}`, ` { "a" : {"isError":true} , "isError" : false } `,
		`{"isError":false,"isError":true}`, `{"isError":true,"ISERROR":false}`, `{"\u0069sError":true}`, `{"i\u017fError":true}`,
		`{"iſError":true}`, `{"isError":"x"}`, `{"isError":true,"isError":null}`, `{"isError\u0000":true}`, `{"\ud800":1,"isError":true}`,
		`{"resultType":"input_required","inputRequests":{"a":{"method":"m"}},"content":[1,2]}`, `{"resultType":{"resultType":"x"}}`,
		`{"inputRequests":{"a":1},"inputrequests":{"b":{"method":"n"}}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !Scan([]byte(text)).Valid() {
			return
		}
		type fields struct {
			Type     string                     `json:"resultType"`
			Requests map[string]json.RawMessage `json:"inputRequests"`
			IsError  bool                       `json:"isError"`
		}
		var whole, picked fields
		picks := Pick([]byte(text), "resultType", "inputRequests", "isError")
		wholeErr, pickedErr := json.Unmarshal([]byte(text), &whole), json.Unmarshal(picks, &picked)
		require.Equal(t, whole, picked, "%s", picks)
		if m := Scan([]byte(text)); m.Kind != Batch && text[0] == '{' {
			require.Equal(t, wholeErr == nil, pickedErr == nil, "%s", picks)
		}
	})
}

func TestPickKeepsOrderAndBytes(t *testing.T) {
	require.Equal(t, `{"a":1.0,"\u0061":{"c" : 2},"A":[ ]}`, string(Pick([]byte(`{"a":1.0,"b":3,"\u0061":{"c" : 2}, "A" : [ ]}`), "a")))
	require.Equal(t, `{}`, string(Pick([]byte(`[1]`), "a")))
}
