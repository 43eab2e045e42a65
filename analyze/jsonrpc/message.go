// Package jsonrpc reads one recorded or live frame: a validating scan of the
// raw bytes, exact keys, ids that compare by value, and the strings a rule may
// want to look at. It never recurses (nesting costs one bit a level) and never
// copies what it can point at.
//
// Two readings live here. Parser is the fast, strict one. Frames that it
// refuses, and frames with repeated keys, go through the lenient one
// (catalog.md, "Reading JSON safely"), which reads what any known client reads.
package jsonrpc

// Pad is how many readable bytes must follow every buffer given to Parser and
// to the text scanner: vector code loads whole blocks.
const Pad = 128

// Has is the set of members that a message has.
type Has uint32

// Members of a message and of its params and result that the session machine
// asks for. The last group says why a frame is ambiguous (WRD-RES-AMBIGUOUS).
const (
	HasJSONRPC Has = 1 << iota
	HasID
	HasMethod
	HasParams
	HasResult
	HasError
	HasName           // params.name
	HasArguments      // params.arguments
	HasMeta           // params._meta
	HasTask           // params.task
	HasCursor         // params.cursor
	HasInputResponses // params.inputResponses
	HasRequestState   // params.requestState, result.requestState
	HasResultType     // result.resultType
	HasResultTask     // result.task or result.taskId (a tools/call answered by a task)
	HasInputRequests  // result.inputRequests
	HasNested         // result.result or params.result (a task's tool result)
	HasIsError        // result.isError is true
	HasContent        // result.content is an array

	Repeated      // a key twice, or a case variant of one we use, at a level that matters
	BadUTF8       // invalid UTF-8, read as U+FFFD
	LoneSurrogate // an escape that is half a pair
	NotANumber    // NaN, Infinity, -Infinity
	BadID         // an id that is neither string, number nor null
	Junk          // bytes around the message (a byte-order mark is not junk)
	HadBOM        // a leading byte-order mark was dropped

	HasNestedIsError // result.result.isError or params.result.isError is true

	Ambiguous = Repeated | BadUTF8 | LoneSurrogate | NotANumber | BadID | Junk
)

// Message is one JSON-RPC message. All slices point into the frame (or, for
// decoded strings with escapes, into the parser's own memory) and are valid as
// long as that is.
type Message struct {
	Raw []byte // the message's own bytes, outer white space cut
	Has Has
	// TextResult says that the result is what most tools answer with: its content
	// is at most MaxTextBlocks blocks that have a type "text" and a text and no
	// more, and there is neither structuredContent nor _meta, nor an isError that
	// is no boolean. It counts only where the message is not Ambiguous.
	TextResult bool
	ID         []byte // raw JSON token of the id; nil when absent. Last occurrence
	Method     []byte // decoded; nil when absent or no string. Last occurrence
	Name       []byte // decoded params.name; nil when absent or no string
	Params     []byte // raw JSON value of the last occurrence; nil when absent
	Result     []byte // likewise
	Error      []byte // likewise

	// Texts are the strings under result and error (and params of
	// notifications/tasks), in document order, with their part in a tool's
	// result. Empty for requests.
	Texts []Text
	// Notes are the content blocks whose payload is not read.
	Notes []BlockNote
	// Alt lists every occurrence of the members we use, in document order and
	// case variants too, when any key is repeated at a level that matters
	// (Has&Repeated); nil otherwise. Has, ID, Method, Name, Params, Result and
	// Error are then the reading that takes the last occurrence of the exact
	// key; Texts and Notes hold every reading's.
	Alt []Member
}

// Member is one occurrence of a member that we use: "id", "method", "params",
// "result", "error" at the top; "params/name", "params/arguments" below.
type Member struct {
	Key string // the canonical key, as listed above, whatever its case in the frame
	Raw []byte // its raw JSON value
}

// MaxTextBlocks is the most content blocks of a result that is a TextResult.
const MaxTextBlocks = 64

// Role is the part that a string plays in a tool's result (catalog.md, "What
// is inspected").
type Role uint8

// Roles.
const (
	RoleOther        Role = iota // any other string under result or error: full coverage alone
	RoleText                     // text of a text block
	RoleResourceText             // resource.text of a resource block
	RoleResourceURI              // resource.uri of a resource block
	RoleLink                     // uri, name, title, description of a resource_link: full coverage alone
	RoleStructured               // a value under structuredContent: full coverage alone
	RoleKey                      // a key under structuredContent: full coverage alone
)

// Text is one string in a frame.
type Text struct {
	// Start and End are the offsets in Message.Raw of the string's content,
	// without its quotes.
	Start, End int32
	Block      int32 // index of its content block, -1 outside of blocks
	Role       Role
	Escaped    bool // holds a backslash: decode before reading
	// Nested says that it stands in result.result or params.result, the tool
	// result that a task delivers; Block and Role are then those within it.
	Nested bool
	Error  bool // stands under error, not under result
	// Input says that it stands under result.inputRequests.
	Input bool
	// Shadowed says that a reader of exact keys who keeps the last occurrence
	// does not see it: it stands under an earlier occurrence of a member that
	// we use, or under a case variant. Coverage spec drops it.
	Shadowed bool
}

// Why says why a content block could not be read.
type Why uint8

// Reasons for a WRD-RES-UNINSPECTABLE note.
const (
	WhyBinary   Why = iota + 1 // image, audio, blob, base64 data
	WhyUnknown                 // a type that we do not know, or none
	WhyNoObject                // the block is no object
	WhyNoText                  // a text or resource block without the string it should have
	WhyLink                    // a resource_link: spec coverage alone
)

// BlockNote is a content block whose payload is not read.
type BlockNote struct {
	Block    int32
	Why      Why
	Nested   bool
	Shadowed bool // as Text.Shadowed
}

// IsRequest reports a method with an id; IsNotification a method without;
// IsResponse a result or error. A message with both method and result is a
// request and a response (catalog.md).
func (m *Message) IsRequest() bool      { return m.Has&HasMethod != 0 && m.Has&HasID != 0 }
func (m *Message) IsNotification() bool { return m.Has&HasMethod != 0 && m.Has&HasID == 0 }
func (m *Message) IsResponse() bool     { return m.Has&(HasResult|HasError) != 0 }
