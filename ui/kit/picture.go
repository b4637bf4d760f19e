package kit

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

	"mcpdbg/ui/widget/paint"
)

// Limits of the pictures that are decoded.
const (
	// maxPictureBytes is the largest encoded picture, in bytes.
	maxPictureBytes = 16 << 20
	// maxPicturePixels is the largest number of pixels.
	maxPicturePixels = 20_000_000
)

const (
	// maxSide is the width and the height of the kept copy, in pixels.
	maxSide = 400
	// maxSent is that of the copy for a terminal that shows pictures itself.
	maxSent = 800
)

// A PictureHeader is the beginning of a picture.
type PictureHeader struct {
	Format        string // png, jpeg or gif
	Width, Height int
}

type pictureFormat struct {
	name, magic string
	header      func(io.Reader) (image.Config, error)
	decode      func(io.Reader) (image.Image, error)
}

func pictureFormats() []pictureFormat {
	return []pictureFormat{
		{"png", "\x89PNG\r\n\x1a\n", png.DecodeConfig, png.Decode},
		{"jpeg", "\xff\xd8", jpeg.DecodeConfig, jpeg.Decode},
		{"gif", "GIF8", gif.DecodeConfig, gif.Decode},
	}
}

// pictureFormatOf returns the format of a picture, whatever it is declared as.
func pictureFormatOf(data []byte) (pictureFormat, error) {
	for _, f := range pictureFormats() {
		if bytes.HasPrefix(data, []byte(f.magic)) {
			return f, nil
		}
	}
	return pictureFormat{}, errors.New("not PNG, JPEG or GIF")
}

// InspectPicture reads the header of a picture.
func InspectPicture(data []byte) (PictureHeader, error) {
	f, err := pictureFormatOf(data)
	if err != nil {
		return PictureHeader{}, err
	}
	config, err := f.header(bytes.NewReader(data))
	if err != nil {
		return PictureHeader{}, err
	}
	return PictureHeader{f.name, config.Width, config.Height}, nil
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

// DecodePicture decodes a picture within the limits. With sent, it also makes the copy for the
// terminal.
func DecodePicture(ctx context.Context, data []byte, sent bool) (*Picture, error) {
	if len(data) > maxPictureBytes {
		return nil, fmt.Errorf("larger than %d MiB", maxPictureBytes>>20)
	}
	h, err := InspectPicture(data)
	switch {
	case err != nil:
		return nil, err
	case h.Width <= 0 || h.Height <= 0:
		return nil, errors.New("no pixels")
	case h.Width > maxPicturePixels/h.Height:
		return nil, fmt.Errorf("larger than %d megapixels", maxPicturePixels/1_000_000)
	}
	f, err := pictureFormatOf(data)
	if err != nil {
		return nil, err
	}
	full, err := f.decode(&pictureReader{ctx, bytes.NewReader(data)})
	flaw := ""
	if f.name == "png" && errors.Is(err, wrongSum) { // browsers show it
		flaw = "wrong checksum"
		full, err = f.decode(&pictureReader{ctx, bytes.NewReader(withSums(data))})
	}
	if err != nil {
		return nil, err
	}
	p, err := reducePicture(ctx, full, maxSide)
	if err != nil {
		return nil, err
	}
	p.Flaw = flaw
	if sent {
		p.PNG, err = encodePNG(ctx, full)
	}
	return p, err
}

// encodePNG returns a copy of a picture as PNG: never the bytes of the server, which the
// terminal would have to decode.
func encodePNG(ctx context.Context, full image.Image) ([]byte, error) {
	p, err := reducePicture(ctx, full, maxSent)
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

func withSums(data []byte) []byte {
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

// A pictureReader fails when its context ends, which ends decoding.
type pictureReader struct {
	ctx  context.Context
	data io.Reader
}

func (r *pictureReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	const step = 32 << 10 // so that the context is checked often
	return r.data.Read(p[:min(len(p), step)])
}

// reducePicture returns a copy of at most side pixels in each direction.
func reducePicture(ctx context.Context, full image.Image, side int) (*Picture, error) {
	bounds := full.Bounds()
	w, h := fitWithin(bounds.Dx(), bounds.Dy(), side, side)
	p := &Picture{w: w, h: h, pixels: make([]color.RGBA, w*h)}
	for y := range h {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for x := range w {
			p.pixels[y*w+x] = averageColor(bounds.Dx(), bounds.Dy(), w, h, x, y, func(x, y int) color.RGBA {
				return color.RGBAModel.Convert(full.At(bounds.Min.X+x, bounds.Min.Y+y)).(color.RGBA)
			})
		}
	}
	return p, nil
}

// fitWithin returns the largest size of the same shape within limits, not enlarged.
func fitWithin(w, h, maxW, maxH int) (int, int) {
	if w <= maxW && h <= maxH {
		return w, h
	}
	if w*maxH > h*maxW {
		return maxW, max(h*maxW/w, 1)
	}
	return max(w*maxH/h, 1), maxH
}

// averageColor returns the mean of the pixels of a w0 by h0 picture that become the pixel x, y
// of a w by h one.
func averageColor(w0, h0, w, h, x, y int, at func(x, y int) color.RGBA) color.RGBA {
	var r, g, b, a, n int
	for sy := y * h0 / h; sy < max((y+1)*h0/h, y*h0/h+1); sy++ {
		for sx := x * w0 / w; sx < max((x+1)*w0/w, x*w0/w+1); sx++ {
			c := at(sx, sy)
			r, g, b, a, n = r+int(c.R), g+int(c.G), b+int(c.B), a+int(c.A), n+1
		}
	}
	return color.RGBA{uint8(r / n), uint8(g / n), uint8(b / n), uint8(a / n)}
}

// PictureCells are a picture at one size, in cells.
type PictureCells struct {
	Width int
	rows  [][]halfBlock
}

// ShowsPictures reports whether pictures can be shown at all, with 256 colours and more than
// ASCII.
func ShowsPictures(th *paint.Theme, ascii bool) bool { return th.Profile == paint.TrueColor && !ascii }

// Fit returns the picture in at most width by height cells, not enlarged.
func (p *Picture) Fit(width, height int) PictureCells {
	w, h := fitWithin(p.w, p.h, max(width, 1), 2*max(height, 1))
	cells := PictureCells{Width: w}
	at := func(x, y int) color.RGBA { return p.pixels[y*p.w+x] }
	for y := 0; y < h; y += 2 {
		row := make([]halfBlock, w)
		for x := range row {
			upper := averageColor(p.w, p.h, w, h, x, y, at)
			var lower color.RGBA // below an odd number of pixels there is nothing
			if y+1 < h {
				lower = averageColor(p.w, p.h, w, h, x, y+1, at)
			}
			row[x] = halfBlockOf(upper, lower)
		}
		cells.rows = append(cells.rows, row)
	}
	return cells
}

// A halfBlock is a half block, or blank where transparent.
type halfBlock struct {
	style paint.Style
	glyph string
}

// halfSeen is the opacity from which a pixel is shown.
const halfSeen = 128

func halfBlockOf(upper, lower color.RGBA) halfBlock {
	switch over, under := upper.A >= halfSeen, lower.A >= halfSeen; {
	case over && under:
		return halfBlock{paint.Style{On: "\x1b[38;2;" + rgb(upper) + ";48;2;" + rgb(lower) + "m", Off: "\x1b[39;49m"}, "▀"}
	case over:
		return halfBlock{paint.Style{On: "\x1b[38;2;" + rgb(upper) + "m", Off: "\x1b[39m"}, "▀"}
	case under:
		return halfBlock{paint.Style{On: "\x1b[38;2;" + rgb(lower) + "m", Off: "\x1b[39m"}, "▄"}
	}
	return halfBlock{glyph: " "}
}

func rgb(c color.RGBA) string {
	full := func(v uint8) int { return min(int(v)*255/max(int(c.A), 1), 255) }
	return fmt.Sprintf("%d;%d;%d", full(c.R), full(c.G), full(c.B))
}

// Rows returns the number of rows.
func (c PictureCells) Rows() int { return len(c.rows) }

// Paint paints a row.
func (c PictureCells) Paint(l *paint.Line, row int) {
	for _, c := range c.rows[row] {
		l.Text(c.style, c.glyph)
	}
}
