package picture

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
)

// Limits of the pictures that are decoded.
const (
	// MaxBytes is the largest encoded picture, in bytes.
	MaxBytes = 16 << 20
	// MaxPixels is the largest number of pixels.
	MaxPixels = 20_000_000
)

const (
	// maxSide is the width and the height of the kept copy, in pixels.
	maxSide = 400
	// maxSent is that of the copy for a terminal that shows pictures itself.
	maxSent = 800
)

// A Header is the beginning of a picture.
type Header struct {
	Format        string // png, jpeg or gif
	Width, Height int
}

type format struct {
	name, magic string
	header      func(io.Reader) (image.Config, error)
	decode      func(io.Reader) (image.Image, error)
}

func formats() []format {
	return []format{
		{"png", "\x89PNG\r\n\x1a\n", png.DecodeConfig, png.Decode},
		{"jpeg", "\xff\xd8", jpeg.DecodeConfig, jpeg.Decode},
		{"gif", "GIF8", gif.DecodeConfig, gif.Decode},
	}
}

// formatOf returns the format of a picture, whatever it is declared as.
func formatOf(data []byte) (format, error) {
	for _, f := range formats() {
		if bytes.HasPrefix(data, []byte(f.magic)) {
			return f, nil
		}
	}
	return format{}, errors.New("not PNG, JPEG or GIF")
}

// Inspect reads the header of a picture.
func Inspect(data []byte) (Header, error) {
	f, err := formatOf(data)
	if err != nil {
		return Header{}, err
	}
	config, err := f.header(bytes.NewReader(data))
	if err != nil {
		return Header{}, err
	}
	return Header{f.name, config.Width, config.Height}, nil
}

// A Picture is a decoded picture, reduced to what a terminal can show.
type Picture struct {
	// why it is damaged, although it can be shown; usually ""
	Flaw string
	// a larger copy for a terminal that shows pictures itself, if Decode made one
	PNG    []byte
	w, h   int
	pixels []color.RGBA
}

// Decode decodes a picture within the limits. With sent, it also makes the copy for the
// terminal.
func Decode(ctx context.Context, data []byte, sent bool) (*Picture, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("larger than %d MiB", MaxBytes>>20)
	}
	h, err := Inspect(data)
	switch {
	case err != nil:
		return nil, err
	case h.Width <= 0 || h.Height <= 0:
		return nil, errors.New("no pixels")
	case h.Width > MaxPixels/h.Height:
		return nil, fmt.Errorf("larger than %d megapixels", MaxPixels/1_000_000)
	}
	f, err := formatOf(data)
	if err != nil {
		return nil, err
	}
	full, err := f.decode(&reader{ctx, bytes.NewReader(data)})
	flaw := ""
	if f.name == "png" && errors.Is(err, wrongSum) { // browsers show it
		flaw = "wrong checksum"
		full, err = f.decode(&reader{ctx, bytes.NewReader(summed(data))})
	}
	if err != nil {
		return nil, err
	}
	p, err := reduce(ctx, full, maxSide)
	if err != nil {
		return nil, err
	}
	p.Flaw = flaw
	if sent {
		p.PNG, err = encode(ctx, full)
	}
	return p, err
}

// encode returns a copy of a picture as PNG: never the bytes of the server, which the
// terminal would have to decode.
func encode(ctx context.Context, full image.Image) ([]byte, error) {
	p, err := reduce(ctx, full, maxSent)
	if err != nil {
		return nil, err
	}
	m := image.NewRGBA(image.Rect(0, 0, p.w, p.h))
	for i, c := range p.pixels {
		m.SetRGBA(i%p.w, i/p.w, c)
	}
	var b bytes.Buffer
	err = png.Encode(&b, m)
	return b.Bytes(), errors.Join(err, ctx.Err())
}

// wrongSum is the decoder's error for a PNG with a wrong checksum.
const wrongSum = png.FormatError("invalid checksum")

func summed(data []byte) []byte {
	const magic, around = 8, 12 // length, type and checksum of a chunk
	data = bytes.Clone(data)
	for at := magic; at+around <= len(data); {
		length := int(binary.BigEndian.Uint32(data[at:]))
		end := at + 8 + length
		if length > len(data) || end+4 > len(data) {
			break
		}
		binary.BigEndian.PutUint32(data[end:], crc32.ChecksumIEEE(data[at+4:end]))
		at = end + 4
	}
	return data
}

// A reader fails when its context ends, which ends decoding.
type reader struct {
	ctx  context.Context
	data io.Reader
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	const step = 32 << 10 // so that the context is checked often
	return r.data.Read(p[:min(len(p), step)])
}

// reduce returns a copy of at most side pixels in each direction.
func reduce(ctx context.Context, full image.Image, side int) (*Picture, error) {
	bounds := full.Bounds()
	w, h := within(bounds.Dx(), bounds.Dy(), side, side)
	p := &Picture{w: w, h: h, pixels: make([]color.RGBA, w*h)}
	for y := range h {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for x := range w {
			p.pixels[y*w+x] = average(bounds.Dx(), bounds.Dy(), w, h, x, y, func(x, y int) color.RGBA {
				return color.RGBAModel.Convert(full.At(bounds.Min.X+x, bounds.Min.Y+y)).(color.RGBA)
			})
		}
	}
	return p, nil
}

// within returns the largest size of the same shape within limits, not enlarged.
func within(w, h, maxW, maxH int) (int, int) {
	if w <= maxW && h <= maxH {
		return w, h
	}
	if w*maxH > h*maxW {
		return maxW, max(h*maxW/w, 1)
	}
	return max(w*maxH/h, 1), maxH
}

// average returns the mean of the pixels of a w0 by h0 picture that become the pixel x, y
// of a w by h one.
func average(w0, h0, w, h, x, y int, at func(x, y int) color.RGBA) color.RGBA {
	var r, g, b, a, n int
	for sy := y * h0 / h; sy < max((y+1)*h0/h, y*h0/h+1); sy++ {
		for sx := x * w0 / w; sx < max((x+1)*w0/w, x*w0/w+1); sx++ {
			c := at(sx, sy)
			r, g, b, a, n = r+int(c.R), g+int(c.G), b+int(c.B), a+int(c.A), n+1
		}
	}
	return color.RGBA{uint8(r / n), uint8(g / n), uint8(b / n), uint8(a / n)}
}
