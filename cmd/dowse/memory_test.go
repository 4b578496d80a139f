package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

func TestCgroupLimit(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"no control groups", nil, math.MaxInt64},
		{"version 2", map[string]string{"proc/self/cgroup": "0::/user/crawl\n", "sys/fs/cgroup/user/crawl/memory.max": "536870912\n"}, 512 << 20},
		{"version 2, unlimited", map[string]string{"proc/self/cgroup": "0::/user/crawl\n", "sys/fs/cgroup/user/crawl/memory.max": "max\n"}, math.MaxInt64},
		{"version 2, the group around it", map[string]string{
			"proc/self/cgroup": "0::/user/crawl\n", "sys/fs/cgroup/user/crawl/memory.max": "536870912\n", "sys/fs/cgroup/user/memory.max": "268435456\n",
		}, 256 << 20},
		{"version 2 in a container", map[string]string{"proc/self/cgroup": "0::/docker/0123\n", "sys/fs/cgroup/memory.max": "268435456\n"}, 256 << 20},
		{"version 1", map[string]string{
			"proc/self/cgroup": "5:devices:/\n4:cpu,memory:/jobs/1\n0::/\n",
			"sys/fs/cgroup/memory/jobs/1/memory.limit_in_bytes": "134217728\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, 128 << 20},
		{"nonsense", map[string]string{"proc/self/cgroup": "no groups here\n", "sys/fs/cgroup/memory.max": "-5\n"}, math.MaxInt64},
	} {
		root := t.TempDir()
		for name, data := range c.files {
			path := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := cgroupLimit(root); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
