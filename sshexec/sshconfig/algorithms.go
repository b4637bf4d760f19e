package sshconfig

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// An algorithmKind is what there is of one kind of algorithm: what ssh uses
// without configuration, in its order, and what else it knows, in the order of
// ssh -Q. The tables are those of OpenSSH 9.2, and the key exchange that 10.0
// prefers.
type algorithmKind struct {
	defaults, all []string
	patterns      bool // a list may hold patterns, and not only names
}

var algorithms = map[string]algorithmKind{
	"ciphers": {
		defaults: strings.Fields(`chacha20-poly1305@openssh.com aes128-ctr aes192-ctr aes256-ctr
			aes128-gcm@openssh.com aes256-gcm@openssh.com`),
		all: strings.Fields(`3des-cbc aes128-cbc aes192-cbc aes256-cbc aes128-ctr aes192-ctr aes256-ctr
			aes128-gcm@openssh.com aes256-gcm@openssh.com chacha20-poly1305@openssh.com`),
	},
	"macs": {
		defaults: strings.Fields(`umac-64-etm@openssh.com umac-128-etm@openssh.com
			hmac-sha2-256-etm@openssh.com hmac-sha2-512-etm@openssh.com hmac-sha1-etm@openssh.com
			umac-64@openssh.com umac-128@openssh.com hmac-sha2-256 hmac-sha2-512 hmac-sha1`),
		all: strings.Fields(`hmac-sha1 hmac-sha1-96 hmac-sha2-256 hmac-sha2-512 hmac-md5 hmac-md5-96
			umac-64@openssh.com umac-128@openssh.com hmac-sha1-etm@openssh.com hmac-sha1-96-etm@openssh.com
			hmac-sha2-256-etm@openssh.com hmac-sha2-512-etm@openssh.com hmac-md5-etm@openssh.com
			hmac-md5-96-etm@openssh.com umac-64-etm@openssh.com umac-128-etm@openssh.com`),
	},
	"kexalgorithms": {
		defaults: strings.Fields(newestKex + ` sntrup761x25519-sha512 sntrup761x25519-sha512@openssh.com
			curve25519-sha256 curve25519-sha256@libssh.org ecdh-sha2-nistp256 ecdh-sha2-nistp384
			ecdh-sha2-nistp521 diffie-hellman-group-exchange-sha256 diffie-hellman-group16-sha512
			diffie-hellman-group18-sha512 diffie-hellman-group14-sha256`),
		all: strings.Fields(`diffie-hellman-group1-sha1 diffie-hellman-group14-sha1
			diffie-hellman-group14-sha256 diffie-hellman-group16-sha512 diffie-hellman-group18-sha512
			diffie-hellman-group-exchange-sha1 diffie-hellman-group-exchange-sha256 ecdh-sha2-nistp256
			ecdh-sha2-nistp384 ecdh-sha2-nistp521 curve25519-sha256 curve25519-sha256@libssh.org
			sntrup761x25519-sha512 sntrup761x25519-sha512@openssh.com ` + newestKex),
	},
	"hostkeyalgorithms":        {defaults: defaultKeys, all: allKeys, patterns: true},
	"pubkeyacceptedalgorithms": {defaults: defaultKeys, all: allKeys, patterns: true},
}

const newestKex = "mlkem768x25519-sha256"

var (
	defaultKeys = strings.Fields(`ssh-ed25519-cert-v01@openssh.com ecdsa-sha2-nistp256-cert-v01@openssh.com
		ecdsa-sha2-nistp384-cert-v01@openssh.com ecdsa-sha2-nistp521-cert-v01@openssh.com
		sk-ssh-ed25519-cert-v01@openssh.com sk-ecdsa-sha2-nistp256-cert-v01@openssh.com
		rsa-sha2-512-cert-v01@openssh.com rsa-sha2-256-cert-v01@openssh.com ssh-ed25519
		ecdsa-sha2-nistp256 ecdsa-sha2-nistp384 ecdsa-sha2-nistp521 sk-ssh-ed25519@openssh.com
		sk-ecdsa-sha2-nistp256@openssh.com rsa-sha2-512 rsa-sha2-256`)
	allKeys = strings.Fields(`ssh-ed25519 ssh-ed25519-cert-v01@openssh.com sk-ssh-ed25519@openssh.com
		sk-ssh-ed25519-cert-v01@openssh.com ecdsa-sha2-nistp256 ecdsa-sha2-nistp256-cert-v01@openssh.com
		ecdsa-sha2-nistp384 ecdsa-sha2-nistp384-cert-v01@openssh.com ecdsa-sha2-nistp521
		ecdsa-sha2-nistp521-cert-v01@openssh.com sk-ecdsa-sha2-nistp256@openssh.com
		sk-ecdsa-sha2-nistp256-cert-v01@openssh.com webauthn-sk-ecdsa-sha2-nistp256@openssh.com ssh-dss
		ssh-dss-cert-v01@openssh.com ssh-rsa ssh-rsa-cert-v01@openssh.com rsa-sha2-256
		rsa-sha2-256-cert-v01@openssh.com rsa-sha2-512 rsa-sha2-512-cert-v01@openssh.com`)
)

// maxAlgorithms bounds the names and patterns of one list.
const maxAlgorithms = 256

// assemble returns the list that spec stands for: names, or with "+" in front
// names to add to the default, with "^" names to put before it, with "-"
// patterns of names to take away from it.
func (k algorithmKind) assemble(spec string) ([]string, error) {
	names := strings.Split(strings.TrimLeft(spec[:1], "+^-")+spec[1:], ",")
	if len(names) > maxAlgorithms {
		return nil, fmt.Errorf("more than %d algorithms", maxAlgorithms)
	}
	if spec[0] == '-' {
		patterns := strings.Join(names, ",")
		list := slices.DeleteFunc(slices.Clone(k.defaults), func(name string) bool {
			return matchList(name, patterns)
		})
		if len(list) == 0 {
			return nil, errors.New("no algorithm is left")
		}
		return list, nil
	}
	var named []string
	for _, name := range names {
		matches := k.named(name)
		if len(matches) == 0 {
			return nil, fmt.Errorf("the algorithm %s is not known", printable(name))
		}
		named = append(named, matches...)
	}
	switch spec[0] {
	case '+':
		named = append(slices.Clone(k.defaults), named...)
	case '^':
		named = append(named, k.defaults...)
	}
	return unique(named), nil
}

func (k algorithmKind) named(name string) []string {
	var list []string
	for _, known := range k.all {
		if known == name || k.patterns && name != "" && name[0] != '!' && matchPattern(known, name) {
			list = append(list, known)
		}
	}
	return list
}

// unique keeps the first of each name. Without any it returns nil.
func unique(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(s string) bool {
		again := seen[s]
		seen[s] = true
		return again
	})
}

// algorithmDefaults are the defaults in the form of ssh -G.
func algorithmDefaults() settings {
	s := settings{}
	for key, kind := range algorithms {
		s.add(key, strings.Join(kind.defaults, ","))
	}
	return s
}
