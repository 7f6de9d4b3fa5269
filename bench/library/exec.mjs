// SPDX-License-Identifier: Apache-2.0
// exec.mjs SANDBOX: runs `true` there with the E2B library, and prints how many milliseconds each took.
import { createRequire } from 'node:module'

// Where the tests of the library have it.
const { Sandbox } = createRequire(new URL('../../clients/e2b/', import.meta.url))('e2b')
const sandbox = await Sandbox.connect(process.argv[2])
for (let i = 0; i < Number(process.env.RAMET_BENCH_TIMES); i++) {
  const begin = performance.now()
  await sandbox.commands.run('true')
  console.log(performance.now() - begin)
}
