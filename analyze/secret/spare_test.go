package secret

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/warden-trace/warden/analyze/ruleset"
)

var (
	sparing = NewSpare(ruleset.Calibrated().Calibration)
	high    = NewEntropy(ruleset.Builtin().Entropy)
)

// spares reports whether the run that holds the mark of a text is spared: the
// run between the brackets, which are taken out.
func spares(t *testing.T, marked string) bool {
	t.Helper()
	a := strings.Index(marked, "[")
	text := strings.Replace(marked, "[", "", 1)
	b := strings.Index(text, "]")
	text = strings.Replace(text, "]", "", 1)
	run := text[a:b]
	if !high.High([]byte(run)) {
		t.Fatalf("%s is no random run to begin with", run)
	}
	return sparing.Piece([]byte(text), a, b, &Lines{})
}

const random64 = "Wq8ZkT2nVxY7uPjR4mHsLd9aFb3eGcXo5iKtN6rQzJ1vMy0hSgUwEBpDCAlfOI+/"

func TestSpared(t *testing.T) {
	line := func(n int) string { return strings.Repeat(random64+"\n", n) }
	prose := base64.StdEncoding.EncodeToString([]byte("the harbour opens at eight in the morning and closes at ten"))
	inner := base64.StdEncoding.EncodeToString([]byte("the key is Wq8ZkT2nVxY7uPjR4mHsLd9aFb3eGcXo, keep it"))
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"identifier", "call [newDefaultWorkspaceChangeBufferLimit] now", true},
		{"snake", "[test_wrong_file_is_reported_by_checksum]", true},
		{"path", "see [/usr/share/doc/python3/examples/network/client] there", true},
		{"key", "the key [Wq8ZkT2nVxY7uPjR4mHsLd9a] is new", false},
		{"key behind a path", "at [/usr/share/doc/python3/examples/Wq8ZkT2nVxY7uPjR4mHsLd9a]", false},
		{"key behind a name", "[DATABASE_PASSWORD=wq8zkt2nvxy7upjr4mhsld9a]", false},
		{"part of a key", "[DATABASE_PASSWORD_VALUE=x7Qp]%2F", false},
		{"part of a key, as a word", "[webhookSigningSecret=XKZZV]%2BLDf", false},
		{"hex behind a name", "[API_KEY=8253310785596219c3bbd82f583577e642c958]", false},
		{"go.sum", "v1.2.0 h1:[Wq8ZkT2nVxY7uPjR4mHsLd9aFb3eGcXo5iKtN6rQzJ1=]", true},
		{"go.sum, too short", "v1.2.0 h1:[Wq8ZkT2nVxY7uPjR4mHsLd9aFb3eGcXo5iKtN6rQzJ=]", false},
		{"other name", "v1.2.0 k1:[Wq8ZkT2nVxY7uPjR4mHsLd9aFb3eGcXo5iKtN6rQzJ1=]", false},
		{"integrity", "[sha256-Wq8ZkT2nVxY7uPjR4mHsLd9aFb3eGcXo5iKtN6rQzJ1=]", true},
		{"integrity of another size", "[sha512-Wq8ZkT2nVxY7uPjR4mHsLd9aFb3eGcXo5iKtN6rQzJ1=]", false},
		{"request id", "[request_id=f81d4fae-7dec-11d0-a765-00a0c91e6bf6]", true},
		{"uuid as a key", "[api_key=f81d4fae-7dec-11d0-a765-00a0c91e6bf6]", false},
		{"ulid", "row [01ARZ3NDEKTSV4RRFFQ69G5FAV],", true},
		{"ulid as a key", "token: [01ARZ3NDEKTSV4RRFFQ69G5FAV]", false},
		{"image", "src=data:image/png;base64,[" + random64 + "]", true},
		{"text in a data URI", "src=data:text/plain;base64,[" + random64 + "]", false},
		{"three lines", "-----BEGIN CERTIFICATE-----\n[" + random64 + "]\n" + line(2), true},
		{"third of three", line(2) + "[" + random64 + "]\n", true},
		{"two lines", "[" + random64 + "]\n" + random64 + "\n", false},
		{"lines of a private key", "-----BEGIN ENCRYPTED PRIVATE KEY-----\n[" + random64 + "]\n" + line(3), false},
		{"prose in base64", "data: [" + prose + "]", true},
		{"prose in base64, named", "password: [" + prose + "]", false},
		{"a key in base64", "data: [" + inner + "]", false},
	} {
		if got := spares(t, c.text); got != c.want {
			t.Errorf("%s: spared %v", c.name, got)
		}
	}
}

// TestRandomIsNeverSpared tries the alphabets that keys are made of, at the
// shortest length that counts, which is the hardest.
func TestRandomIsNeverSpared(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	const small, capital, digits = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
	for _, alphabet := range []string{small + capital + digits, small + digits, capital + digits, small + capital, capital + "234567", small + capital + digits + "+/", small + capital + digits + "-_"} {
		tried := 0
		for tried < 20_000 {
			b := make([]byte, 24)
			for i := range b {
				b[i] = alphabet[r.IntN(len(alphabet))]
			}
			if !high.High(b) {
				continue
			}
			tried++
			if sparing.Piece(b, 0, len(b), &Lines{}) {
				t.Errorf("spared: %s of %s", b, alphabet)
			}
		}
	}
}

// TestSparingIsLinear makes hostile texts 32 times as large: what is not linear
// would take 32 times as long for each part of them.
func TestSparingIsLinear(t *testing.T) {
	took := func(text []byte, n int) time.Duration {
		best := time.Hour
		for range 3 {
			at := time.Now()
			var l Lines
			for a := 0; a < len(text); {
				b := a
				for b < len(text) && Piece(text[b]) {
					b++
				}
				if b-a >= 24 && high.High(text[a:b]) {
					sparing.Piece(text, a, b, &l)
				}
				a = b + 1
			}
			best = min(best, time.Since(at))
		}
		return best / time.Duration(n)
	}
	for name, unit := range map[string]string{"lines": random64 + "\n", "one run": random64, "runs": random64 + " ", "sha256-": "sha256-" + random64, "uuid": "f81d4fae-7dec-11d0-a765-00a0c91e6bf6-"} {
		small, large := took([]byte(strings.Repeat(unit, 500)), 1), took([]byte(strings.Repeat(unit, 16000)), 32)
		if large > 12*small+time.Millisecond {
			t.Errorf("%s: %v for each part of a text of 32 times the size, %v for the small one", name, large, small)
		}
	}
}
