// SPDX-License-Identifier: Apache-2.0
//
// What all suites share: the library under test, and sandboxes that are gone after the test.
import { after } from 'node:test'

// The package's name, so that several versions can be put to the same tests.
export const library = await import(process.env.E2B_LIBRARY ?? 'e2b')
export const { Sandbox } = library

const template = process.env.RAMET_TEMPLATE ?? 'micro'
const made = []

after(async () => {
  for (const id of made) await Sandbox.kill(id)
})

export function track(sandbox) {
  made.push(sandbox.sandboxId)
  return sandbox
}

export async function create(options = {}) {
  return track(await Sandbox.create(template, { timeoutMs: 300_000, ...options }))
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms))

// Waits until the check holds; fails after a while with what it last said.
export async function eventually(check, ms = 20_000) {
  const end = Date.now() + ms
  for (;;) {
    const value = await check()
    if (value) return value
    if (Date.now() > end) throw new Error(`still not so after ${ms} ms: ${check}`)
    await sleep(50)
  }
}

export const api = (path, options = {}) =>
  fetch(process.env.E2B_API_URL + path, {
    ...options,
    headers: { 'X-API-Key': process.env.E2B_API_KEY, ...options.headers },
  })
