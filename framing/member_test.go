package framing

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMember(t *testing.T) {
	deep := strings.Repeat("[", 300) + strings.Repeat("]", 300)
	for object, want := range map[string]string{
		`{"name":"a"}`:                         `"a"`,
		` { "x" : 1 , "name" : {"name":2} } `:  `{"name":2}`,
		`{"_meta":{"name":1},"name":"b"}`:      `"b"`,
		`{"name":1,"name":[2]}`:                `[2]`,
		`{"x":` + deep + `,"name":true}`:       `true`,
		`{"x":"\"name\":1","nam":2,"names":3}`: "",
		`{"n\u0061me":1}`:                      "",
		`{}`:                                   "",
		`{`:                                    "",
		`{"name"`:                              "",
		`{"name":`:                             "",
		`{"name":1,`:                           "1",
		`{"name":1,}`:                          "1",
		`{"name":1 "x":2}`:                     "1",
		`["name",1]`:                           "",
		`"name"`:                               "",
		``:                                     "",
	} {
		require.Equal(t, want, string(Member([]byte(object), "name").Of([]byte(object))), object)
	}
}
