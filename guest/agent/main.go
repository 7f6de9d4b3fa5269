// SPDX-License-Identifier: Apache-2.0

// Command agent runs inside a guest and works for the host: it starts processes, moves files, and
// corrects the guest's state after a restore. It speaks the envd contract over HTTP/1.1 with JSON.
package main

import (
	"context"
	"flag"
	"log"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"time"
)

// memoryLimit is the heap size at which the garbage collector starts. It never runs below that,
// because every page that a collection touches in a restored guest must be copied. A higher limit
// would only spread garbage over more pages. The output kept for processes does not count; it is
// outside the heap.
const memoryLimit = 24 << 20

func main() {
	if len(os.Args) == 2 && os.Args[1] == volumeFlag {
		log.SetFlags(0)
		log.SetPrefix("agent: ")
		serveVolume()
		return
	}
	if len(os.Args) == 2 && os.Args[1] == workspaceFlag {
		log.SetFlags(0)
		log.SetPrefix("agent: ")
		serveWorkspaces()
		return
	}
	listen := flag.String("listen", "0.0.0.0:49983", "address to listen on")
	user := flag.String("default-user", "root", "user for requests that name none")
	image := flag.String("image", "", "file that describes the container image of this guest")
	start := flag.Bool("start", false, "start the image's command")
	flag.Parse()
	log.SetFlags(0)
	log.SetPrefix("agent: ")
	if flag.NArg() > 0 {
		log.Fatalf("unexpected argument %q", flag.Arg(0))
	}

	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(memoryLimit)
	protectFromOOM()
	undoIgnored()

	growRoot("/dev/vda")

	a := newAgent(*user)
	a.settings.use(a.handover.begin())
	var known startFile
	if *image != "" {
		var err error
		if known, err = readStartFile(*image); err != nil {
			log.Fatal(err)
		}
		a.settings.base = known.forCommands()
		a.settings.env = a.settings.base
	}
	started, err := a.bootTemplate(*start || *image == "" && firstOfMachine())
	if err != nil {
		log.Print(err)
	}
	if *start && !started {
		a.startImage(known, a.startLog)
	}
	server := &http.Server{
		Handler:           a,
		ReadHeaderTimeout: 30 * time.Second,
		MaxHeaderBytes:    64 << 10,
	}
	a.connections.attach(server, a.recognise)
	// No keepalive probes: they would wake an idle guest, and /init closes connections whose host is
	// gone.
	config := net.ListenConfig{KeepAlive: -1}
	listener, err := config.Listen(context.Background(), "tcp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("listening on %s", listener.Addr())
	log.Fatal(server.Serve(listener))
}

// protectFromOOM makes a guest that runs out of memory kill the processes that use it, not the
// agent.
func protectFromOOM() {
	if os.Getuid() == 0 {
		_ = os.WriteFile("/proc/self/oom_score_adj", []byte("-900"), 0)
	}
}
