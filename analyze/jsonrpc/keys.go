package jsonrpc

import (
	"bytes"
	"hash/maphash"
)

// A level is an object whose keys matter: a repeated key there makes a frame
// ambiguous (catalog.md, WRD-RES-AMBIGUOUS).
type level uint8

const (
	inFrame level = iota
	inParams
	inResult
	inError
	inBlock
	inResource
)

// member is the number of a key that we use at its level; 0 is any other key.
type member uint8

// Members of a frame.
const (
	_ member = iota
	frameJSONRPC
	frameID
	frameMethod
	frameParams
	frameResult
	frameError
)

// Members of params.
const (
	_ member = iota
	paramsName
	paramsArguments
	paramsMeta
	paramsTask
	paramsCursor
	paramsInputResponses
	paramsRequestState
	paramsResult
)

// Members of a result.
const (
	_ member = iota
	resultContent
	resultStructured
	resultIsError
	resultType
	resultTask
	resultTaskID
	resultInputRequests
	resultRequestState
	resultResult
	resultMeta
	resultTools
	resultNextCursor
	resultProtocolVersion
	resultCapabilities
)

// Members of a content block and of its resource.
const (
	_ member = iota
	blockType
	blockText
	blockResource
	blockData
	blockBlob
	blockURI
	blockName
	blockTitle
	blockDescription
)

// names lists the keys that we use, by level and member. A key that differs
// from one only in case counts as a repeat of it.
var names = [...][]string{
	inFrame:    {frameJSONRPC: "jsonrpc", frameID: "id", frameMethod: "method", frameParams: "params", frameResult: "result", frameError: "error"},
	inParams:   {paramsName: "name", paramsArguments: "arguments", paramsMeta: "_meta", paramsTask: "task", paramsCursor: "cursor", paramsInputResponses: "inputResponses", paramsRequestState: "requestState", paramsResult: "result"},
	inResult:   {resultContent: "content", resultStructured: "structuredContent", resultIsError: "isError", resultType: "resultType", resultTask: "task", resultTaskID: "taskId", resultInputRequests: "inputRequests", resultRequestState: "requestState", resultResult: "result", resultMeta: "_meta", resultTools: "tools", resultNextCursor: "nextCursor", resultProtocolVersion: "protocolVersion", resultCapabilities: "capabilities"},
	inError:    {1: "code", 2: "message", 3: "data"},
	inBlock:    {blockType: "type", blockText: "text", blockResource: "resource", blockData: "data", blockBlob: "blob", blockURI: "uri", blockName: "name", blockTitle: "title", blockDescription: "description"},
	inResource: {blockText: "text", blockData: "data", blockBlob: "blob", blockURI: "uri"},
}

// keyTable finds the one name that a key can be: keyHash differs for all names
// of a level.
type keyTable struct {
	slot [64]struct {
		name string
		id   member
	}
	first uint32 // first letters of the names, five bits of each
}

func keyHash(k []byte) int {
	return (len(k) + int(k[len(k)-1]) + int(k[0])*20) & 63
}

var tables = func() (all [len(names)]keyTable) {
	for lv, list := range names {
		t := &all[lv]
		for id, n := range list {
			if n == "" {
				continue
			}
			h := keyHash([]byte(n))
			if t.slot[h].id != 0 {
				panic("two names of a level share a slot: " + n)
			}
			t.slot[h].name, t.slot[h].id = n, member(id)
			t.first |= 1 << (n[0] & 31)
		}
	}
	return all
}()

// classify says which key k is at a level. exact is false for one that differs
// in case; decoders that fold do so by Unicode, where the long s and the Kelvin
// sign are letters too.
func classify(lv level, k []byte) (id member, exact bool) {
	if len(k) == 0 {
		return 0, true
	}
	t := &tables[lv]
	if slot := &t.slot[keyHash(k)]; slot.name == string(k) {
		return slot.id, true
	}
	if k[0] < 0x80 && t.first>>(k[0]&31)&1 == 0 {
		return 0, true
	}
	for id, n := range names[lv] {
		// A folded letter has at most three bytes.
		if n != "" && len(k) >= len(n) && len(k) <= 3*len(n) && bytes.EqualFold(k, []byte(n)) {
			return member(id), false
		}
	}
	return 0, true
}

// keySet holds the other keys of one open object, to find a repeated one. It
// is linear whatever the keys: the first few are compared, more are hashed
// with a seed of this process.
type keySet struct {
	few  [8][]byte
	n    int
	slot []keySlot
	gen  uint32
}

type keySlot struct {
	key []byte
	sum uint32
	gen uint32
}

var seed = maphash.MakeSeed()

func (s *keySet) reset() { s.n = 0 }

// add reports whether k is there already, and adds it.
func (s *keySet) add(k []byte) bool {
	if s.n < len(s.few) {
		for i := range s.n {
			if string(s.few[i]) == string(k) {
				return true
			}
		}
		s.few[s.n] = k
		s.n++
		return false
	}
	if s.n == len(s.few) {
		s.gen++
		if s.slot == nil || len(s.slot) > 1<<12 || s.gen == 0 {
			s.slot, s.gen = make([]keySlot, 64), 1
		}
		for _, f := range s.few {
			s.put(f)
		}
	}
	if s.put(k) {
		return true
	}
	s.n++
	if s.n > len(s.slot)-len(s.slot)/8 { // dense: a hostile object has a million
		old := s.slot
		s.slot = make([]keySlot, 2*len(old))
		for i := range old {
			if old[i].gen == s.gen {
				s.place(&old[i])
			}
		}
	}
	return false
}

func (s *keySet) put(k []byte) bool {
	sum := uint32(maphash.Bytes(seed, k))
	mask := uint32(len(s.slot) - 1)
	for i := sum & mask; ; i = (i + 1) & mask {
		e := &s.slot[i]
		if e.gen != s.gen {
			*e = keySlot{k, sum, s.gen}
			return false
		}
		if e.sum == sum && string(e.key) == string(k) {
			return true
		}
	}
}

func (s *keySet) place(from *keySlot) {
	mask := uint32(len(s.slot) - 1)
	i := from.sum & mask
	for s.slot[i].gen == s.gen {
		i = (i + 1) & mask
	}
	s.slot[i] = *from
}
