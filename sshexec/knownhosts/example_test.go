package knownhosts_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/crypto/ssh"

	"mcpdbg/sshexec/knownhosts"
)

// A host that is unknown at first is recorded, and known from then on.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, ".ssh", "known_hosts")
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINjBHgx1srMpFXiAEc4s2Eqxq5MD/+iioV/0GYFIm3n0"))
	if err != nil {
		panic(err)
	}

	db, _ := knownhosts.Load(file)
	err = db.Check("build-7", 2222, key)
	var unknown *knownhosts.UnknownError
	if errors.As(err, &unknown) {
		fmt.Println(err)
		fmt.Println(unknown.Line())
		if err := knownhosts.Add(context.Background(), file, "build-7", 2222, key, false); err != nil {
			fmt.Println(err)
		}
	}

	db, _ = knownhosts.Load(file)
	fmt.Println(db.Check("build-7", 2222, key))
	fmt.Println(db.Algorithms("build-7", 2222, []string{"rsa-sha2-512", "ssh-ed25519"}))
	// Output:
	// no host key of [build-7]:2222 is on record; it sent ssh-ed25519 SHA256:1VapYTv54AQ/Xu2rgVAPHHiWyiPYCjexY9pNjgVPj5I
	// [build-7]:2222 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINjBHgx1srMpFXiAEc4s2Eqxq5MD/+iioV/0GYFIm3n0
	// <nil>
	// [ssh-ed25519 rsa-sha2-512]
}
