package store

import (
	"path"
	"strings"
)

// Brief returns a command without the words that only start it: folders, the
// launcher of a package with its options, and the scope and version of the package.
// "npx -y @scope/server-files@1.2.0 stdio" becomes "server-files stdio".
func Brief(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	words := []string{Program(argv)}
	for _, word := range program(argv)[1:] {
		words = append(words, base(word))
	}
	return strings.Join(words, " ")
}

// Program returns the name of the program or package that a command runs, such as
// server-files. The command has at least one word.
func Program(argv []string) string { return packageName(base(program(argv)[0])) }

// program returns a command from the program on that its launcher starts.
func program(argv []string) []string {
	rest := argv[1:]
	switch launcher := strings.TrimSuffix(base(argv[0]), ".exe"); launcher {
	case "npx", "bunx", "uvx", "pipx", "node", "bun", "deno", "python", "python3", "uv", "pnpm", "yarn", "npm":
	default:
		return argv
	}
	for len(rest) > 0 && (launchWord(rest[0]) || strings.HasPrefix(rest[0], "-")) {
		if rest[0] == "-c" || rest[0] == "-e" { // code follows
			return argv
		}
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return argv
	}
	return rest
}

func launchWord(word string) bool {
	switch word {
	case "run", "x", "exec", "dlx", "tool":
		return true
	}
	return false
}

// base returns the last element of an absolute path or of one below the working folder,
// and other words as they are.
func base(word string) string {
	slashes := strings.ReplaceAll(word, `\`, "/")
	switch {
	case strings.HasPrefix(slashes, "/"), strings.HasPrefix(slashes, "./"), strings.HasPrefix(slashes, "../"), len(slashes) > 2 && slashes[1:3] == ":/":
	default:
		return word
	}
	if last := path.Base(slashes); last != "/" && last != "." && last != ".." {
		return last
	}
	return word
}

func packageName(word string) string {
	if strings.HasPrefix(word, "@") {
		if _, name, scoped := strings.Cut(word, "/"); scoped && name != "" {
			word = name
		}
	}
	if name, _, versioned := strings.Cut(word, "@"); versioned && name != "" {
		return name
	}
	return word
}
