package config

import (
	"maps"
	"reflect"
	"slices"

	"gopkg.in/yaml.v3"
)

// Changed are the settings in which two configurations differ, by their paths,
// such as "log.level". A list is one setting.
func Changed(a, b *Config) ([]string, error) {
	var trees [2]map[string]any
	for i, c := range []*Config{a, b} {
		text, err := YAML(c)
		if err != nil {
			return nil, err
		}
		if err := yaml.Unmarshal(text, &trees[i]); err != nil {
			return nil, err
		}
	}
	return changed("", trees[0], trees[1]), nil
}

func changed(path string, a, b any) []string {
	in, isMap := a.(map[string]any)
	of, both := b.(map[string]any)
	if !isMap || !both {
		if reflect.DeepEqual(a, b) {
			return nil
		}
		return []string{path}
	}
	keys := maps.Clone(in)
	maps.Copy(keys, of)
	all := []string{} // the log says [], not null
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		at := key
		if path != "" {
			at = path + "." + key
		}
		all = append(all, changed(at, in[key], of[key])...)
	}
	return all
}
