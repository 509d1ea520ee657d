package media

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
)

func quoted(data string) jsonl.Value {
	return jsonl.Value(`"` + base64.StdEncoding.EncodeToString([]byte(data)) + `"`)
}

// realImages returns an image of 3 by 2 pixels in every format.
func realImages(t testing.TB) map[string][]string {
	t.Helper()
	picture := image.NewGray(image.Rect(0, 0, 3, 2))
	var asPNG, asJPEG, asGIF bytes.Buffer
	for _, err := range []error{png.Encode(&asPNG, picture), jpeg.Encode(&asJPEG, picture, nil),
		gif.Encode(&asGIF, picture, nil)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	exif := "\xff\xd8\xff\xe1\xff\xff" + strings.Repeat("\x00", 0xfffd) + asJPEG.String()[2:]
	riff := func(chunk string) string { return "RIFF\x20\x00\x00\x00WEBP" + chunk + "\x00\x00\x00\x00" }
	return map[string][]string{
		"image/png":  {asPNG.String()},
		"image/jpeg": {asJPEG.String(), exif},
		"image/gif":  {asGIF.String(), strings.Replace(asGIF.String(), "GIF89a", "GIF87a", 1)},
		"image/webp": {riff("VP8 \x20\x00\x00\x00\x00\x00\x00\x9d\x01\x2a\x03\x00\x02\x00"),
			riff("VP8L\x20\x00\x00\x00\x2f\x02\x40\x00\x00\x00\x00\x00"),
			riff("VP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x01\x00\x00")},
	}
}

func TestImageType(t *testing.T) {
	for want, list := range realImages(t) {
		for i, data := range list {
			if got := ImageType(quoted(data)); got != want {
				t.Errorf("%s %d is taken for %q", want, i, got)
			}
			if w, h := ImageSize(base64.StdEncoding.EncodeToString([]byte(data))); w != 3 || h != 2 {
				t.Errorf("%s %d has the size %d, %d", want, i, w, h)
			}
		}
	}
}

// Nothing without a complete header is an image, and bytes of other formats are none.
func TestImageTypeOfOthers(t *testing.T) {
	others := []string{"", "hi", "hello world this is no image at all, just text", "<html>404</html>",
		"BM" + strings.Repeat("\x00", 60), "\x00\x00\x00\x18ftypheic" + strings.Repeat("\x00", 40),
		"RIFF\x24\x00\x00\x00WAVEfmt " + strings.Repeat("\x00", 40), "\x89PNG\r\n\x1a\n", "\xff\xd8\xff",
		"RIFF\x24\x00\x00\x00WEBPVP8 " + strings.Repeat("\x00", 40), "GIF89a\x00\x00\x00\x00\x00\x00\x00;"}
	for _, list := range realImages(t) {
		others = append(others, list[0][:9])
	}
	for _, data := range others {
		if got := ImageType(quoted(data)); got != "" {
			t.Errorf("%.40q is taken for %s", data, got)
		}
	}
	for _, v := range []string{``, `null`, `"!"`, `"iVBORw0KGgo"`, `{}`} {
		if got := ImageType(jsonl.Value(v)); got != "" {
			t.Errorf("%s is taken for %s", v, got)
		}
	}
}

// FuzzImageType checks that a type comes with a size, and that neither depends on what follows the header.
func FuzzImageType(f *testing.F) {
	for _, list := range realImages(f) {
		for _, data := range list {
			f.Add([]byte(data))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text := base64.StdEncoding.EncodeToString(data)
		mime := ImageType(jsonl.Value(`"` + text + `"`))
		width, height := ImageSize(text)
		if (mime != "") != (width > 0 && height > 0) {
			t.Fatalf("type %q with size %d, %d", mime, width, height)
		}
		longer := base64.StdEncoding.EncodeToString(append(data, "more"...))
		if mime != "" && ImageType(jsonl.Value(`"`+longer+`"`)) != mime {
			t.Fatalf("%s is none with more data", mime)
		}
	})
}
