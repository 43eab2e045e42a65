package safe

import "unicode"

// ignorable are the code points that a renderer draws as nothing
// (Default_Ignorable_Code_Point of the Unicode Character Database) and that
// are not already out by their category: fillers, joiners of scripts, the
// variation selectors and the rest of the tag plane.
var ignorable = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x00ad, Hi: 0x00ad, Stride: 1},
		{Lo: 0x034f, Hi: 0x034f, Stride: 1},
		{Lo: 0x061c, Hi: 0x061c, Stride: 1},
		{Lo: 0x115f, Hi: 0x1160, Stride: 1},
		{Lo: 0x17b4, Hi: 0x17b5, Stride: 1},
		{Lo: 0x180b, Hi: 0x180f, Stride: 1},
		{Lo: 0x200b, Hi: 0x200f, Stride: 1},
		{Lo: 0x202a, Hi: 0x202e, Stride: 1},
		{Lo: 0x2060, Hi: 0x206f, Stride: 1},
		{Lo: 0x3164, Hi: 0x3164, Stride: 1},
		{Lo: 0xfe00, Hi: 0xfe0f, Stride: 1},
		{Lo: 0xfeff, Hi: 0xfeff, Stride: 1},
		{Lo: 0xffa0, Hi: 0xffa0, Stride: 1},
		{Lo: 0xfff0, Hi: 0xfff8, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x1bca0, Hi: 0x1bca3, Stride: 1},
		{Lo: 0x1d173, Hi: 0x1d17a, Stride: 1},
		{Lo: 0xe0000, Hi: 0xe0fff, Stride: 1},
	},
}

// joining are the code points that are no marks and are drawn into the character
// before them all the same: skin tones, vowels and finals of Hangul, and such. At the
// beginning of a text that would be a character of ours.
var joining = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x0e33, Hi: 0x0e33, Stride: 1},
		{Lo: 0x0eb3, Hi: 0x0eb3, Stride: 1},
		{Lo: 0x1161, Hi: 0x11ff, Stride: 1},
		{Lo: 0xd7b0, Hi: 0xd7c6, Stride: 1},
		{Lo: 0xd7cb, Hi: 0xd7fb, Stride: 1},
		{Lo: 0xff9e, Hi: 0xff9f, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0x1f3fb, Hi: 0x1f3ff, Stride: 1}},
}

// Visible reports whether r draws something of its own, or is a blank with a
// width. U+FFFD is visible. Combining marks are; how many may stand on one
// character is String's business.
func Visible(r rune) bool {
	if r < 0x80 {
		return r >= 0x20 && r != 0x7f
	}
	if unicode.Is(ignorable, r) {
		return false
	}
	// Printable in Unicode's sense is letters, marks, numbers, punctuation,
	// symbols; the blanks (Zs) are added. Controls, formats, separators,
	// private use, surrogates and unassigned points are what is left out.
	return unicode.IsPrint(r) || unicode.Is(unicode.Zs, r)
}
