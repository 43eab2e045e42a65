package main

import "fmt"

// peaks measures memory where it could grow: a large trace, one long line, very
// many empty lines.
func (c *config) peaks() error {
	large, err := c.trace("", c.memoryMB)
	if err != nil {
		return err
	}
	zst, err := compressed(large)
	if err != nil {
		return err
	}
	line, err := c.trace("line", 67.108864)
	if err != nil {
		return err
	}
	lines, err := c.trace("lines", 10)
	if err != nil {
		return err
	}
	all := []*contestant{
		{name: fmt.Sprintf("%g MB", c.memoryMB), argv: c.scan(c.bin, large), bytes: size(large)},
		{name: fmt.Sprintf("%g MB, .zst", c.memoryMB), argv: c.scan(c.bin, zst), bytes: size(large)},
		{name: "one line of 64 MiB", argv: c.scan(c.bin, line), bytes: size(line)},
		{name: "ten million empty lines", argv: c.scan(c.bin, lines), bytes: size(lines)},
	}
	if err := rounds(1, all); err != nil {
		return err
	}
	fmt.Print("\npeak memory\n\n")
	print(all)
	for _, k := range all {
		c.target(k.peak < wantPeakMiB<<20, "%s: peak of %d MiB, want under %d", k.name, k.peak>>20, wantPeakMiB)
	}
	return nil
}
