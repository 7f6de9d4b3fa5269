// SPDX-License-Identifier: Apache-2.0
// generate.mjs FILE DIRECTORY: generates a client in TypeScript from a description of an API. The status
// is 0 when every operation has a function of its name in it.
import { readFileSync } from 'node:fs'
import { createClient } from '@hey-api/openapi-ts'

const [file, output] = process.argv.slice(2)
await createClient({
  input: file,
  output,
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  logs: { level: 'silent' },
})
const client = readFileSync(`${output}/sdk.gen.ts`, 'utf8')
const functions = new Set([...client.matchAll(/^export const (\w+) = /gm)].map((found) => found[1]))
const operations = Object.values(JSON.parse(readFileSync(file, 'utf8')).paths)
  .flatMap((path) => Object.values(path))
  .map((operation) => operation.operationId)
const missing = operations.filter((id) => !functions.has(id))
if (missing.length > 0) console.error(`the generated client has no function for: ${missing.join(', ')}`)
process.exit(missing.length === 0 ? 0 : 1)
