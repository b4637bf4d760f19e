package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// The file is a .tar.gz or .zip; files keep their order.
func writeArchive(out string, files []file, at time.Time) error {
	var data []byte
	var err error
	switch {
	case strings.HasSuffix(out, ".tar.gz"):
		if data, err = tarOf(files, at, tar.FormatUSTAR); err == nil {
			data, err = gzipped(data)
		}
	case strings.HasSuffix(out, ".zip"):
		data, err = zipOf(files, at)
	default:
		return fmt.Errorf("unknown format of %s: .tar.gz or .zip is required", out)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(out, data, 0o644)
}

func tarOf(files []file, at time.Time, format tar.Format) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: at, Format: format}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag = tar.TypeDir
			if strings.HasPrefix(f.name, home) {
				h.Uid, h.Gid = userID, userID
			}
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// gzipped compresses without a name and a time.
func gzipped(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

func zipOf(files []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		h.SetMode(fs.FileMode(f.mode))
		entry, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

func sorted(files []file) []file {
	return slices.SortedFunc(slices.Values(files), func(a, b file) int { return strings.Compare(a.name, b.name) })
}
