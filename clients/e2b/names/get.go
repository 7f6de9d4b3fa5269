// SPDX-License-Identifier: Apache-2.0

// Command get prints the response body of a URL. A second argument goes into the header Host.
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
)

func main() {
	if err := get(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func get(args []string) error {
	request, err := http.NewRequest(http.MethodGet, args[0], nil)
	if err != nil {
		return err
	}
	if len(args) > 1 {
		request.Host = args[1]
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s", response.Status)
	}
	_, err = io.Copy(os.Stdout, response.Body)
	return err
}
