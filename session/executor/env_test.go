package executor

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBuildEnv(t *testing.T) {
	base := []string{"PATH=/old", "HOME=/root", "SECRET=s3cret", "PATH=/bin", "TERM=xterm", "broken"}
	named := []EnvVar{{"API", "k=v"}, {"HOME", "/other"}, {"API", "last"}}
	for _, c := range []struct {
		name       string
		goos       string
		policy     EnvPolicy
		base       []string
		named      []EnvVar
		want       []string
		wantReport EnvReport
	}{
		{
			name: "inherit", policy: EnvInherit, base: base,
			want:       []string{"HOME=/root", "PATH=/bin", "SECRET=s3cret", "TERM=xterm"},
			wantReport: EnvReport{Passed: []string{"HOME", "PATH", "SECRET", "TERM"}},
		},
		{
			name: "client", policy: EnvClient, base: base,
			want: []string{"HOME=/root", "PATH=/bin", "TERM=xterm"},
			wantReport: EnvReport{
				Policy: EnvClient, Passed: []string{"HOME", "PATH", "TERM"}, Omitted: []string{"SECRET"},
			},
		},
		{
			name: "none", policy: EnvNone, base: base,
			want:       []string{},
			wantReport: EnvReport{Policy: EnvNone, Omitted: []string{"HOME", "PATH", "SECRET", "TERM"}},
		},
		{
			name: "named on top", policy: EnvClient, base: base, named: named,
			want: []string{"API=last", "HOME=/other", "PATH=/bin", "TERM=xterm"},
			wantReport: EnvReport{
				Policy: EnvClient, Named: []string{"API", "HOME"}, Passed: []string{"PATH", "TERM"},
				Omitted: []string{"SECRET"},
			},
		},
		{
			name: "windows ignores case", goos: "windows", policy: EnvClient,
			base:  []string{`=C:=C:\dir`, `Path=C:\bin`, "Temp=t", "home=h"},
			named: []EnvVar{{"PATH", `D:\`}},
			want:  []string{`PATH=D:\`, "Temp=t"},
			wantReport: EnvReport{
				Policy: EnvClient, Named: []string{"PATH"}, Passed: []string{"Temp"}, Omitted: []string{"=C:", "home"},
			},
		},
		{
			name: "windows keeps the directories of drives", goos: "windows", policy: EnvInherit,
			base:       []string{`=C:=C:\dir`},
			want:       []string{`=C:=C:\dir`},
			wantReport: EnvReport{Passed: []string{"=C:"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.goos == "" {
				c.goos = "linux"
			}
			got, report := buildEnv(c.goos, c.policy, c.base, c.named)
			require.Equal(t, c.want, got)
			require.Equal(t, c.wantReport, report)
		})
	}
}

func TestClientEnvNames(t *testing.T) {
	want := strings.Fields("HOME LOGNAME PATH SHELL TERM USER LANG LC_ALL TMPDIR TZ")
	require.ElementsMatch(t, want, clientEnvNames("linux"))
	require.Contains(t, clientEnvNames("windows"), "SYSTEMROOT")
	require.NotEmpty(t, clientEnvNames(runtime.GOOS))
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name string
		cmd  Command
		want string // empty: valid
	}{
		{"plain", Command{Argv: []string{"a", "b c", "'\n$"}, Env: []EnvVar{{"a.b-c", "x=y\n"}}}, ""},
		{"no argv", Command{}, "no program given"},
		{"empty program", Command{Argv: []string{""}}, "no program given"},
		{"NUL in an argument", Command{Argv: []string{"a", "b\x00"}}, "argument 1 contains a NUL byte"},
		{"NUL in the directory", Command{Argv: []string{"a"}, Dir: "/\x00"}, "working directory contains a NUL byte"},
		{"no name", Command{Argv: []string{"a"}, Env: []EnvVar{{"", "v"}}}, "environment variable without a name"},
		{"equals sign", Command{Argv: []string{"a"}, Env: []EnvVar{{"a=b", "v"}}}, `name "a=b" contains an equals sign`},
		{"NUL in a name", Command{Argv: []string{"a"}, Env: []EnvVar{{"a\x00", "v"}}}, "NUL byte"},
		{"NUL in a value", Command{Argv: []string{"a"}, Env: []EnvVar{{"K", "s3cret\x00"}}}, "value of environment variable K"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.cmd.Validate()
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "s3cret")
		})
	}
}

func TestValuesAreNotPrinted(t *testing.T) {
	v := EnvVar{Name: "TOKEN", Value: "s3cret"}
	cmd := Command{Argv: []string{"a"}, Env: []EnvVar{v}}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		for _, printed := range []any{v, &v, cmd, &cmd} {
			text := fmt.Sprintf(verb, printed)
			require.NotContains(t, text, "s3cret", verb)
			require.NotContains(t, text, fmt.Sprintf("%x", "s3cret"), verb)
		}
	}
	require.Equal(t, "TOKEN=...", fmt.Sprint(v))
}

func FuzzBuildEnv(f *testing.F) {
	f.Add("A=1\nB=2\nA=3", "B", "x", uint8(1))
	f.Add("=C:=x\n=\n\nPATH", "PATH", "", uint8(0))
	f.Fuzz(func(t *testing.T, base, name, value string, policy uint8) {
		cmd := Command{Argv: []string{"x"}, Env: []EnvVar{{name, value}}}
		if cmd.Validate() != nil {
			t.Skip()
		}
		for _, goos := range []string{"linux", "windows"} {
			env, report := buildEnv(goos, EnvPolicy(policy%3), strings.Split(base, "\n"), cmd.Env)
			require.Contains(t, env, name+"="+value)
			require.Equal(t, []string{name}, report.Named)
			require.Len(t, env, 1+len(report.Passed))
			for _, out := range report.Omitted {
				require.False(t, slices.ContainsFunc(env, func(e string) bool { return strings.HasPrefix(e, out+"=") }))
			}
		}
	})
}
