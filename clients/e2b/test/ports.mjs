// SPDX-License-Identifier: Apache-2.0
//
// A server in a sandbox.
import { api, eventually } from './host.mjs'

export const PORT = 8000

// Answers every request with the Host header that it had.
const echo = `#!/bin/sh
while read -r line; do
  line=$(echo "$line" | tr -d '\\r')
  case $line in [Hh]ost:*) host=\${line#*: } ;; '') break ;; esac
done
printf 'HTTP/1.1 200 OK\\r\\nConnection: close\\r\\nContent-Length: %d\\r\\n\\r\\n%s' \${#host} "$host"
`

// The header that a private sandbox wants.
export const traffic = (sandbox) =>
  sandbox.trafficAccessToken ? { 'e2b-traffic-access-token': sandbox.trafficAccessToken } : {}

// Asks with the headers that name the sandbox and its port.
export async function ask(sandbox, headers = {}) {
  const where = { 'E2b-Sandbox-Id': sandbox.sandboxId, 'E2b-Sandbox-Port': `${PORT}` }
  const answer = await api('/', { headers: { ...where, ...headers } })
  return { status: answer.status, text: await answer.text() }
}

// Starts a server that answers with the Host header of the request, and waits until it listens.
export async function serveHostHeader(sandbox) {
  await sandbox.files.write('/tmp/echo', echo)
  await sandbox.commands.run(`chmod +x /tmp/echo; nc -ll -p ${PORT} -e /tmp/echo`, { background: true, timeoutMs: 0 })
  await eventually(async () => (await ask(sandbox, traffic(sandbox))).status !== 502)
}
