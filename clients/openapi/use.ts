// SPDX-License-Identifier: Apache-2.0
// A program as its author would write it with the generated client. It is compiled, not run: the names of
// functions, parameters and fields must be those that the API's description promises.
import { cloneSandbox, connectSandbox, createSandbox, createSnapshot, listSandboxes, rollbackSandbox, streamOperationEvents } from './client'
import type { ApiError, ConnectSandbox, SandboxInfo, SnapshotInfo } from './client'
import { client } from './client/client.gen'

client.setConfig({ baseUrl: 'http://127.0.0.1:3000', headers: { 'X-API-Key': 'key' } })

const created = await createSandbox({
  body: { templateID: 'base', timeout: 900, metadata: { owner: 'ci' } },
  headers: { 'Idempotency-Key': 'once' },
})
if (created.error) {
  const error: ApiError = created.error
  throw new Error(`${error.error} (${error.code}): ${error.message}; ${error.remedy ?? ''}`)
}
const sandbox: SandboxInfo = created.data
const path = { id: sandbox.sandboxID }

const snapshot: SnapshotInfo | undefined = (await createSnapshot({ path, body: { name: 'before' } })).data as SnapshotInfo
const back = await rollbackSandbox({ path, body: { snapshotID: snapshot.snapshotID } })
console.log(back.data?.sandboxID)
const copies = await cloneSandbox({ path, body: { count: 2 } })
console.log(copies.data)
const longer: ConnectSandbox = { timeout: 900 }
await connectSandbox({ path, body: longer })
for (const one of (await listSandboxes({ query: { limit: 10 } })).data ?? []) console.log(one.state, one.endAt)
await streamOperationEvents({ path: { id: 'op' } })
