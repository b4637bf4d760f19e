// Package knownhosts decides whether a host's key is the one on record, in the
// known_hosts files of OpenSSH.
//
// Load reads the files once; a line that cannot be read costs a warning, not
// the file. Algorithms says which host key algorithms to ask for, those on
// record first: without that a server with several keys answers with one that
// is not on record, which looks like an attack. Check then judges the key that
// came: nil, or one of three errors, unknown, changed and revoked. Only an
// unknown key may ever be offered to a person; Add writes it down.
//
//	db, warnings := knownhosts.Load(files...)
//	config.HostKeyAlgorithms = db.Algorithms(host, port, nil)
//	config.HostKeyCallback = func(string, net.Addr, key ssh.PublicKey) error {
//		return db.Check(host, port, key)
//	}
//
// A host is looked up by the name that was asked for, never by its address
// (OpenSSH: CheckHostIP no). With HostKeyAlias the alias is the name and the
// port does not count, so that a caller passes the alias and port 22.
//
// # What OpenSSH does
//
// The rules are those of the OpenSSH client, measured with 9.2 and held by
// tests that ask the real one:
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
// whatever names its line has ("must not ever be accepted", says sshd(8), but
// ssh looks at the names). A negation is kept when a port comes into play:
// "!name,*" and "![name]:2222,*" both leave out name on port 2222, where ssh
// forgets either. And a key that differs from the ones on record for
// "[name]:port" is never looked up under the bare name, which ssh does if it
// came in a certificate.
package knownhosts
