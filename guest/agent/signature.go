// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"strconv"
)

// mayUseFiles admits a request with the access token, or with a signature that only a holder of the
// token can have made. A signature is for one path as the client wrote it, one operation ("read" or
// "write") and one user, and may expire.
func (a *agent) mayUseFiles(r *http.Request, operation string) error {
	token := a.settings.accessToken()
	if token == "" || a.settings.tokenMatches(r.Header.Get("X-Access-Token")) {
		return nil
	}
	query := r.URL.Query()
	given := query.Get("signature")
	if given == "" {
		return &fileError{http.StatusUnauthorized, "a valid X-Access-Token or a signature is required"}
	}
	expiration := query.Get("signature_expiration")
	wanted := signature(query.Get("path"), operation, query.Get("username"), token, expiration)
	if subtle.ConstantTimeCompare([]byte(given), []byte(wanted)) != 1 {
		return &fileError{http.StatusUnauthorized, "invalid signature"}
	}
	if expiration == "" {
		return nil
	}
	at, err := strconv.ParseInt(expiration, 10, 64)
	if err != nil {
		return &fileError{http.StatusBadRequest, "signature_expiration is not a number of seconds"}
	}
	if a.system.now().Unix() > at {
		return &fileError{http.StatusUnauthorized, "signature is already expired"}
	}
	return nil
}

func signature(path, operation, user, token, expiration string) string {
	text := path + ":" + operation + ":" + user + ":" + token
	if expiration != "" {
		text += ":" + expiration
	}
	sum := sha256.Sum256([]byte(text))
	return "v1_" + base64.RawStdEncoding.EncodeToString(sum[:])
}
