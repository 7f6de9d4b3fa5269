# SPDX-License-Identifier: Apache-2.0
"""Prints the response body of a URL. A second argument goes into the header Host."""
import sys
import urllib.request

request = urllib.request.Request(sys.argv[1], headers={"Host": sys.argv[2]} if len(sys.argv) > 2 else {})
with urllib.request.urlopen(request) as response:
    sys.stdout.write(response.read().decode())
