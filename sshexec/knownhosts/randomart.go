package knownhosts

import (
	"crypto/rsa"
	"crypto/sha256"
	"strconv"
	"strings"

	"golang.org/x/crypto/ssh"
)

const (
	artWidth, artHeight = 17, 9
	// artSteps draws a field by the number of visits; the last two mark the
	// start and the end of the walk.
	artSteps = " .o+=*BOX@%&#/^SE"
)

// Randomart draws the fingerprint of key like "ssh-keygen -lv": eleven lines of
// printable ASCII, without a final newline. For a certificate it draws the key
// in it.
func Randomart(key ssh.PublicKey) string {
	_, plain := split(key)
	field := walk(sha256.Sum256(plain.Marshal()))
	var b strings.Builder
	b.WriteString(artBorder(artTitle(plain)) + "\n")
	for _, row := range field {
		b.WriteByte('|')
		for _, visits := range row {
			b.WriteByte(artSteps[visits])
		}
		b.WriteString("|\n")
	}
	b.WriteString(artBorder("SHA256"))
	return b.String()
}

// walk moves diagonally, two bits a step, along the walls where it meets one,
// and counts the visits of each field.
func walk(sum [sha256.Size]byte) (field [artHeight][artWidth]byte) {
	const start, end = len(artSteps) - 2, len(artSteps) - 1
	x, y := artWidth/2, artHeight/2
	for _, b := range sum {
		for range 4 {
			x += int(b&1)*2 - 1
			y += int(b>>1&1)*2 - 1
			x = min(max(x, 0), artWidth-1)
			y = min(max(y, 0), artHeight-1)
			if field[y][x] < byte(start-1) {
				field[y][x]++
			}
			b >>= 2
		}
	}
	field[artHeight/2][artWidth/2] = byte(start)
	field[y][x] = byte(end)
	return field
}

// artBorder returns a border with a title.
func artBorder(title string) string {
	title = "[" + title + "]"
	left := (artWidth - len(title)) / 2
	return "+" + strings.Repeat("-", left) + title + strings.Repeat("-", artWidth-len(title)-left) + "+"
}

// artTitle returns the type as in ssh-keygen, with the bits if there is room.
func artTitle(key ssh.PublicKey) string {
	name, bits := "", 256
	switch key.Type() {
	case ssh.KeyAlgoED25519:
		name = "ED25519"
	case ssh.KeyAlgoSKED25519:
		name = "ED25519-SK"
	case ssh.KeyAlgoSKECDSA256:
		name = "ECDSA-SK"
	case ssh.KeyAlgoECDSA256:
		name = "ECDSA"
	case ssh.KeyAlgoECDSA384:
		name, bits = "ECDSA", 384
	case ssh.KeyAlgoECDSA521:
		name, bits = "ECDSA", 521
	case ssh.KeyAlgoRSA:
		name = "RSA"
		if k, ok := key.(ssh.CryptoPublicKey); ok {
			if k, ok := k.CryptoPublicKey().(*rsa.PublicKey); ok {
				bits = k.N.BitLen()
			}
		}
	default:
		return "KEY"
	}
	title := name + " " + strconv.Itoa(bits)
	if len(title) > artWidth-2 {
		return name
	}
	return title
}
