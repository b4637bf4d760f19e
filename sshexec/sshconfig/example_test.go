package sshconfig_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"mcpdbg/sshexec/sshconfig"
)

func ExampleParseDestination() {
	d, err := sshconfig.ParseDestination("ssh://ann@[2001:db8::7]:2222")
	fmt.Println(d.User, d.Host, d.Port, err)
	_, err = sshconfig.ParseDestination("build-7:ssh")
	fmt.Println(err)
	// Output:
	// ann 2001:db8::7 2222 <nil>
	// destination "build-7:ssh": has the invalid port "ssh"; write a number from 1 to 65535
}

func ExampleResolver() {
	dir, err := os.MkdirTemp("", "sshconfig")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "config")
	text := "Host build-*\n  HostName %h.example.org\n  User ci\n  ProxyJump gate.example.org\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		panic(err)
	}

	r := &sshconfig.Resolver{Config: file}
	h, err := r.Resolve(context.Background(), sshconfig.Destination{Host: "build-7", Port: 2222})
	if err != nil {
		panic(err)
	}
	fmt.Println(h.User, h.HostName, h.Port, h.ProxyJump)
	// Not run, for it needs the ssh program. It prints
	// ci build-7.example.org 2222 [gate.example.org]
}
