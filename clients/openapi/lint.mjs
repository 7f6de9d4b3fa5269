// SPDX-License-Identifier: Apache-2.0
// lint.mjs FILE: the status is 0 when a description of an API breaks none of the strict rules.
import { createConfig, formatProblems, getTotals, lint } from '@redocly/openapi-core'

const config = await createConfig({ extends: ['recommended-strict'] })
const problems = await lint({ ref: process.argv[2], config })
formatProblems(problems, { totals: getTotals(problems), version: '' })
process.exit(problems.length === 0 ? 0 : 1)
