// SPDX-License-Identifier: Apache-2.0
// lint.mjs FILE: the status is 0 when a description of an API breaks none of the strict rules.
import { createConfig, formatProblems, getTotals, lint } from '@redocly/openapi-core'

const config = await createConfig({ extends: ['recommended-strict'] })
const found = await lint({ ref: process.argv[2], config })
// The protocol of the E2B clients has both; which of them is meant is clear, for the word comes first.
const meant = ['/templates/aliases/{alias}', '/templates/{id}/tags']
const ambiguous = (one) => one.ruleId === 'no-ambiguous-paths' && meant.every((path) => one.message.includes(path))
// It always redirects a browser to the page that shows the API.
const redirect = (one) => one.ruleId === 'operation-2xx-response' && one.location[0].pointer.startsWith('#/paths/~1/get/')
const problems = found.filter((one) => !ambiguous(one) && !redirect(one))
formatProblems(problems, { totals: getTotals(problems), version: '' })
process.exit(problems.length === 0 ? 0 : 1)
