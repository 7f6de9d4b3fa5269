// SPDX-License-Identifier: Apache-2.0
//
// Who reaches the ports of a sandbox, and under which name its servers think they are asked.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { Sandbox, api, create, eventually } from './host.mjs'
import { PORT, ask, serveHostHeader as serve, traffic } from './ports.mjs'

// As a browser would: by the name that the library gives.
function askByName(sandbox, headers = {}) {
  const { hostname, port } = new URL(process.env.E2B_API_URL)
  return new Promise((done, failed) => {
    request({ hostname, port, headers: { ...headers, Host: sandbox.getHost(PORT) } }, async (answer) => {
      let text = ''
      for await (const chunk of answer) text += chunk
      done({ status: answer.statusCode, text })
    })
      .on('error', failed)
      .end()
  })
}

test('open to everyone unless told otherwise', async () => {
  const sandbox = await create()
  assert.equal(sandbox.trafficAccessToken, undefined)
  const { port } = new URL(process.env.E2B_API_URL)
  assert.equal(sandbox.getHost(PORT), `${PORT}-${sandbox.sandboxId}.localhost:${port}`)
  await serve(sandbox)
  assert.deepEqual(await ask(sandbox), { status: 200, text: `localhost:${PORT}` })
  assert.deepEqual(await askByName(sandbox), { status: 200, text: sandbox.getHost(PORT) })
})

test('closed but for its token, also for who connects and for what was forked', async () => {
  const sandbox = await create({ network: { allowPublicTraffic: false } })
  assert.ok(sandbox.trafficAccessToken)
  await serve(sandbox)
  for (const ways of [ask, askByName]) {
    const refused = await ways(sandbox)
    assert.equal(refused.status, 403)
    assert.equal(JSON.parse(refused.text).code, 403)
    assert.equal((await ways(sandbox, { 'e2b-traffic-access-token': 'guessed' })).status, 403)
    assert.equal((await ways(sandbox, traffic(sandbox))).status, 200)
  }
  const again = await Sandbox.connect(sandbox.sandboxId)
  assert.equal(again.trafficAccessToken, sandbox.trafficAccessToken)
  assert.equal((await Sandbox.getInfo(sandbox.sandboxId)).network.allowPublicTraffic, false)

  const answer = await api(`/sandboxes/${sandbox.sandboxId}/fork`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"timeout":300}',
  })
  const [{ sandbox: child }] = await answer.json()
  assert.notEqual(child.trafficAccessToken, sandbox.trafficAccessToken)
  assert.equal((await ask({ sandboxId: child.sandboxID }, traffic(sandbox))).status, 403)
  await eventually(async () => (await ask({ sandboxId: child.sandboxID }, traffic(child))).status === 200)
  await Sandbox.kill(child.sandboxID)
})

test('servers see the host that the mask says', async () => {
  const sandbox = await create({ network: { maskRequestHost: 'localhost:${PORT}' } })
  await serve(sandbox)
  assert.deepEqual(await askByName(sandbox), { status: 200, text: `localhost:${PORT}` })
  assert.equal((await Sandbox.getInfo(sandbox.sandboxId)).network.maskRequestHost, 'localhost:${PORT}')
})
