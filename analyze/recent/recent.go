// Package recent spreads names over small tables of what was seen lately, for
// those who meet the same few names over and over.
package recent

import "encoding/binary"

// Slot gives a place of a name in a table of 1<<bits entries; bits is at most
// 16. Names that differ in their first or last eight bytes, or in length, mostly
// get different ones.
func Slot[T string | []byte](name T, bits uint) int {
	var head, tail [8]byte
	n := copy(head[:], name)
	copy(tail[:], name[len(name)-n:])
	h := binary.LittleEndian.Uint64(head[:])*0x9e3779b97f4a7c15 ^ binary.LittleEndian.Uint64(tail[:])*0xc2b2ae3d27d4eb4f + uint64(len(name))*0x165667b19e3779f9
	h ^= h >> 32
	return int(h * 0x9e3779b97f4a7c15 >> (64 - bits))
}
