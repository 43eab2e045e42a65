package catalog

// FoldPhrase is the form in which phrases are compared: case-folded, runs of
// white space one space (catalog.md, "WRD-RES-INJECT-PHRASE"). Two phrases with
// one form are one phrase.
func FoldPhrase(s string) string { return string(collapse(s)) }
