// SPDX-License-Identifier: Apache-2.0
//
// Programs open what getHost() returns, as they would open any address: Node, Python and Go. They ask the
// system for the name, which knows names below localhost with libnss-myhostname only. Where the system does
// not know them, the tests say so and put the name into the header Host.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { lookup, resolve } from 'node:dns/promises'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { api, create } from '../test/host.mjs'
import { PORT, serveHostHeader } from '../test/ports.mjs'

const run = promisify(execFile)
const here = (file) => fileURLToPath(new URL(file, import.meta.url))

// A proxy that the environment names would resolve the name in our place.
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/_proxy$/i.test(name)))

let host, known, folder

before(async () => {
  const sandbox = await create()
  await serveHostHeader(sandbox)
  host = sandbox.getHost(PORT)
  known = await lookup(host.split(':')[0]).then(() => true, () => false)
  folder = await mkdtemp(join(tmpdir(), 'names-'))
})
after(() => rm(folder, { recursive: true, force: true }))

// The arguments for get.py and get.go: the address, or if the name is unknown, the host's address and the name.
function where(t, resolves) {
  if (resolves) return [`http://${host}/`]
  t.diagnostic(`${host.split(':')[0]} has no address here, so it is sent in the header Host; apt-get install libnss-myhostname`)
  return [`${process.env.E2B_API_URL}/`, host]
}

async function printed(program, args, more = {}) {
  const { stdout } = await run(program, args, { env: { ...environment, ...more } })
  return stdout
}

test('Node', async (t) => {
  const [url, name] = where(t, known)
  const text = await new Promise((done, failed) => {
    request(url, name ? { headers: { Host: name } } : {}, async (answer) => {
      let body = ''
      for await (const chunk of answer) body += chunk
      done(body)
    })
      .on('error', failed)
      .end()
  })
  assert.equal(text, host)
})

test('Node with fetch', async (t) => {
  if (!known) return t.skip('fetch sends no Host header of its own; apt-get install libnss-myhostname')
  assert.equal(await (await fetch(`http://${host}/`)).text(), host)
})

test('Python', async (t) => {
  assert.equal(await printed('python3', [here('get.py'), ...where(t, known)]), host)
})

test('Go, which asks the C library where it was built with cgo', async (t) => {
  const get = join(folder, 'get')
  try {
    await run('go', ['build', '-o', get, here('get.go')], { env: environment })
  } catch (e) {
    if (e.code === 'ENOENT') return t.skip('go is missing')
    throw e
  }
  const cgo = (await run('go', ['version', '-m', get])).stdout.includes('CGO_ENABLED=1')
  assert.equal(await printed(get, where(t, known && cgo)), host)
  // Go's own resolver asks /etc/hosts and DNS, and no other service of nsswitch.conf.
  const own = await printed(get, [`http://${host}/`], { GODEBUG: 'netdns=go' }).catch((e) => e)
  t.diagnostic(`Go's own resolver ${own === host ? 'knows the name here' : 'does not know it'}`)
  assert.equal(await printed(get, [`${process.env.E2B_API_URL}/`, host], { GODEBUG: 'netdns=go' }), host)
})

test('the doctor names the package exactly where it is missing', async (t) => {
  const { advice } = await (await api('/doctor')).json()
  const named = advice.some((one) => one.includes('libnss-myhostname'))
  t.diagnostic(named ? 'names libnss-myhostname' : 'names no package')
  // A name server that knows the names is not the C library's doing, and the doctor asks none.
  const served = await resolve(host.split(':')[0]).then(() => true, () => false)
  assert.equal(named, !known || served)
})
