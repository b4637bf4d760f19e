package run

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/session/mcp"
	"mcpdbg/session/target"
)

// k=v is a string, k:=JSON any JSON value, k=@FILE a file's text and k:=@FILE the JSON in
// a file. Members keep their order.
func parseArgs(ctx context.Context, env *console.Env, args []string) (json.RawMessage, error) {
	out := []byte{'{'}
	seen := map[string]bool{}
	for _, arg := range args {
		key, value, err := parseArg(ctx, env, arg)
		if err != nil {
			return nil, err
		}
		if seen[key] {
			return nil, console.Usagef("argument %q is given twice", key)
		}
		seen[key] = true
		if len(out) > 1 {
			out = append(out, ',')
		}
		name, err := json.Marshal(key)
		if err != nil {
			return nil, console.Usagef("argument %q: %v", arg, err)
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}

func parseArg(ctx context.Context, env *console.Env, arg string) (key string, value []byte, err error) {
	key, text, ok := strings.Cut(arg, "=")
	if !ok || key == "" || key == ":" {
		if target.IsURL(arg) {
			return "", nil, flags.URLError(arg)
		}
		return "", nil, console.Usagef("argument %q: must be NAME=TEXT, NAME:=JSON, NAME=@FILE or NAME:=@FILE", arg)
	}
	key, isJSON := strings.CutSuffix(key, ":")
	file, isFile := strings.CutPrefix(text, "@")
	if isFile {
		data, err := env.ReadFile(ctx, "argument "+key, file)
		if err != nil {
			return "", nil, err
		}
		text = string(data)
	}
	switch {
	case !isJSON:
		value, err = json.Marshal(text)
		if err != nil {
			return "", nil, console.Usagef("argument %s: %v", key, err)
		}
		return key, value, nil
	case isFile:
		value, err = compactJSON(text)
		if err != nil {
			return "", nil, console.Usagef("argument %s: %s is not valid JSON: %v", key, file, err)
		}
	default:
		value, err = compactJSON(text)
		if err != nil {
			return "", nil, console.Usagef("argument %s: %q is not valid JSON: %v (NAME=TEXT is always a string)", key, text, err)
		}
	}
	return key, value, nil
}

// compactJSON returns JSON without insignificant white space.
func compactJSON(text string) ([]byte, error) {
	var compact bytes.Buffer
	err := json.Compact(&compact, []byte(text))
	return compact.Bytes(), err
}

func completeMethods(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 || cmd.Flags().Changed("tool") {
		return nil, cobra.ShellCompDirectiveDefault // NAME=@FILE
	}
	return mcp.Requests(), cobra.ShellCompDirectiveNoFileComp
}
