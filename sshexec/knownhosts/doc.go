// Package knownhosts checks the key of a host against the known_hosts files of
// OpenSSH.
//
// Load reads the files once; an invalid line causes a warning, and the rest of
// the file is used. Algorithms returns the host key algorithms to request,
// recorded ones first: otherwise a server with several keys uses one that is
// not on record, which looks like an attack. Check then verifies the key: it
// returns nil, or one of three errors, unknown, changed and revoked. Only an
// unknown key may be offered to the user; Add records it.
//
//	db, warnings := knownhosts.Load(files...)
//	config.HostKeyAlgorithms = db.Algorithms(host, port, nil)
//	config.HostKeyCallback = func(string, net.Addr, key ssh.PublicKey) error {
//		return db.Check(host, port, key)
//	}
//
// A host is looked up by the requested name, never by its address (OpenSSH:
// CheckHostIP no). With HostKeyAlias the alias is the name and the port is
// ignored, so that a caller passes the alias and port 22.
//
// # Compatibility with OpenSSH
//
// The rules are those of the OpenSSH client, measured with version 9.2 and
// verified by tests that run the real one:
//
//   - A host on another port than 22 is "[name]:port" to every pattern, so that
//     "*" covers it and "name*" does not. If nothing is on record under that
//     name, a key on record for the bare name is accepted too; a different key
//     there means nothing.
//   - Any plain key on record that differs makes the new key a changed one, even
//     if it is of another type: algorithms on record are asked for first, so that
//     a server answers with another type only if it no longer has the old one.
//   - Several keys of a host are all good, also several of one type.
//   - A host certificate is good if a @cert-authority line that covers the host
//     has its authority, and its signature, dates, principals and options are
//     right. A certificate that is not good counts as the plain key in it, so
//     that a host that only @cert-authority lines cover is unknown without one.
//   - A key that is @revoked is refused before all else, and so is a certificate
//     whose authority is.
//
// Three rules are stricter here. A revoked key is revoked for every host,
// whatever names its line has (sshd(8) says that it "must not ever be
// accepted", but ssh compares the names). A negation also applies with a port:
// "!name,*" and "![name]:2222,*" both exclude name on port 2222, where ssh
// ignores either. And a key that differs from the ones on record for
// "[name]:port" is never looked up under the bare name, which ssh does if it
// came in a certificate.
package knownhosts
