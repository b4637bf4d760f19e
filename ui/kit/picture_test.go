package kit

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// stripes returns a picture whose rows are red and blue in turn.
func stripes(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.Set(x, y, []color.RGBA{{255, 0, 0, 255}, {0, 0, 255, 255}}[y%2])
		}
	}
	return m
}

func encodedPicture(t testing.TB, m image.Image, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	switch format {
	case "png":
		require.NoError(t, png.Encode(&b, m))
	case "jpeg":
		require.NoError(t, jpeg.Encode(&b, m, nil))
	case "gif":
		require.NoError(t, gif.Encode(&b, m, nil))
	}
	return b.Bytes()
}

func TestFormats(t *testing.T) {
	for _, format := range []string{"png", "jpeg", "gif"} {
		data := encodedPicture(t, stripes(30, 20), format)
		h, err := InspectPicture(data)
		require.NoError(t, err)
		require.Equal(t, PictureHeader{format, 30, 20}, h)
		p, err := DecodePicture(t.Context(), data, false)
		require.NoError(t, err)
		cells := p.Fit(10, 10)
		require.Equal(t, 10, cells.Width)
		require.Equal(t, 3, cells.Rows(), "10 by 6 pixels")
	}
	_, err := InspectPicture([]byte("<svg/>"))
	require.EqualError(t, err, "not PNG, JPEG or GIF")
}

func TestHalfBlocks(t *testing.T) {
	p, err := DecodePicture(t.Context(), encodedPicture(t, stripes(2, 3), "png"), false)
	require.NoError(t, err)
	cells := p.Fit(80, 20)
	require.Equal(t, 2, cells.Width, "a small picture stays small")
	var l paint.Line
	l.Reset(1, termsafe.Options{})
	cells.Paint(&l, 0)
	require.Equal(t, "\x1b[38;2;255;0;0;48;2;0;0;255m▀\x1b[39;49m", l.String()[:len("\x1b[38;2;255;0;0;48;2;0;0;255m▀\x1b[39;49m")])
	l.Reset(2, termsafe.Options{})
	cells.Paint(&l, 1)
	require.NotContains(t, l.String(), "48;2", "nothing is below the last row")

	m := image.NewNRGBA(image.Rect(0, 0, 1, 2))
	m.Set(0, 1, color.NRGBA{255, 255, 255, 255})
	p, err = DecodePicture(t.Context(), encodedPicture(t, m, "png"), false)
	require.NoError(t, err)
	l.Reset(1, termsafe.Options{})
	p.Fit(1, 1).Paint(&l, 0)
	require.Equal(t, "\x1b[38;2;255;255;255m▄\x1b[39m", l.String(), "transparent above")
}

// TestLimits checks that a header that promises too much is enough for a refusal.
func TestLimits(t *testing.T) {
	_, err := DecodePicture(t.Context(), make([]byte, maxPictureBytes+1), false)
	require.EqualError(t, err, "larger than 16 MiB")
	_, err = DecodePicture(t.Context(), bomb(100_000, 100_000), false)
	require.EqualError(t, err, "larger than 20 megapixels")
	_, err = DecodePicture(t.Context(), bomb(0, 1), false)
	require.Error(t, err)
	whole := encodedPicture(t, stripes(300, 300), "png")
	_, err = DecodePicture(t.Context(), whole[:len(whole)/2], false)
	require.Error(t, err)

	ended, end := context.WithCancel(t.Context())
	end()
	_, err = DecodePicture(ended, whole, false)
	require.ErrorIs(t, err, context.Canceled)
}

// TestWrongChecksum checks that a PNG which only lies about its sums is shown.
func TestWrongChecksum(t *testing.T) {
	data := encodedPicture(t, stripes(4, 4), "png")
	p, err := DecodePicture(t.Context(), data, false)
	require.NoError(t, err)
	require.Empty(t, p.Flaw)
	at := bytes.Index(data, []byte("IDAT"))
	data[at+4+int(binary.BigEndian.Uint32(data[at-4:]))] ^= 1
	p, err = DecodePicture(t.Context(), data, false)
	require.NoError(t, err)
	require.Equal(t, "wrong checksum", p.Flaw)
}

// bomb returns the beginning of a PNG of a size.
func bomb(w, h uint32) []byte {
	head := append([]byte("IHDR"), 0, 0, 0, 0, 0, 0, 0, 0, 8, 6, 0, 0, 0)
	binary.BigEndian.PutUint32(head[4:], w)
	binary.BigEndian.PutUint32(head[8:], h)
	data := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), head...)
	return binary.BigEndian.AppendUint32(data, crc32.ChecksumIEEE(head))
}

func TestShows(t *testing.T) {
	require.True(t, ShowsPictures(paint.NewTheme(paint.Options{Profile: paint.TrueColor}), false))
	require.False(t, ShowsPictures(paint.NewTheme(paint.Options{Profile: paint.TrueColor}), true))
	require.False(t, ShowsPictures(paint.NewTheme(paint.Options{Profile: paint.ANSI}), false))
	require.False(t, ShowsPictures(paint.NewTheme(paint.Options{}), false))
}

func FuzzDecode(f *testing.F) {
	for _, format := range []string{"png", "jpeg", "gif"} {
		f.Add(encodedPicture(f, stripes(5, 5), format), 4, 4)
	}
	f.Fuzz(func(t *testing.T, data []byte, w, h int) {
		if header, err := InspectPicture(data); err == nil && header.Width*header.Height > 1<<20 {
			t.Skip() // within the limits, but slow
		}
		p, err := DecodePicture(t.Context(), data, false)
		if err != nil {
			return
		}
		w, h = w%300, h%300
		cells := p.Fit(w, h)
		require.LessOrEqual(t, cells.Width, max(w, 1))
		require.LessOrEqual(t, cells.Rows(), max(h, 1))
	})
}

// BenchmarkDecode decodes a picture at the limit.
func BenchmarkDecode(b *testing.B) {
	data := encodedPicture(b, stripes(5000, 4000), "png")
	for b.Loop() {
		_, err := DecodePicture(b.Context(), data, false)
		require.NoError(b, err)
	}
}
