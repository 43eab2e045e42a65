package lock

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// What canon refuses (lock.md, "Digests"). Errors never hold text of the value.
var (
	errInteger   = errors.New("an integer outside ±(2^53-1)")
	errInfinite  = errors.New("a number that no double can hold")
	errDeep      = errors.New("nesting over 512")
	errTwice     = errors.New("an object with a key twice")
	errNotJSON   = errors.New("not valid JSON")
	errAfterward = errors.New("more after the JSON value")
)

// Canon returns the RFC 8785 form of one JSON value. It refuses integers
// outside ±(2^53-1), numbers beyond a double, unpaired surrogates, invalid
// UTF-8, repeated keys and nesting over 512; errors name the byte offset.
func Canon(raw []byte) ([]byte, error) {
	if err := canonical(raw); err != nil {
		return nil, err
	}
	v := jsontext.Value(bytes.Clone(raw))
	if err := v.Canonicalize(); err != nil {
		return nil, errNotJSON // canonical has read it: not to be expected
	}
	return v, nil
}

// Hash is "sha256:" and the lower-case hex of SHA-256 over Canon(raw).
func Hash(raw []byte) (string, error) {
	c, err := Canon(raw)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(c)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// canonical says whether raw may be canonicalised, token by token, without
// holding a tree.
func canonical(raw []byte) error { return readable(raw, maxDepth, true) }

// canonicalEntry is canonical for an entry of a list: what is hashed stands one
// level down in it, and depth counts from there.
func canonicalEntry(raw []byte) error { return readable(raw, maxDepth+1, true) }

// readable is canonical with another depth and, where numbers is false, with
// numbers of any size.
func readable(raw []byte, most int, numbers bool) error {
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	for first := true; ; first = false {
		if !first && d.StackDepth() == 0 {
			break
		}
		tok, err := d.ReadToken()
		if err != nil {
			return &placed{reason(err), offset(err, d, raw)}
		}
		depth := d.StackDepth()
		switch tok.Kind() {
		case '{', '[':
			if depth-1 > most {
				return at(errDeep, d, raw)
			}
		case '0':
			if err := number(tok.String()); numbers && err != nil {
				return at(err, d, raw)
			}
			fallthrough
		case 'n', 't', 'f', '"':
			if depth > most {
				return at(errDeep, d, raw)
			}
		}
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return at(errAfterward, d, raw)
	}
	return nil
}

// placed is an error at a byte offset.
type placed struct {
	err    error
	offset int64
}

func (p *placed) Error() string { return fmt.Sprintf("%v at byte %d", p.err, p.offset) }
func (p *placed) Unwrap() error { return p.err }

func at(err error, d *jsontext.Decoder, raw []byte) error {
	return &placed{err, min(d.InputOffset(), int64(len(raw)))}
}

// offset is where the library stumbled; at the end for what breaks off.
func offset(err error, d *jsontext.Decoder, raw []byte) int64 {
	var s *jsontext.SyntacticError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return int64(len(raw))
	case errors.As(err, &s):
		return min(s.ByteOffset, int64(len(raw)))
	}
	return d.InputOffset()
}

// reason keeps the library's word on what is wrong, but none of the text that
// it quotes.
func reason(err error) error {
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return errTwice
	}
	return errNotJSON
}

// number refuses what a double can't carry. An integer is a token without
// fraction and exponent.
func number(tok string) error {
	integer := true
	for i := range len(tok) {
		if c := tok[i]; c == '.' || c == 'e' || c == 'E' {
			integer = false
			break
		}
	}
	if integer {
		const limit = 1<<53 - 1
		if n, err := strconv.ParseInt(tok, 10, 64); err != nil || n > limit || n < -limit {
			return errInteger
		}
		return nil
	}
	if _, err := strconv.ParseFloat(tok, 64); err != nil {
		return errInfinite
	}
	return nil
}
