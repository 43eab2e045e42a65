package tui

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"go.yaml.in/yaml/v3"
)

// Config is what a reader's own file may set.
type Config struct {
	Theme string              `yaml:"theme"` // auto, dark or light
	Keys  map[string][]string `yaml:"keys"`  // by name of the command
}

const maxConfig = 64 << 10

// LoadConfig reads a configuration and the keys that come of it. A file that is
// not there is no configuration unless it was asked for.
func LoadConfig(path string, asked bool) (*Config, *KeyMap, error) {
	keys := DefaultKeys()
	c := &Config{}
	if path == "" {
		return c, keys, nil
	}
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) && !asked {
		return c, keys, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("configuration: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return nil, nil, fmt.Errorf("configuration: %w", err)
	}
	if len(data) > maxConfig {
		return nil, nil, fmt.Errorf("configuration %s: larger than %d bytes", path, maxConfig)
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(c); err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, fmt.Errorf("configuration %s: %w", path, err)
	}
	switch c.Theme {
	case "", "auto", "dark", "light":
	default:
		return nil, nil, fmt.Errorf("configuration %s: theme: %q is neither auto, dark nor light", path, c.Theme)
	}
	for i := range commands { // in the table's order: the result depends on nothing else
		if k, ok := c.Keys[commands[i].name]; ok {
			if err := keys.Bind(commands[i].name, k); err != nil {
				return nil, nil, fmt.Errorf("configuration %s: keys: %w", path, err)
			}
		}
	}
	for name := range c.Keys {
		if byName(name) == nil {
			return nil, nil, fmt.Errorf("configuration %s: keys: %w", path, keys.Bind(name, nil))
		}
	}
	if err := keys.Check(); err != nil {
		return nil, nil, fmt.Errorf("configuration %s: keys: %w", path, err)
	}
	return c, keys, nil
}
