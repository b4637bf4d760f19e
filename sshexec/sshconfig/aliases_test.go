//go:build unix

package sshconfig

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAliases(t *testing.T) {
	home := t.TempDir()
	writeFile(t, filepath.Join(home, ".ssh", "config"), `
Include conf.d/*.conf
Host web-1 web-2 *.example !web-3 "db 1" me@db-2
  HostName %h.example
Match host x
  Host=late  # a comment
Host web-1 "quoted"
Host "open
Frobnicate
Host *
`)
	writeFile(t, filepath.Join(home, ".ssh", "conf.d", "a.conf"), "host first\nMatch all\ninclude b\n")
	writeFile(t, filepath.Join(home, ".ssh", "b"), "Host inner -x\n")
	got, err := (&Resolver{Home: home}).Aliases()
	require.NoError(t, err)
	require.Subset(t, got, []string{"first", "inner", "web-1", "web-2", "late", "quoted"}) // the system's configuration may have more
	require.Equal(t, []string{"first", "inner", "web-1", "web-2", "late", "quoted"}, got[:6])

	got, err = (&Resolver{Home: home, Config: "none"}).Aliases()
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestAliasesErrors(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string { return writeFile(t, filepath.Join(dir, name), text) }
	_, err := (&Resolver{Config: filepath.Join(dir, "missing")}).Aliases()
	require.EqualError(t, err, filepath.Join(dir, "missing")+": no such file or directory")
	loop := file("loop", "\nInclude "+filepath.Join(dir, "loop")+"\n")
	_, err = (&Resolver{Config: loop}).Aliases()
	require.EqualError(t, err, loop+":2: files include each other more than 16 deep")
	_, err = (&Resolver{Config: file("env", "Include ${X}/*\n")}).Aliases()
	require.ErrorContains(t, err, "env:1: only the ssh program can evaluate the pattern")
	_, err = (&Resolver{Config: dir}).Aliases()
	require.ErrorContains(t, err, "is not a regular file")
	var many strings.Builder
	for i := range maxAliases + 9 {
		fmt.Fprintf(&many, "Host h%d\n", i)
	}
	text := many.String()
	for i := range 2 {
		file(fmt.Sprintf("part%d", i), text[i*len(text)/2:(i+1)*len(text)/2])
	}
	_, err = (&Resolver{Config: file("many", fmt.Sprintf("Include %s/part*\n", dir))}).Aliases()
	require.ErrorContains(t, err, "more than 100000 hosts")
}
