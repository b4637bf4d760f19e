package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "raw:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("missing mode")
	}
	mode, args := args[0], args[1:]
	switch {
	case mode == "measure" && len(args) > 1:
		return measure(args[0], args[1:])
	case mode == "list" && len(args) > 0:
		return list(args)
	case mode == "echo":
		return echo(os.Stdin, os.Stdout)
	case mode == "serve":
		numbers, err := numbers(append(args, "0")[:1])
		if err != nil {
			return err
		}
		return serve(os.Stdin, os.Stdout, numbers[0])
	case mode == "flood" && len(args) == 3:
		numbers, err := numbers(args)
		if err != nil {
			return err
		}
		return flood(os.Stdout, numbers[0], numbers[1], numbers[2])
	case (mode == "ping" || mode == "trips") && len(args) > 1:
		numbers, err := numbers(args[:1])
		if err != nil {
			return err
		}
		if mode == "ping" {
			return ping(numbers[0], args[1:])
		}
		return trips(numbers[0], args[1:])
	}
	return fmt.Errorf("unknown mode or wrong number of arguments: %q", os.Args[1:])
}

func numbers(args []string) ([]int, error) {
	var all []int
	for _, arg := range args {
		n, err := strconv.Atoi(arg)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("invalid number %q", arg)
		}
		all = append(all, n)
	}
	return all, nil
}

func took(d time.Duration) error {
	path := os.Getenv("BENCH_TOOK")
	if path == "" {
		return nil
	}
	return os.WriteFile(path, []byte(strconv.FormatInt(int64(d), 10)), 0o600)
}

// lines reads lines of up to 64 KiB.
func lines(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, 64<<10) }
