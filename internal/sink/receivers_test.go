package sink_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// receiverVar is set in the environment of a process of [receivers].
const receiverVar = "DOWSE_TEST_RECEIVER"

// receivers starts a process with an HTTP server that takes batches and bulk requests, and a NATS server with a stream for
// crawl.pages. It returns their URLs.
func receivers(b *testing.B) (web, stream string) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), receiverVar+"="+b.TempDir())
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { in.Close(); cmd.Wait() })
	if _, err := fmt.Fscan(out, &web, &stream); err != nil {
		b.Fatalf("the receivers did not start: %v", err)
	}
	return web, stream
}

// receive is the process of [receivers]. It ends with its input.
func receive(dir string) error {
	srv := httptest.NewServer(http.HandlerFunc(takeBatch))
	defer srv.Close()
	ns, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: dir, NoSigs: true})
	if err != nil {
		return err
	}
	go ns.Start()
	defer ns.Shutdown()
	if !ns.ReadyForConnections(time.Minute) {
		return errors.New("the NATS server is not ready")
	}
	conn, err := nats.Connect(ns.ClientURL())
	if err != nil {
		return err
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	// Records of another crawl have other ids, so the stream keeps a few of them only.
	if _, err := js.CreateStream(context.Background(), jetstream.StreamConfig{Name: "PAGES", Subjects: []string{"crawl.*"}, MaxMsgs: 1000, Storage: jetstream.MemoryStorage}); err != nil {
		return err
	}
	fmt.Println(srv.URL, ns.ClientURL())
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// takeBatch accepts a batch. It answers a bulk request as OpenSearch does, item by item.
func takeBatch(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/_bulk" {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, "{}")
		return
	}
	body, _ := io.ReadAll(r.Body)
	var items []any
	for line := range bytes.Lines(body) {
		var action struct {
			Index struct {
				ID string `json:"_id"`
			} `json:"index"`
		}
		if bytes.HasPrefix(line, []byte(`{"index"`)) && json.Unmarshal(line, &action) == nil {
			items = append(items, map[string]any{"index": map[string]any{"_id": action.Index.ID, "status": 201}})
		}
	}
	json.NewEncoder(w).Encode(map[string]any{"errors": false, "items": items})
}
